"""Notebooks as wholes: made, listed, read, deleted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from thoughtbox.confinement.removal import remove
from thoughtbox.domains.notebooks import ranks, records
from thoughtbox.domains.notebooks.answers import OneNotebook
from thoughtbox.domains.notebooks.cell import Language, Notebook
from thoughtbox.domains.notebooks.formats.document import CellDoc
from thoughtbox.domains.notebooks.formats.templates import template
from thoughtbox.domains.notebooks.models import (
    CreateNotebook,
    DeleteNotebook,
    GetNotebook,
    ListNotebooks,
    NotebookDeleted,
    NotebooksListed,
)
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.folders import sweep
from thoughtbox.domains.notebooks.running.kernels import Kernels
from thoughtbox.domains.notebooks.running.queues import lines_of
from thoughtbox.domains.notebooks.scope import existing, notebook_shown, room_in
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import InvalidOperation, InvalidPayload, NotebookNotFound
from thoughtbox.ledger.view import FOREVER
from thoughtbox.operations import Apart, Example, Slices, Steps, Tx, cursor, fitting, place_in, redacted
from thoughtbox.world import uuid_of

MOST_CELLS: Final = 2_000
CREATE: Final[tuple[str, dict[str, Any]]] = ("notebook.create", {"name": "Prime numbers"})


class AfterNotebook(NamedTuple):
    """Where a page of notebooks ends."""

    seq: int


@room.operation(
    "notebook.create",
    writes=True,
    guard=AT_STAGE,
    title="Make a notebook",
    example=Example({"name": "Prime numbers", "language": "javascript"}),
)
def create(tx: Tx, call: CreateNotebook) -> OneNotebook:
    """Make a notebook: cells of prose and of code that runs, each change and each run on record."""
    name = one_of(("name", call.name), ("title", call.title))
    cells = template(call.template, title=name, language=call.language)
    if call.tsconfig is not None:
        must_be_json("tsconfig", call.tsconfig)
    warm(tx, call.language)
    tsconfig = redacted(call.tsconfig)
    return made(tx, name, call.language, cells, trusted=call.trusted, tsconfig=tsconfig, template=call.template)


@room.operation(
    "notebook.list", guard=AT_STAGE, title="See which notebooks there are", example=Example({}, given=[CREATE])
)
def listing(tx: Tx, call: ListNotebooks) -> NotebooksListed:
    """The notebooks, those that changed last first."""
    before = place_in(call.cursor, AfterNotebook).seq if call.cursor else FOREVER
    found = tx.ask(Notebooks).newest(before, call.limit + 1)
    listed = [
        {
            "id": each.id,
            "name": each.name,
            "language": each.language,
            "cells": each.cells,
            "trusted": bool(each.is_trusted),
            "createdAt": each.created_ms,
            "updatedAt": each.updated_ms,
        }
        for each in found[: call.limit]
    ]
    # Without a budget all of a page fits: names have an end.
    count = max(1, fitting(listed, room_in(call.max_chars))) if call.max_chars is not None else len(listed)
    more = {"cursor": cursor(AfterNotebook(found[count - 1].updated_seq))} if len(found) > count else {}
    return NotebooksListed.plainly({"notebooks": listed[:count], "count": len(listed[:count]), **more})


@room.operation(
    "notebook.get",
    guard=AT_STAGE,
    title="Read a notebook",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest"}, given=[CREATE]),
)
def get(tx: Tx, call: GetNotebook) -> OneNotebook:
    """A notebook with all its cells, and what their last runs have come to. `latest` is the one that changed last."""
    return answered(tx, existing(tx, call.notebook_id))


@room.operation(
    "notebook.delete",
    writes=True,
    effect="removes",
    guard=AT_STAGE,
    title="Delete a notebook",
    errors=[NotebookNotFound, InvalidOperation],
    example=Example({"notebookId": "latest"}, given=[CREATE]),
)
def delete(slices: Slices, call: DeleteNotebook) -> Steps[NotebookDeleted]:
    """Put a notebook out of sight, with its kernel and its files. Its records stay, and can be read as of earlier."""
    answer: NotebookDeleted = yield slices.write(lambda tx: _delete(tx, call.notebook_id))
    kernels = slices.calling.lasting.of(Kernels)
    folder: Path = yield slices.read(lambda tx: kernels.folders(tx.data_dir).of(tx.workspace, answer.notebook_id))
    key = (slices.workspace, answer.notebook_id)

    def clear() -> None:
        kernels.end(key)
        remove(folder)
        sweep(folder)

    # Packages that are being installed, or a replay, would go on writing to what is removed.
    lines = lines_of(*key)
    here = yield slices.calling.lasting.of(Apart).run(lambda: kernels.queues.first_of(lines), stop=lambda: None)
    for work in here:
        work.stop()
    yield kernels.queues.reserve(lines[0]).put(clear, stop=lambda: None)
    return answer


def _delete(tx: Tx, notebook_id: str) -> NotebookDeleted:
    found = existing(tx, notebook_id)
    if any(run.notebook_id == found.id for run in tx.ask(Notebooks).open_runs()):
        raise InvalidOperation(
            "a cell of the notebook is running",
            recovery=f"{json.dumps({'operation': 'notebook.interrupt', 'notebookId': found.id})} ends it.",
            details={"notebookId": found.id},
        )
    tx.append(records.deleted(found.id, found.name), stream=records.stream_of(found.id))
    return NotebookDeleted(notebook_id=found.id, name=found.name)


def warm(tx: Tx, language: Language) -> None:
    """Begin what the first run of a cell in a language waits for: whoever writes one is about to run it."""
    tx.lasting.of(Kernels).warm(language, tx.settings.get("node"))


def made(
    tx: Tx,
    name: str,
    language: Language,
    cells: Sequence[CellDoc],
    *,
    trusted: bool = False,
    tsconfig: str | None = None,
    template: str | None = None,
    origin: dict[str, Any] | None = None,
) -> OneNotebook:
    """Write a new notebook with its cells, and show it."""
    if len(cells) > MOST_CELLS:
        raise InvalidPayload(
            f"a notebook has {MOST_CELLS} cells at most, and this one has {len(cells)}",
            recovery="Split it into several.",
            details={"fields": ["content"]},
        )
    notebook_id = uuid_of(tx.random_bytes(16))
    stream = records.stream_of(notebook_id)
    tx.append(
        records.created(
            notebook_id,
            redacted(name),
            language,
            now_ms=tx.now_ms,
            trusted=trusted,
            tsconfig=tsconfig,
            cells=len(cells),
            template=template,
            origin=origin,
        ),
        stream=stream,
    )
    rank = ""
    for cell in cells:
        rank = ranks.appended(rank) if rank else ranks.between("", "")
        tx.append(
            records.cell(
                notebook_id,
                uuid_of(tx.random_bytes(16)),
                "added",
                rank=rank,
                type=cell.type,
                text=redacted(cell.text),
                language=cell.language,
                filename=cell.filename,
                extra=as_json(cell.extra) if origin is not None else None,
                shown=as_json([output._asdict() for output in cell.outputs]) if cell.outputs else None,
                first=True,
            ),
            stream=stream,
        )
    return answered(tx, existing(tx, notebook_id))


def as_json(value: Any) -> str:
    """What a file had beside a cell's text, as text: it may hold numbers that no record can."""
    return orjson.dumps(value, default=dict, option=orjson.OPT_NON_STR_KEYS).decode()


def from_json(text: str | None) -> dict[str, Any]:
    return orjson.loads(text) if text else {}


def answered(tx: Tx, notebook: Notebook) -> OneNotebook:
    shown = notebook_shown(tx, notebook, tx.ask(Notebooks).cells(notebook.id))
    return OneNotebook(notebook_id=notebook.id, notebook=shown)


def one_of(first: tuple[str, Any], second: tuple[str, Any]) -> Any:
    """The value of an argument that has two names; it must be given, and if under both, then the same."""
    given = [(name, value) for name, value in (first, second) if value is not None]
    if not given:
        raise InvalidPayload(
            f"`{first[0]}` is missing", recovery=f"Send `{first[0]}`, too.", details={"fields": [first[0]]}
        )
    if len(given) == 2 and given[0][1] != given[1][1]:
        raise InvalidPayload(
            f"`{first[0]}` and `{second[0]}` mean the same, and say different things",
            recovery=f"Send `{first[0]}` alone.",
            details={"fields": [first[0], second[0]]},
        )
    return given[0][1]


def must_be_json(field: str, text: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidPayload(
            f"`{field}` is no JSON: {error}",
            recovery='Send JSON as text, such as "{}".',
            details={"fields": [field]},
        ) from None
