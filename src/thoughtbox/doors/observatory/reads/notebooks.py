"""Notebooks as people look at them: cells in order, each with what its last run has shown, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks.cell import Cell
from thoughtbox.domains.notebooks.pieces import Piece, cut
from thoughtbox.domains.notebooks.scope import Texts, existing, run_of, text_of
from thoughtbox.domains.notebooks.shown import brought_by, content_of
from thoughtbox.domains.notebooks.view import Notebooks, Run
from thoughtbox.doors.observatory.models import CellWatched, FormShown, NotebookWatched, PieceShown, RunWatched
from thoughtbox.errors import ResourceNotFound, shown
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx, cursor, place_in

MOST_CELLS: Final = 200
MOST_PIECES: Final = 100
"""Pieces of a run that are shown; the others are counted."""
MOST_TEXT: Final = 200_000
"""Characters of all pieces of a run that stand in an answer."""
MOST_OF_A_PAGE: Final = 2_000_000
"""The same of all runs of a page; what has no room is named by its hash."""
MOST_OF_A_TABLE: Final = 100_000
"""Characters of HTML, whose beginning can still be read as a table."""

_HTML: Final = "text/html"
_READ: Final = ("text/plain", _HTML, "text/markdown", "text/latex", "application/json")
"""Forms whose text stands in the answer."""


class _Room:
    """How much may still stand in an answer."""

    def __init__(self, chars: int) -> None:
        self.left = chars


class CellPlace(NamedTuple):
    """Where a page of cells ends."""

    rank: str
    cell_id: str


def notebook_page(tx: Tx, notebook_id: str, *, limit: int, place: str | None) -> NotebookWatched:
    """A notebook with its next cells, and what their last runs have shown."""
    notebook = existing(tx, notebook_id)
    cells = tx.ask(Notebooks).cells(notebook.id)
    after = place_in(place, CellPlace) if place else CellPlace("", "")
    left = [cell for cell in cells if CellPlace(cell.rank, cell.id) > after]
    page = left[:limit]
    texts, room = _records_of(tx, page), _Room(MOST_OF_A_PAGE)
    return NotebookWatched(
        id=notebook.id,
        name=notebook.name,
        language=notebook.language,
        trusted=bool(notebook.is_trusted),
        created_at=notebook.created_ms,
        updated_at=notebook.updated_ms,
        count=len(cells),
        cells=[_cell(tx, cell, texts, room) for cell in page],
        next_cursor=cursor(CellPlace(page[-1].rank, page[-1].id)) if len(left) > limit else None,
        seq=tx.ledger.last_seq(),
    )


def run_read(tx: Tx, run_id: str) -> RunWatched:
    """One run, as it stood then."""
    run = run_of(tx, run_id)
    seqs = {seq for seq in (run.seq, run.ended_seq, run.told_seq) if seq is not None}
    texts = {record.seq: record for record in tx.ledger.records(sorted(seqs))}
    return _run(tx, run, texts, _Room(MOST_TEXT))


def _records_of(tx: Tx, cells: list[Cell]) -> Texts:
    """What cells say; of their last runs the beginning and the end."""
    wanted = {seq for cell in cells for seq in (cell.content_seq, cell.run_seq, cell.ended_seq) if seq is not None}
    return {record.seq: record for record in tx.ledger.records(sorted(wanted))}


def _cell(tx: Tx, cell: Cell, texts: Texts, room: _Room) -> CellWatched:
    said = texts[cell.content_seq]
    run = tx.ask(Notebooks).run(cell.run_seq) if cell.run_seq is not None else None
    return CellWatched(
        id=cell.id,
        type=cell.type,
        text=text_of(cell, texts),
        record_id=said.id,
        changed_at=said.ts,
        changed_by=said.agent,
        language=cell.language,
        filename=cell.filename,
        status=cell.status if cell.is_runnable else None,
        run=_run(tx, run, texts, room) if run is not None else None,
        brought=_brought(tx, brought_by(said), room) or None if run is None else None,
    )


def _brought(tx: Tx, pieces: list[Piece], room: _Room) -> list[PieceShown]:
    """What a file has brought, in the same forms as what a run has shown."""
    found = []
    for piece in pieces[:MOST_PIECES]:
        forms = [
            _form(tx, content.mime, content.sha256, content.kept(), has_room=room.left > 0)
            for content in piece.contents()
        ]
        room.left -= sum(len(form.text or "") for form in forms)
        found.append(PieceShown(kind=piece.kind, name=piece.name, forms=forms))  # ty: ignore[invalid-argument-type]
    return found


def _run(tx: Tx, run: Run, texts: Texts, room: _Room) -> RunWatched:
    begun = texts[run.seq]
    ended = texts.get(run.ended_seq) if run.ended_seq is not None else None
    if ended is None:
        told = tx.ledger.record(run.told_seq) if run.told_seq is not None else None
        return RunWatched(
            run_id=begun.id,
            notebook_id=run.notebook_id,
            cell_id=run.cell_id,
            begun_at=begun.ts,
            agent=begun.agent,
            tail=told.text if told is not None else "",
            pieces=[],
        )
    parts = ended.data["parts"]
    return RunWatched(
        run_id=begun.id,
        notebook_id=run.notebook_id,
        cell_id=run.cell_id,
        begun_at=begun.ts,
        agent=begun.agent,
        ended_id=ended.id,
        hash=ended.hash.hex(),
        outcome=ended.data["outcome"],
        exit_code=ended.data.get("exitCode"),
        duration_ms=ended.data["durationMs"],
        truncated=ended.data["truncated"] or None,
        error=_cut_error(ended.data.get("error")),
        note=ended.data.get("note"),
        pieces=list(_pieces(tx, ended, parts[:MOST_PIECES], room)),
        more_pieces=len(parts) - MOST_PIECES if len(parts) > MOST_PIECES else None,
    )


def _cut_error(text: str | None) -> str | None:
    return cut(text) if text is not None else None


def _pieces(tx: Tx, ended: Record, parts: list[Mapping[str, Any]], room: _Room) -> Iterator[PieceShown]:
    inside = ended.data["contents"]
    until = room.left - MOST_TEXT
    for part in parts:
        forms: list[FormShown] = []
        for mime, digest in part["data"].items():
            form = _form(tx, mime, digest, inside.get(digest), has_room=room.left > max(0, until))
            room.left -= len(form.text or "")
            forms.append(form)
        yield PieceShown(kind=part["kind"], name=part.get("name", ""), forms=forms)


def _form(tx: Tx, mime: str, digest: str, held: Mapping[str, Any] | None, *, has_room: bool) -> FormShown:
    if mime not in _READ or not has_room:
        return FormShown(mime=mime, sha256=digest, size=held["size"] if held is not None else None)
    found = content_of(tx, digest) if held is None else None
    text = held["content"] if held is not None else found.content if found is not None else ""
    # The beginning of a table is a table; of a text both ends are worth reading.
    part = text[:MOST_OF_A_TABLE] if mime == _HTML else cut(text)
    return FormShown(mime=mime, sha256=digest, size=len(text.encode()), text=part, cut=part != text or None)


class Sent(NamedTuple):
    """Bytes to be sent as they are."""

    type: str
    body: bytes
    name: str
    is_shown: bool
    """Whether a browser may show it in a tab of its own; everything else is a download."""


_PLAIN: Final = "text/plain; charset=utf-8"
SENT_AS: Final[Mapping[str, str]] = {
    "image/png": "image/png",
    "image/jpeg": "image/jpeg",
    "image/gif": "image/gif",
    "image/webp": "image/webp",
    "image/svg+xml": "image/svg+xml",
    "application/json": "application/json",
    "application/pdf": "application/pdf",
    # Markup is sent as the text that it is.
    **dict.fromkeys(("text/plain", "text/html", "text/markdown", "text/latex", "text/csv"), _PLAIN),
}
_DOWNLOADED: Final = frozenset({"image/svg+xml", "application/pdf"})
"""What may hold scripts. A picture in a page is shown all the same."""
_ENDINGS: Final[Mapping[str, str]] = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/gif": "gif",
    "image/webp": "webp",
    "image/svg+xml": "svg",
    "application/json": "json",
    "application/pdf": "pdf",
    _PLAIN: "txt",
}


def output_sent(tx: Tx, sha256: str, mime: str | None) -> Sent:
    """What a run has shown, whole. Whatever it says that it is, it goes out as something that does nothing.

    The same bytes may have been shown as several things; what is kept of that is the first. `mime` says which is meant.
    """
    found = content_of(tx, sha256)
    if found is None:
        raise ResourceNotFound(
            f"no run has shown anything with the hash {shown(sha256)}",
            recovery="/api/notebooks/{id} names the hashes of outputs.",
            details={"sha256": shown(sha256)},
        )
    kind = SENT_AS.get((mime or found.mime).partition(";")[0].strip().lower())
    is_shown = kind is not None and kind not in _DOWNLOADED
    name = f"output-{sha256[:12]}.{_ENDINGS.get(kind or '', 'bin')}"
    return Sent(kind or "application/octet-stream", found.raw, name, is_shown)
