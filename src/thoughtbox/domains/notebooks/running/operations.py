"""The verbs that run cells."""

from __future__ import annotations

import time
from typing import Final

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun
from thoughtbox.domains.notebooks.cells import GIVEN, NAMED
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.kernels import Kernels
from thoughtbox.domains.notebooks.running.models import AllRun, Interrupt, Interrupted, RunAll, RunCell
from thoughtbox.domains.notebooks.running.queues import Ticket
from thoughtbox.domains.notebooks.running.run import CellRuns
from thoughtbox.domains.notebooks.running.settling import settle
from thoughtbox.domains.notebooks.scope import existing
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import (
    CellNotFound,
    InvalidOperation,
    IsolationUnavailable,
    NotebookNotFound,
    RuntimeUnavailable,
)
from thoughtbox.ledger.record import record_id
from thoughtbox.operations import Apart, Example, Lasting, Slices, Steps, Tx

RUNS: Final = (
    NotebookNotFound,
    CellNotFound,
    InvalidOperation,
    IsolationUnavailable,
    RuntimeUnavailable,
    RuntimeUnavailable,
)
INTERRUPT_SECONDS: Final = 5.0
"""For a run of another process to end."""


def _in_line(lasting: Lasting, workspace: str, call: RunCell | RunAll) -> Ticket:
    """A place among the runs of a notebook. Which one is the latest is only known later: that has a line of its own."""
    return lasting.of(Kernels).queues.reserve((workspace, call.notebook_id))


@room.operation(
    "notebook.run_cell",
    writes=True,
    guard=AT_STAGE,
    title="Run a cell",
    errors=RUNS,
    reserve=_in_line,
    example=Example(NAMED, given=GIVEN),
)
def run_cell(slices: Slices, call: RunCell) -> Steps[CellRun]:
    """Run a code cell in isolation. One that fails is an answer, with its error. Runs of a notebook queue."""
    kernels = slices.calling.lasting.of(Kernels)
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    runs = CellRuns(slices, kernels, notebook_id)
    return (yield slices.place.put(lambda: runs.run(call.cell_id), stop=runs.stop))


@room.operation(
    "notebook.run_all",
    writes=True,
    guard=AT_STAGE,
    title="Run all cells",
    errors=RUNS,
    reserve=_in_line,
    example=Example({"notebookId": "latest"}, given=GIVEN),
)
def run_all(slices: Slices, call: RunAll) -> Steps[AllRun]:
    """Run all code cells in order, up to the first that fails."""
    kernels = slices.calling.lasting.of(Kernels)
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    runs = CellRuns(slices, kernels, notebook_id)

    def work() -> AllRun:
        wanted = slices.read(lambda tx: _code_cells(tx, notebook_id)).result()
        done: list[CellRun] = []
        while wanted and not runs.is_stopped:
            done.append(runs.run(wanted.pop(0)))
            if done[-1].status == "failed" and not call.continue_on_error:
                break
        failed = any(run.status == "failed" for run in done)
        return AllRun(
            notebook_id=notebook_id,
            status="failed" if failed else "completed",
            runs=done,
            count=len(done),
            not_run=wanted,
        )

    return (yield slices.place.put(work, stop=runs.stop))


@room.operation(
    "notebook.interrupt",
    writes=True,
    effect="ends",
    guard=AT_STAGE,
    title="Interrupt a run",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest"}, given=GIVEN),
)
def interrupt(slices: Slices, call: Interrupt) -> Steps[Interrupted]:
    """End what runs in a notebook, whichever server runs it. A Python kernel ends with all it has started."""
    run_seq: int | None = yield slices.write(lambda tx: _ask_to_stop(tx, call.notebook_id))
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    if run_seq is None:
        return Interrupted(notebook_id=notebook_id, interrupted=False)
    slices.calling.lasting.of(Kernels).queues.stop((slices.workspace, notebook_id))
    until = time.monotonic() + INTERRUPT_SECONDS
    while time.monotonic() < until:
        ended: bool = yield slices.read(lambda tx: _has_ended(tx, run_seq))
        if ended:
            break
        yield slices.calling.lasting.of(Apart).run(lambda: time.sleep(0.02), stop=lambda: None)
    return Interrupted(notebook_id=notebook_id, interrupted=True, run_id=record_id(run_seq))


def _code_cells(tx: Tx, notebook_id: str) -> list[str]:
    return [cell.id for cell in tx.ask(Notebooks).cells(existing(tx, notebook_id).id) if cell.is_runnable]


def _ask_to_stop(tx: Tx, notebook_id: str) -> int | None:
    """Write that the notebook's run is to end; which one that is."""
    notebook_id = existing(tx, notebook_id).id
    settle(tx)
    running = [run for run in tx.ask(Notebooks).open_runs() if run.notebook_id == notebook_id]
    for run in running:
        if run.stop_seq is None:
            tx.append(records.stop(notebook_id, record_id(run.seq)), stream=records.stream_of(notebook_id))
    return running[-1].seq if running else None


def _has_ended(tx: Tx, run_seq: int) -> bool:
    run = tx.ask(Notebooks).run(run_seq)
    return run is None or run.ended_seq is not None
