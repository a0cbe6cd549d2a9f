"""What a run has shown: kept by its hash, and put together again for whoever asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun, OutputShown
from thoughtbox.domains.notebooks.pieces import LONGEST_SHOWN, Content, Piece, brought, cut, printed
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx


class Shown(NamedTuple):
    """What a run has come to, as it is told."""

    outcome: str
    output: str
    stderr: str
    error: str | None
    exit_code: int | None
    duration_ms: int
    is_cut: bool
    outputs: list[OutputShown]
    note: str | None


def content_of(tx: Tx, digest: str) -> Content | None:
    """The output of that hash, whole."""
    seq = tx.ask(Notebooks).output(digest)
    record = tx.ledger.record(seq) if seq is not None else None
    if record is None:
        return None
    if record.topic == records.CELL:
        return next(
            (content for piece in brought_by(record) for content in piece.contents() if content.sha256 == digest), None
        )
    held = record.data if record.topic == records.OUTPUT else record.data["contents"][digest]
    return Content(held["mime"], held["content"])


def brought_by(said: Record) -> list[Piece]:
    """What the file that a cell was taken in from has shown below it; the record is the one that holds its text."""
    return brought(said.data["shown"]) if "shown" in said.data else []


def pieces_of(tx: Tx, ended: Record) -> list[Piece]:
    """What a run has shown, whole and in order."""
    inside = ended.data["contents"]

    def found(digest: str) -> str:
        if digest in inside:
            return inside[digest]["content"]
        content = content_of(tx, digest)
        return content.content if content is not None else ""

    return [
        Piece(part["kind"], part.get("name", ""), {mime: found(digest) for mime, digest in part["data"].items()})
        for part in ended.data["parts"]
    ]


def shown_by(tx: Tx, ended: Record) -> Shown:
    """What the record of a run's end says."""
    data, pieces = ended.data, pieces_of(tx, ended)
    output, stderr = printed(pieces), "".join(_texts(pieces, "stderr"))
    is_long = len(output) > LONGEST_SHOWN or len(stderr) > LONGEST_SHOWN
    return Shown(
        outcome=data["outcome"],
        output=cut(output),
        stderr=cut(stderr),
        error=data.get("error"),
        exit_code=data.get("exitCode"),
        duration_ms=data["durationMs"],
        is_cut=data["truncated"] or is_long,
        outputs=list(_outputs(pieces)),
        note=data.get("note"),
    )


def run_answered(tx: Tx, run_seq: int, ended: Record) -> CellRun:
    """A run in the shape that `run_cell` answers with."""
    found = shown_by(tx, ended)
    return CellRun(
        notebook_id=ended.data["notebookId"],
        cell_id=ended.data["cellId"],
        status="completed" if found.outcome == "completed" else "failed",
        output=found.output,
        error=found.error,
        exit_code=found.exit_code,
        duration_ms=found.duration_ms,
        truncated=found.is_cut,
        run_id=f"th:{run_seq}",
        outputs=found.outputs,
        stderr=found.stderr,
        note=found.note,
    )


def _texts(pieces: Sequence[Piece], name: str) -> Iterator[str]:
    return (piece.data.get("text/plain", "") for piece in pieces if piece.kind == "stream" and piece.name == name)


def _outputs(pieces: Sequence[Piece]) -> Iterator[OutputShown]:
    seen: set[str] = set()
    for piece in pieces:
        for content in piece.contents():
            digest = content.sha256
            if digest not in seen:
                seen.add(digest)
                size = len(content.raw)
                uri = f"thoughtbox://output/{digest}"
                yield OutputShown(mime=content.mime, sha256=digest, uri=uri, size=size)
