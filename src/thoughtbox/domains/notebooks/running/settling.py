"""Runs whose process is gone: ended in the ledger as what they are, interrupted."""

from __future__ import annotations

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.pieces import Piece, kept
from thoughtbox.domains.notebooks.running.owners import is_alive, is_here, lease_of
from thoughtbox.domains.notebooks.view import Notebooks, Run
from thoughtbox.ledger import leases
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

_SAID = "interrupted: the server that ran the cell has ended"


def settle(tx: Tx) -> int:
    """End what nobody is at any more; how many that were."""
    gone = [run for run in tx.ask(Notebooks).open_runs() if _is_gone(tx, run)]
    for run in gone:
        _end(tx, run)
    return len(gone)


def _is_gone(tx: Tx, run: Run) -> bool:
    """Whether the process is gone: seen where it would be seen, else once it has not said for long that it is there."""
    record = tx.ledger.record(run.seq)
    assert record is not None
    owner: str = record.data["owner"]
    if is_here(owner):
        return not is_alive(owner)
    return leases.held(tx.sql, tx.workspace, lease_of(run.seq), tx.now_ms) is None


def _end(tx: Tx, run: Run) -> None:
    begun = tx.ledger.record(run.seq)
    told = tx.ledger.record(run.told_seq) if run.told_seq is not None else None
    assert begun is not None
    pieces = [Piece("stream", "stdout", {"text/plain": told.text})] if told is not None and told.text else []
    outputs = kept(pieces)
    tx.append(
        records.ended(
            run.notebook_id,
            run.cell_id,
            run.seq,
            "interrupted",
            exit_code=None,
            duration_ms=max(0, tx.now_ms - milliseconds(begun.ts)),
            truncated=bool(pieces),
            parts=outputs.parts,
            contents=outputs.inside,
            error=_SAID,
        ),
        stream=records.stream_of(run.notebook_id),
    )
    leases.release(tx.sql, tx.workspace, lease_of(run.seq))
