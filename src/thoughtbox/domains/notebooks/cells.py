"""The cells of a notebook: added, changed, moved, taken out, read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Never

from thoughtbox.domains.notebooks import ranks, records
from thoughtbox.domains.notebooks.answers import OneCell
from thoughtbox.domains.notebooks.cell import (
    PACKAGE_JSON,
    Cell,
    Language,
    Notebook,
    free_filename,
    language_of,
    what_is_wrong_with,
)
from thoughtbox.domains.notebooks.keeping import CREATE, MOST_CELLS, as_json, from_json, must_be_json, one_of, warm
from thoughtbox.domains.notebooks.models import (
    AddCell,
    CellDeleted,
    CellsListed,
    DeleteCell,
    GetCell,
    ListCells,
    MoveCell,
    UpdateCell,
)
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.scope import as_answered, cell_of, existing, texts_of
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import CellNotFound, InvalidPayload, NotebookNotFound
from thoughtbox.operations import Example, Tx, redacted
from thoughtbox.world import uuid_of

ADD: Final[tuple[str, dict[str, Any]]] = (
    "notebook.add_cell",
    {"notebookId": "latest", "type": "code", "content": "console.log(6 * 7);", "filename": "answer.js"},
)
GIVEN: Final = (CREATE, ADD)
NOT_KEPT: Final = (
    "It holds what looks like a secret: that is kept, and run, as <redacted>. Name a variable of the server in"
    " THOUGHTBOX_NOTEBOOK_ENVIRONMENT instead."
)
NAMED: Final = {"notebookId": "latest", "cellId": "answer.js"}


@room.operation(
    "notebook.add_cell",
    writes=True,
    guard=AT_STAGE,
    title="Add a cell",
    errors=[NotebookNotFound, CellNotFound],
    example=Example(ADD[1], given=[CREATE]),
)
def add_cell(tx: Tx, call: AddCell) -> OneCell:
    """Add a cell at the end, behind another, or at a position: a title, markdown, code, or the package.json."""
    notebook = existing(tx, call.notebook_id)
    cells = tx.ask(Notebooks).cells(notebook.id)
    if len(cells) >= MOST_CELLS:
        _refuse("notebookId", f"a notebook has {MOST_CELLS} cells at most", "Go on in another one.")
    kind = one_of(("type", call.type), ("cellType", call.cell_type))
    filename, language = None, None
    if kind == "code":
        language, filename = _named(notebook, cells, call.filename, call.language)
        warm(tx, language)
    elif kind == PACKAGE_JSON:
        _must_be_first_package(cells, call)
        must_be_json("content", call.content)
        filename = PACKAGE_JSON
    elif call.filename is not None or call.language is not None:
        field = "filename" if call.filename is not None else "language"
        _refuse(field, f"a {kind} cell has none; code cells have", f"Send it without `{field}`.")
    place = _place(tx, notebook, cells, call.after_cell_id, call.position, default=len(cells))
    cell_id = uuid_of(tx.random_bytes(16))
    tx.append(
        records.cell(
            notebook.id,
            cell_id,
            "added",
            rank=_rank(cells, place),
            type=kind,
            text=redacted(call.content),
            language=language,
            filename=filename,
        ),
        stream=records.stream_of(notebook.id),
    )
    return _answered(tx, cell_of(tx, notebook.id, cell_id), call.content)


@room.operation(
    "notebook.update_cell",
    writes=True,
    effect="overwrites",
    guard=AT_STAGE,
    title="Change a cell",
    errors=[NotebookNotFound, CellNotFound],
    example=Example({**NAMED, "content": "console.log(7 * 6);"}, given=GIVEN),
)
def update_cell(tx: Tx, call: UpdateCell) -> OneCell:
    """Change what a cell says. It is idle again, and shows nothing; its earlier texts and runs stay in its history."""
    cell = cell_of(tx, call.notebook_id, call.cell_id)
    if call.content is None and call.filename is None and call.language is None:
        _refuse("content", "nothing is said that could change", "Send content, filename or language.")
    if cell.type != "code" and (call.filename is not None or call.language is not None):
        field = "filename" if call.filename is not None else "language"
        _refuse(field, f"a {cell.type} cell cannot be given one; code cells can", "Send `content` alone.")
    filename, language = call.filename, call.language
    if cell.type == "code" and (filename is not None or language is not None):
        others = [each for each in tx.ask(Notebooks).cells(cell.notebook_id) if each.id != cell.id]
        kept = filename or (cell.filename if language in (None, cell.language) else None)
        language, filename = _named(existing(tx, cell.notebook_id), others, kept, language or cell.language)
    if cell.type == PACKAGE_JSON and call.content is not None:
        must_be_json("content", call.content)
    said = texts_of(tx, [cell])[cell.content_seq].data
    text = redacted(call.content) if call.content is not None else None
    if text is None and "shown" in said:
        text = said["text"]  # said anew, without what its file had shown below it
    extra = _carried_on(said.get("extra")) if text is not None else None
    tx.append(
        records.cell(
            cell.notebook_id, cell.id, "updated", text=text, filename=filename, language=language, extra=extra
        ),
        stream=records.stream_of(cell.notebook_id),
    )
    return _answered(tx, cell_of(tx, cell.notebook_id, cell.id), call.content)


@room.operation(
    "notebook.move_cell",
    writes=True,
    guard=AT_STAGE,
    title="Move a cell",
    errors=[NotebookNotFound, CellNotFound],
    example=Example({**NAMED, "position": 0}, given=GIVEN),
)
def move_cell(tx: Tx, call: MoveCell) -> OneCell:
    """Put a cell at another position, or behind another cell."""
    cell = cell_of(tx, call.notebook_id, call.cell_id)
    notebook = existing(tx, cell.notebook_id)
    others = [each for each in tx.ask(Notebooks).cells(notebook.id) if each.id != cell.id]
    if call.position is None and call.after_cell_id is None:
        _refuse("position", "it is not said where the cell is to go", "Send position or afterCellId.")
    place = _place(tx, notebook, others, call.after_cell_id, call.position, default=len(others))
    tx.append(
        records.cell(notebook.id, cell.id, "moved", rank=_rank(others, place)), stream=records.stream_of(notebook.id)
    )
    return _answered(tx, cell_of(tx, notebook.id, cell.id))


@room.operation(
    "notebook.delete_cell",
    writes=True,
    effect="removes",
    guard=AT_STAGE,
    title="Take a cell out",
    errors=[NotebookNotFound, CellNotFound],
    example=Example(NAMED, given=GIVEN),
)
def delete_cell(tx: Tx, call: DeleteCell) -> CellDeleted:
    """Take a cell out of its notebook; its history stays."""
    cell = cell_of(tx, call.notebook_id, call.cell_id)
    tx.append(records.cell(cell.notebook_id, cell.id, "deleted"), stream=records.stream_of(cell.notebook_id))
    return CellDeleted(notebook_id=cell.notebook_id, cell_id=cell.id, cells=existing(tx, cell.notebook_id).cells)


@room.operation(
    "notebook.list_cells",
    guard=AT_STAGE,
    title="Read the cells of a notebook",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest"}, given=GIVEN),
)
def list_cells(tx: Tx, call: ListCells) -> CellsListed:
    """The cells of a notebook, in order."""
    notebook = existing(tx, call.notebook_id)
    cells = tx.ask(Notebooks).cells(notebook.id)
    texts = texts_of(tx, cells)
    shown = [as_answered(tx, cell, texts) for cell in cells]
    return CellsListed(notebook_id=notebook.id, cells=shown, count=len(shown))


@room.operation(
    "notebook.get_cell",
    guard=AT_STAGE,
    title="Read a cell",
    errors=[NotebookNotFound, CellNotFound],
    example=Example(NAMED, given=GIVEN),
)
def get_cell(tx: Tx, call: GetCell) -> OneCell:
    """One cell, by its id or its filename, and what its last run has come to."""
    return _answered(tx, cell_of(tx, call.notebook_id, call.cell_id))


def _carried_on(extra: str | None) -> str | None:
    """What the file of a cell had beside its text, where the text is changed: all but which run its outputs are of."""
    kept = {name: value for name, value in from_json(extra).items() if name != "execution_count"}
    return as_json(kept) if kept else None


def _answered(tx: Tx, cell: Cell, given: str | None = None) -> OneCell:
    """A cell as it is now; `given` is what was to be written, of which secrets are not kept."""
    places = [each.id for each in tx.ask(Notebooks).cells(cell.notebook_id)]
    return OneCell(
        notebook_id=cell.notebook_id,
        cell_id=cell.id,
        cell=as_answered(tx, cell, texts_of(tx, [cell])),
        position=places.index(cell.id),
        notice=NOT_KEPT if given is not None and redacted(given) != given else None,
    )


def _named(
    notebook: Notebook, others: Sequence[Cell], filename: str | None, language: Language | None
) -> tuple[Language, str]:
    """The language and the filename of a code cell: each follows from the other where only one is given."""
    meant: Language = language or (language_of(filename) if filename else None) or notebook.language
    taken = {each.filename for each in others if each.filename is not None}
    if filename is None:
        return meant, free_filename(meant, taken)
    if (wrong := what_is_wrong_with(filename, meant)) is not None:
        _refuse("filename", wrong, f"Leave it out to have one such as {free_filename(meant, taken)}.")
    if filename in taken:
        _refuse(
            "filename",
            f"another cell is called {filename}",
            f"Send another one, such as {free_filename(meant, taken)}, or leave it out.",
        )
    return meant, filename


def _place(
    tx: Tx, notebook: Notebook, cells: Sequence[Cell], after: str | None, position: int | None, *, default: int
) -> int:
    """The index that a cell gets among others."""
    if after is not None and position is not None:
        _refuse("position", "`afterCellId` says already where the cell is to be", "Send one of the two.")
    if after is not None:
        found = cell_of(tx, notebook.id, after)
        if all(each.id != found.id for each in cells):
            _refuse("afterCellId", "a cell cannot come behind itself", "Name another cell, or send position.")
        return [each.id for each in cells].index(found.id) + 1
    if position is not None and position > len(cells):
        _refuse("position", f"it is 0 to {len(cells)} here", f"Send {len(cells)} for the end.")
    return default if position is None else position


def _rank(cells: Sequence[Cell], place: int) -> str:
    before = cells[place - 1].rank if place > 0 else ""
    if before and place == len(cells):
        return ranks.appended(before)
    return ranks.between(before, cells[place].rank if place < len(cells) else "")


def _must_be_first_package(cells: Sequence[Cell], call: AddCell) -> None:
    if call.filename not in (None, PACKAGE_JSON) or call.language is not None:
        _refuse("filename", "a package.json cell is called package.json, and has no language", "Leave them out.")
    if any(cell.type == PACKAGE_JSON for cell in cells):
        _refuse("type", "the notebook has a package.json already", "Change that one with update_cell.")


def _refuse(field: str, why: str, recovery: str) -> Never:
    raise InvalidPayload(f"`{field}`: {why}", recovery=recovery, details={"fields": [field]})
