"""The knowledge zone: patterns that have proven themselves, and notes for now."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.arguments import MOST_TAGS
from thoughtbox.domains.thoughts.knowledge.models import (
    CreatePattern,
    DeleteNote,
    DeletePattern,
    KnowledgeDeleted,
    ListNotes,
    ListPatterns,
    NoteKept,
    NoteShown,
    NotesListed,
    OneNote,
    OnePattern,
    PatternKept,
    PatternShown,
    PatternsListed,
    Promote,
    UpdatePattern,
    WriteNote,
)
from thoughtbox.domains.thoughts.knowledge.view import NOTE, PATTERN, Entry, Kind, Knowledge
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import current, existing
from thoughtbox.domains.thoughts.sessions.learnings.proposals import learnings_of
from thoughtbox.domains.thoughts.stages import at
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.record import Draft, Record, record_id
from thoughtbox.ledger.view import astray
from thoughtbox.operations import LONGEST_TEXT, Example, Tx
from thoughtbox.search.texts import Texts

SEARCHED_AT_ONCE = 100
BEST = "best"
LONGEST_SLUG = 60

_LATEST = {"sessionId": "latest"}
_STARTED = ("start_new", {"sessionTitle": "Slow pages"})
_PATTERN = (
    "knowledge.create_pattern",
    {
        **_LATEST,
        "title": "Look at the query plan first",
        "description": "A slow page is a slow query until the plan says otherwise.",
        "content": "1. Find the query. 2. EXPLAIN it. 3. Only then guess.",
        "tags": ["database"],
    },
)
_NOTE = ("knowledge.write_note", {**_LATEST, "title": "Open ends", "content": "- ask about the replica"})


class _Topic(NamedTuple):
    """How a kind of knowledge is recorded."""

    kind: Kind
    topic: str


_PATTERNS, _NOTES = _Topic("pattern", PATTERN), _Topic("note", NOTE)


@room.operation(
    "knowledge.create_pattern",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Keep a pattern",
    errors=[SessionNotFound],
    example=Example(_PATTERN[1], given=[_STARTED]),
)
def create_pattern(tx: Tx, call: CreatePattern) -> PatternKept:
    """Keep a pattern that has proven itself. Its id is made from its title."""
    given = {
        "title": call.title,
        "description": call.description,
        "tags": call.tags,
        "derivedFromSessions": _sessions(tx, call.derived_from_sessions),
        "createdBy": call.created_by or tx.caller.agent,
    }
    return _keep_pattern(tx, given, call.content)


@room.operation(
    "knowledge.get_pattern",
    guard=at(INIT_COMPLETE),
    title="Read a pattern",
    example=Example({**_LATEST, "patternId": "look-at-the-query-plan-first"}, given=[_STARTED, _PATTERN]),
)
def get_pattern(tx: Tx, call: OnePattern) -> PatternKept:
    """One pattern in full."""
    entry = _existing(tx, _PATTERNS, call.pattern_id)
    return PatternKept(pattern=_pattern(tx, entry, with_content=True))


@room.operation(
    "knowledge.update_pattern",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Change a pattern",
    errors=[SessionNotFound],
    example=Example(
        {**_LATEST, "patternId": "look-at-the-query-plan-first", "tags": ["database", "performance"]},
        given=[_STARTED, _PATTERN],
    ),
)
def update_pattern(tx: Tx, call: UpdatePattern) -> PatternKept:
    """Change a pattern; what it said before stays in the ledger."""
    entry = _existing(tx, _PATTERNS, call.pattern_id)
    record = _record(tx, entry)
    from_sessions = call.derived_from_sessions
    named = {
        "title": call.title,
        "description": call.description,
        "tags": None if call.tags is None else list(dict.fromkeys(call.tags)),
        "derivedFromSessions": None if from_sessions is None else _sessions(tx, from_sessions),
    }
    given = {name: value for name, value in named.items() if value is not None}
    if not given and call.content is None:
        raise InvalidPayload(
            "there is nothing to change", details={"fields": ["title", "description", "content", "tags"]}
        )
    _write(tx, _PATTERNS, {**_own(record), **given}, call.content or record.text, replaces=entry)
    return PatternKept(pattern=_pattern(tx, _existing(tx, _PATTERNS, entry.id), with_content=True))


@room.operation(
    "knowledge.list_patterns",
    guard=at(INIT_COMPLETE),
    title="List patterns",
    fresh=(Texts,),
    newest_first=frozenset({"patterns"}),
    example=Example({**_LATEST, "search": "query plan"}, given=[_STARTED, _PATTERN]),
)
def list_patterns(tx: Tx, call: ListPatterns) -> PatternsListed:
    """Patterns, without their content: with these tags (all of them), or with these words in them."""
    among, note = _found(tx, PATTERN, call.search)
    entries = tx.ask(Knowledge).entries(
        "pattern", tags=call.tags, among=among, sort_by=call.sort_by, descending=call.sort_order == "desc"
    )
    shown, next_offset = _page(entries, call.offset, call.limit)
    return PatternsListed(
        patterns=[_pattern(tx, entry, with_content=False) for entry in shown],
        count=len(shown),
        has_more=next_offset is not None,
        next_offset=next_offset,
        message=note,
    )


@room.operation(
    "knowledge.delete_pattern",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Delete a pattern",
    example=Example({**_LATEST, "patternId": "look-at-the-query-plan-first"}, given=[_STARTED, _PATTERN]),
)
def delete_pattern(tx: Tx, call: DeletePattern) -> KnowledgeDeleted:
    """Take a pattern out of sight; what it said stays in the ledger."""
    return _delete(tx, _PATTERNS, _existing(tx, _PATTERNS, call.pattern_id))


@room.operation(
    "knowledge.promote",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Make a proposal a pattern",
    errors=[SessionNotFound, ThoughtNotFound],
    example=Example(
        {**_LATEST, "learningId": "best"},
        given=[
            _STARTED,
            ("cipher", _LATEST),
            ("thought", {**_LATEST, "thought": "S1|E|EXPLAIN shows a full table scan"}),
            ("thought", {**_LATEST, "thought": "S2|C|S1|∴ Add an index on users.email"}),
        ],
    ),
)
def promote(tx: Tx, call: Promote) -> PatternKept:
    """Keep a proposal of session.extract_learnings as a pattern, with the session it comes from."""
    session = current(tx, call.session_id)
    proposals = learnings_of(tx, session, call.key_moments)
    by_name = {BEST: next(iter(proposals), None), **{learning.id: learning for learning in proposals}}
    proposal = by_name.get(call.learning_id)
    if proposal is None:
        raise InvalidPayload(
            f"session {session.id} has no proposal `{call.learning_id}`",
            recovery="session.extract_learnings shows its proposals; send the same keyMoments, if there were any.",
            details={"fields": ["learningId"], "proposals": [learning.id for learning in proposals]},
        )
    tags = list(dict.fromkeys([*call.tags, *session.tags, proposal.type]))[:MOST_TAGS]
    given = {
        "title": call.title or proposal.title[:200],
        "description": call.description or proposal.description[:1_000],
        "tags": tags,
        "derivedFromSessions": [session.id],
        "createdBy": tx.caller.agent,
        "learningId": proposal.id,
        "sourceThoughts": proposal.metadata.source_thoughts,
    }
    return _keep_pattern(tx, given, proposal.content)


@room.operation(
    "knowledge.write_note",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Write a note",
    example=Example(_NOTE[1], given=[_STARTED]),
)
def write_note(tx: Tx, call: WriteNote) -> NoteKept:
    """Write a note on a topic, or write it anew; others in the workspace can read it."""
    note_id = call.note_id or slug(call.title)
    entry = tx.ask(Knowledge).entry("note", note_id)
    content = call.content
    if call.append and entry is not None:
        content = f"{_record(tx, entry).text}\n{call.content}"
        if len(content) > LONGEST_TEXT:
            raise InvalidPayload(
                f"the note would be longer than {LONGEST_TEXT:,} characters", details={"fields": ["content"]}
            )
    _write(tx, _NOTES, {"id": note_id, "title": call.title}, content, replaces=entry)
    return NoteKept(note=_note(tx, _existing(tx, _NOTES, note_id), with_content=True))


@room.operation(
    "knowledge.get_note",
    guard=at(INIT_COMPLETE),
    title="Read a note",
    example=Example({**_LATEST, "noteId": "open-ends"}, given=[_STARTED, _NOTE]),
)
def get_note(tx: Tx, call: OneNote) -> NoteKept:
    """One note in full."""
    return NoteKept(note=_note(tx, _existing(tx, _NOTES, call.note_id), with_content=True))


@room.operation(
    "knowledge.list_notes",
    guard=at(INIT_COMPLETE),
    title="List notes",
    fresh=(Texts,),
    newest_first=frozenset({"notes"}),
    example=Example(_LATEST, given=[_STARTED, _NOTE]),
)
def list_notes(tx: Tx, call: ListNotes) -> NotesListed:
    """Notes, without their content, newest first; with these words in them."""
    among, note = _found(tx, NOTE, call.search)
    entries = tx.ask(Knowledge).entries("note", among=among)
    shown, next_offset = _page(entries, call.offset, call.limit)
    return NotesListed(
        notes=[_note(tx, entry, with_content=False) for entry in shown],
        count=len(shown),
        has_more=next_offset is not None,
        next_offset=next_offset,
        message=note,
    )


@room.operation(
    "knowledge.delete_note",
    writes=True,
    guard=at(INIT_COMPLETE),
    title="Delete a note",
    example=Example({**_LATEST, "noteId": "open-ends"}, given=[_STARTED, _NOTE]),
)
def delete_note(tx: Tx, call: DeleteNote) -> KnowledgeDeleted:
    """Take a note out of sight; what it said stays in the ledger."""
    return _delete(tx, _NOTES, _existing(tx, _NOTES, call.note_id))


def slug(text: str) -> str:
    """A title as an id: `Look at the plan!` is `look-at-the-plan`."""
    made = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_SLUG].strip("-")
    return made or "untitled"


def _keep_pattern(tx: Tx, given: dict[str, Any], content: str) -> PatternKept:
    pattern_id = _free_id(tx, slug(given["title"]))
    tags = list(dict.fromkeys(given["tags"]))
    _write(tx, _PATTERNS, {"id": pattern_id, **given, "tags": tags}, content, replaces=None)
    return PatternKept(pattern=_pattern(tx, _existing(tx, _PATTERNS, pattern_id), with_content=True))


def _sessions(tx: Tx, named: list[str]) -> list[str]:
    """The ids of the sessions named, once each; all of them must be there."""
    return list(dict.fromkeys(existing(tx, session_id).id for session_id in named))


def _free_id(tx: Tx, wanted: str) -> str:
    """The id itself, or with a number behind it when it is taken."""
    view, number, free = tx.ask(Knowledge), 2, wanted
    while view.entry("pattern", free) is not None:
        free, number = f"{wanted}-{number}", number + 1
    return free


def _write(tx: Tx, what: _Topic, data: dict[str, Any], text: str, *, replaces: Entry | None) -> None:
    """Record a version. One that replaces another says which."""
    attrs: dict[str, Any] = {"relations": []} if replaces is None else {"replacesId": record_id(replaces.seq)}
    tx.append(
        Draft(
            kind="claim" if replaces is None else "revision",
            topic=what.topic,
            text=text,
            session="knowledge",
            attrs=attrs,
            data=data,
        ),
        stream=_stream(what, data["id"]),
    )


def _delete(tx: Tx, what: _Topic, entry: Entry) -> KnowledgeDeleted:
    tx.append(
        Draft(
            kind="hub_event",
            topic=what.topic,
            text=f"{what.kind} deleted",
            session="knowledge",
            attrs={"eventType": f"{what.kind}.deleted"},
            data={"id": entry.id, "title": entry.title, "deleted": True},
        ),
        stream=_stream(what, entry.id),
    )
    return KnowledgeDeleted(id=entry.id)


def _stream(what: _Topic, id: str) -> str:
    return f"knowledge/{what.kind}/{id}"


def _existing(tx: Tx, what: _Topic, id: str) -> Entry:
    entry = tx.ask(Knowledge).entry(what.kind, id)
    if entry is None:
        raise InvalidPayload(
            f"there is no {what.kind} `{id}`",
            recovery=f'{{"operation": "knowledge.list_{what.kind}s"}} shows those there are.',
            details={"fields": [f"{what.kind}Id"]},
        )
    return entry


def _record(tx: Tx, entry: Entry) -> Record:
    record = tx.ledger.record(entry.seq)
    if record is None or record.topic not in (PATTERN, NOTE) or record.data["id"] != entry.id:
        raise astray(Knowledge, entry.seq, f"`{entry.id}`")
    return record


def _own(record: Record) -> dict[str, Any]:
    return {name: value for name, value in record.data.items() if name != "topic"}


def _found(tx: Tx, topic: str, words: str | None) -> tuple[Collection[int] | None, str | None]:
    """The records that have these words; all when there are none."""
    if words is None or not words.strip():
        return None, None
    hits: set[int] = set()
    offset, has_more, note = 0, True, None
    while has_more:
        found = tx.ask(Texts).find(words, topics=(topic,), limit=SEARCHED_AT_ONCE, offset=offset)
        hits |= {hit.seq for hit in found.hits}
        offset, has_more, note = offset + len(found.hits), found.has_more, found.note
    return hits, note


def _page(entries: list[Entry], offset: int, limit: int) -> tuple[list[Entry], int | None]:
    """A page, and where the next one begins."""
    end = offset + limit
    return entries[offset:end], end if end < len(entries) else None


def _created_at(tx: Tx, entry: Entry) -> str:
    record = tx.ledger.record(entry.created_seq)
    return record.ts if record else ""


def _pattern(tx: Tx, entry: Entry, *, with_content: bool) -> PatternShown:
    record = _record(tx, entry)
    data = record.data
    return PatternShown(
        id=entry.id,
        title=data["title"],
        description=data["description"],
        tags=list(data["tags"]),
        content=record.text if with_content else None,
        derived_from_sessions=list(data["derivedFromSessions"]),
        created_by=data.get("createdBy"),
        created_at=_created_at(tx, entry),
        updated_at=record.ts,
    )


def _note(tx: Tx, entry: Entry, *, with_content: bool) -> NoteShown:
    record = _record(tx, entry)
    return NoteShown(
        id=entry.id,
        title=record.data["title"],
        content=record.text if with_content else None,
        created_at=_created_at(tx, entry),
        updated_at=record.ts,
    )
