"""Opening one line of a transcript, with what was said before and after it."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import NamedTuple

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.transcripts.files import Allowance, Transcript, opened
from thoughtbox.domains.mind.transcripts.formats import message_of, read_line
from thoughtbox.domains.mind.transcripts.head import Session, head_of
from thoughtbox.domains.mind.transcripts.lines import LONGEST_LINE
from thoughtbox.domains.mind.transcripts.listing import ENDING
from thoughtbox.domains.mind.transcripts.models import (
    KIB,
    MIB,
    MOST_BYTES,
    Entry,
    OpenRef,
    Ref,
    SessionOpened,
    Suggestion,
    TranscriptOpened,
    TranscriptsOpen,
)
from thoughtbox.domains.mind.transcripts.projects import Scope, project_of
from thoughtbox.domains.mind.transcripts.refusals import invalid
from thoughtbox.domains.mind.transcripts.roots import Roots, Surroundings, roots_of
from thoughtbox.domains.mind.transcripts.scan import suggestion
from thoughtbox.domains.mind.transcripts.texts import cut, plain
from thoughtbox.errors import shown

WINDOW = 2 * LONGEST_LINE
"""The most that is read on each side of the line."""

LONGEST_ENTRY = 32 * KIB
"""Bytes of one message that are shown."""

NOTED = 2_000
"""Bytes of the message that the suggested note holds."""

_FIRST_STEP = 64 * KIB
_AT_ONCE = MIB


class Place(NamedTuple):
    """Where a line begins, its number where that is known, and whether that is where the call pointed."""

    byte: int
    line: int | None
    exact: bool = True


class Line(NamedTuple):
    byte: int
    line: int | None
    raw: bytes


def open_window(
    call: TranscriptsOpen, surroundings: Surroundings
) -> tuple[TranscriptOpened, list[Notice], list[Suggestion]]:
    """The messages of the line that a reference names, and of the lines around it."""
    ref = call.ref
    if (ref.line is None) == (ref.byte is None):
        raise invalid(
            "`ref` needs either `line` or `byte`" + ("" if ref.line is None else ", not both"),
            recovery="Send the ref of a hit or of a digest as it stands, or one of line and byte.",
            fields=["ref.line", "ref.byte"],
            hints=[{"kind": "choose_one", "fields": ["ref.line", "ref.byte"], "options": _ONE_OF_TWO}],
        )
    root, below = _file(call, surroundings)
    with opened(root, below, Allowance(1, MOST_BYTES + 3 * WINDOW)) as transcript:
        if transcript is None:
            raise _missing(ref)
        place = _at_line(transcript, ref.line) if ref.line is not None else _at_byte(transcript, ref.byte or 0)
        session = head_of(transcript, Scope("", None)).session
        lines, complete = _around(transcript, place, call.before_lines, call.after_lines)
    entries = [entry for line in lines if (entry := _entry(line, surroundings)) is not None]
    answer = TranscriptOpened(
        root_dir=str(root),
        ref=Ref(path=str(below), line=ref.line, byte=None if ref.line is not None else place.byte),
        session=SessionOpened(id=session.id, ts=session.ts, cwd=session.cwd),
        project=project_of(session.place),
        entries=entries,
        truncated=not complete or any(entry.cut for entry in entries),
    )
    warnings = [] if place.exact else [_not_exact(ref.byte or 0, place.byte)]
    return answer, warnings, _captures(call, answer, place, session)


_ONE_OF_TWO = [{"keep": "ref.byte", "drop": "ref.line"}, {"keep": "ref.line", "drop": "ref.byte"}]


def _file(call: TranscriptsOpen, surroundings: Surroundings) -> tuple[Path, PurePath]:
    """The root and what is below it, resolved; refuses whatever leads out, or is no transcript."""
    ref = call.ref
    named = ref.root if ref.root is not None else call.root_dir
    roots = roots_of(named, surroundings)
    if call.root_dir is not None and roots_of(call.root_dir, surroundings).shown != roots.shown:
        raise invalid(
            "`ref.root` and `root_dir` name different folders",
            recovery="Send one of them: the one that ref.path is relative to.",
            fields=["ref.root", "root_dir"],
        )
    if not roots.read:
        raise _missing(ref)
    found = _resolved_below(roots, ref.path)
    if not found:
        raise invalid(
            f"`ref.path` `{shown(ref.path)}` leads out of {' and '.join(str(root.path) for root in roots.read)}",
            recovery="Send the path of a hit as it stands; it is relative to its root_dir.",
            fields=["ref.path"],
        )
    root, below = next((one for one in found if (one[0] / one[1]).is_file()), found[0])
    if not below.name.endswith(ENDING):
        raise _missing(ref)
    return root, below


def _resolved_below(roots: Roots, path: str) -> list[tuple[Path, PurePath]]:
    """The places that a path can mean, each inside of its root after all links are followed."""
    found = []
    for root in roots.read:
        try:
            resolved = (root.path / path).resolve()
        except (OSError, ValueError, RuntimeError):
            continue
        if resolved != root.path and resolved.is_relative_to(root.path):
            found.append((root.path, PurePath(resolved.relative_to(root.path))))
    return found


def _missing(ref: OpenRef) -> Exception:
    return invalid(
        f"`ref.path` `{shown(ref.path)}` is no transcript: there is no such *{ENDING} file, or it cannot be read",
        recovery="transcripts_search and transcripts_digest name those there are.",
        fields=["ref.path"],
    )


def _at_line(transcript: Transcript, wanted: int) -> Place:
    """Where a line begins, found by counting."""
    position, line, part = 0, 1, b"\n"
    while line < wanted and position < MOST_BYTES:
        more = transcript.read(position, min(_AT_ONCE, MOST_BYTES - position))
        if not more:
            break
        part, at = more, 0
        breaks = part.count(b"\n")
        if line + breaks >= wanted:
            for _ in range(wanted - line):
                at = part.index(b"\n", at) + 1
            part = part[:at]
            breaks = wanted - line
        line += breaks
        position += len(part)
    if line == wanted and position < transcript.size:
        return Place(position, line)
    if MOST_BYTES <= position < transcript.size:
        raise invalid(
            f"`ref.line` {wanted} is further down than the {MOST_BYTES} bytes in which lines are counted",
            recovery="Send ref.byte, the offset at which the line begins.",
            fields=["ref.line"],
        )
    last = line - 1 if part.endswith(b"\n") else line
    raise invalid(
        f"`ref.line` is {wanted}, but the file has {last} lines",
        recovery="Send a line of the file, as transcripts_search names it.",
        fields=["ref.line"],
    )


def _at_byte(transcript: Transcript, byte: int) -> Place:
    """The line that a byte is in; exact only if it is the first of it."""
    if byte >= transcript.size:
        raise invalid(
            f"`ref.byte` is {byte}, but the file has {transcript.size} bytes",
            recovery="Send the byte that a line begins at, as transcripts_digest names it.",
            fields=["ref.byte"],
        )
    start, raw = _back_to(transcript, byte, breaks=1)
    if start > 0 and b"\n" not in raw:
        raise invalid(
            f"`ref.byte` {byte} is in a line longer than {WINDOW} bytes",
            recovery="Send the byte that another line begins at, as transcripts_digest names it.",
            fields=["ref.byte"],
        )
    begin = start + raw.rfind(b"\n") + 1
    return Place(begin, 1 if begin == 0 else None, exact=begin == byte)


def _around(transcript: Transcript, place: Place, before: int, after: int) -> tuple[list[Line], bool]:
    """The line with those before and after it, and whether these are as many as there are and were asked for."""
    start, raw = _back_to(transcript, place.byte, breaks=before + 1)
    earlier = raw.split(b"\n")[:-1]
    if start > 0 and earlier:
        start += len(earlier[0]) + 1
        earlier = earlier[1:]
    number = place.line - len(earlier) if place.line is not None else (1 if start == 0 else None)
    later, went_on = _ahead(transcript, place.byte, after + 1)
    complete = (len(earlier) >= before or start == 0) and not went_on
    lines = []
    for raw_line in earlier + later:
        lines.append(Line(start, number, raw_line))
        start += len(raw_line) + 1
        number = None if number is None else number + 1
    return lines[max(0, len(earlier) - before) :], complete


def _back_to(transcript: Transcript, byte: int, *, breaks: int) -> tuple[int, bytes]:
    """What stands before a byte, back to so many line breaks, the beginning, or the end of the window."""
    start, raw, step = byte, b"", _FIRST_STEP
    while start > 0 and len(raw) < WINDOW and raw.count(b"\n") < breaks:
        part = transcript.read(max(0, start - step), min(step, start))
        if not part:
            break
        raw = part + raw
        start -= len(part)
        step *= 2
    return start, raw


def _ahead(transcript: Transcript, byte: int, count: int) -> tuple[list[bytes], bool]:
    """So many lines from a byte on, and whether the window ended before they did."""
    raw, step, at_end = b"", _FIRST_STEP, False
    while not at_end and len(raw) < WINDOW and raw.count(b"\n") < count:
        part = transcript.read(byte + len(raw), step)
        at_end = not part
        raw += part
        step *= 2
    lines = raw.split(b"\n")
    if not at_end or (lines and not lines[-1]):
        lines.pop()
    return lines[:count], not at_end and len(lines) < count


def _entry(line: Line, surroundings: Surroundings) -> Entry | None:
    parsed = read_line(line.raw) if len(line.raw) <= LONGEST_LINE else None
    message = message_of(parsed) if parsed is not None else None
    if message is None:
        return None
    whole = plain(surroundings.redact(message.text))
    text = cut(whole, LONGEST_ENTRY)
    return Entry(
        line=line.line,
        byte=line.byte,
        role=message.role,
        ts=message.ts,
        text=text,
        cut=True if len(text) < len(whole) else None,
    )


def _not_exact(asked: int, found: int) -> Notice:
    return Notice(
        "TRANSCRIPTS_REF_NOT_EXACT",
        f"Byte {asked} is inside of a line; the line that begins at byte {found} was opened.",
        f"Send ref.byte={found} for this line.",
    )


def _captures(call: TranscriptsOpen, answer: TranscriptOpened, place: Place, session: Session) -> list[Suggestion]:
    """A note that keeps what was opened: transcripts are not part of the store, and files are cleared away."""
    message = next((entry for entry in answer.entries if entry.byte == place.byte), None)
    if message is None:
        return []
    source = {"root_dir": answer.root_dir, "path": answer.ref.path, "byte": place.byte, "session_id": session.id}
    params = {
        "workspace": call.workspace,
        "title": f"From a transcript: {message.role}, {message.ts or 'at an unknown time'}",
        "content": cut(message.text, NOTED),
        "meta": {"transcript": {name: value for name, value in source.items() if value is not None}},
    }
    given = {name: value for name, value in params.items() if value is not None}
    return [suggestion("macro_branch_note", "Keep the opened message as a note.", given, priority="low")]
