"""What people who watch are shown of sessions, as the document's "Observatory Types" spell it, and a little more."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from thoughtbox.domains.thoughts.answers import RelationShown
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought, stream_of
from thoughtbox.ledger.record import Kind
from thoughtbox.operations import CamelOutput


class WatchedSession(CamelOutput):
    """ObservatorySession."""

    id: str
    title: str | None
    tags: list[str]
    created_at: str
    completed_at: str | None
    status: Literal["active", "completed", "abandoned"]
    updated_at: str
    thought_count: int
    branch_count: int
    description: str | None
    project: str | None
    stream: Annotated[str, Field(description="The chain that its records stand in.")]
    deleted: bool

    @classmethod
    def of(cls, session: Session, completed_at: str | None) -> Self:
        return cls(
            id=session.id,
            title=session.title,
            tags=list(session.tags),
            created_at=session.created_at,
            completed_at=completed_at,
            status=session.status,
            updated_at=session.updated_at,
            thought_count=session.thought_count,
            branch_count=session.branch_count,
            description=session.description,
            project=session.project,
            stream=stream_of(session.id),
            deleted=session.deleted,
        )


class WatchedThought(CamelOutput):
    """ObservatoryThought. Its `id` is its node's: `{session}:{n}`, or `{session}:{branch}:{n}`."""

    sparse: ClassVar[bool] = True

    id: str
    record_id: Annotated[str, Field(description="Id of its record, such as th:17.")]
    seq: int
    thought_number: int
    total_thoughts: int
    thought: str
    next_thought_needed: bool
    timestamp: str
    kind: Kind
    relations: list[RelationShown]
    parent_id: Annotated[str | None, Field(description="The thought before it on its line, or its fork point.")] = None
    is_revision: bool | None = None
    revises_thought: int | None = None
    branch_id: str | None = None
    branch_from_thought: int | None = None
    labels: list[str] | None = None
    confidence: float | None = None
    action_id: str | None = None

    @classmethod
    def of(cls, thought: Thought, parent_id: str | None) -> Self:
        return cls(
            id=thought.node_id,
            record_id=thought.id,
            seq=thought.seq,
            thought_number=thought.number,
            total_thoughts=thought.total,
            thought=thought.text,
            next_thought_needed=thought.next_needed,
            timestamp=thought.timestamp,
            kind=thought.kind,
            relations=[RelationShown(type=each["type"], to=each["to"]) for each in thought.relations],
            parent_id=parent_id,
            is_revision=thought.is_revision or None,
            revises_thought=thought.revises_number,
            branch_id=thought.branch_id,
            branch_from_thought=thought.branch_from,
            labels=list(thought.labels) or None,
            confidence=thought.confidence,
            action_id=thought.action_id,
        )


class WatchedBranch(CamelOutput):
    """ObservatoryBranch, with the thoughts that stand on it."""

    sparse: ClassVar[bool] = True

    id: str
    name: str | None = None
    from_thought_number: int
    from_branch: str | None = None
    fate: Annotated[str | None, Field(description="adopted or rejected, once it is.")] = None
    thoughts: list[WatchedThought]


class WatchedSessions(CamelOutput):
    sessions: list[WatchedSession]
    next_cursor: str | None
    seq: Annotated[int, Field(description="The record that the list reaches.")]


class SessionWatched(CamelOutput):
    """SessionSnapshotPayload: the main line, and the branches with theirs; a long session comes in pages."""

    session: WatchedSession
    thoughts: list[WatchedThought]
    branches: dict[str, WatchedBranch]
    seq: Annotated[int, Field(description="The record that it reaches.")]
    truncated: Annotated[bool, Field(description="Whether there are more thoughts, behind `nextCursor`.")]
    next_cursor: str | None


class DiffSide(CamelOutput):
    """One of two things that are compared."""

    name: str
    branch: Annotated[str | None, Field(description="The branch, where branches are compared; null is the main line.")]
    seq: Annotated[int | None, Field(description="The record, where two points in time are compared.")]
    thoughts: Annotated[int, Field(description="Thoughts that lead up to its end.")]


class Fork(CamelOutput):
    id: str
    record_id: str
    thought_number: int
    branch_id: str | None
    thought: str


class Conflict(CamelOutput):
    thought: WatchedThought
    contradicts: WatchedThought


class MergePreview(CamelOutput):
    """What would come of adopting the branch that is compared."""

    adopts: Annotated[str, Field(description="The branch that would be adopted.")]
    keeps: Annotated[list[WatchedThought], Field(description="Its decisions and claims that would stand.")]
    falls: Annotated[list[WatchedThought], Field(description="Thoughts of the other line that it contradicts.")]
    beside: Annotated[
        list[WatchedThought], Field(description="Decisions of the other line that would stand beside its own.")
    ]
    conflicts: Annotated[list[Conflict], Field(description="Where one side says that the other does not hold.")]


class SessionDiff(CamelOutput):
    session_id: str
    by: Literal["branches", "time"]
    from_: Annotated[DiffSide, Field(alias="from")]
    to: DiffSide
    fork: Annotated[Fork | None, Field(description="The last thought that both have in common.")]
    common: Annotated[int, Field(description="Thoughts that both have.")]
    only_from: list[WatchedThought]
    only_to: list[WatchedThought]
    truncated: Annotated[bool, Field(description="Whether a side has more thoughts of its own than are shown.")]
    merge: MergePreview | None


class Event(CamelOutput):
    """What is told of a record, on one channel."""

    channel: Literal["reasoning", "sessions"]
    event: str
    seq: int
    session_id: str
    data: dict[str, Any]
