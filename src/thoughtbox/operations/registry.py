"""The table of operations: one decorator, one typed input, one typed output, one sentence.

From it come the MCP tools, the command line, the reference and the code-mode catalog.
If the same fact about an operation stands anywhere else, one of the two is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, get_type_hints

from thoughtbox.errors import (
    InvalidOperation,
    InvalidPayload,
    InvalidRecord,
    StageRequirementNotMet,
    ThoughtboxError,
)
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.models import Input, Output
from thoughtbox.operations.topics import check_parts
from thoughtbox.operations.tx import Tx

F = TypeVar("F", bound=Callable[..., Output])

Tier = Literal["core", "daily", "full"]
Stage = Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class Example:
    """A call that runs: its arguments, the calls that must go before it, and whether it is meant to fail."""

    arguments: Mapping[str, Any]
    given: Sequence[tuple[str, Mapping[str, Any]]] = ()
    fails_with: type[ThoughtboxError] | None = None


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


Completion = Callable[[Tx, str, int], list[str]]
Opened = Callable[[Record, Ledger], object]
Guard = Callable[[Tx, "Operation", Input], str | None]
Route = Callable[["Table", Mapping[str, Any]], tuple[str, Mapping[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One verb."""

    name: str
    room: str
    function: Callable[..., Output]
    input: type[Input]
    output: type[Output]
    summary: str
    description: str
    example: Example
    errors: tuple[type[ThoughtboxError], ...]
    invalid: type[ThoughtboxError]
    writes: bool = False
    idempotent: bool = False
    hidden: bool = False
    tier: Tier = "daily"
    stage: Stage = 0
    ceiling: int = HARD_CEILING
    """Longest answer without a budget asked for."""
    keep: tuple[str, ...] = ()
    """Fields of the answer that are the last to go under a tight budget."""
    newest_first: frozenset[str] = frozenset()
    """Lists in the answer whose first item is the one to keep."""
    title: str = ""
    long: bool = False
    """May take seconds: it reports its progress."""
    fresh: tuple[type[View], ...] = ()
    """Views that follow the tail and must have caught up before this read runs."""
    scratch: Callable[[Any], bool] | None = None
    """Of a call, whether it needs temporary tables: it then runs beside the other reads."""
    guard: Guard | None = None
    """Looks at a call before it runs: refuses it, or has a hint to go with the answer."""
    route: Route | None = None
    """Leads to another operation: its name and its arguments."""
    described: Mapping[int | None, str] | None = None
    """Another description for each stage that a caller may be at; None is for those who have none."""
    needs_roots: bool = False
    """The door asks the client for its root directories first."""
    sampling: Sampling | None = None
    """The door may ask the client's model something afterwards."""


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
    listed: Callable[[Tx, str, int], list[str]] | None = None
    """For an address with one argument: the values there are behind a given one, a page at a time."""
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
    operation: str | None = None
    """Its answer stands where the text says `{{answer}}`."""
    room: str = ""
    """Where it was declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """Records of one kind, as their room reads them."""

    opened: Opened
    """Opens a record as the room will, given the ledger before it; raises `InvalidRecord` when that cannot be done."""
    streams: str
    """What the names of their streams begin with, before the first slash. No other topic stands in them."""


@dataclass(slots=True)
class Table:
    """Everything the rooms have declared, by name."""

    operations: dict[str, Operation] = field(default_factory=dict)
    by_tool_name: dict[str, Operation] = field(default_factory=dict)
    rooms: dict[str, Room] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    completions: dict[str, dict[str, Completion]] = field(default_factory=dict)
    """By argument name, then by room: the values that begin with what was typed."""
    topics: dict[str, Topic] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def enter(self, operation: Operation) -> None:
        self.operations[operation.name] = operation
        self.by_tool_name[tool_name(operation.name)] = operation

    def resolve(self, name: str, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
        """The operation that is to run, and its arguments: those given, or what a gateway makes of them."""
        found = self.find(name)
        if found.route is None:
            return found, arguments
        name, arguments = found.route(self, arguments)
        return self.operations[name], arguments

    def family(self, name: str) -> list[str]:
        """The sub-operations of a name: `get` of `session`, if there is a `session.get`."""
        return [
            other.name.removeprefix(f"{name}.")
            for other in self
            if other.name.startswith(f"{name}.") and not other.hidden
        ]

    def find(self, name: str) -> Operation:
        found = self.operations.get(name) or self.by_tool_name.get(name)
        if found is not None:
            return found
        near = get_close_matches(name, self.operations, n=1, cutoff=0.5)
        raise InvalidOperation(
            f"there is no operation `{name}`",
            recovery=f"Did you mean `{near[0]}`?"
            if near
            else "get_state says what can be done; `thoughtbox ops` lists all operations.",
            details={"operation": name, "nearest": near},
        )

    def completion(self, argument: str, room: str) -> Completion | None:
        """How to complete an argument: as its own room says, or else another that knows an argument of that name."""
        known = self.completions.get(argument, {})
        return known.get(room) or next(iter(known.values()), None)

    def check(self, record: Record, before: Ledger) -> None:
        """Refuse a record that its room could not read, given the ledger as it is before it: `InvalidRecord` says why.

        Of topics that no room here knows nothing is known, but that they have no place in a room's streams.
        """
        check_parts(record)
        topic = self.topics.get(record.topic)
        owned = record.stream.partition("/")[0]
        if topic is None:
            if any(known.streams == owned for known in self.topics.values()):
                raise InvalidRecord(f"a record of topic `{record.topic}` has no place in stream `{record.stream}`")
            return
        if topic.streams != owned:
            raise InvalidRecord(f"a record of topic `{record.topic}` stands in a stream below `{topic.streams}/`")
        topic.opened(record, before)

    def views(self) -> list[type[View]]:
        return [view for room in self.rooms.values() for view in room.views]


TABLE = Table()


def tool_name(name: str) -> str:
    """An operation's name as the name of a tool: many clients take letters, digits, _ and - only."""
    return name.replace(".", "_")


class Room:
    """A surface: operations that belong together, and the views that answer for them."""

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        views: Sequence[type[View]] = (),
        invalid: type[ThoughtboxError] = InvalidPayload,
        guard: Guard | None = None,
        table: Table = TABLE,
    ) -> None:
        """`invalid` is what this surface's specification calls a bad argument."""
        self.name = name
        self._guard = guard
        self.summary = summary
        self.views = tuple(views)
        self._invalid = invalid
        self._table = table
        table.rooms[name] = self

    def resource(self, resource: Resource) -> None:
        self._table.resources[resource.uri] = replace(resource, room=self.name)

    def prompt(self, prompt: Prompt) -> None:
        self._table.prompts[prompt.name] = replace(prompt, room=self.name)

    def topic(self, name: str, opened: Opened, *, streams: str) -> None:
        """Say how this room opens a record of a topic; what comes from elsewhere is opened so before it is taken in."""
        if name in self._table.topics:
            raise ValueError(f"topic {name} is declared twice")
        self._table.topics[name] = Topic(opened=opened, streams=streams)

    def completion(self, argument: str, values: Completion) -> None:
        """Say how to complete an argument of that name: in this room, and wherever nobody else knows it."""
        self._table.completions.setdefault(argument, {})[self.name] = values

    def operation(
        self,
        name: str,
        *,
        example: Example,
        errors: Sequence[type[ThoughtboxError]] = (),
        writes: bool = False,
        **more: Any,
    ) -> Callable[[F], F]:
        """Enter a function into the table. Its docstring is the operation's description."""

        def enter(function: F) -> F:
            hints = get_type_hints(function)
            text = inspect.getdoc(function) or ""
            operation = Operation(
                name=name,
                room=self.name,
                function=function,
                input=hints["call"],
                output=hints["return"],
                summary=text.partition("\n")[0],
                description=text,
                example=example,
                errors=(self._invalid, *([StageRequirementNotMet] if more.get("stage") else []), *errors),
                invalid=self._invalid,
                writes=writes,
                guard=self._guard,
                **more,
            )
            self._table.enter(operation)
            return function

        return enter
