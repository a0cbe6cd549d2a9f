"""The catalog: what all rooms have declared, as plain values that are known without importing a room.

`derived.py` makes it from the table, once everything is loaded; `catalog_file.py` keeps it in a file; `table.py`
answers from it. Whatever can only be had from a room's code, the catalog says in which module that is.
"""

from __future__ import annotations

import marshal
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtbox.ledger.view import KnownView
from thoughtbox.loading import Reference

if TYPE_CHECKING:
    from thoughtbox.operations.caller import Focus
    from thoughtbox.operations.lasting import Lasting
    from thoughtbox.operations.table import Table

Route = Callable[["Table", Mapping[str, Any]], tuple[str, Mapping[str, Any]]]
"""From the arguments of an operation that leads to others: which one is meant, and its own arguments."""


Ahead = Callable[["Table", "Lasting", str, Mapping[str, Any]], None]
"""Begins what an operation with such arguments will need most time for, while its module is yet to be imported."""


class Mending(NamedTuple):
    """What a process that was killed may have left unfinished, and how that is put right by the next one."""

    workspaces: str
    """The question, in SQL, in which workspaces there is any of it."""
    mend: Callable[[Any], object]
    """Puts right what is left in the workspace of a transaction; what others are still at is none of it."""


class Gateway(NamedTuple):
    """What makes an operation one that leads to all others."""

    route: Route
    described: Callable[[Table, Focus], str]
    """What it says of itself to a caller who stands there."""
    properties: Callable[[Table], Mapping[str, Any]]
    """The schemas of the arguments that rooms want to be seen in its own, by name."""


class KnownOperation(NamedTuple):
    """An operation, as far as it is known without its module. The words are those of `Operation`."""

    name: str
    bare: str
    room: str
    module: str
    """Importing it declares the operation."""
    title: str
    summary: str
    description: str
    toolsets: tuple[str, ...]
    writes: bool
    effect: str
    idempotent: bool
    hidden: bool
    describes: bool
    long: bool
    names_workspace: bool
    needs: str | None
    """What its guard says."""
    arguments: tuple[str, ...]
    required: tuple[str, ...]
    """Those of its arguments that must be given, as the wire spells them."""
    app: str | None
    gateway: Gateway | None

    @property
    def destructive(self) -> bool:
        """Whether something that is in sight may be gone from there afterwards."""
        return self.effect in ("overwrites", "removes")

    @property
    def suggestible(self) -> bool:
        """Whether it may be named to a caller who misspelt something: nothing is lost by trying it."""
        return not self.hidden and self.gateway is None and self.effect not in ("removes", "ends")

    def takes(self, arguments: set[str]) -> bool:
        """Whether it knows all of these arguments, and needs no others."""
        return set(self.required) <= arguments <= set(self.arguments)


class KnownRoom(NamedTuple):
    """A room, as far as it is known without its code."""

    name: str
    summary: str
    module: str
    gateway: str | Callable[[Focus], str]
    """What it says of itself in the description of the one tool that leads to all."""
    gateway_names: tuple[str, ...]
    gateway_arguments: Mapping[str, tuple[str, ...]]
    remembered: Any
    """The type of what it keeps in its caller's focus, or where that is."""
    first_focus: Callable[[Mapping[str, Any]], object] | None
    ahead: Ahead | None
    mending: Mending | None

    @property
    def remembers(self) -> type[Any] | None:
        """The type of the value that it keeps in its caller's focus."""
        return self.remembered.target if isinstance(self.remembered, Reference) else self.remembered

    def gateway_lines(self, focus: Focus) -> str:
        """What it says of itself to a caller who sees one tool only."""
        return self.gateway if isinstance(self.gateway, str) else self.gateway(focus)


class Schemas(NamedTuple):
    """What an operation takes and answers, as JSON Schema in JSON."""

    input: bytes
    output: bytes | None
    """None where that depends on what it leads to."""


class PackedSchemas(Mapping[str, Schemas]):
    """Schemas as the catalog's file has them, each unpacked when it is asked for: a start needs three of hundreds."""

    def __init__(self, packed: Mapping[str, bytes]) -> None:
        self._packed = packed

    @staticmethod
    def pack(schemas: Schemas) -> bytes:
        return zlib.compress(marshal.dumps(tuple(schemas)), zlib.Z_BEST_COMPRESSION)

    def __getitem__(self, name: str) -> Schemas:
        return Schemas(*marshal.loads(zlib.decompress(self._packed[name])))

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


class Declared(NamedTuple):
    """Something plain that a module declares, by its fields."""

    module: str
    fields: Mapping[str, Any]


class Catalog(NamedTuple):
    """All that is declared, in the order of the rooms."""

    operations: Mapping[str, KnownOperation]
    schemas: Mapping[str, Schemas]
    usages: Mapping[str, bytes]
    """By operation: its example and what it refuses with, in JSON (see `usages.py`)."""
    rooms: Mapping[str, KnownRoom]
    resources: Mapping[str, Declared]
    """By address. Instead of what lists them, `listed` says whether anything does."""
    prompts: Mapping[str, Declared]
    completions: Mapping[tuple[str, str], str]
    """By room and argument: the module that has the values."""
    topics: Mapping[str, tuple[str, str]]
    """The streams that such records stand in, and the module that opens them."""
    searchable: Mapping[str, tuple[int, str]]
    """By topic: the version of what is looked through, and the module that reads it."""
    tallies: Mapping[str, str]
    views: tuple[KnownView, ...]
    """The ledger's own first, then those of every room."""

    def plain(self) -> tuple[Any, ...]:
        """As tuples, dictionaries, texts, bytes and numbers, and nothing else."""
        packed: Any = {name: PackedSchemas.pack(schemas) for name, schemas in self.schemas.items()}
        return _plain(self._replace(schemas=packed))

    @classmethod
    def of(cls, plain: tuple[Any, ...]) -> Catalog:
        """The catalog that was made plain; raises when it was none."""
        operations, schemas, usages, rooms, resources, prompts, *rest, views = plain
        return cls(
            {name: _operation(fields) for name, fields in operations.items()},
            PackedSchemas(schemas),
            usages,
            {name: _room(fields) for name, fields in rooms.items()},
            {uri: Declared(*each) for uri, each in resources.items()},
            {name: Declared(*each) for name, each in prompts.items()},
            *rest,
            tuple(_view(fields) for fields in views),
        )


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, Mapping):
        return {_plain(name): _plain(part) for name, part in value.items()}
    return value


def _operation(fields: tuple[Any, ...]) -> KnownOperation:
    *most, gateway = fields
    return KnownOperation(*most, gateway=Gateway(*map(_referred, gateway)) if gateway is not None else None)


def _room(fields: tuple[Any, ...]) -> KnownRoom:
    name, summary, module, gateway, names, arguments, *others, mending = fields
    known = Mending(mending[0], _referred(mending[1])) if mending is not None else None
    return KnownRoom(name, summary, module, _referred(gateway), names, arguments, *map(_referred, others), known)


def _view(fields: tuple[Any, ...]) -> KnownView:
    *most, place = fields
    return KnownView(*most, place=Reference(*place))


def _referred(value: Any) -> Any:
    """A place in its own type again; anything else as it is."""
    return Reference(*value) if isinstance(value, tuple) else value
