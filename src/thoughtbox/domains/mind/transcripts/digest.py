"""What was going on before: the newest summaries of a project's sessions, read from the ends of their files."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.formats import Message, instant, message_of, read_line
from thoughtbox.domains.mind.transcripts.models import (
    KIB,
    MIB,
    DigestFilters,
    DigestItem,
    MessageDigested,
    SessionShown,
    Suggestion,
    TranscriptsDigest,
    TranscriptsDigested,
)
from thoughtbox.domains.mind.transcripts.roots import Surroundings
from thoughtbox.domains.mind.transcripts.scan import Found, Scan, suggestion
from thoughtbox.domains.mind.transcripts.summaries import looks_like_summary
from thoughtbox.domains.mind.transcripts.texts import cut, plain

WINDOWS = (128 * KIB, MIB)
"""How much of a file's end is read, and how much at most when nothing is found there."""

LONGEST_TEXT = 12_000
"""Bytes of a message that are shown."""

ALIKE = 4096
"""Bytes by which two messages are the same, white space aside."""

CANDIDATES_PER_ITEM = 3


class _Candidate(NamedTuple):
    """A message that may be shown; the greatest first."""

    at: float
    path: str
    item: DigestItem


def digest(
    call: TranscriptsDigest, surroundings: Surroundings
) -> tuple[TranscriptsDigested, list[Notice], list[Suggestion]]:
    """At most one message of each session: the last that looks like a summary, or the last at all."""
    scan = Scan(call, surroundings)
    candidates: list[_Candidate] = []
    for session in scan.sessions(of_helpers=False):
        if (candidate := _candidate(session, call, surroundings, scan)) is not None:
            candidates.append(candidate)
        if len(candidates) >= CANDIDATES_PER_ITEM * call.max_items:
            break
    candidates.sort(key=lambda candidate: (candidate.at, candidate.path), reverse=True)
    items = _apart([candidate.item for candidate in candidates])[: call.max_items]
    answer = TranscriptsDigested(
        root_dir=str(scan.roots.shown),
        roots=[str(root.path) for root in scan.roots.read],
        filters=DigestFilters(cwd_prefix=scan.scope.prefix, mode=call.mode),
        scanned=scan.scanned(),
        digest=items,
    )
    return answer, scan.warnings(), _openings(call, items) or _retries(call, scan)


def _candidate(session: Found, call: TranscriptsDigest, surroundings: Surroundings, scan: Scan) -> _Candidate | None:
    markers = surroundings.summary_markers if call.mode == "summary" else None
    found = _last(session, markers)
    if found is None:
        return None
    byte, message = found
    told = session.head.session
    at = instant(message.ts)
    if at is None:
        at = instant(told.ts)
    item = DigestItem(
        ref=scan.ref(session.listed, byte=byte),
        session=SessionShown(id=told.id, ts=told.ts),
        message=MessageDigested(ts=message.ts, text=cut(plain(surroundings.redact(message.text)), LONGEST_TEXT)),
    )
    return _Candidate(float("-inf") if at is None else at, str(session.listed.below), item)


def _last(session: Found, markers: tuple[str, ...] | None) -> tuple[int, Message] | None:
    """The last message wanted and the byte that its line begins at. No byte of the file is read twice."""
    transcript, head = session.transcript, session.head.raw
    start, tail = transcript.size, b""
    for window in WINDOWS:
        stop = start
        start, more = transcript.read_end(max(transcript.size - window, len(head)), stop)
        if len(more) < stop - start:  # it became shorter while we read
            return None
        tail = more + tail
        if start <= len(head):  # together with the head this is the whole file
            return _last_in(head[:start] + tail, 0, markers)
        first_break = tail.find(b"\n") + 1
        if first_break and (found := _last_in(tail[first_break:], start + first_break, markers)) is not None:
            return found
    return None


def _last_in(raw: bytes, start: int, markers: tuple[str, ...] | None) -> tuple[int, Message] | None:
    """The last message wanted in a run of whole lines."""
    end = len(raw)
    while end > 0:
        begin = raw.rfind(b"\n", 0, end - 1) + 1
        line = raw[begin:end]
        end = begin
        if b"assistant" not in line and b"\\u" not in line:
            continue
        parsed = read_line(line)
        message = message_of(parsed) if parsed is not None else None
        if message is None or message.role != "assistant" or message.aside:
            continue
        if markers is None or looks_like_summary(message.text, markers):
            return start + begin, message
    return None


def _apart(items: list[DigestItem]) -> list[DigestItem]:
    """Each text once: the newest of those that begin alike."""
    seen: set[bytes] = set()
    kept = []
    for item in items:
        key = " ".join(item.message.text.split()).encode("utf-8")[:ALIKE]
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def _openings(call: TranscriptsDigest, items: list[DigestItem]) -> list[Suggestion]:
    """The newest of them, in its window."""
    if not items:
        return []
    where = {"workspace": call.workspace, "root_dir": call.root_dir}
    params = {name: value for name, value in where.items() if value is not None} | {"ref": items[0].ref.answer()}
    return [suggestion("transcripts_open", "Read what was said around the newest.", params, priority="low")]


def _retries(call: TranscriptsDigest, scan: Scan) -> list[Suggestion]:
    """When nothing was found: more of what ran out, or the last messages, which every session has."""
    retries = scan.retries()
    if call.mode == "summary" and scan.allowance.files:
        retries.append(scan.again("Take the last message of each session, whatever it looks like.", mode="last"))
    return retries
