"""What goes into thinking and what comes out. The wire spells it in camelCase."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from thoughtbox.domains.thoughts.answers import CritiqueShown, LineShown, ThoughtShown
from thoughtbox.domains.thoughts.arguments import BranchId, Number, SessionId, Tags, Title
from thoughtbox.domains.thoughts.model.reasoning import Fate
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text, Time

MOST_READ = 500
READ_BY_DEFAULT = 5


class Think(CamelInput):
    thought: Annotated[Text, Field(description="The thought, in words or in cipher; each line of cipher is one.")]
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
    timestamp: Annotated[Time | None, Field(description="When it was thought; without it, now.")] = None
    action_id: Annotated[Key | None, Field(description="The action this thought leads to.")] = None
    session_id: SessionId = None
    session_title: Annotated[Title | None, Field(description="For a session that this thought begins.")] = None
    session_tags: Annotated[Tags, Field(description="For a session that this thought begins.", default_factory=list)]


class CritiquePrompt(CamelOutput):
    """What to put to a model to get a critique."""

    system: str
    prompt: str


class Notice(CamelOutput):
    """Something that did not go as asked, and did no harm."""

    code: str
    message: str


class LineRecorded(CamelOutput):
    """One of several lines of cipher in one call, each a thought of its own."""

    sparse: ClassVar[bool] = True

    id: str
    thought_number: int
    read: str | None = None
    resting: list[str] | None = None
    notes: list[str] | None = None


class ThoughtRecorded(CamelOutput):
    """A thought was recorded; of several in one call, this is the last, and `thoughts` has each."""

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
    read: Annotated[str | None, Field(description="How it was read, such as `E supports S2`.")] = None
    resting: Annotated[list[str] | None, Field(description="What rests on the thought that it replaces.")] = None
    notes: list[str] | None = None
    thoughts: list[LineRecorded] | None = None
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
    label: Annotated[
        str | None, Field(description="With this label: hypothesis, assumption, conclusion, rejected or revision.")
    ] = None
    refers_to: Annotated[Number | None, Field(description="Those that refer to this thought.")] = None
    revises: Annotated[Number | None, Field(description="Those that revise this thought.")] = None
    limit: Annotated[int, Field(ge=1, le=MOST_READ, description="Thoughts in one answer.")] = 100
    cursor: Annotated[Key | None, Field(description="Where the answer before ended.")] = None
    max_chars: MaxChars = None


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
    revisions: Annotated[
        list[list[int]], Field(description="Pairs of numbers; edges of the type revises say on which lines they are.")
    ]
    revision_count: int
    edges: list[Edge]
    cursor: str | None = None


class SettleBranch(CamelInput):
    branch_id: Annotated[BranchId, Field(description="The branch.")]
    why: Annotated[Text | None, Field(max_length=10_000, description="What speaks for that.")] = None
    session_id: SessionId = None


class BranchSettled(CamelOutput):
    session_id: str
    branch_id: str
    fate: Fate
    was: Fate


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
