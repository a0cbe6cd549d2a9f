"""The catalog, derived from a table that everything was entered into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thoughtbox.ledger.answers import Answers
from thoughtbox.ledger.checkpoints import Checkpoints
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import View, known
from thoughtbox.loading import Reference, reference
from thoughtbox.operations.catalog import Catalog, Declared, Gateway, KnownOperation, KnownRoom
from thoughtbox.operations.schemas import schemas_of
from thoughtbox.operations.table import Table
from thoughtbox.operations.usages import usage_of
from thoughtbox.search.registry import SEARCHABLE
from thoughtbox.search.texts import Texts

OWN_VIEWS: tuple[type[View], ...] = (Answers, Checkpoints, Tree, Texts)
"""The views that belong to no room."""


def catalog_of(table: Table) -> Catalog:
    """All that was declared. Nothing in it depends on the order of imports but the order of what stands in it."""
    modules = table.modules
    return Catalog(
        operations={name: _operation(each) for name, each in table.known.items()},
        schemas={operation.name: schemas_of(table, operation) for operation in table},
        usages={operation.name: usage_of(operation) for operation in table},
        rooms={name: _room(each) for name, each in table.rooms.items()},
        resources={
            uri: Declared(modules["resource", uri], {**each._asdict(), "listed": each.listed is not None})
            for uri, each in table.resources.items()
        },
        prompts={name: Declared(modules["prompt", name], each._asdict()) for name, each in table.prompts.items()},
        completions={key: modules["completion", key] for key in table.completions},
        topics={name: (each.streams, modules["topic", name]) for name, each in table.topics.items()},
        searchable={topic: (each.version, each.module) for topic, each in SEARCHABLE.items()},
        tallies={name: modules["tally", name] for name in table.tallies},
        views=(
            *(known(view, view.__module__) for view in OWN_VIEWS),
            *(known(view, module) for view, module in table.declared_views()),
        ),
    )


def _operation(operation: KnownOperation) -> KnownOperation:
    if operation.gateway is None:
        return operation
    return operation._replace(gateway=Gateway(*map(_place, operation.gateway)))


def _room(room: KnownRoom) -> KnownRoom:
    return room._replace(
        gateway=room.gateway if isinstance(room.gateway, str) else _place(room.gateway),
        remembered=_place(room.remembers),
        first_focus=_place(room.first_focus),
        ahead=_place(room.ahead),
        mending=room.mending._replace(mend=_place(room.mending.mend)) if room.mending is not None else None,
    )


def _place(target: Callable[..., Any] | type | None) -> Any:
    """Where something is that a start may need without its room; it stands by itself in a module that is light."""
    if target is None or isinstance(target, Reference):
        return target
    found = reference(target)
    if found is None:
        raise ValueError(f"{target!r} is not found by its name in {target.__module__}: give it a name there")
    return found
