"""The table of operations: one decorator, one typed input, one typed output, one sentence.

From it come the MCP tools, the command line, the reference and the code-mode catalog.
If the same fact about an operation stands anywhere else, one of the two is wrong.
Nothing is declared twice: a second operation, room, resource, prompt, topic or completion of one name is refused.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from thoughtbox.errors import InvalidOperation, InvalidPayload, InvalidRecord, ThoughtboxError, shown
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.models import Output
from thoughtbox.operations.nearest import nearest
from thoughtbox.operations.operation import (
    Completion,
    Effect,
    Envelope,
    Example,
    FromClient,
    Gateway,
    Guard,
    Operation,
    Prompt,
    Resource,
    Sampling,
    Shape,
)
from thoughtbox.operations.paging import Pages
from thoughtbox.operations.tallies import Write
from thoughtbox.operations.topics import check_parts

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

DEFAULT, ALL = "default", "all"
"""Toolsets that belong to no room: what a client is shown unless told otherwise, and everything."""

Echo = Callable[[str, Mapping[str, Any]], str]
Lines = Callable[[Focus], str]
Opened = Callable[[Record, Ledger], object]


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
    rooms: dict[str, Room] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    completions: dict[tuple[str, str], Completion] = field(default_factory=dict)
    """By room and name of the argument: the values that begin with what was typed."""
    topics: dict[str, Topic] = field(default_factory=dict)
    tallies: dict[str, Write] = field(default_factory=dict)
    """By name: how what reads have counted is written down."""
    _by_any_name: dict[str, Operation] = field(default_factory=dict)
    _shared: dict[str, list[Operation]] = field(default_factory=dict)
    _families: dict[str, list[str]] = field(default_factory=dict)
    _describes: str | None = None
    """The operation that describes all others."""

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def enter(self, operation: Operation) -> None:
        """Take an operation in under its name, the name of its tool, and its room's name before it."""
        own = {operation.name, tool_name(operation.name), f"{operation.room}.{operation.bare}"}
        for name in sorted(own, key=len):
            _once(self._by_any_name, name, operation, "operation")
        self.operations[operation.name] = operation
        if operation.describes:
            self._describes = operation.name
        if operation.name != operation.bare:
            self._shared.setdefault(operation.bare, []).append(operation)
        if operation.bare in self.operations and operation.bare in self._shared:
            raise ValueError(f"operation {operation.bare} is declared twice: not all of them say that it is shared")
        family, dot, sub = operation.bare.rpartition(".")
        if dot and not operation.hidden:
            self._families.setdefault(family, []).append(sub)

    def resolve(self, name: str, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
        """The operation that is to run, and its arguments: those given, or what a gateway makes of them."""
        return self.routed(self.find(name, arguments), arguments)

    def routed(self, found: Operation, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
        """The same, for an operation that was found already."""
        if found.gateway is None:
            return found, arguments
        name, arguments = found.gateway.route(self, arguments)
        return self.operations[name], arguments

    def family(self, name: str) -> Sequence[str]:
        """The sub-operations of a name: `get` of `session`, if there is a `session.get`."""
        return self._families.get(name, ())

    def find(self, name: str, arguments: Collection[str] | None = None) -> Operation:
        """The operation of that name. One that rooms share is told by the names of its arguments, where it can be."""
        found = self._by_any_name.get(name)
        if found is not None:
            return found
        shared = self._shared.get(name, ())
        fitting = shared if arguments is None else [each for each in shared if _takes(each, arguments)]
        if len(fitting) == 1:
            return fitting[0]
        if shared:
            raise InvalidOperation(
                f"`{name}` is an operation of several rooms",
                recovery=f"Name the room, too: {', '.join(operation.name for operation in shared)}.",
                details={"operation": name, "nearest": [operation.name for operation in shared]},
            )
        name = shown(name)
        near = nearest(name, self.operations)
        named = [near] if near is not None and self.operations[near].suggestible else []
        raise InvalidOperation(
            f"there is no operation `{name}`",
            recovery=f"Did you mean `{near}`?" if named else self.guidance(),
            details={"operation": name, "nearest": named},
        )

    def guidance(self, name: str | None = None) -> str | None:
        """Where to read about an operation, or about all of them; the call can be sent as it stands."""
        if self._describes is None:
            return None
        call = {"operation": self._describes, **({"name": name} if name is not None else {})}
        what = "how" if name is not None else "all operations"
        return f"{json.dumps(call, ensure_ascii=False, separators=(',', ':'))} shows {what}."

    def shown_in(self, toolset: str) -> dict[str, Operation]:
        """The operations of a toolset, by the names that its tools have: what leads to all first, then as declared.

        A tool has the name of its specification; of two with one name, the second is called by its room, too.
        """
        shown: dict[str, Operation] = {}
        for operation in sorted(self, key=lambda operation: operation.gateway is None):
            if operation.hidden or not (toolset == ALL or toolset in operation.toolsets):
                continue
            bare = tool_name(operation.bare)
            shown[bare if bare not in shown else tool_name(f"{operation.room}.{operation.bare}")] = operation
        return shown

    def toolsets(self) -> list[str]:
        """The names of all toolsets, in the order they were declared."""
        named = dict.fromkeys(toolset for operation in self for toolset in operation.toolsets)
        return [DEFAULT, *(name for name in named if name != DEFAULT), ALL]

    def completion(self, argument: str, room: str) -> Completion | None:
        """How to complete an argument of that name in a room."""
        return self.completions.get((room, argument))

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

    def first_focus(self, focus: Focus, settings: Mapping[str, Any]) -> Focus:
        """What is remembered of a caller who has only just come."""
        for room in self.rooms.values():
            if room.first_focus is not None:
                focus = focus.on(room.first_focus(settings))
        return focus


TABLE = Table()


def tool_name(name: str) -> str:
    """An operation's name as the name of a tool: many clients take letters, digits, _ and - only."""
    return name.replace(".", "_")


class Room:
    """A surface: operations that belong together, the views that answer for them, and all else that they need."""

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        views: Sequence[type[View]] = (),
        invalid: type[ThoughtboxError] = InvalidPayload,
        remembers: type[DataclassInstance] | None = None,
        first_focus: Callable[[Mapping[str, Any]], object] | None = None,
        gateway: str | Lines = "",
        gateway_names: Sequence[str] = (),
        gateway_arguments: Mapping[str, Sequence[str]] | None = None,
        echo: Echo | None = None,
        envelope: Envelope | None = None,
        table: Table = TABLE,
    ) -> None:
        """Declare a room.

        `invalid` is what this surface's specification calls a bad argument. `remembers` is the type of the value that
        the room keeps in its caller's focus (a frozen dataclass whose fields are plain), and `first_focus` makes the
        one that a new caller has, from the settings. `gateway` is what the room says of itself in the description of
        the one tool that leads to all, perhaps to a caller who stands somewhere; `gateway_names` are the names that
        its specification wants to be seen there, of operations and of families, and `gateway_arguments` those
        arguments of some operations that are. `echo` says in a line what a write of it has done. `envelope` goes around
        everything that is answered.
        """
        self.name = name
        self.summary = summary
        self.views = tuple(views)
        self.remembers = remembers
        self.first_focus = first_focus
        self._gateway = gateway
        self.gateway_names = tuple(gateway_names)
        self.gateway_arguments = gateway_arguments or {}
        self._echo = echo or _echo
        self._envelope = envelope
        self._invalid = invalid
        self._table = table
        _once(table.rooms, name, self, "room")

    def gateway_lines(self, focus: Focus) -> str:
        """What the room says of itself to a caller who sees one tool only."""
        return self._gateway if isinstance(self._gateway, str) else self._gateway(focus)

    def resource(self, resource: Resource) -> None:
        _once(self._table.resources, resource.uri, replace(resource, room=self.name), "resource")

    def prompt(self, prompt: Prompt) -> None:
        _once(self._table.prompts, prompt.name, replace(prompt, room=self.name), "prompt")

    def topic(self, name: str, opened: Opened, *, streams: str) -> None:
        """Say how this room opens a record of a topic; what comes from elsewhere is opened so before it is taken in."""
        _once(self._table.topics, name, Topic(opened=opened, streams=streams), "topic")

    def tally(self, name: str, write: Write) -> None:
        """Say how what reads count under this name is written down: `write` appends one record."""
        _once(self._table.tallies, name, write, "tally")

    def completion(self, argument: str, values: Completion) -> None:
        """Say how to complete an argument of that name in this room."""
        _once(self._table.completions, (self.name, argument), values, "completion")

    def operation(
        self,
        name: str,
        *,
        example: Example,
        title: str = "",
        errors: Sequence[type[ThoughtboxError]] = (),
        writes: bool = False,
        effect: Effect = "adds",
        idempotent: bool = False,
        hidden: bool = False,
        describes: bool = False,
        long: bool = False,
        shared: bool = False,
        toolsets: Sequence[str] = (),
        fresh: Sequence[type[View]] = (),
        guard: Guard | None = None,
        ceiling: int = HARD_CEILING,
        keep: Sequence[str] = (),
        newest_first: frozenset[str] = frozenset(),
        pages: Sequence[Pages] = (),
        needs_roots: bool = False,
        sampling: Sampling | None = None,
        gateway: Gateway | None = None,
    ) -> Callable[[F], F]:
        """Enter a function into the table. Its docstring is the operation's description.

        `shared` says that another room has an operation of this name, too: both are then called `room.name`. Without
        `toolsets` it is shown in the one that is named after its room. The other words are those of `Operation` and
        its parts.
        """

        def enter(function: F) -> F:
            hints = get_type_hints(function)
            text = inspect.getdoc(function) or ""
            in_steps = inspect.isgeneratorfunction(function)
            operation = Operation(
                name=f"{self.name}.{name}" if shared else name,
                bare=name,
                room=self.name,
                function=function,
                input=hints["call"],
                output=_answer_of_steps(hints["return"]) if in_steps else hints["return"],
                title=title,
                summary=text.partition("\n")[0],
                description=text,
                example=example,
                errors=(self._invalid, *(guard.errors if guard is not None else ()), *errors),
                invalid=self._invalid,
                toolsets=tuple(toolsets) or (self.name,),
                writes=writes,
                effect=effect,
                idempotent=idempotent,
                hidden=hidden,
                describes=describes,
                long=long or in_steps,
                works_in_steps=in_steps,
                fresh=tuple(fresh),
                guard=guard,
                shape=Shape(ceiling=ceiling, keep=tuple(keep), newest_first=newest_first, pages=tuple(pages)),
                from_client=FromClient(roots=needs_roots, sampling=sampling),
                gateway=gateway,
                envelope=self._envelope,
                echo=self._echo,
            )
            self._table.enter(operation)
            return function

        return enter


def _takes(operation: Operation, arguments: Collection[str]) -> bool:
    """Whether an operation knows all of these arguments, and needs no others."""
    fields = operation.input.model_fields
    known = {info.alias or name for name, info in fields.items()}
    needed = {info.alias or name for name, info in fields.items() if info.is_required()}
    return needed <= set(arguments) <= known


def _answer_of_steps(returned: Any) -> type[Output]:
    """The answer of an operation that works in steps: what its generator returns."""
    return returned.__args__[-1]


def _echo(operation: str, answer: Mapping[str, Any]) -> str:
    named = answer.get("id")
    return f"{operation} {named}" if isinstance(named, str) else operation


def _once(declared: dict[Any, T], name: Any, value: T, what: str) -> None:
    if name in declared:
        raise ValueError(f"{what} {name} is declared twice")
    declared[name] = value
