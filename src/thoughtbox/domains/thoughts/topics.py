"""The room's records, opened as they are when they come from elsewhere: whatever passes can be read afterwards.

A session's records stand in one stream, which its beginning opens. What they refer to stands before
them in the same session.
"""

from typing import Annotated

from pydantic import Field

from thoughtbox.domains.thoughts.arguments import BranchId
from thoughtbox.domains.thoughts.knowledge.view import NOTE, PATTERN
from thoughtbox.domains.thoughts.model.critique import TOPIC as CRITIQUE
from thoughtbox.domains.thoughts.model.reasoning import FATE_OF
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED
from thoughtbox.domains.thoughts.model.thought import TOPIC, stream_of
from thoughtbox.domains.thoughts.view.lines import MAIN
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import AUTHORED, Record
from thoughtbox.operations import Name, RecordData, Room, Time, earlier, must_stand_in

Number = Annotated[int, Field(ge=1, le=2**53)]
Stage = Annotated[int, Field(ge=0, le=3)]


class _Place(RecordData):
    """What a session is about."""

    project: str | None = None
    task: str | None = None
    aspect: str | None = None
    domain: str | None = None
    root: str | None = None


class SessionData(_Place):
    title: Name
    description: str | None = None
    tags: list[str] | None = None
    stage: Stage = 1
    timestamp: Time | None = None


class ChangeData(_Place):
    change: Name
    title: Name | None = None
    description: str | None = None
    tags: list[str] | None = None
    stage: Stage | None = None
    timestamp: Time | None = None
    branch_id: BranchId | None = None
    why: str | None = None


class ThoughtData(RecordData):
    thought_number: Number
    total_thoughts: Number
    next_thought_needed: bool
    is_revision: bool = False
    revises_thought: Number | None = None
    branch_id: BranchId | None = None
    branch_from_thought: Number | None = None
    needs_more_thoughts: bool = False
    critique: bool = False
    action_id: Name | None = None
    prev: str | None = None
    origin: str | None = None
    revises: str | None = None
    timestamp: Time | None = None
    label: Annotated[int, Field(ge=0, le=2**53)] | None = None
    notes: list[str] | None = None
    adopts: list[BranchId] | None = None
    rejects: list[BranchId] | None = None


class CritiqueData(RecordData):
    of: str
    model: str
    timestamp: Time | None = None


class KnowledgeData(RecordData):
    """A pattern or a note, of which no more is left than this once it is deleted; a note has no more ever."""

    id: Name
    title: str
    deleted: bool = False


class PatternData(KnowledgeData):
    description: str
    tags: list[str]
    derived_from_sessions: list[str]
    created_by: str | None = None


def session(record: Record, before: Ledger) -> None:
    must_stand_in(record, stream_of(record.session))
    if record.stream_index != 0:
        raise InvalidRecord("its session has begun before")
    SessionData.read(record.data)


def session_changed(record: Record, before: Ledger) -> None:
    _must_have_begun(record)
    data = ChangeData.read(record.data)
    needed = {"tagged": data.tags, "staged": data.stage, **dict.fromkeys(FATE_OF, data.branch_id)}
    if needed.get(data.change, True) is None:
        raise InvalidRecord(f"a session that was {data.change} says to what")


def thought(record: Record, before: Ledger) -> None:
    _must_have_begun(record)
    if record.kind not in AUTHORED:
        raise InvalidRecord(f"a thought is no {record.kind}")
    data = ThoughtData.read(record.data)
    named = [data.prev, data.origin, data.revises, record.attrs.get("replacesId")]
    named += [relation["to"] for relation in record.attrs.get("relations", ())]
    for id in dict.fromkeys(id for id in named if id is not None):
        earlier(before, record, id, topic=TOPIC)
    if data.origin is not None and data.branch_id is None:
        raise InvalidRecord("it forks from a thought, and stands on no branch")
    view = before.ask(Thoughts)
    if view.node(record.session, data.branch_id or MAIN, data.thought_number) is not None:
        raise InvalidRecord(f"its session has a thought {data.thought_number} there before it")


def critique(record: Record, before: Ledger) -> None:
    _must_have_begun(record)
    earlier(before, record, CritiqueData.read(record.data).of, topic=TOPIC)


def pattern(record: Record, before: Ledger) -> None:
    _check_knowledge(record, "pattern", PatternData)


def note(record: Record, before: Ledger) -> None:
    _check_knowledge(record, "note", KnowledgeData)


def declare(room: Room) -> None:
    """Say which records are the room's, and how each is opened."""
    room.topic(STARTED, session, streams="thoughts")
    room.topic(CHANGED, session_changed, streams="thoughts")
    room.topic(TOPIC, thought, streams="thoughts")
    room.topic(CRITIQUE, critique, streams="thoughts")
    room.topic(PATTERN, pattern, streams="knowledge")
    room.topic(NOTE, note, streams="knowledge")


def _must_have_begun(record: Record) -> None:
    """A session's stream opens with its beginning: whatever stands behind that has a session."""
    must_stand_in(record, stream_of(record.session))
    if record.stream_index == 0:
        raise InvalidRecord("its session has not begun")


def _check_knowledge(record: Record, kind: str, data: type[KnowledgeData]) -> None:
    found = KnowledgeData.read(record.data)
    must_stand_in(record, f"knowledge/{kind}/{found.id}")
    if not found.deleted:
        data.read(record.data)
