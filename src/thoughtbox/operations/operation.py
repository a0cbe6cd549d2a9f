"""What can be declared: an operation, a resource, a prompt, and what goes with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from thoughtbox.errors import RecordedRefusal, ThoughtboxError
from thoughtbox.ledger.view import View
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.models import Input, Output, has_field
from thoughtbox.operations.paging import Pages
from thoughtbox.operations.tx import Tx

if TYPE_CHECKING:
    from thoughtbox.operations.registry import Table

Completion = Callable[[Tx, str, int], list[str]]
"""Values that begin with what was typed, so many at the most."""

Route = Callable[["Table", Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
"""From the arguments of an operation that leads to others: which one is meant, and its own arguments."""

Effect = Literal["adds", "overwrites", "removes", "ends"]
"""What a write does to what is in sight: adds to it, puts something in its place, takes it away, or brings it to an
end. The ledger keeps everything."""


@dataclass(frozen=True, slots=True)
class Example:
    """A call that runs: its arguments, the calls that must go before it, and whether it is meant to fail."""

    arguments: Mapping[str, Any]
    given: Sequence[tuple[str, Mapping[str, Any]]] = ()
    fails_with: type[ThoughtboxError] | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """Looks at a call before it runs."""

    check: Callable[[Tx, Operation, Input], str | None]
    """Refuses the call, or has a hint to go with its answer."""
    says: str
    """What it asks for, for people who read about the operation: `needs stage 2`."""
    errors: tuple[type[ThoughtboxError], ...] = ()
    """What it refuses with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What gives way when an answer is too long (see `budget.py`)."""

    ceiling: int = HARD_CEILING
    """Longest answer without a budget asked for."""
    keep: tuple[str, ...] = ()
    """Fields of the answer that are the last to go under a tight budget."""
    newest_first: frozenset[str] = frozenset()
    """Lists in the answer whose first item is the one to keep."""
    pages: tuple[Pages, ...] = ()
    """Lists that are read a page at a time, where the budget says how much a page holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """A question that an answer may hold, for the door to put to the client's own model, where it lends one.

    What the operation has done stays done, whatever becomes of the question.
    """

    question: str
    """The field of the answer that holds it: an object with `system` and `prompt`."""
    replaces: tuple[str, ...]
    """Fields that are left out once the model has answered."""
    operation: str
    """Keeps what the model said."""
    arguments: Callable[[Mapping[str, Any], str, str], dict[str, Any]]
    """Its arguments, from the first answer, the model's text, and the model's name."""
    part: str
    """The field of its answer that goes into the first answer, under the same name."""
    notice: str = "notice"
    """The field of the first answer that says why the model has not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FromClient:
    """What only a client has, and its door asks it for."""

    roots: bool = False
    """Its root directories, before the operation runs."""
    sampling: Sampling | None = None
    """Its model's answer to a question, afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """What makes an operation one that leads to all others."""

    route: Route
    described: Callable[[Table, Focus], str]
    """What it says of itself to a caller who stands there."""
    properties: Callable[[Table], Mapping[str, Any]]
    """The schemas of the arguments that rooms want to be seen in its own, by name."""


class Outside(NamedTuple):
    """What an envelope is made of beside the answer."""

    now_ms: int
    toolset: str | None
    """What the caller is shown; None where all can be called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What a room puts around every answer and every refusal, where its specification asks for that."""

    part: str
    """The field of it that holds the answer itself: what a budget is for."""
    answered: Callable[
        [Operation, Mapping[str, Any], Sequence[Any], Sequence[Mapping[str, str]], Outside], dict[str, Any]
    ]
    """Around an answer: the operation, what it answered, its remarks, what there is to say of its budget."""
    refused: Callable[[ThoughtboxError, Outside], dict[str, Any]]
    """Around an error."""
    schema: Callable[[dict[str, Any]], dict[str, Any]]
    """The schema of the whole, from the answer's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One verb."""

    name: str
    """No other operation has it: `thought_plan`, or `mind.context_pack` where two rooms have a `context_pack`."""
    bare: str
    """The name that its specification gives it."""
    room: str
    function: Callable[..., Any]
    input: type[Input]
    output: type[Output]
    title: str
    summary: str
    description: str
    example: Example
    errors: tuple[type[ThoughtboxError], ...]
    invalid: type[ThoughtboxError]
    toolsets: tuple[str, ...]
    """Lists of tools that it is shown in; it can be called all the same where it is not."""
    writes: bool = False
    effect: Effect = "adds"
    idempotent: bool = False
    hidden: bool = False
    describes: bool = False
    """Tells what another one takes and answers: where callers are sent who do not know."""
    long: bool = False
    """May take seconds: it reports its progress, and others do not wait for it."""
    works_in_steps: bool = False
    """Its function is a generator that yields its reads and writes (see `steps.py`)."""
    fresh: tuple[type[View], ...] = ()
    """Views that follow the tail and must have caught up before this read runs."""
    guard: Guard | None = None
    shape: Shape = field(default_factory=Shape)
    from_client: FromClient = field(default_factory=FromClient)
    gateway: Gateway | None = None
    envelope: Envelope | None = None
    echo: Callable[[str, Mapping[str, Any]], str]
    """What a write is called for whoever watches the server: what was written, not its text."""

    @property
    def destructive(self) -> bool:
        """Whether something that is in sight may be gone from there afterwards."""
        return self.effect in ("overwrites", "removes")

    @property
    def names_workspace(self) -> bool:
        """Whether a call says itself which workspace it is for, in an argument of that name."""
        return has_field(self.input, "workspace")

    @property
    def records_refusals(self) -> bool:
        """Whether it may be refused with something that leaves a record behind."""
        return any(issubclass(error, RecordedRefusal) for error in self.errors)

    def refusal(self, error: ThoughtboxError, outside: Outside) -> dict[str, Any]:
        """An error as this operation's callers are told of it."""
        return error.payload() if self.envelope is None else self.envelope.refused(error, outside)

    @property
    def suggestible(self) -> bool:
        """Whether it may be named to a caller who misspelt something: nothing is lost by trying it."""
        return not self.hidden and self.gateway is None and self.effect not in ("removes", "ends")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A read operation under an address: `thoughtbox://trail/{sessionId}`."""

    uri: str
    """Parts in braces are arguments of the operation."""
    name: str
    title: str
    description: str
    operation: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    part: str | None = None
    """The field of the answer that is the resource's text; all of it, as JSON, when not given."""
    text: str | None = None
    """What stands at the address, when it is no operation's answer."""
    mime: str = "application/json"
    names: Mapping[str, str] = field(default_factory=dict)
    """Arguments of the address that the operation knows under another name."""
    listed: Callable[[Tx, str, int], Mapping[str, str]] | None = None
    """For an address with one argument: the values there are behind a given one, a page at a time, and the title of
    what is at each."""
    stream: str | None = None
    """The stream that is shown, with the address's arguments in braces; a listed one is called as its address."""
    room: str = ""
    """Where it was declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text for an agent to work from, with what a read operation answers put in."""

    name: str
    title: str
    description: str
    text: str
    arguments: Mapping[str, str]
    """Name of each argument, and what it is."""
    optional: Mapping[str, str] = field(default_factory=dict)
    """Arguments that may be left out; a line of the text with nothing but them goes, too."""
    shapes: Mapping[str, str] = field(default_factory=dict)
    """What the values of arguments look like that are no text, as patterns: any other word belongs to the text."""
    operation: str | None = None
    """Its answer stands where the text says `{{answer}}`."""
    room: str = ""
    """Where it was declared."""
