"""The table of operations: where everything that rooms have declared is found by its name.

It answers from the catalog, where there is one: names, flags, texts and schemas are known, whichever rooms happen to be
imported. What only a room's code can do imports the module that declares it, and nothing else. Without a catalog it
knows what was declared so far. `registry.py` is how a room declares something.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from thoughtbox.errors import InvalidOperation, InvalidRecord, shown
from thoughtbox.loading import Later, declaring, loaded
from thoughtbox.operations.addressed import Prompt, Resource
from thoughtbox.operations.catalog import Catalog, Declared, KnownOperation, KnownRoom, Schemas

if TYPE_CHECKING:
    from thoughtbox.ledger.ledger import Ledger
    from thoughtbox.ledger.record import Record
    from thoughtbox.ledger.view import KnownView, View
    from thoughtbox.operations.caller import Focus
    from thoughtbox.operations.operation import Completion, Operation
    from thoughtbox.operations.tallies import Write

T = TypeVar("T")

DEFAULT, ALL = "default", "all"
"""Toolsets that belong to no room: what a client is shown unless told otherwise, and everything."""

Opened = Callable[["Record", "Ledger"], object]


class Topic(NamedTuple):
    """Records of one kind, as their room reads them."""

    opened: Opened
    """Opens a record as the room will, given the ledger before it; raises `InvalidRecord` when that cannot be done."""
    streams: str
    """What the names of their streams begin with, before the first slash. No other topic stands in them."""


class Operations(Mapping[str, "Operation"]):
    """The operations by name, in the order of the rooms; one that is asked for is imported."""

    def __init__(self, known: Mapping[str, KnownOperation]) -> None:
        self._known = known
        self.loaded: dict[str, Operation] = {}

    def __getitem__(self, name: str) -> Operation:
        found = self.loaded.get(name)
        if found is None:
            loaded(self._known[name].module)
            found = self.loaded[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, name: object) -> bool:
        return name in self._known


class Table:
    """Everything the rooms have declared, by name."""

    def __init__(self) -> None:
        self.catalog: Catalog | None = None
        self.known: dict[str, KnownOperation] = {}
        """All operations, as far as they are known without their modules."""
        self.operations = Operations(self.known)
        self.rooms: dict[str, KnownRoom] = {}
        self.completions: dict[tuple[str, str], Completion] = {}
        """By room and name of the argument: the values that begin with what was typed."""
        self.topics: dict[str, Topic] = {}
        self.tallies: dict[str, Write] = {}
        """By name: how what reads have counted is written down."""
        self.resources: dict[str, Resource] = {}
        self.prompts: dict[str, Prompt] = {}
        self.modules: dict[tuple[str, Any], str] = {}
        """By what it is and its name: the module that has declared something."""
        self._views: list[tuple[type[View], str]] = []
        self._by_any_name: dict[str, KnownOperation] = {}
        self._shared: dict[str, list[KnownOperation]] = {}
        self._families: dict[str, list[str]] = {}
        self._describes: str | None = None
        """The operation that describes all others."""

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    @property
    def is_empty(self) -> bool:
        """Whether nothing was declared yet."""
        return not self.modules

    def adopt(self, catalog: Catalog) -> None:
        """Answer from a catalog from now on. What was declared and does not stand in it comes behind."""
        others = [each for each in self.known.values() if each.name not in catalog.operations]
        for names in (self.known, self._by_any_name, self._shared, self._families):
            names.clear()
        for operation in (*catalog.operations.values(), *others):
            self._know(operation)
        self.catalog = catalog
        _put_before(self.rooms, catalog.rooms)
        _put_before(self.resources, {uri: self._resource(uri, each) for uri, each in catalog.resources.items()})
        _put_before(self.prompts, {name: Prompt(**each.fields) for name, each in catalog.prompts.items()})
        _put_before(
            self.completions,
            {
                key: Later(module, lambda key=key: self.completions.get(key))
                for key, module in catalog.completions.items()
            },
        )
        _put_before(
            self.topics,
            {
                name: Topic(Later(module, lambda name=name: self.topics[name].opened), streams)
                for name, (streams, module) in catalog.topics.items()
            },
        )
        _put_before(
            self.tallies,
            {name: Later(module, lambda name=name: self.tallies.get(name)) for name, module in catalog.tallies.items()},
        )

    def _resource(self, uri: str, declared: Declared) -> Resource:
        made = Resource(**declared.fields)
        return made._replace(listed=Later(declared.module, lambda: self.resources[uri].listed) if made.listed else None)

    def declare(self, what: str, declared: dict[Any, T], name: Any, value: T) -> None:
        """Take in what a room declares: the catalog may know of it, but nobody else may have declared it."""
        if (what, name) in self.modules:
            raise ValueError(f"{what} {name} is declared twice")
        self.modules[what, name] = declaring()
        declared[name] = value

    def enter(self, operation: Operation, known: KnownOperation) -> None:
        """Take an operation in under its name, the name of its tool, and its room's name before it."""
        if operation.name not in self.known:
            self._know(known)
        self.declare("operation", self.operations.loaded, operation.name, operation)

    def declare_views(self, views: Iterable[type[View]]) -> None:
        module = declaring()
        self._views += ((view, module) for view in views)

    def declared_views(self) -> Sequence[tuple[type[View], str]]:
        """The views that rooms have declared so far, and the modules that did."""
        return self._views

    def views(self) -> list[type[View] | KnownView]:
        """The views that are known or declared; one whose code is here speaks for itself."""
        known = self.catalog.views if self.catalog is not None else ()
        names = {view.name for view in known}
        return [
            *(view.kind if view.place.module in sys.modules else view for view in known),
            *(view for view, _ in self._views if view.name not in names),
        ]

    def _know(self, operation: KnownOperation) -> None:
        own = {operation.name, tool_name(operation.name), f"{operation.room}.{operation.bare}"}
        for name in sorted(own, key=len):
            if name in self._by_any_name:
                raise ValueError(f"operation {name} is declared twice")
            self._by_any_name[name] = operation
        self.known[operation.name] = operation
        if operation.describes:
            self._describes = operation.name
        if operation.name != operation.bare:
            self._shared.setdefault(operation.bare, []).append(operation)
        if operation.bare in self.known and operation.bare in self._shared:
            raise ValueError(f"operation {operation.bare} is declared twice: not all of them say that it is shared")
        family, dot, sub = operation.bare.rpartition(".")
        if dot and not operation.hidden:
            self._families.setdefault(family, []).append(sub)

    def resolve(self, name: str, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
        """The operation that is to run, and its arguments: those given, or what a gateway makes of them."""
        return self.routed(self.look_up(name, arguments), arguments)

    def routed(self, found: KnownOperation, arguments: Mapping[str, Any]) -> tuple[Operation, Mapping[str, Any]]:
        """The same, for an operation that was found already."""
        name, arguments = self.meant(found, arguments)
        return self.operations[name], arguments

    def meant(self, found: KnownOperation, arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """The name of the operation that is to run, and its arguments."""
        return (found.name, arguments) if found.gateway is None else found.gateway.route(self, arguments)

    def family(self, name: str) -> Sequence[str]:
        """The sub-operations of a name: `get` of `session`, if there is a `session.get`."""
        return self._families.get(name, ())

    def find(self, name: str, arguments: Collection[str] | None = None) -> Operation:
        """The operation of that name, ready to run."""
        return self.operations[self.look_up(name, arguments).name]

    def look_up(self, name: str, arguments: Collection[str] | None = None) -> KnownOperation:
        """What is known of the operation of that name.

        One that rooms share is told by the names of its arguments, where it can be.
        """
        found = self._by_any_name.get(name)
        if found is not None:
            return found
        shared = self._shared.get(name, ())
        fitting = shared if arguments is None else [each for each in shared if each.takes(set(arguments))]
        if len(fitting) == 1:
            return fitting[0]
        if shared:
            raise InvalidOperation(
                f"`{name}` is an operation of several rooms",
                recovery=f"Name the room, too: {', '.join(operation.name for operation in shared)}.",
                details={"operation": name, "nearest": [operation.name for operation in shared]},
            )
        raise self._unknown(shown(name))

    def _unknown(self, name: str) -> InvalidOperation:
        from thoughtbox.operations.misspelt import nearest

        near = nearest(name, self.known)
        named = [near] if near is not None and self.known[near].suggestible else []
        return InvalidOperation(
            f"there is no operation `{name}`",
            recovery=f"Did you mean `{near}`?" if named else self.guidance(),
            details={"operation": name, "nearest": named},
        )

    def guidance(self, name: str | None = None) -> str | None:
        """Where to read about an operation, or about all of them; the call can be sent as it stands."""
        from json import dumps

        if self._describes is None:
            return None
        call = {"operation": self._describes, **({"name": name} if name is not None else {})}
        what = "how" if name is not None else "all operations"
        return f"{dumps(call, ensure_ascii=False, separators=(',', ':'))} shows {what}."

    def shown_in(self, toolset: str) -> dict[str, KnownOperation]:
        """The operations of a toolset, by the names that its tools have: what leads to all first, then as declared.

        A tool has the name of its specification; of two with one name, the second is called by its room, too.
        """
        shown: dict[str, KnownOperation] = {}
        for operation in sorted(self.known.values(), key=lambda operation: operation.gateway is None):
            if operation.hidden or not (toolset == ALL or toolset in operation.toolsets):
                continue
            bare = tool_name(operation.bare)
            shown[bare if bare not in shown else tool_name(f"{operation.room}.{operation.bare}")] = operation
        return shown

    def toolsets(self) -> list[str]:
        """The names of all toolsets, in the order they were declared."""
        named = dict.fromkeys(toolset for operation in self.known.values() for toolset in operation.toolsets)
        return [DEFAULT, *(name for name in named if name != DEFAULT), ALL]

    def schemas(self, name: str) -> Schemas:
        """What the operation of that name takes and answers, in JSON."""
        if self.catalog is not None and name in self.catalog.schemas:
            return self.catalog.schemas[name]
        from thoughtbox.operations.schemas import schemas_of

        return schemas_of(self, self.operations[name])

    def usage(self, name: str) -> bytes:
        """How the operation of that name is used, in JSON: its example, and what it refuses with."""
        if self.catalog is not None and name in self.catalog.usages:
            return self.catalog.usages[name]
        from thoughtbox.operations.usages import usage_of

        return usage_of(self.operations[name])

    def completion(self, argument: str, room: str) -> Completion | None:
        """How to complete an argument of that name in a room."""
        return self.completions.get((room, argument))

    def check(self, record: Record, before: Ledger) -> None:
        """Refuse a record that its room could not read, given the ledger as it is before it: `InvalidRecord` says why.

        Of topics that no room here knows nothing is known, but that they have no place in a room's streams.
        """
        from thoughtbox.operations.topics import check_parts

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


def _put_before(declared: dict[Any, T], known: Mapping[Any, T]) -> None:
    """What is known, in its order, and behind it what else was declared. What was declared counts."""
    together = {**known, **declared}
    declared.clear()
    declared.update(together)
