"""Looking after sessions: find, read, resume, export, analyse, rename, tag, complete, delete and undelete, verify.

What analyses and what learns is loaded when it is first asked for: no server waits for it at its start.
"""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.thoughts.answers import SessionShown, line_shown
from thoughtbox.domains.thoughts.arguments import MOST_TAGS
from thoughtbox.domains.thoughts.brief import fill
from thoughtbox.domains.thoughts.cutting import cut
from thoughtbox.domains.thoughts.events import change
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.numbers import next_number
from thoughtbox.domains.thoughts.paging import room_beside, thoughts_page
from thoughtbox.domains.thoughts.resume import LONGEST_TITLE, attach, in_short, reach
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import LATEST, current, existing, named_session, own_session
from thoughtbox.domains.thoughts.sessions.analysis.models import DeepAnalysis, SessionAnalysis
from thoughtbox.domains.thoughts.sessions.export import PAGE_CHARS, notebooks_cited, piece_of
from thoughtbox.domains.thoughts.sessions.learnings.models import TYPES
from thoughtbox.domains.thoughts.sessions.listing import ListSessions, SessionsListed, listed
from thoughtbox.domains.thoughts.sessions.models import (
    BriefSession,
    DeleteSession,
    ExportSession,
    ExtractLearnings,
    GetSession,
    LearningsExtracted,
    LookDeeper,
    OneSession,
    RenameSession,
    ResumeLatest,
    ResumeSession,
    SearchSessions,
    SessionBrief,
    SessionChanged,
    SessionDeleted,
    SessionExported,
    SessionRead,
    SessionResumed,
    SessionsFound,
    SessionVerified,
    TagSession,
    UndeleteSession,
)
from thoughtbox.domains.thoughts.sessions.search import found_sessions, found_thoughts
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, at
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE, move, standing
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.record import present
from thoughtbox.ledger.verify import verify_stream
from thoughtbox.operations import Example, Tx, cursor, foreign_cursor, place_in
from thoughtbox.search.texts import Texts
from thoughtbox.world import iso

PART = "This is a part. Send the cursor for the next one."
_LATEST = {"sessionId": "latest"}
_STARTED = ("start_new", {"sessionTitle": "Slow pages", "sessionTags": ["performance"]})

_GIVEN = (
    _STARTED,
    ("cipher", _LATEST),
    ("thought", {**_LATEST, "thought": "S1|O|User reports slow page loads"}),
    ("thought", {**_LATEST, "thought": "S2|C|S1|∴ Add an index on users.email"}),
)


class AfterThought(NamedTuple):
    """Where a page of session.get ends: behind this thought."""

    seq: int


class ExportPlace(NamedTuple):
    """Where a piece of session.export ends: so many characters of the text that was made then, as of that record."""

    begin: int
    seq: int
    at_ms: int


@room.operation(
    "session.list",
    guard=at(INIT_COMPLETE),
    title="List sessions",
    fresh=(Texts,),
    newest_first=frozenset({"sessions"}),
    example=Example({**_LATEST, "tags": ["performance"]}, given=_GIVEN),
)
def session_list(tx: Tx, call: ListSessions) -> SessionsListed:
    """Sessions, newest first: of all these tags, a project, task or aspect; by `search` in thoughts too, best first."""
    return listed(tx, call)


@room.operation(
    "session.get",
    guard=at(INIT_COMPLETE),
    title="Read a session",
    app="session",
    errors=[SessionNotFound],
    newest_first=frozenset({"thoughts"}),
    keep=("cursor", "session"),
    example=Example(_LATEST, given=_GIVEN),
)
def session_get(tx: Tx, call: GetSession) -> SessionRead:
    """A session with its thoughts in order of recording, branches included, a page at a time."""
    session = current(tx, call.session_id)
    view = tx.ask(Thoughts)
    after = place_in(call.cursor, AfterThought).seq if call.cursor else 0
    seqs = [node.seq for node in view.nodes_after(session.id, after, call.limit + 1)]
    if after and not seqs:
        raise foreign_cursor()
    lines = [line for line in view.lines(session.id) if line.branch != MAIN]
    ends = view.nodes_at(session.id, (seq for line in lines for seq in (line.first_seq, line.last_seq)))
    fates = view.fates(session.id)
    branches = {line.branch: line_shown(line, ends, fates) for line in lines}
    got = SessionRead(session=SessionShown.of(session), thoughts=[], branches=branches)
    room = room_beside(call.max_chars, got.answer())
    got.thoughts = thoughts_page(tx, seqs, limit=call.limit, room=room)
    shown = len(got.thoughts)
    got.cursor = cursor(AfterThought(seqs[shown - 1])) if shown < len(seqs) else None
    return got


@room.operation(
    "session.search",
    guard=at(INIT_COMPLETE),
    title="Search sessions",
    fresh=(Texts,),
    newest_first=frozenset({"sessions", "thoughts"}),
    example=Example({**_LATEST, "query": "why were the pages slow?"}, given=_GIVEN),
)
def session_search(tx: Tx, call: SearchSessions) -> SessionsFound:
    """Find sessions, or thoughts of all sessions, by a question or by words in thoughts, titles and tags."""
    return found_thoughts(tx, call) if call.what == "thoughts" else found_sessions(tx, call)


@room.operation(
    "session.resume",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Go on with a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_resume(tx: Tx, call: ResumeSession) -> SessionResumed:
    """Work on another session: what it has come to, in brief. Once the cipher is loaded, thoughts land in it."""
    return _resumed(tx, attach(tx, call.session_id), call.max_chars)


@room.operation(
    "session.resume_latest",
    writes=True,
    title="Go on with the latest session",
    errors=[SessionNotFound],
    example=Example({}, given=_GIVEN),
)
def session_resume_latest(tx: Tx, call: ResumeLatest) -> SessionResumed:
    """Work on the session that changed last: what it has come to, in brief. The next thought can follow at once."""
    session = attach(tx, LATEST)
    stage = max(standing(tx).stage, CIPHER_LOADED)  # the notation comes with the answer
    return _resumed(tx, reach(tx, session, stage), call.max_chars)


@room.operation(
    "session.brief",
    title="See what a session has come to",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_brief(tx: Tx, call: BriefSession) -> SessionBrief:
    """Summary of a session in 1,500 characters: problem, what was decided, rejected or is open, branches, the end."""
    session = named_session(tx, call.session_id or own_session(tx) or LATEST)
    brief = SessionBrief(
        session_id=session.id,
        title=cut(session.title, LONGEST_TITLE),
        status=session.status,
        updated_at=session.updated_at,
        thought_count=session.thought_count,
    )
    fill(tx, session, brief, call.max_chars)
    return brief


@room.operation(
    "session.export",
    guard=at(INIT_COMPLETE),
    title="Export a session",
    errors=[SessionNotFound],
    keep=("cursor", "sessionId"),
    example=Example({**_LATEST, "format": "markdown"}, given=_GIVEN),
)
def session_export(tx: Tx, call: ExportSession) -> SessionExported:
    """A session as JSON, Markdown or cipher, branches included; a long one comes in pieces, to be put together."""
    newest = tx.ledger.last_seq()
    begin, seq, at_ms = place = place_in(call.cursor, ExportPlace) if call.cursor else ExportPlace(0, newest, tx.now_ms)
    if seq > newest:
        raise foreign_cursor()
    tx = tx.at(seq)  # pieces must fit together, whatever is recorded meanwhile
    session = current(tx, call.session_id)
    notebooks = notebooks_cited(tx, session)
    told = notebooks if notebooks and not begin else None
    part = SessionExported(session_id=session.id, format=call.format, content="", notebooks=told, message=PART)
    room = min(room_beside(call.max_chars, part.answer()), PAGE_CHARS)
    part.content, more = piece_of(tx, session, call, iso(at_ms), begin, room, notebooks)
    if begin and not part.content:
        raise foreign_cursor()
    part.cursor = cursor(place._replace(begin=begin + len(part.content))) if more else None
    part.message = PART if more else None
    return part


@room.operation(
    "session.analyze",
    guard=at(INIT_COMPLETE),
    title="Analyse a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_analyze(tx: Tx, call: OneSession) -> SessionAnalysis:
    """Figures of a session, and what it came to: decisions, what fell, what is open, what was carried out."""
    from thoughtbox.domains.thoughts.sessions.analysis.figures import analyze
    from thoughtbox.domains.thoughts.sessions.came_to import outcome_of

    session = current(tx, call.session_id)
    return analyze(session, outcome_of(tx, session.id))


@room.operation(
    "deep_analysis",
    guard=at(INIT_COMPLETE),
    title="Look deeper into a session",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "analysisType": "decision_points"}, given=_GIVEN),
)
def deep_analysis(tx: Tx, call: LookDeeper) -> DeepAnalysis:
    """How a session's thoughts hang together: chains, what is open or stale, decisions and their fate, load, pauses."""
    from thoughtbox.domains.thoughts.sessions.analysis.deep_analysis import look_deeper
    from thoughtbox.domains.thoughts.sessions.came_to import outcome_of

    session = current(tx, call.session_id)
    return look_deeper(session, outcome_of(tx, session.id), call.analysis_type, call.include_timeline)


@room.operation(
    "session.extract_learnings",
    guard=at(INIT_COMPLETE),
    title="Find what a session teaches",
    errors=[SessionNotFound, ThoughtNotFound],
    newest_first=frozenset({"learnings"}),
    example=Example(_LATEST, given=_GIVEN),
)
def session_extract_learnings(tx: Tx, call: ExtractLearnings) -> LearningsExtracted:
    """Proposals from a session: what stands, what fell and why, what to look after. Keep one with knowledge.promote."""
    from thoughtbox.domains.thoughts.sessions.learnings.fitting import fitted
    from thoughtbox.domains.thoughts.sessions.learnings.proposals import learnings_of

    session = current(tx, call.session_id)
    found = learnings_of(tx, session, call.key_moments, call.target_types or TYPES)
    return fitted(tx, session, found, call.max_chars)


@room.operation(
    "session.rename",
    writes=True,
    effect="overwrites",
    guard=at(INIT_COMPLETE),
    title="Rename a session",
    errors=[SessionNotFound],
    example=Example({**_LATEST, "title": "Slow pages after the release"}, given=_GIVEN),
)
def session_rename(tx: Tx, call: RenameSession) -> SessionChanged:
    """Give a session another title or description."""
    session = current(tx, call.session_id)
    given = present({"title": call.title, "description": call.description})
    if not given:
        raise InvalidPayload(
            "there is neither a title nor a description",
            recovery="Send title, description or both.",
            details={"fields": ["title"]},
        )
    return _changed(tx, session, "renamed", **given)


@room.operation(
    "session.tag",
    writes=True,
    effect="overwrites",
    guard=at(INIT_COMPLETE),
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
        raise InvalidPayload(
            f"a session has {MOST_TAGS} tags at most",
            recovery="Send remove along with add, or tags for all of them.",
            details={"fields": ["add"]},
        )
    return _changed(tx, session, "tagged", tags=tags) if tuple(tags) != session.tags else _unchanged(session)


@room.operation(
    "session.complete",
    writes=True,
    effect="ends",
    guard=at(INIT_COMPLETE),
    title="Complete a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN),
)
def session_complete(tx: Tx, call: OneSession) -> SessionChanged:
    """Close a session: say that it has come to its end. It can be resumed."""
    session = current(tx, call.session_id)
    return _changed(tx, session, "completed") if session.status != "completed" else _unchanged(session)


@room.operation(
    "session.delete",
    writes=True,
    effect="removes",
    guard=at(INIT_COMPLETE),
    title="Delete a session",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN, fails_with=InvalidPayload),
)
def session_delete(tx: Tx, call: DeleteSession) -> SessionDeleted:
    """Take a session out of sight; session.undelete brings it back, and session.verify still proves its records."""
    if call.session_id == LATEST:
        raise InvalidPayload(
            "what is deleted must be named: `latest` may be somebody else's by now",
            recovery=f"Send the id. The latest is {existing(tx, LATEST).id}.",
            details={"fields": ["sessionId"]},
        )
    session = existing(tx, call.session_id)
    change(tx, session.id, "deleted")
    if standing(tx).session_id == session.id:
        move(tx, None, 0)
    return SessionDeleted(session_id=session.id, undo={"operation": "session.undelete", "sessionId": session.id})


@room.operation(
    "session.undelete",
    writes=True,
    idempotent=True,
    title="Bring a deleted session back",
    errors=[SessionNotFound],
    example=Example(_LATEST, given=_GIVEN, fails_with=InvalidPayload),
)
def session_undelete(tx: Tx, call: UndeleteSession) -> SessionChanged:
    """Bring a deleted session back into sight, as it was, with its tags. session.resume goes on with it."""
    if call.session_id == LATEST:
        raise InvalidPayload(
            "what was deleted must be named: `latest` is in sight",
            recovery="Send the id that session.delete answered with.",
            details={"fields": ["sessionId"]},
        )
    session = tx.ask(Thoughts).session(call.session_id) or existing(tx, call.session_id)
    return _changed(tx, session, "undeleted") if session.deleted else _unchanged(session)


@room.operation(
    "session.verify",
    title="Verify a session",
    errors=[SessionNotFound],
    example=Example({"sessionId": "latest"}, given=_GIVEN),
)
def session_verify(tx: Tx, call: OneSession) -> SessionVerified:
    """Whether every record of a session, also of a deleted one, is still what was written."""
    session_id = call.session_id or own_session(tx) or LATEST
    session = tx.ask(Thoughts).session(session_id) or existing(tx, session_id)
    verdict = verify_stream(tx.sql, tx.workspace, stream_of(session.id))
    head = tx.ledger.stream_head(stream_of(session.id))
    return SessionVerified(
        session_id=session.id,
        valid=verdict.valid,
        standing=verdict.standing,
        deleted=session.deleted,
        records=min(verdict.records, head.length) if head else 0,
        message=f"The chain is broken: {verdict.problem.message}." if verdict.problem else "The chain is whole.",
    )


def _resumed(tx: Tx, session: Session, max_chars: int | None) -> SessionResumed:
    stage = standing(tx).stage if tx.focus.lasts else session.stage
    is_ready = stage >= CIPHER_LOADED or not tx.focus.lasts
    number = next_number(tx.ask(Thoughts), session.id)
    resumed = SessionResumed(
        session_id=session.id,
        session=in_short(session),
        stage=stage,
        thought_count=session.thought_count,
        message=f"Next: number {number}." if is_ready else f"Next: cipher, then number {number}.",
    )
    fill(tx, session, resumed, max_chars)
    if resumed.last_thoughts:
        *before, resumed.last_thought = resumed.last_thoughts
        resumed.last_thoughts = before or None
    return resumed


def _changed(tx: Tx, session: Session, what: str, **given: object) -> SessionChanged:
    return SessionChanged(session=SessionShown.of(change(tx, session.id, what, **given)))


def _unchanged(session: Session) -> SessionChanged:
    return SessionChanged(session=SessionShown.of(session))
