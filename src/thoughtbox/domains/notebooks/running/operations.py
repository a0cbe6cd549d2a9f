"""The verbs that run cells."""

from __future__ import annotations

import time
from typing import Final, NamedTuple

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun
from thoughtbox.domains.notebooks.cells import GIVEN, NAMED
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.kernels import Kernels, in_line
from thoughtbox.domains.notebooks.running.models import AllRun, Interrupt, Interrupted, RunAll, RunCell
from thoughtbox.domains.notebooks.running.queues import lines_of
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
from thoughtbox.operations import Apart, Example, Slices, Steps, Tx

RUNS: Final = (
    NotebookNotFound,
    CellNotFound,
    InvalidOperation,
    IsolationUnavailable,
    RuntimeUnavailable,
)
INTERRUPT_SECONDS: Final = 5.0
"""For a run of another process to end."""


@room.operation(
    "notebook.run_cell",
    writes=True,
    guard=AT_STAGE,
    title="Run a cell",
    errors=RUNS,
    reserve=in_line,
    example=Example(NAMED, given=GIVEN),
)
def run_cell(slices: Slices, call: RunCell) -> Steps[CellRun]:
    """Run a code cell in isolation. One that fails is an answer, with its error. Runs of a notebook queue."""
    kernels = slices.calling.lasting.of(Kernels)
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    runs = CellRuns(slices, kernels, notebook_id)
    return (yield slices.place.put(lambda: runs.run(call.cell_id), stop=runs.stop, owner=notebook_id))


@room.operation(
    "notebook.run_all",
    writes=True,
    guard=AT_STAGE,
    title="Run all cells",
    errors=RUNS,
    reserve=in_line,
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

    return (yield slices.place.put(work, stop=runs.stop, owner=notebook_id))


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
    lasting = slices.calling.lasting
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    lines = lines_of(slices.workspace, notebook_id)
    # What was sent before is ended, also if it has only just been sent.
    here = yield lasting.of(Apart).run(lambda: lasting.of(Kernels).queues.first_of(lines), stop=lambda: None)
    asked: Asked = yield slices.write(lambda tx: _ask_to_stop(tx, notebook_id))
    for work in here:
        work.stop()
    until = time.monotonic() + INTERRUPT_SECONDS
    while time.monotonic() < until:
        is_over: bool = yield slices.read(lambda tx: _are_over(tx, asked.runs))
        if is_over and all(work.done() for work in here):
            break
        yield lasting.of(Apart).run(lambda: time.sleep(0.02), stop=lambda: None)
    ended: list[int] = yield slices.read(lambda tx: tx.ask(Notebooks).runs_since(notebook_id, asked.seq))
    run_seq = max([*asked.runs, *ended], default=None)
    return Interrupted(
        notebook_id=notebook_id,
        interrupted=run_seq is not None or bool(here),
        run_id=record_id(run_seq) if run_seq is not None else None,
    )


class Asked(NamedTuple):
    """Runs that were asked to end, and the newest record when they were."""

    runs: list[int]
    seq: int


def _code_cells(tx: Tx, notebook_id: str) -> list[str]:
    return [cell.id for cell in tx.ask(Notebooks).cells(existing(tx, notebook_id).id) if cell.is_runnable]


def _ask_to_stop(tx: Tx, notebook_id: str) -> Asked:
    """Write that what runs in the notebook is to end."""
    notebook_id = existing(tx, notebook_id).id
    settle(tx)
    running = [run for run in tx.ask(Notebooks).open_runs() if run.notebook_id == notebook_id]
    for run in running:
        if run.stop_seq is None:
            tx.append(records.stop(notebook_id, record_id(run.seq)), stream=records.stream_of(notebook_id))
    return Asked([run.seq for run in running], tx.ledger.last_seq())


def _are_over(tx: Tx, runs: list[int]) -> bool:
    found = [tx.ask(Notebooks).run(seq) for seq in runs]
    return all(run is None or run.ended_seq is not None for run in found)
