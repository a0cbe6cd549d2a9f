"""Parts of answers that several operations of the room give: a session, a thought, a critique, a line."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, NamedTuple, Self

from pydantic import Field

from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.reasoning import Settled
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.view.lines import Line, Node
from thoughtbox.operations import CamelOutput


class SessionShown(CamelOutput):
    """A session as the document's Session type has it, and how far it is."""

    sparse: ClassVar[bool] = True

    id: str
    title: str
    description: str | None = None
    tags: list[str]
    thought_count: int
    branch_count: int
    created_at: str
    updated_at: str
    last_accessed_at: str
    status: str
    stage: int | None = None
    domain: str | None = None
    project: str | None = None
    task: str | None = None
    aspect: str | None = None
    bound_root: str | None = None

    @classmethod
    def of(cls, session: Session) -> Self:
        return cls(
            id=session.id,
            title=session.title,
            description=session.description,
            tags=list(session.tags),
            thought_count=session.thought_count,
            branch_count=session.branch_count,
            created_at=session.created_at,
            updated_at=session.updated_at,
            last_accessed_at=session.last_accessed_at,
            status=session.status,
            stage=session.stage,
            domain=session.domain,
            project=session.project,
            task=session.task,
            aspect=session.aspect,
            bound_root=session.root,
        )


class CritiqueShown(CamelOutput):
    text: str
    model: str
    timestamp: str

    @classmethod
    def of(cls, critique: Critique) -> Self:
        return cls(text=critique.text, model=critique.model, timestamp=critique.timestamp)


class RelationShown(CamelOutput):
    type: str
    to: str


class Stands(NamedTuple):
    """What later thoughts made of one, by the names of those thoughts: `S9`, `alt:S4`."""

    revised_by: str | None = None
    rejected_by: str | None = None
    answered_by: str | None = None
    rests_on: str | None = None


class ThoughtShown(CamelOutput):
    """A thought as it is read: ThoughtData, with its kind, what it is linked to, and its ids."""

    sparse: ClassVar[bool] = True

    id: str
    node_id: str
    thought: str
    thought_number: int
    total_thoughts: int
    next_thought_needed: bool
    timestamp: str
    kind: str
    refs: list[str]
    relations: list[RelationShown]
    is_revision: bool | None = None
    revises_thought: int | None = None
    branch_from_thought: int | None = None
    branch_id: str | None = None
    needs_more_thoughts: bool | None = None
    action_id: str | None = None
    labels: list[str] | None = None
    confidence: float | None = None
    notes: list[str] | None = None
    revised_by: str | None = None
    rejected_by: str | None = None
    answered_by: str | None = None
    rests_on: Annotated[str | None, Field(description="What it rests on and was revised or rejected since.")] = None
    critique: CritiqueShown | None = None

    @classmethod
    def of(cls, thought: Thought, critique: Critique | None = None, stands: Stands | None = None) -> Self:
        """`stands` says what later thoughts made of it."""
        return cls(
            id=thought.id,
            node_id=thought.node_id,
            thought=thought.text,
            thought_number=thought.number,
            total_thoughts=thought.total,
            next_thought_needed=thought.next_needed,
            timestamp=thought.timestamp,
            kind=thought.kind,
            refs=list(thought.refs),
            relations=[RelationShown(type=each["type"], to=each["to"]) for each in thought.relations],
            is_revision=thought.is_revision or None,
            revises_thought=thought.revises_number,
            branch_from_thought=thought.branch_from,
            branch_id=thought.branch_id,
            needs_more_thoughts=thought.needs_more or None,
            action_id=thought.action_id,
            labels=list(thought.labels) or None,
            confidence=thought.confidence,
            notes=list(thought.notes) or None,
            critique=CritiqueShown.of(critique) if critique else None,
            **({} if stands is None else stands._asdict()),
        )


class ThoughtLine(CamelOutput):
    """A thought in brief: as it was written, cut where it is long."""

    sparse: ClassVar[bool] = True

    thought_number: int
    thought: str
    branch_id: str | None = None
    stands: Annotated[str | None, Field(description="What later thoughts made of it: `revised by S8`.")] = None


class Brief(CamelOutput):
    """What there is to know of a session for whoever goes on with it."""

    sparse: ClassVar[bool] = True

    problem: Annotated[str | None, Field(description="The first thought.")] = None
    decisions: Annotated[list[str] | None, Field(description="Those that stand, the newest first.")] = None
    rejected: Annotated[list[str] | None, Field(description="What was rejected ← why, the newest first.")] = None
    open_questions: list[str] | None = None
    untested_assumptions: list[str] | None = None
    branches: Annotated[list[str] | None, Field(description="Each with its fate and its last line.")] = None
    last_thoughts: list[ThoughtLine] | None = None
    more: Annotated[int | None, Field(description="Lines that there was no room for: ask with a larger maxChars.")] = (
        None
    )
    next_thought_number: int = 1
    notation: str = ""


class LineShown(CamelOutput):
    sparse: ClassVar[bool] = True

    length: int
    head: int
    tail: int
    from_thought: int | None = None
    from_branch: str | None = None
    fate: Annotated[str | None, Field(description="adopted or rejected, once it is.")] = None


def line_shown(line: Line, nodes: Mapping[int, Node], fates: Mapping[str, Settled]) -> LineShown:
    return LineShown(
        length=line.length,
        head=nodes[line.first_seq].number,
        tail=nodes[line.last_seq].number,
        from_thought=line.origin_number,
        from_branch=line.parent or None,
        fate=fates[line.branch].fate if line.branch in fates else None,
    )
