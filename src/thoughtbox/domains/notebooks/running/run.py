"""One cell's run, from the record of its start to the record of its end.

It is done in a thread of its own, and may be stopped from any other.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from thoughtbox.confinement.box import Box, Gone, Late
from thoughtbox.confinement.frames import Message
from thoughtbox.confinement.machine import NODE
from thoughtbox.confinement.plan import Limits, Plan
from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun
from thoughtbox.domains.notebooks.cell import PACKAGE_JSON, Cell, Language, Notebook, Outcome
from thoughtbox.domains.notebooks.pieces import kept
from thoughtbox.domains.notebooks.running.collecting import Collected
from thoughtbox.domains.notebooks.running.comparing import outcome_of
from thoughtbox.domains.notebooks.running.folders import held
from thoughtbox.domains.notebooks.running.kernels import Kernels, plan_of
from thoughtbox.domains.notebooks.running.node import Node, node_for
from thoughtbox.domains.notebooks.running.owners import LEASES, lease_of, this_process
from thoughtbox.domains.notebooks.running.settling import settle
from thoughtbox.domains.notebooks.scope import cell_of, existing, text_of, texts_of
from thoughtbox.domains.notebooks.shown import run_answered
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import InvalidOperation
from thoughtbox.ledger import leases
from thoughtbox.ledger.leases import Lease
from thoughtbox.ledger.record import record_id
from thoughtbox.operations import Slices, Tx, redacted

SAID_EVERY: Final = 0.1
"""Seconds between two reports to whoever waits."""
TOLD_EVERY: Final = 1.0
"""Seconds between two records of how far a run's output has come."""
MOST_TOLD: Final = 60
LOOK_EVERY: Final = 0.25
"""Seconds between two looks whether somebody wants the run to end."""
RENEWED_EVERY: Final = 5.0
GRACE_SECONDS: Final = 3.0
"""For a box to notice by itself that its time is up."""


class Prepared(NamedTuple):
    """What there is to know of a cell before it is run."""

    notebook: Notebook
    cell: Cell
    language: Language
    source: str
    files: dict[str, str]
    node: Node | None
    """What runs it; None for Python, which has a kernel."""
    plan: Plan
    has_run_python: bool
    """Whether another cell has left something in a kernel."""


class Ended(NamedTuple):
    """How a run has ended."""

    outcome: Outcome
    exit_code: int | None
    error: str | None
    note: str | None
    duration_ms: int
    is_cut: bool


class CellRuns:
    """Runs of a notebook's cells, one after the other, for one call."""

    def __init__(self, slices: Slices, kernels: Kernels, notebook_id: str) -> None:
        self._slices = slices
        self._settings = slices.calling.settings
        self._kernels = kernels
        self._notebook_id = notebook_id
        self._box: Box | None = None
        self._stopping = threading.Lock()
        self.is_stopped = False

    def stop(self) -> None:
        """End what runs: whoever asked for it has given up, or somebody has interrupted it."""
        with self._stopping:
            self.is_stopped = True
            if self._box is not None:
                self._box.stop()

    def run(self, cell_id: str) -> CellRun:
        """Run a cell to its end; one that fails is an answer, too."""
        folder = self._slices.read(self._folder).result()
        with held(folder, lambda: self.is_stopped):
            # What is run is what the cell says now: another server may have had the notebook for a while.
            return self._run(self._slices.read(lambda tx: self._prepare(tx, cell_id)).result())

    def _folder(self, tx: Tx) -> Path:
        return self._kernels.folders(tx.data_dir).of(tx.workspace, existing(tx, self._notebook_id).id)

    def _run(self, prepared: Prepared) -> CellRun:
        key = (self._slices.workspace, prepared.notebook.id)
        note = None
        if prepared.node is None:
            kernel = self._kernels.kernel(key, prepared.plan)
            box, request = kernel.box, {"run": prepared.source, "files": prepared.files}
            if kernel.is_new and prepared.has_run_python:
                note = "The kernel is new: what earlier cells have defined is not there. run_all runs them again."
        else:
            program = program_of(prepared.node, prepared.plan.limits, prepared.cell)
            box, request = self._kernels.started(prepared.plan, program), {"files": prepared.files}
        try:
            run_seq = self._slices.write(lambda tx: self._begin(tx, prepared)).result()
        except BaseException:
            if prepared.language != "python":
                box.end()
            raise
        collected = Collected(2 * prepared.plan.limits.output_kb * 1024)
        watched = Watched(self._slices, prepared, run_seq, collected)
        try:
            ended = self._watch(box, request, prepared, collected, watched)
        finally:
            with self._stopping:
                self._box = None
        is_lost = ended.outcome in ("timeout", "interrupted") or ended.exit_code is None
        if prepared.language != "python" or is_lost:
            self._end_box(box, key, prepared.language)
        ended = self._told(ended, prepared, note)
        return self._slices.write(lambda tx: self._write_end(tx, prepared, run_seq, ended, collected)).result()

    def _prepare(self, tx: Tx, cell_id: str) -> Prepared:
        notebook = existing(tx, self._notebook_id)
        cell = cell_of(tx, notebook.id, cell_id)
        if not cell.is_runnable or cell.language is None:
            raise InvalidOperation(
                f"a {cell.type} cell is not run; code cells are",
                recovery="install_deps installs what a package.json names." if cell.type == PACKAGE_JSON else None,
                details={"cellId": cell.id},
            )
        cells = tx.ask(Notebooks).cells(notebook.id)
        texts = texts_of(tx, cells)
        node = node_for(cell.language, self._settings.get("node")) if cell.language != "python" else None
        trusted = bool(notebook.is_trusted)
        plan = plan_of(self._folder(tx), self._settings, node=node, trusted=trusted, data_dir=tx.data_dir)
        return Prepared(
            notebook,
            cell,
            cell.language,
            text_of(cell, texts),
            files_of(notebook, {each.filename: text_of(each, texts) for each in cells if each.filename}),
            node,
            plan,
            any(each.language == "python" and each.status == "completed" and each.id != cell.id for each in cells),
        )

    def _begin(self, tx: Tx, prepared: Prepared) -> int:
        """Write that the cell is run. Runs of processes that are gone are ended first: the notebook is ours now."""
        settle(tx)
        notebook_id, cell = existing(tx, prepared.notebook.id).id, prepared.cell
        record = tx.append(
            records.run(
                notebook_id,
                cell.id,
                filename=cell.filename or "",
                language=prepared.language,
                content=record_id(cell.content_seq),
                owner=this_process(),
            ),
            stream=records.stream_of(notebook_id),
        )
        leases.renew(tx.sql, [Lease(tx.workspace, lease_of(record.seq), LEASES)], tx.now_ms)
        return record.seq

    def _watch(self, box: Box, request: Message, prepared: Prepared, collected: Collected, watched: Watched) -> Ended:
        """Have the cell run, and take in what it shows until it has ended."""
        limits = prepared.plan.limits
        begun = time.monotonic()
        until = begun + limits.wall_seconds + GRACE_SECONDS
        with self._stopping:
            if self.is_stopped:
                return _ended("interrupted", begun, collected)
            self._box = box
        try:
            box.send(request)
            while True:
                try:
                    message = box.receive(SAID_EVERY)
                except Late:
                    message = {}
                if "ended" in message:
                    return _judged(message, limits, begun, collected, prepared.language)
                watched.tell(collected.take(message))
                if watched.is_to_stop():
                    self.stop()
                if time.monotonic() > until:
                    box.stop()
                    return _ended("timeout", begun, collected, _beyond("wall", limits))
        except Gone:
            if self.is_stopped:
                return _ended("interrupted", begun, collected)
            return _ended("failed", begun, collected, "what the cell ran in has ended")

    def _end_box(self, box: Box, key: tuple[str, str], language: Language) -> None:
        """End what a cell ran in: its notebook's kernel, or a box that was its own."""
        if language != "python" or not self._kernels.end(key):
            box.end()

    def _told(self, ended: Ended, prepared: Prepared, note: str | None) -> Ended:
        if prepared.language == "python" and (ended.outcome != "completed" and ended.exit_code is None):
            lost = "The kernel was ended with all that it had started: what cells have defined is gone."
            return ended._replace(error=f"{ended.error}. {lost}", note=note, exit_code=1)
        if ended.error is not None and ended.error.startswith("MemoryError"):
            most = prepared.plan.limits.memory_mb
            note = f"A notebook may take up {most} MB (THOUGHTBOX_NOTEBOOK_MEMORY_MB)."
        return ended._replace(note=ended.note or note)

    def _write_end(self, tx: Tx, prepared: Prepared, run_seq: int, ended: Ended, collected: Collected) -> CellRun:
        return write_end(tx, prepared.notebook.id, prepared.cell.id, run_seq, ended, collected)


def write_end(tx: Tx, notebook_id: str, cell_id: str, run_seq: int, ended: Ended, collected: Collected) -> CellRun:
    """Write how a run has ended, and what it has shown."""
    stream = records.stream_of(notebook_id)
    outputs = kept(collected.pieces)
    view = tx.ask(Notebooks)
    for digest, content in outputs.apart.items():
        if view.output(digest) is None:
            tx.append(records.output(notebook_id, digest, content), stream=stream)
    record = tx.append(
        records.ended(
            notebook_id,
            cell_id,
            run_seq,
            ended.outcome,
            exit_code=ended.exit_code,
            duration_ms=ended.duration_ms,
            truncated=ended.is_cut,
            parts=outputs.parts,
            contents=outputs.inside,
            error=redacted(ended.error) if ended.error else None,
            note=ended.note,
        ),
        stream=stream,
    )
    leases.release(tx.sql, tx.workspace, lease_of(run_seq))
    return run_answered(tx, run_seq, record)


class Watched:
    """Says how far a run has come, to whoever waits for it and to whoever looks on, and hears that it is to end."""

    def __init__(self, slices: Slices, prepared: Prepared, run_seq: int, collected: Collected) -> None:
        self._slices = slices
        self._notebook_id = prepared.notebook.id
        self._run_seq = run_seq
        self._collected = collected
        self._total = int(prepared.plan.limits.wall_seconds * 1000)
        self._begun = self._said = self._told = self._looked = self._renewed = time.monotonic()
        self._news = ""
        self._told_size = 0
        self._told_times = 0

    def tell(self, news: str) -> None:
        now = time.monotonic()
        self._news += news
        if self._news and now - self._said >= SAID_EVERY:
            done = min(int((now - self._begun) * 1000), self._total)
            self._slices.report(done, self._total, self._news[-1000:])
            self._said, self._news = now, ""
        if now - self._renewed >= RENEWED_EVERY:
            self._renewed = now
            self._slices.write(self._renew).result()
        has_news = self._collected.size > self._told_size and self._told_times < MOST_TOLD
        if has_news and now - self._told >= TOLD_EVERY:
            self._told, self._told_size = now, self._collected.size
            self._told_times += 1
            self._slices.write(self._record).result()

    def is_to_stop(self) -> bool:
        """Whether somebody, perhaps in another process, has asked for the run's end."""
        now = time.monotonic()
        if now - self._looked < LOOK_EVERY:
            return False
        self._looked = now
        return self._slices.read(self._is_stopped).result()

    def _is_stopped(self, tx: Tx) -> bool:
        run = tx.ask(Notebooks).run(self._run_seq)
        return run is not None and run.stop_seq is not None

    def _record(self, tx: Tx) -> None:
        tx.append(
            records.told(self._notebook_id, record_id(self._run_seq), self._collected.tail, self._collected.size),
            stream=records.stream_of(self._notebook_id),
        )

    def _renew(self, tx: Tx) -> None:
        leases.renew(tx.sql, [Lease(tx.workspace, lease_of(self._run_seq), LEASES)], tx.now_ms)


def files_of(notebook: Notebook, cells: dict[str, str]) -> dict[str, str]:
    """All files that cells may import."""
    return {**cells, **({"tsconfig.json": notebook.tsconfig} if notebook.tsconfig else {})}


def program_of(node: Node, limits: Limits, cell: Cell) -> list[str]:
    """What runs a cell in JavaScript or TypeScript."""
    heap = max(64, limits.memory_mb * 3 // 4)
    return [f"{NODE}/bin/node", node.quiet, f"--max-old-space-size={heap}", f"./{cell.filename}"]


def _ended(outcome: Outcome, begun: float, collected: Collected, error: str | None = None) -> Ended:
    """A run that was ended from outside."""
    said = error or "interrupted: the run was ended before it had come to its end"
    return Ended(outcome, None, said, None, _since(begun), collected.is_cut)


def _since(begun: float) -> int:
    return int((time.monotonic() - begun) * 1000)


def _judged(message: Message, limits: Limits, begun: float, collected: Collected, language: Language) -> Ended:
    """What a box says of a run's end, in our words."""
    breach, cut = message.get("breach"), bool(message.get("cut")) or collected.is_cut
    collected.is_cut = cut
    if isinstance(breach, str):
        outcome = outcome_of(None, breach)
        code = None if language == "python" else 128 + signal.SIGKILL
        said = _beyond(breach, limits)
        if breach == "died" and message.get("said"):
            said = f"{said}: {str(message['said']).strip()[-500:]}"
        return Ended(outcome, code, said, None, _since(begun), cut)
    code = message["ended"] if isinstance(message["ended"], int) else 1
    code = code if code >= 0 else 128 - code
    if code == 0:
        return Ended("completed", 0, None, None, _since(begun), cut)
    if language != "python":
        collected.part_uncaught()
    error = collected.raised or _last_words(collected) or f"it ended with exit code {code}"
    return Ended("failed", code, error, None, _since(begun), cut)


def _last_words(collected: Collected) -> str:
    """What was printed as an error: the end of it says what went wrong."""
    said = "".join(piece.data["text/plain"] for piece in collected.pieces if piece.name == "stderr")
    return said.strip()[-10_000:]


def _beyond(breach: str, limits: Limits) -> str:
    """What a run has gone beyond, and which setting says so."""
    prefix = "THOUGHTBOX_NOTEBOOK_"
    said: dict[str, Callable[[], str]] = {
        "wall": lambda: f"timeout: the cell took longer than {limits.wall_seconds:g} s ({prefix}WALL_SECONDS)",
        "cpu": lambda: f"timeout: the cell computed for longer than {limits.cpu_seconds:g} s ({prefix}CPU_SECONDS)",
        "memory": lambda: f"memory: the cell needed more than {limits.memory_mb} MB ({prefix}MEMORY_MB)",
        "folder": lambda: (
            f"files: the notebook's files are larger than {limits.folder_mb} MB together ({prefix}FILE_MB)"
        ),
        "files": lambda: "files: a cell could not be written to its file: something else has its name in the folder",
        "died": lambda: "the kernel has died",
    }
    known: Any = said.get(breach)
    return known() if known is not None else f"it was ended ({breach[:100]})"
