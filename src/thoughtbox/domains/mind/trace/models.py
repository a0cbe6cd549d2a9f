"""What goes in and what comes out of traces."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import (
    AgentId,
    BoundedInput,
    BranchName,
    Content,
    Cursor,
    DocName,
    Meta,
    MindInput,
    Name,
    Target,
)
from thoughtbox.domains.mind.trace.validation import TraceFault
from thoughtbox.ledger.record import present
from thoughtbox.operations import Confidence, Output, Text

Number = Annotated[int, Field(ge=1, le=2**53)]
"""Spelled in camelCase on the wire, with what goes with it: that is how thoughts are numbered everywhere."""


_ALSO_NUMBERED = ("confidence", "goal")


class OnTrace(MindInput):
    target: Target = None
    ref: BranchName = None
    doc: DocName = None


class AppendStep(OnTrace):
    step: Annotated[Text, Field(description="What was done or thought, in words.")]
    message: Annotated[Content | None, Field(description="What it is about, in a line.")] = None
    mode: Annotated[Content | None, Field(description="How it was gone about, such as explore or verify.")] = None
    supports: Annotated[list[Name] | None, Field(description="Ids of what it speaks for.")] = None
    blocks: Annotated[list[Name] | None, Field(description="Ids of what it speaks against.")] = None
    base: Annotated[Content | None, Field(description="What it starts from.")] = None
    checkpoint_every: Annotated[int | None, Field(ge=1, description="After how many steps to look back.")] = None
    meta: Meta = None
    agent_id: AgentId = None


class AppendSequentialStep(OnTrace):
    thought: Annotated[Text, Field(description="The thought, in words.")]
    thought_number: Annotated[Number, Field(alias="thoughtNumber", description="Its number, from 1 on.")]
    total_thoughts: Annotated[
        Number, Field(alias="totalThoughts", description="How many there will be, as far as is known: no less.")
    ]
    next_thought_needed: Annotated[
        bool, Field(alias="nextThoughtNeeded", description="Whether there is more to think.")
    ]
    is_revision: Annotated[bool | None, Field(alias="isRevision", description="Whether it revises an earlier one.")] = (
        None
    )
    revises_thought: Annotated[Number | None, Field(alias="revisesThought", description="Which one it revises.")] = None
    branch_from_thought: Annotated[
        Number | None, Field(alias="branchFromThought", description="Which one it branches off.")
    ] = None
    branch_id: Annotated[Name | None, Field(alias="branchId", description="What the branch of thought is called.")] = (
        None
    )
    needs_more_thoughts: Annotated[
        bool | None, Field(alias="needsMoreThoughts", description="Whether the estimate was too low.")
    ] = None
    confidence: Annotated[Confidence | None, Field(description="How sure it is, from 0 to 1.")] = None
    goal: Annotated[Content | None, Field(description="What it is for.")] = None
    message: Annotated[Content | None, Field(description="What it is about, in a line.")] = None
    meta: Meta = None
    agent_id: AgentId = None

    def numbered(self) -> dict[str, Any]:
        """What goes into the entry's `meta`, as the wire spells it."""
        named = {field.alias or name: name for name, field in type(self).model_fields.items()}
        own = {wire: getattr(self, name) for wire, name in named.items() if wire != name or name in _ALSO_NUMBERED}
        return present(own)


class StepAppended(Output):
    entry: dict[str, Any]
    trace_ref: Annotated[str, Field(description="Opens it again.")]


class Hydrate(BoundedInput):
    target: Target = None
    ref: BranchName = None
    doc: DocName = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Entries in one answer: 200 at most.")] = 50


class ValidateTrace(BoundedInput):
    target: Target = None
    ref: BranchName = None
    doc: DocName = None


class TraceValidated(Output):
    branch: str
    doc: str
    ok: bool
    checked: int
    has_more: bool
    errors: list[dict[str, Any]]
    truncated: bool = False


def shown_fault(fault: TraceFault, doc: str) -> dict[str, Any]:
    """A fault with the reference of its entry."""
    return {**fault._asdict(), "ref": f"{doc}@{fault.seq}"}
