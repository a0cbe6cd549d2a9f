"""Patterns that have proven themselves: keep one, change, read, list, delete; make one of a proposal."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.thoughts.arguments import MOST_TAGS
from thoughtbox.domains.thoughts.knowledge.entries import (
    PATTERNS,
    created_at,
    delete,
    entry_named,
    found_in,
    own_data,
    page_of,
    record_of,
    undelete,
    write,
)
from thoughtbox.domains.thoughts.knowledge.ids import new_pattern_id
from thoughtbox.domains.thoughts.knowledge.models import (
    CreatePattern,
    DeletePattern,
    KnowledgeDeleted,
    ListPatterns,
    OnePattern,
    PatternKept,
    PatternShown,
    PatternsListed,
    Promote,
    UpdatePattern,
)
from thoughtbox.domains.thoughts.knowledge.view import PATTERN, Entry, Knowledge
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import current, existing
from thoughtbox.domains.thoughts.stages import at
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.record import present
from thoughtbox.operations import Example, Tx
from thoughtbox.search.texts import Texts

_LATEST = {"sessionId": "latest"}
_STARTED = ("start_new", {"sessionTitle": "Slow pages"})
BEST = "best"

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
    entry = entry_named(tx, PATTERNS, call.pattern_id, call.session_id)
    return PatternKept(pattern=_pattern(tx, entry, with_content=True))


@room.operation(
    "knowledge.update_pattern",
    writes=True,
    effect="overwrites",
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
    entry = entry_named(tx, PATTERNS, call.pattern_id, call.session_id)
    record = record_of(tx, entry)
    from_sessions = call.derived_from_sessions
    named = {
        "title": call.title,
        "description": call.description,
        "tags": None if call.tags is None else list(dict.fromkeys(call.tags)),
        "derivedFromSessions": None if from_sessions is None else _sessions(tx, from_sessions),
    }
    given = present(named)
    if not given and call.content is None:
        raise InvalidPayload(
            "there is nothing to change",
            recovery="Send title, description, content, tags or derivedFromSessions.",
            details={"fields": ["title", "description", "content", "tags"]},
        )
    write(tx, PATTERNS, {**own_data(record), **given}, call.content or record.text, replaces=entry)
    return PatternKept(pattern=_pattern(tx, entry_named(tx, PATTERNS, entry.id), with_content=True))


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
    among, note = found_in(tx, PATTERN, call.search)
    entries = tx.ask(Knowledge).entries(
        "pattern", tags=call.tags, among=among, sort_by=call.sort_by, descending=call.sort_order == "desc"
    )
    shown, next_offset = page_of(entries, call.offset, call.limit)
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
    effect="removes",
    guard=at(INIT_COMPLETE),
    title="Delete a pattern",
    example=Example({**_LATEST, "patternId": "look-at-the-query-plan-first"}, given=[_STARTED, _PATTERN]),
)
def delete_pattern(tx: Tx, call: DeletePattern) -> KnowledgeDeleted:
    """Take a pattern out of sight; what it said stays in the ledger, and knowledge.undelete_pattern brings it back."""
    return delete(tx, PATTERNS, entry_named(tx, PATTERNS, call.pattern_id, call.session_id))


@room.operation(
    "knowledge.undelete_pattern",
    writes=True,
    idempotent=True,
    guard=at(INIT_COMPLETE),
    title="Bring a deleted pattern back",
    example=Example(
        {**_LATEST, "patternId": "look-at-the-query-plan-first"},
        given=[
            _STARTED,
            _PATTERN,
            ("knowledge.delete_pattern", {**_LATEST, "patternId": "look-at-the-query-plan-first"}),
        ],
    ),
)
def undelete_pattern(tx: Tx, call: DeletePattern) -> PatternKept:
    """Bring a deleted pattern back into sight, as it was."""
    return PatternKept(
        pattern=_pattern(tx, undelete(tx, PATTERNS, call.pattern_id, call.session_id), with_content=True)
    )


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
    from thoughtbox.domains.thoughts.sessions.learnings.proposals import learnings_of  # when it is first asked for

    proposals = learnings_of(tx, session, call.key_moments).full()
    by_name = {BEST: next(iter(proposals), None), **{learning.id: learning for learning in proposals}}
    proposal = by_name.get(call.learning_id)
    if proposal is None:
        raise InvalidPayload(
            f"session {session.id} has no proposal `{call.learning_id}`",
            recovery=f'{{"operation": "session.extract_learnings", "sessionId": "{session.id}"}} shows its proposals; '
            "send the same keyMoments, if there were any.",
            details={"fields": ["learningId"], "proposals": [learning.id for learning in proposals]},
        )
    tags = list(dict.fromkeys([*call.tags, *session.tags, proposal.type]))[:MOST_TAGS]
    given = {
        "title": call.title or (proposal.title or proposal.id)[:200],
        "description": call.description or (proposal.description or "")[:1_000],
        "tags": tags,
        "derivedFromSessions": [session.id],
        "createdBy": tx.caller.agent,
        "learningId": proposal.id,
        "sourceThoughts": proposal.metadata.source_thoughts,
    }
    return _keep_pattern(tx, given, proposal.content)


def _keep_pattern(tx: Tx, given: dict[str, Any], content: str) -> PatternKept:
    pattern_id = new_pattern_id(tx, given["title"])
    tags = list(dict.fromkeys(given["tags"]))
    write(tx, PATTERNS, {"id": pattern_id, **given, "tags": tags}, content, replaces=None)
    return PatternKept(pattern=_pattern(tx, entry_named(tx, PATTERNS, pattern_id), with_content=True))


def _sessions(tx: Tx, named: list[str]) -> list[str]:
    """The ids of the sessions named, once each; all of them must be there."""
    return list(dict.fromkeys(existing(tx, session_id).id for session_id in named))


def _pattern(tx: Tx, entry: Entry, *, with_content: bool) -> PatternShown:
    record = record_of(tx, entry)
    data = record.data
    return PatternShown(
        id=entry.id,
        title=data["title"],
        description=data["description"],
        tags=list(data["tags"]),
        content=record.text if with_content else None,
        derived_from_sessions=list(data["derivedFromSessions"]),
        created_by=data.get("createdBy"),
        created_at=created_at(tx, entry),
        updated_at=record.ts,
    )
