"""What can be declared: an operation, and what goes with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from thoughtbox.errors import RecordedRefusal, ThoughtboxError
from thoughtbox.ledger.view import View
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.catalog import Gateway
from thoughtbox.operations.forms import FORMAT, TBX, holds_a_list
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.models import Input, Output, has_field, wire_names
from thoughtbox.operations.paging import Pages
from thoughtbox.operations.tx import Task, Tx

Completion = Callable[[Tx, str, int], list[str]]
"""Values that begin with what was typed, so many at the most."""

Effect = Literal["adds", "overwrites", "removes", "ends"]
"""What a write does to what is in sight: adds to it, puts something in its place, takes it away, or brings it to an
end. The ledger keeps everything."""


class Example(NamedTuple):
    """A call that runs: its arguments, the calls that must go before it, and whether it is meant to fail."""

    arguments: Mapping[str, Any]
    given: Sequence[tuple[str, Mapping[str, Any]]] = ()
    fails_with: type[ThoughtboxError] | None = None


class Guard(NamedTuple):
    """Looks at a call before it runs."""

    check: Callable[[Tx, Operation, Input], str | None]
    """Refuses the call, or has a hint to go with its answer."""
    says: str
    """What it asks for, for people who read about the operation: `needs stage 2`."""
    errors: tuple[type[ThoughtboxError], ...] = ()
    """What it refuses with."""


class Place(Protocol):
    """A place in a queue, for work that is to be done in the order in which it was asked for."""

    def put(self, work: Callable[[], Any], *, stop: Callable[[], object], owner: str | None = None) -> Future[Any]:
        """Have the work done when its turn comes; `stop` ends it soon, from any thread.

        `owner` is whose queue it is, where that was not known when the place was taken.
        """
        ...

    def release(self) -> None:
        """Let those behind go on, if nothing was put here."""
        ...


class Shape(NamedTuple):
    """What gives way when an answer is too long (see `budget.py`)."""

    ceiling: int = HARD_CEILING
    """Longest answer without a budget asked for."""
    keep: tuple[str, ...] = ()
    """Fields of the answer that are the last to go under a tight budget."""
    newest_first: frozenset[str] = frozenset()
    """Lists in the answer whose first item is the one to keep."""
    pages: tuple[Pages, ...] = ()
    """Lists that are read a page at a time, where the budget says how much a page holds."""


class Sampling(NamedTuple):
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


class FromClient(NamedTuple):
    """What only a client has, and its door asks it for."""

    roots: bool = False
    """Its root directories, before the operation runs."""
    sampling: Sampling | None = None
    """Its model's answer to a question, afterwards."""


class Outside(NamedTuple):
    """What an envelope is made of beside the answer."""

    now_ms: int
    toolset: str | None
    """What the caller is shown; None where all can be called."""


class Envelope(NamedTuple):
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
    in_turn: bool = False
    """What its caller sends behind it waits for it, though it may take seconds."""
    works_in_steps: bool = False
    """Its function is a generator that yields its reads and writes (see `steps.py`)."""
    reserve: Callable[[Lasting, str, Any], Place] | None = None
    """It works in steps, and this takes its place in a queue before anything else is looked at: in the order sent."""
    finishes: bool = False
    """It works in steps, and leaves all that it writes to one (`Slices.finish`): an idempotency key is possible."""
    fresh: tuple[type[View], ...] = ()
    """Views that follow the tail and must have caught up before this read runs."""
    guard: Guard | None = None
    shape: Shape = field(default_factory=Shape)
    from_client: FromClient = field(default_factory=FromClient)
    gateway: Gateway | None = None
    app: str | None = None
    """The name of the app that shows people what its answers are about, where a door has one and a client can."""
    envelope: Envelope | None = None
    echo: Callable[[str, Mapping[str, Any]], str]
    """What a write is called for whoever watches the server: what was written, not its text."""
    names_workspace: bool = field(init=False)
    """Whether a call says itself which workspace it is for, in an argument of that name."""
    records_refusals: bool = field(init=False)
    """Whether it may be refused with something that leaves a record behind."""
    task: Task = field(init=False)
    """What its transactions are for, when nothing else has called it."""
    in_forms: bool = False
    """Whether it can be asked for another form of its answer, though it writes."""
    lists: bool = field(init=False)
    """Whether it only reads, and answers with a list: then it can be asked for another form (see `forms.py`)."""
    arguments: tuple[str, ...] = field(init=False)
    """The names of all that it takes, as the wire spells them."""

    def __post_init__(self) -> None:
        # Asked with every call, and always the same.
        own = wire_names(self.input)
        lists = self.in_forms or (
            not self.writes and self.gateway is None and FORMAT not in own and holds_a_list(self.output)
        )
        known = {
            "names_workspace": has_field(self.input, "workspace"),
            "records_refusals": any(issubclass(error, RecordedRefusal) for error in self.errors),
            "task": Task(self.room, self.name, fresh=self.fresh),
            "lists": lists,
            "arguments": (*own, FORMAT) if lists else own,
        }
        for name, value in known.items():
            object.__setattr__(self, name, value)

    @property
    def destructive(self) -> bool:
        """Whether something that is in sight may be gone from there afterwards."""
        return self.effect in ("overwrites", "removes")

    @property
    def needs(self) -> str | None:
        """What its guard asks for, in words."""
        return self.guard.says if self.guard is not None else None

    def refusal(self, error: ThoughtboxError, arguments: Mapping[str, Any], outside: Outside) -> dict[str, Any]:
        """An error as this operation's callers are told of it, in the form that their arguments ask for."""
        told = error.payload() if self.envelope is None else self.envelope.refused(error, outside)
        if not self.lists or arguments.get(FORMAT) != TBX:
            return told
        from thoughtbox.tbx import encode_error  # most calls do without it

        return encode_error(told)

    @property
    def suggestible(self) -> bool:
        """Whether it may be named to a caller who misspelt something: nothing is lost by trying it."""
        return not self.hidden and self.gateway is None and self.effect not in ("removes", "ends")
