"""The tables that answer questions about notebooks."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.cell import Cell, Notebook, Outcome
from thoughtbox.domains.notebooks.pieces import brought
from thoughtbox.ledger.clauses import begins_with
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

NOTEBOOKS = Versions(
    "notebooks",
    key=["notebook_id"],
    values=[
        *("name", "language", "tsconfig", "trusted", "created_ms", "updated_ms", "cells", "deleted", "imported"),
        "made_seq",
    ],
)
CELLS = Versions(
    "notebook_cells",
    key=["notebook_id", "cell_id"],
    values=["place", "type", "language", "filename", "content_seq", "status", "run_seq", "ended_seq"],
)
RUNS = Versions(
    "notebook_runs",
    key=["run_seq"],
    values=["notebook_id", "cell_id", "outcome", "told_seq", "stop_seq", "ended_seq"],
)

_NOTEBOOK = ", ".join(("notebook_id", *NOTEBOOKS.values, "from_seq"))
_CELL = "cell_id, notebook_id, place, type, language, filename, content_seq, status, run_seq, ended_seq"
_RUN = ", ".join(("run_seq", *RUNS.values))
_UNEVENTFUL = frozenset({records.OUTPUT, records.TOLD})
"""What nobody looks for in a history."""


UNFINISHED = "SELECT DISTINCT workspace FROM notebook_running"
"""The workspaces in which runs go on, or have never ended."""


class Run(NamedTuple):
    """A run as it stood then."""

    seq: int
    notebook_id: str
    cell_id: str
    outcome: Outcome | None
    """None while it goes on."""
    told_seq: int | None
    stop_seq: int | None
    ended_seq: int | None


class Notebooks(View):
    """One row per state of a notebook, of a cell and of a run; where outputs are kept, and who cites what."""

    name = "notebooks"
    follows = frozenset(records.TOPICS)
    schema = "notebooks.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        if record.topic not in _UNEVENTFUL:
            self.sql.run(
                "INSERT INTO notebook_events (workspace, notebook_id, seq, cell_id) VALUES (?, ?, ?, ?)",
                (self.workspace, data["notebookId"], record.seq, data.get("cellId")),
            )
        match record.topic:
            case records.CREATED:
                self._create(record, data)
            case records.DELETED:
                self._touch(record, deleted=1)
            case records.CELL:
                self._change_cell(record, data)
            case records.RUN:
                self._begin(record, data)
            case records.TOLD:
                self._note(record, data, told_seq=record.seq)
            case records.STOP:
                self._note(record, data, stop_seq=record.seq)
            case records.ENDED:
                self._end(record, data)
            case records.OUTPUT:
                self._keep(record, [data["sha256"]])
            case records.CITED:
                self._cite(record, data)

    def _create(self, record: Record, data: Any) -> None:
        NOTEBOOKS.put(
            self,
            record.seq,
            notebook_id=data["notebookId"],
            name=data["name"],
            language=data["language"],
            tsconfig=data.get("tsconfig"),
            trusted=int(data["trusted"]),
            created_ms=data["createdMs"],
            updated_ms=milliseconds(record.ts),
            cells=data["cells"],
            deleted=0,
            imported=int("origin" in data),
            made_seq=record.seq,
        )

    def _touch(self, record: Record, *, more: int = 0, **changed: Any) -> None:
        """Something was done to a notebook."""
        found = self.notebook(record.data["notebookId"])
        if found is None:
            return
        row = dict(zip(("notebook_id", *NOTEBOOKS.values), found[:-1], strict=True))
        row |= {"updated_ms": milliseconds(record.ts), "cells": found.cells + more}
        NOTEBOOKS.put(self, record.seq, **{**row, **changed})

    def _change_cell(self, record: Record, data: Any) -> None:
        notebook_id, cell_id, change = data["notebookId"], data["cellId"], data["change"]
        if change == "deleted":
            CELLS.end(self, record.seq, notebook_id=notebook_id, cell_id=cell_id)
            self._touch(record, more=-1, imported=0)
            return
        if change == "added":
            row = {"content_seq": record.seq, "status": "idle", "run_seq": None, "ended_seq": None}
            row |= {"place": data["rank"], "type": data["type"]}
            row |= {name: data.get(name) for name in ("language", "filename")}
            CELLS.put(self, record.seq, notebook_id=notebook_id, cell_id=cell_id, **row)
            pieces = brought(data["shown"]) if "shown" in data else []
            self._keep(record, [content.sha256 for piece in pieces for content in piece.contents()])
            if not data.get("first"):
                self._touch(record, more=1, imported=0)
            return
        found = self.cell(notebook_id, cell_id)
        if found is None:
            return
        cell = found._replace(rank=data.get("rank", found.rank))
        if change == "updated":
            cell = cell._replace(
                content_seq=record.seq if "text" in data else cell.content_seq,
                language=data.get("language", cell.language),
                filename=data.get("filename", cell.filename),
                status="idle",
                run_seq=None,
                ended_seq=None,
            )
        self._put(record.seq, cell)
        self._touch(record, imported=0)

    def _put(self, seq: int, cell: Cell) -> None:
        row = cell._asdict()
        CELLS.put(self, seq, cell_id=row.pop("id"), place=row.pop("rank"), **row)

    def _begin(self, record: Record, data: Any) -> None:
        notebook_id, cell_id = data["notebookId"], data["cellId"]
        row = {"outcome": None, "told_seq": None, "stop_seq": None, "ended_seq": None}
        RUNS.put(self, record.seq, run_seq=record.seq, notebook_id=notebook_id, cell_id=cell_id, **row)
        self.sql.run("INSERT INTO notebook_running (workspace, run_seq) VALUES (?, ?)", (self.workspace, record.seq))
        if (cell := self.cell(notebook_id, cell_id)) is not None:
            self._put(record.seq, cell._replace(status="running", run_seq=record.seq, ended_seq=None))
        self._touch(record, imported=0)

    def _note(self, record: Record, data: Any, **changed: int) -> None:
        run = self.run(seq_of(data["runId"]) or 0)
        if run is not None:
            row = dict(zip(("run_seq", *RUNS.values), run, strict=True))
            RUNS.put(self, record.seq, **{**row, **changed})

    def _end(self, record: Record, data: Any) -> None:
        run = self.run(seq_of(record.attrs["callId"]) or 0)
        if run is None or run.ended_seq is not None:
            return  # the first end of a run counts
        row = dict(zip(("run_seq", *RUNS.values), run, strict=True))
        RUNS.put(self, record.seq, **{**row, "outcome": data["outcome"], "ended_seq": record.seq})
        self.sql.run("DELETE FROM notebook_running WHERE workspace = ? AND run_seq = ?", (self.workspace, run.seq))
        cell = self.cell(run.notebook_id, run.cell_id)
        if cell is not None and cell.run_seq == run.seq:  # it may have been changed meanwhile
            status = "completed" if data["outcome"] == "completed" else "failed"
            self._put(record.seq, cell._replace(status=status, ended_seq=record.seq))
        self._keep(record, data["contents"])
        self._touch(record, imported=0)

    def _keep(self, record: Record, hashes: Any) -> None:
        for sha256 in hashes:
            self.sql.run(
                "INSERT INTO notebook_outputs (workspace, sha256, seq) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (self.workspace, sha256, record.seq),
            )

    def _cite(self, record: Record, data: Any) -> None:
        for relation in record.attrs["relations"]:
            if (target := seq_of(relation["to"])) is not None:
                self.sql.run(
                    "INSERT INTO notebook_citations (workspace, target, seq, notebook_id, session)"
                    " VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT DO NOTHING",
                    (self.workspace, target, record.seq, data["notebookId"], data["targetSession"]),
                )

    def notebook(self, notebook_id: str) -> Notebook | None:
        row = self.sql.row(
            f"SELECT {_NOTEBOOK} FROM {NOTEBOOKS.standing} AS n WHERE notebook_id = ?",
            (*standing_at(self), notebook_id),
        )
        return Notebook(*row) if row else None

    def newest(self, before: int, limit: int, *, with_deleted: bool = False) -> list[Notebook]:
        """Notebooks that changed last before a record, the newest first."""
        rows = self.sql.rows(
            f"SELECT {_NOTEBOOK} FROM {NOTEBOOKS.standing} AS n WHERE from_seq < ? AND deleted <= ?"
            " ORDER BY from_seq DESC LIMIT ?",
            (*standing_at(self), before, int(with_deleted), limit),
        )
        return [Notebook(*row) for row in rows]

    def by_id(self, after: str, limit: int) -> list[Notebook]:
        """Notebooks by their ids, behind one."""
        rows = self.sql.rows(
            f"SELECT {_NOTEBOOK} FROM {NOTEBOOKS.standing} AS n WHERE notebook_id > ? AND deleted = 0"
            " ORDER BY notebook_id LIMIT ?",
            (*standing_at(self), after, limit),
        )
        return [Notebook(*row) for row in rows]

    def cells(self, notebook_id: str) -> list[Cell]:
        """The cells of a notebook, in order."""
        rows = self.sql.rows(
            f"SELECT {_CELL} FROM {CELLS.standing} AS c WHERE notebook_id = ?", (*standing_at(self), notebook_id)
        )
        # Ordered here: databases differ in how they compare texts.
        return sorted((Cell(*row) for row in rows), key=lambda cell: (cell.rank, cell.id))

    def cell(self, notebook_id: str, cell_id: str) -> Cell | None:
        row = self.sql.row(
            f"SELECT {_CELL} FROM {CELLS.standing} AS c WHERE notebook_id = ? AND cell_id = ?",
            (*standing_at(self), notebook_id, cell_id),
        )
        return Cell(*row) if row else None

    def run(self, seq: int) -> Run | None:
        row = self.sql.row(f"SELECT {_RUN} FROM {RUNS.standing} AS r WHERE run_seq = ?", (*standing_at(self), seq))
        return Run(*row) if row else None

    def runs_since(self, notebook_id: str, seq: int) -> list[int]:
        """Runs of a notebook that were begun behind a record, in order."""
        rows = self.sql.rows(
            f"SELECT run_seq FROM {RUNS.standing} AS r WHERE run_seq > ? AND notebook_id = ? ORDER BY run_seq",
            (*standing_at(self), seq, notebook_id),
        )
        return [row[0] for row in rows]

    def open_runs(self) -> list[Run]:
        """Runs that have not ended by now, in order."""
        rows = self.sql.rows(
            "SELECT run_seq FROM notebook_running WHERE workspace = ? ORDER BY run_seq", (self.workspace,)
        )
        return [run for row in rows if (run := self.run(row[0])) is not None]

    def events(self, notebook_id: str, cell_id: str | None, before: int, limit: int) -> list[int]:
        """Numbers of the records of a notebook's history before one, or of a cell's, the newest first."""
        rows = self.sql.rows(
            "SELECT seq FROM notebook_events WHERE workspace = ? AND notebook_id = ? AND seq < ? AND seq <= ?"
            " AND (? = '' OR cell_id = ?) ORDER BY seq DESC LIMIT ?",
            (self.workspace, notebook_id, before, self.as_of, cell_id or "", cell_id or "", limit),
        )
        return [row[0] for row in rows]

    def output(self, sha256: str) -> int | None:
        """The record that holds an output."""
        row = self.sql.row(
            "SELECT seq FROM notebook_outputs WHERE workspace = ? AND sha256 = ? AND seq <= ?",
            (self.workspace, sha256, self.as_of),
        )
        return row[0] if row else None

    def citations(self, targets: list[int]) -> list[int]:
        """Numbers of the records that cite a run for one of these, in order."""
        if not targets:
            return []
        low, high = min(targets), max(targets)
        rows = self.sql.rows(
            "SELECT target, seq FROM notebook_citations"
            " WHERE workspace = ? AND target >= ? AND target <= ? AND seq <= ?",
            (self.workspace, low, high, self.as_of),
        )
        wanted = set(targets)
        return sorted({seq for target, seq in rows if target in wanted})

    def citations_for(self, session: str) -> list[int]:
        """Numbers of the records that cite a run for something in a session, in order."""
        rows = self.sql.rows(
            "SELECT DISTINCT seq FROM notebook_citations WHERE workspace = ? AND session = ? AND seq <= ? ORDER BY seq",
            (self.workspace, session, self.as_of),
        )
        return [row[0] for row in rows]

    def citations_of(self, notebook_id: str) -> list[int]:
        """Numbers of the records that cite a run of a notebook, in order."""
        rows = self.sql.rows(
            "SELECT DISTINCT seq FROM notebook_citations"
            " WHERE workspace = ? AND notebook_id = ? AND seq <= ? ORDER BY seq",
            (self.workspace, notebook_id, self.as_of),
        )
        return [row[0] for row in rows]

    def ids(self, typed: str, limit: int) -> list[str]:
        """Ids of notebooks that begin with what was typed."""
        rows = self.sql.rows(
            f"SELECT notebook_id FROM {NOTEBOOKS.standing} AS n WHERE deleted = 0"
            " AND notebook_id >= ? AND notebook_id < ? ORDER BY notebook_id LIMIT ?",
            (*standing_at(self), *begins_with(typed), limit),
        )
        return [row[0] for row in rows]

    def output_hashes(self, typed: str, limit: int) -> list[str]:
        """Hashes of outputs that begin with what was typed."""
        rows = self.sql.rows(
            "SELECT sha256 FROM notebook_outputs WHERE workspace = ? AND seq <= ?"
            " AND sha256 >= ? AND sha256 < ? ORDER BY sha256 LIMIT ?",
            (self.workspace, self.as_of, *begins_with(typed), limit),
        )
        return [row[0] for row in rows]
