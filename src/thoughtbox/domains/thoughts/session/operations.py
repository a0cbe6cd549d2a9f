"""Looking after sessions: find, read, resume, export, analyse, rename, tag, complete, delete, verify."""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from thoughtbox.domains.thoughts.files.kept import KeptTexts
from thoughtbox.domains.thoughts.opening.models import ListSessions, SessionShown, SessionsListed
from thoughtbox.domains.thoughts.opening.operations import attach, listed
from thoughtbox.domains.thoughts.reading import document, heard_elsewhere, thoughts_of
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.session.analysis import DeepAnalysis, SessionAnalysis, analyze, look_deeper
from thoughtbox.domains.thoughts.session.learnings import ExtractedLearning, KeyMoment, learn, unknown_moments
from thoughtbox.domains.thoughts.session.models import (
    DeepAnalysisAsked,
    DeleteSession,
    Exported,
    ExportSession,
    ExtractLearnings,
    GetSession,
    LearningsExtracted,
    OneSession,
    RenameSession,
    Resumed,
    ResumeSession,
    SearchSessions,
    SessionChanged,
    SessionDeleted,
    SessionFound,
    SessionGot,
    SessionsFound,
    SessionVerified,
    TagSession,
)
from thoughtbox.domains.thoughts.sessions import CHANGED, STARTED, Session
from thoughtbox.domains.thoughts.stages import INIT_COMPLETE, LATEST, existing
from thoughtbox.domains.thoughts.starting import change
from thoughtbox.domains.thoughts.thinking.models import MOST_TAGS
from thoughtbox.domains.thoughts.thinking.operations import (
    current,
    last_of,
    line_shown,
    opened,
    page,
    places_in,
    room_beside,
    within,
)
from thoughtbox.domains.thoughts.thoughts import TOPIC, Thought, stream_of
from thoughtbox.domains.thoughts.view import MAIN, Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.verify import verify_stream
from thoughtbox.operations import Example, Tx
from thoughtbox.search.texts import Hit, SessionHit, Texts
from thoughtbox.world import iso

_KEPT = KeptTexts()

PAGE_CHARS = 60_000
"""An export is given in pieces of this length at most, as it goes over the wire."""

PART = "This is a part. Send the cursor for the next one."

SEARCHED_AT_ONCE = 100
"""Sessions that are looked up at once: some of them may have been deleted."""

HEARD = 200

_LATEST = {"sessionId": "latest"}
_STARTED = ("start_new", {"sessionTitle": "Slow pages", "sessionTags": ["performance"]})
_GIVEN = (
    _STARTED,
    ("cipher", _LATEST),
    ("thought", {**_LATEST, "thought": "S1|O|User reports slow page loads"}),
    ("thought", {**_LATEST, "thought": "S2|C|S1|∴ Add an index on users.email"}),
)


@room.operation(
    "session.list",
    stage=INIT_COMPLETE,
    title="List sessions",
    newest_first=frozenset({"sessions"}),
    example=Example({**_LATEST, "tags": ["performance"]}, given=_GIVEN),
)
def session_list(tx: Tx, call: ListSessions) -> SessionsListed:
    """Sessions of this workspace, newest first; with tags (all of them), words, project, task or aspect."""
    return listed(tx, call)


@room.operation(
    "session.get",
    stage=INIT_COMPLETE,
    title="Read a session",
    errors=[SessionNotFound],
    newest_first=frozenset({"thoughts"}),
    keep=("cursor", "session"),
    example=Example(_LATEST, given=_GIVEN),
)
def session_get(tx: Tx, call: GetSession) -> SessionGot:
    """A session with its thoughts in order of recording, branches included, a page at a time."""
    session = current(tx, call.session_id)
    view = tx.ask(Thoughts)
    [after] = places_in(tx, call.cursor, 1) if call.cursor else [0]
    seqs = [node.seq for node in view.nodes_after(session.id, after, call.limit + 1)]
    if after and not seqs:
        within(after, 0)
    lines = [line for line in view.lines(session.id) if line.branch != MAIN]
    ends = view.nodes_at(session.id, (seq for line in lines for seq in (line.first_seq, line.last_seq)))
    branches = {line.branch: line_shown(line, ends) for line in lines}
    got = SessionGot(session=SessionShown.of(session), thoughts=[], branches=branches)
    room = room_beside(call.max_chars, got.answer())
    got.thoughts, more = page(tx, seqs, begin=0, limit=call.limit, room=room)
    got.cursor = None if more is None else str(seqs[len(got.thoughts) - 1])
    return got


@room.operation(
    "session.search",
    stage=INIT_COMPLETE,
    title="Search sessions",
    fresh=(Texts,),
    newest_first=frozenset({"sessions"}),
    example=Example({**_LATEST, "query": "slow page*"}, given=_GIVEN),
)
def session_search(tx: Tx, call: SearchSessions) -> SessionsFound:
    """Find sessions by words in their thoughts, titles, descriptions and tags."""
    sessions: list[SessionFound] = []
    offset, next_offset, has_more = call.offset, None, True
    note: str | None = None
    while has_more and next_offset is None:
        found = tx.ask(Texts).sessions(
            call.query, topics=(TOPIC, STARTED, CHANGED), limit=SEARCHED_AT_ONCE, offset=offset
        )
        note, has_more = found.note, found.has_more
        for place, hit in enumerate(found.sessions, offset):
            shown = _found(tx, hit, call.query)
            if shown is not None and len(sessions) == call.limit:
                next_offset = place
                break
            if shown is not None:
                sessions.append(shown)
        offset += len(found.sessions)
    return SessionsFound(
        query=call.query,
        sessions=sessions,
        count=len(sessions),
        has_more=next_offset is not None,
        next_offset=next_offset,
        message=note,
    )


@room.operation(
    "session.resume",
    writes=True,
    stage=INIT_COMPLETE,
    title="Go on with a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_resume(tx: Tx, call: ResumeSession) -> Resumed:
    """Work on another session: the next thought lands in it. It starts again at stage 1."""
    return _resumed(tx, call.session_id)


@room.operation(
    "session.resume_latest",
    writes=True,
    title="Go on with the latest session",
    errors=[SessionNotFound],
    example=Example({}, given=_GIVEN),
)
def session_resume_latest(tx: Tx, call: OneSession) -> Resumed:
    """Work on the session that changed last."""
    return _resumed(tx, LATEST)


@room.operation(
    "session.export",
    stage=INIT_COMPLETE,
    title="Export a session",
    errors=[SessionNotFound],
    keep=("cursor", "sessionId"),
    example=Example({**_LATEST, "format": "markdown"}, given=_GIVEN),
)
def session_export(tx: Tx, call: ExportSession) -> Exported:
    """A session as JSON, Markdown or cipher, branches included; a long one comes in pieces, to be put together."""
    begin, seq, at_ms = places_in(tx, call.cursor, 3) if call.cursor else (0, tx.ledger.last_seq(), tx.now_ms)
    tx = tx.at(seq)  # pieces must fit together, whatever is recorded meanwhile
    session = current(tx, call.session_id)
    part = Exported(session_id=session.id, format=call.format, content="", message=PART)
    room = min(room_beside(call.max_chars, part.answer()), PAGE_CHARS)
    part.content, more = _piece(tx, session, call, iso(at_ms), begin, room)
    if begin and not part.content:
        within(begin, 0)
    part.cursor = f"{begin + len(part.content)}.{seq}.{at_ms}" if more else None
    part.message = PART if more else None
    return part


@room.operation(
    "session.analyze",
    stage=INIT_COMPLETE,
    title="Analyse a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_analyze(tx: Tx, call: OneSession) -> SessionAnalysis:
    """Figures of a session: how linear it is, how often it was revised, whether it came to an end."""
    session = current(tx, call.session_id)
    return analyze(session, list(thoughts_of(tx, session.id)))


@room.operation(
    "deep_analysis",
    stage=INIT_COMPLETE,
    title="Look deeper into a session",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "analysisType": "decision_points"}, given=_GIVEN),
)
def deep_analysis(tx: Tx, call: DeepAnalysisAsked) -> DeepAnalysis:
    """How a session's thoughts hang together: chains, open questions, decision points, load, pauses."""
    session = current(tx, call.session_id)
    return look_deeper(session, list(thoughts_of(tx, session.id)), call.analysis_type, call.include_timeline)


@room.operation(
    "session.extract_learnings",
    stage=INIT_COMPLETE,
    title="Find what a session teaches",
    errors=[SessionNotFound, ThoughtNotFound],
    newest_first=frozenset({"learnings"}),
    example=Example(_LATEST, given=_GIVEN),
)
def session_extract_learnings(tx: Tx, call: ExtractLearnings) -> LearningsExtracted:
    """Proposals from a session: what worked, what did not, what recurs. Keep one with knowledge.promote."""
    session = current(tx, call.session_id)
    found = learnings_of(tx, session, call.key_moments)
    wanted = [learning for learning in found if not call.target_types or learning.type in call.target_types]
    return LearningsExtracted(
        session_id=session.id,
        learnings=wanted,
        count=len(wanted),
        next={"operation": "knowledge.promote", "sessionId": session.id, "learningId": "…"},
    )


@room.operation(
    "session.rename",
    writes=True,
    stage=INIT_COMPLETE,
    title="Rename a session",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "title": "Slow pages after the release"}, given=_GIVEN),
)
def session_rename(tx: Tx, call: RenameSession) -> SessionChanged:
    """Give a session another title or description."""
    session = current(tx, call.session_id)
    given = {name: value for name in ("title", "description") if (value := getattr(call, name)) is not None}
    if not given:
        raise InvalidPayload("there is neither a title nor a description", details={"fields": ["title"]})
    return _changed(tx, session, "renamed", **given)


@room.operation(
    "session.tag",
    writes=True,
    stage=INIT_COMPLETE,
    title="Tag a session",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "add": ["database"], "remove": ["performance"]}, given=_GIVEN),
)
def session_tag(tx: Tx, call: TagSession) -> SessionChanged:
    """Add tags to a session, take some away, or replace them all."""
    session = current(tx, call.session_id)
    kept = call.tags if call.tags is not None else [tag for tag in session.tags if tag not in call.remove]
    tags = list(dict.fromkeys([*kept, *call.add]))
    if len(tags) > MOST_TAGS:
        raise InvalidPayload(f"a session has {MOST_TAGS} tags at most", details={"fields": ["add"]})
    return _changed(tx, session, "tagged", tags=tags) if tuple(tags) != session.tags else _unchanged(session)


@room.operation(
    "session.complete",
    writes=True,
    stage=INIT_COMPLETE,
    title="Complete a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_complete(tx: Tx, call: OneSession) -> SessionChanged:
    """Say that a session has come to its end. It can be resumed."""
    session = current(tx, call.session_id)
    return _changed(tx, session, "completed") if session.status != "completed" else _unchanged(session)


@room.operation(
    "session.delete",
    writes=True,
    stage=INIT_COMPLETE,
    title="Delete a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN, fails_with=InvalidPayload),
)
def session_delete(tx: Tx, call: DeleteSession) -> SessionDeleted:
    """Take a session out of sight. Its records stay in the ledger, and session.verify still proves them."""
    if call.session_id == LATEST:
        raise InvalidPayload(
            "what is deleted must be named: `latest` may be somebody else's by now",
            recovery=f"Send the id. The latest is {existing(tx, LATEST).id}.",
            details={"fields": ["sessionId"]},
        )
    session = existing(tx, call.session_id)
    change(tx, session.id, "deleted")
    if tx.focus.session_id == session.id:
        tx.focus.move(None, 0)
    return SessionDeleted(session_id=session.id)


@room.operation(
    "session.verify",
    title="Verify a session",
    errors=[SessionNotFound],
    example=Example({"sessionId": "latest"}, given=_GIVEN),
)
def session_verify(tx: Tx, call: OneSession) -> SessionVerified:
    """Whether every record of a session, also of a deleted one, is still what was written."""
    session_id = call.session_id or tx.focus.session_id or LATEST
    session = tx.ask(Thoughts).session(session_id) or existing(tx, session_id)
    verdict = verify_stream(tx.sql, tx.workspace, stream_of(session.id))
    return SessionVerified(
        session_id=session.id,
        valid=verdict.valid,
        standing=verdict.standing,
        deleted=session.deleted,
        records=verdict.records,
        message=f"The chain is broken: {verdict.problem.message}." if verdict.problem else "The chain is whole.",
    )


def _found(tx: Tx, hit: SessionHit, query: str) -> SessionFound | None:
    """A session that was found; none when it was deleted, or has not what it was found by any more."""
    session = tx.ask(Thoughts).session(hit.session)
    if session is None or session.deleted:
        return None
    best: Hit | None = hit.best
    if hit.best.topic != TOPIC and not _still_says(session, hit.best):
        in_thoughts = tx.ask(Texts).find(query, topics=(TOPIC,), session=session.id, limit=1).hits
        best = in_thoughts[0] if in_thoughts else None
    if best is None:
        return None
    record = tx.ledger.record(best.seq)
    thought = Thought.of(record) if record is not None and record.topic == TOPIC else None
    return SessionFound(
        session=SessionShown.of(session),
        hits=hit.hits,
        best=best.snippet,
        thought_number=thought.number if thought else None,
        branch_id=thought.branch_id if thought else None,
    )


def _still_says(session: Session, hit: Hit) -> bool:
    """Whether the title, description or tags that a session was found by are those it has now."""
    says = "\n".join([session.title, session.description or "", *session.tags]).casefold()
    return all(marked.casefold() in says for marked in re.findall("«(.+?)»", hit.snippet))


def learnings_of(tx: Tx, session: Session, key_moments: list[KeyMoment]) -> list[ExtractedLearning]:
    thoughts = list(thoughts_of(tx, session.id))
    for moment in unknown_moments(thoughts, key_moments):
        raise ThoughtNotFound(
            f"keyMoments names thought {moment.thought_number}, which the session does not have",
            recovery="Name thoughts that are there, with branchId where they stand on a branch.",
            details={"sessionId": session.id, "thoughtNumber": moment.thought_number},
        )
    earlier = heard_elsewhere(tx, session.id, HEARD)
    return learn(session, thoughts, at=iso(tx.now_ms), key_moments=key_moments, earlier=earlier)


def _resumed(tx: Tx, session_id: str) -> Resumed:
    session = attach(tx, session_id)
    view = tx.ask(Thoughts)
    line = view.line(session.id, MAIN)
    last = opened(tx, last_of(tx, session.id, 1))
    number = line.highest_number + 1 if line else 1
    return Resumed(
        session_id=session.id,
        session=SessionShown.of(session),
        stage=tx.focus.stage,
        thought_count=session.thought_count,
        last_thought=last[0] if last else None,
        next_thought_number=number,
        message=f"The next thought on the main line is number {number}."
        + (" Load the cipher first." if tx.focus.stage < 2 else ""),
    )


def _changed(tx: Tx, session: Session, what: str, **given: object) -> SessionChanged:
    return SessionChanged(session=SessionShown.of(change(tx, session.id, what, **given)))


def _unchanged(session: Session) -> SessionChanged:
    return SessionChanged(session=SessionShown.of(session))


def _piece(tx: Tx, session: Session, call: ExportSession, exported_at: str, begin: int, room: int) -> tuple[str, bool]:
    """A piece of the export. Pieces after the first come from the text that was made for it, if it is still there."""
    head = tx.ledger.stream_head(stream_of(session.id))
    key = (head, call.format, call.include_metadata, exported_at)

    def made() -> Iterator[str]:
        return document(tx, session, call.format, exported_at=exported_at, with_metadata=call.include_metadata)

    text = _KEPT.get(key) or _KEPT.make(key, made())
    if text is None:
        return _cut(made(), begin, room)
    return _cut(iter([text[begin : begin + room + 1]]), 0, room)


def _cut(chunks: Iterator[str], begin: int, room: int) -> tuple[str, bool]:
    """What stands from a place on, as much as there is room for, and whether there is more."""
    passed, pieces, length = 0, [], 0
    for chunk in chunks:
        passed += len(chunk)
        if passed <= begin:
            continue
        piece = chunk[max(0, len(chunk) - (passed - begin)) :]
        pieces.append(piece)
        length += len(piece)
        if length > room:
            break
    whole = "".join(pieces)
    piece = _beginning(whole, room)
    return piece, len(piece) < len(whole)


def _beginning(text: str, room: int) -> str:
    """The longest beginning of a text that has room on the wire, where quotes and the like take more."""
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if len(orjson.dumps(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
