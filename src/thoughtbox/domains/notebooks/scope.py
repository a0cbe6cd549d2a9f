"""Which notebook, cell or run a call means, and what they say."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from thoughtbox.domains.notebooks.answers import (
    AnyCell,
    CodeCell,
    MarkdownCell,
    NotebookShown,
    PackageJsonCell,
    TitleCell,
)
from thoughtbox.domains.notebooks.cell import Cell, Notebook
from thoughtbox.domains.notebooks.pieces import cut, printed
from thoughtbox.domains.notebooks.shown import brought_by, shown_by
from thoughtbox.domains.notebooks.view import Notebooks, Run
from thoughtbox.errors import CellNotFound, NotebookNotFound, RecordNotFound, shown
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.ledger.view import FOREVER
from thoughtbox.operations import HARD_CEILING, Tx

LATEST = "latest"
_AROUND_A_LIST = 300
Texts = Mapping[int, Record]
"""Records that hold what cells say and show, by number."""


def existing(tx: Tx, notebook_id: str) -> Notebook:
    """The notebook, `latest` being the one that changed last; one that was deleted is not there any more."""
    view = tx.ask(Notebooks)
    newest = view.newest(FOREVER, 1) if notebook_id == LATEST else []
    found = newest[0] if newest else view.notebook(notebook_id)
    if found is not None and not found.is_deleted:
        return found
    was = " any more: it was deleted" if found is not None else ""
    listing = json.dumps({"operation": "notebook.list"})
    raise NotebookNotFound(
        f"there is no notebook `{shown(notebook_id)}`{was}",
        recovery=f"{listing} shows those there are.",
        details={"notebookId": shown(notebook_id)},
    )


def cell_of(tx: Tx, notebook_id: str, cell_id: str) -> Cell:
    """The cell, by its id, or by the filename that it has now."""
    notebook_id = existing(tx, notebook_id).id
    view = tx.ask(Notebooks)
    found = view.cell(notebook_id, cell_id) or next(
        (cell for cell in view.cells(notebook_id) if cell.filename == cell_id), None
    )
    if found is None:
        listing = json.dumps({"operation": "notebook.list_cells", "notebookId": notebook_id})
        raise CellNotFound(
            f"the notebook has no cell `{shown(cell_id)}`",
            recovery=f"{listing} shows its cells.",
            details={"notebookId": notebook_id, "cellId": shown(cell_id)},
        )
    return found


def run_of(tx: Tx, run_id: str) -> Run:
    seq = seq_of(run_id)
    found = tx.ask(Notebooks).run(seq) if seq is not None else None
    if found is None:
        raise RecordNotFound(
            f"{shown(run_id)} is no run of a notebook",
            recovery="run_cell and notebook.history name runs.",
            details={"runId": shown(run_id)},
        )
    return found


def texts_of(tx: Tx, cells: Iterable[Cell]) -> Texts:
    """What cells say, and what their last runs have come to."""
    wanted = {seq for cell in cells for seq in (cell.content_seq, cell.ended_seq) if seq is not None}
    return {record.seq: record for record in tx.ledger.records(sorted(wanted))}


def text_of(cell: Cell, texts: Texts) -> str:
    return texts[cell.content_seq].data["text"]


def as_answered(tx: Tx, cell: Cell, texts: Texts) -> AnyCell:
    """A cell in the shape of its type."""
    text = text_of(cell, texts)
    match cell.type:
        case "title":
            return TitleCell(id=cell.id, text=text)
        case "markdown":
            return MarkdownCell(id=cell.id, text=text)
        case "package.json":
            return PackageJsonCell(id=cell.id, source=text, status=cell.status, output=None, error=None)
    assert cell.language is not None
    assert cell.filename is not None
    output, error = _last_shown(tx, cell, texts)
    return CodeCell(
        id=cell.id,
        language=cell.language,
        filename=cell.filename,
        source=text,
        status=cell.status,
        output=output,
        error=error,
    )


def _last_shown(tx: Tx, cell: Cell, texts: Texts) -> tuple[str | None, str | None]:
    """The output and the error of a cell's last run; until it is run here, those that its file has brought."""
    if cell.ended_seq is not None:
        ended = shown_by(tx, texts[cell.ended_seq])
        return ended.output, ended.error
    pieces = brought_by(texts[cell.content_seq]) if cell.run_seq is None else []
    if not pieces:
        return None, None
    error = next((piece.data["text/plain"] for piece in pieces if piece.kind == "error"), None)
    return cut(printed(pieces)), cut(error) if error is not None else None


def notebook_shown(tx: Tx, notebook: Notebook, cells: Sequence[Cell]) -> NotebookShown:
    texts = texts_of(tx, cells)
    return NotebookShown(
        id=notebook.id,
        name=notebook.name,
        cells=[as_answered(tx, cell, texts) for cell in cells],
        language=notebook.language,
        tsconfig_json=notebook.tsconfig,
        trusted=bool(notebook.is_trusted),
        created_at=notebook.created_ms,
        updated_at=notebook.updated_ms,
    )


def room_in(max_chars: int | None) -> int:
    """Characters that the items of a list may take up in an answer."""
    return (max_chars or HARD_CEILING) - _AROUND_A_LIST
