"""Arguments that many operations of this room take. The wire spells them in snake_case."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.mind.names import LONGEST_TYPE, bad_name
from thoughtbox.operations import LONGEST_TEXT, Input, MaxChars
from thoughtbox.settings import WORKSPACE

LARGEST_SEQ = 2**53 - 1
"""The largest number that every JSON reader keeps exactly."""
AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def _workspace(text: str) -> str:
    if not WORKSPACE.fullmatch(text):
        raise ValueError("it has letters, digits and . _ / - only")
    return text


def _agent(text: str) -> str:
    if not AGENT.fullmatch(text):
        raise ValueError("it has letters, digits and . _ - only")
    return text


def _name(text: str) -> str:
    if (wrong := bad_name(text)) is not None:
        raise ValueError(wrong)
    return text


def _type_name(text: str) -> str:
    if (wrong := bad_name(text, LONGEST_TYPE)) is not None:
        raise ValueError(wrong)
    return text


def _seq(number: int) -> int:
    # Said here and not in the schema: in a tool list it would cost more than it tells.
    if number > LARGEST_SEQ:
        raise ValueError(f"it is {LARGEST_SEQ} at most")
    return number


Name = Annotated[str, AfterValidator(_name)]
"""Of a branch, a document, a node or a tag."""
TypeName = Annotated[str, AfterValidator(_type_name)]
"""Of a node or of an edge."""

Content = Annotated[str, Field(max_length=LONGEST_TEXT)]
BranchName = Annotated[Name | None, Field(description="Branch to work on; the one checked out when left out.")]
DocName = Annotated[Name | None, Field(description="Document on that branch.")]
AgentName = Annotated[str, AfterValidator(_agent)]
AgentId = Annotated[AgentName | None, Field(description="Who calls; it filters nothing and hides nothing.")]
Meta = Annotated[dict[str, Any] | None, Field(description="Anything of your own to keep with it.")]
Seq = Annotated[int, AfterValidator(_seq)]
"""The number of a record, or of what is counted like records."""
Cursor = Annotated[Seq | None, Field(ge=0, description="next_cursor of the page before: what is older is shown.")]
AsOf = Annotated[
    int | str | None,
    Field(description="Answer as it would have then: a record's number, or a time such as 2026-01-31."),
]
Drafts = Annotated[bool, Field(description="Show drafts (v:draft), too.")]
View = Annotated[
    Literal["smart", "explore", "audit"] | None,
    Field(description="smart: pinned and open first, then open ones; explore: then any; audit: smart with drafts."),
]
ContextBudget = Annotated[
    int | None, Field(ge=0, le=10_000_000, description="Like max_chars; the smaller of the two counts.")
]
StepName = Annotated[
    str | None,
    Field(description="Step of the task it is about: focus (the first open one), STEP-…, or a path s:0.s:1."),
]
OneOrMany = str | list[str]


class TargetRef(Input):
    """A plan or a task, by its id."""

    id: str
    kind: Literal["plan", "task"] | None = None


Target = Annotated[
    str | TargetRef | None, Field(description="Plan or task it is about, such as TASK-001; the focus when left out.")
]


class MindInput(Input):
    """Arguments of an operation of this room."""

    workspace: Annotated[
        Annotated[str, AfterValidator(_workspace)] | None,
        Field(description="Workspace to work in; the server's own when left out."),
    ] = None


class BoundedInput(MindInput):
    """Arguments of a read that keeps to a budget."""

    max_chars: MaxChars = None


def listed(value: OneOrMany | None) -> list[str]:
    """One value or several, as several."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else value
