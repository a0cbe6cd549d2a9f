"""What goes into thinking and what comes out. The wire spells it in camelCase."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID, Critique, Thought
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text

HIGHEST_NUMBER = 1_000_000_000
MOST_READ = 500
READ_BY_DEFAULT = 5
MOST_TAGS = 50


def _branch_id(text: str) -> str:
    if not BRANCH_ID.fullmatch(text):
        raise ValueError("it has letters a-z, digits and - only, 64 at most")
    return text


SessionId = Annotated[
    Key | None, Field(description="The session meant, or `latest`; without it, the one this connection works on.")
]
Number = Annotated[int, Field(ge=1, le=HIGHEST_NUMBER)]
BranchId = Annotated[str, AfterValidator(_branch_id)]
Title = Annotated[Text, Field(max_length=LONGEST_TITLE)]
Tag = Annotated[Key, Field(max_length=100)]
Tags = Annotated[list[Tag], Field(max_length=MOST_TAGS)]


class Think(CamelInput):
    thought: Annotated[Text, Field(description="The thought, in words or in cipher.")]
    thought_number: Annotated[Number | None, Field(description="Its number; without it, the next one.")] = None
    total_thoughts: Annotated[Number | None, Field(description="How many there will be, as far as you know.")] = None
    next_thought_needed: Annotated[bool, Field(description="false ends the session.")] = True
    is_revision: Annotated[bool, Field(description="It puts an earlier one right; revisesThought says which.")] = False
    revises_thought: Annotated[Number | None, Field(description="The thought that this one puts right.")] = None
    branch_from_thought: Annotated[
        Number | None, Field(description="Fork point; needed on the first thought of a branch only.")
    ] = None
    branch_id: Annotated[BranchId | None, Field(description="The branch it stands on: a-z, 0-9 and -.")] = None
    branch_from_branch: Annotated[BranchId | None, Field(description="The branch that the fork point is on.")] = None
    needs_more_thoughts: Annotated[bool, Field(description="More are needed than was thought.")] = False
    include_guide: Annotated[bool, Field(description="Send the patterns cookbook along.")] = False
    critique: Annotated[bool, Field(description="Have another model look for the weak spots.")] = False
    session_id: SessionId = None
    session_title: Annotated[Title | None, Field(description="For a session that this thought begins.")] = None
    session_tags: Annotated[Tags, Field(description="For a session that this thought begins.", default_factory=list)]


class CritiqueShown(CamelOutput):
    text: str
    model: str
    timestamp: str

    @classmethod
    def of(cls, critique: Critique) -> CritiqueShown:
        return cls(text=critique.text, model=critique.model, timestamp=critique.timestamp)


class CritiquePrompt(CamelOutput):
    """What to put to a model to get a critique."""

    system: str
    prompt: str


class Notice(CamelOutput):
    """Something that did not go as asked, and did no harm."""

    code: str
    message: str


class Thinking(CamelOutput):
    """A thought was recorded."""

    sparse: ClassVar[bool] = True

    id: str
    thought_number: int
    total_thoughts: int
    next_thought_needed: bool
    thought_history_length: int
    session_id: str
    branch_id: str | None = None
    branch_count: int | None = None
    session_closed: bool | None = None
    notes: list[str] | None = None
    notice: Notice | None = None
    critique: CritiqueShown | None = None
    critique_prompt: CritiquePrompt | None = None
    guide: str | None = None


class ReadThoughts(CamelInput):
    session_id: SessionId = None
    thought_number: Annotated[Number | None, Field(description="One thought.")] = None
    last: Annotated[int | None, Field(ge=1, le=MOST_READ, description="The last so many.")] = None
    range: Annotated[
        list[Number] | None, Field(min_length=2, max_length=2, description="From one number to another.")
    ] = None
    branch_id: Annotated[BranchId | None, Field(description="On this branch.")] = None
    kind: Annotated[str | None, Field(description="Of this kind: claim, evidence, decision…")] = None
    refers_to: Annotated[Number | None, Field(description="Those that refer to this thought.")] = None
    revises: Annotated[Number | None, Field(description="Those that revise this thought.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_READ, description="Thoughts in one answer.")] = 100
    cursor: Annotated[Key | None, Field(description="Where the answer before ended.")] = None
    max_chars: MaxChars = None


class RelationShown(CamelOutput):
    type: str
    to: str


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
    labels: list[str] | None = None
    confidence: float | None = None
    notes: list[str] | None = None
    critique: CritiqueShown | None = None

    @classmethod
    def of(cls, thought: Thought, critique: Critique | None = None) -> ThoughtShown:
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
            labels=list(thought.labels) or None,
            confidence=thought.confidence,
            notes=list(thought.notes) or None,
            critique=CritiqueShown.of(critique) if critique else None,
        )


class ThoughtsRead(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    query: dict[str, Any]
    count: int
    thoughts: list[ThoughtShown]
    cursor: str | None = None


class OpenThought(CamelInput):
    id: Annotated[Key, Field(description="Its id, such as th:17, or its node id.")]
    max_chars: MaxChars = None


class GetStructure(CamelInput):
    session_id: SessionId = None
    limit: Annotated[int, Field(ge=1, le=5_000, description="Edges at most.")] = 1_000
    cursor: Annotated[Key | None, Field(description="Where the answer before ended.")] = None
    max_chars: MaxChars = None


class LineShown(CamelOutput):
    sparse: ClassVar[bool] = True

    length: int
    head: int
    tail: int
    from_thought: int | None = None
    from_branch: str | None = None


class Edge(CamelOutput):
    """`from` and `to` are numbers on the main line, and `branch:number` elsewhere."""

    source: str = Field(alias="from")
    target: str = Field(alias="to")
    type: str


class Structure(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    total_thoughts: int
    main_chain: LineShown | None = None
    branches: dict[str, LineShown]
    branch_count: int
    revisions: list[list[int]]
    revision_count: int
    edges: list[Edge]
    cursor: str | None = None


class AddCritique(CamelInput):
    thought_number: Annotated[Number, Field(description="The thought that is criticised.")]
    text: Annotated[Text, Field(description="The critique.")]
    branch_id: Annotated[BranchId | None, Field(description="The branch that the thought stands on.")] = None
    model: Annotated[Key | None, Field(description="The model that wrote it.")] = None
    session_id: SessionId = None


class CritiqueAdded(CamelOutput):
    id: str
    session_id: str
    thought_number: int
    critique: CritiqueShown
