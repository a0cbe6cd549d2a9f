"""A whole notebook run again where nothing is left of it, and compared with what it has shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final, NamedTuple

from thoughtbox.confinement.box import Box, Gone, Late
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, Bind, Plan
from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.cell import Cell, Language
from thoughtbox.domains.notebooks.cells import GIVEN, NAMED
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.collecting import Collected
from thoughtbox.domains.notebooks.running.comparing import MASKING, Texts, asked_to_mask, difference, texts_of
from thoughtbox.domains.notebooks.running.folders import Folders
from thoughtbox.domains.notebooks.running.kernels import Kernels, plan_of
from thoughtbox.domains.notebooks.running.models import CellReplayed, Replay, Replayed
from thoughtbox.domains.notebooks.running.node import node_for
from thoughtbox.domains.notebooks.running.programs import PYTHON, Program
from thoughtbox.domains.notebooks.running.run import files_of, program_of
from thoughtbox.domains.notebooks.scope import existing, text_of
from thoughtbox.domains.notebooks.scope import texts_of as contents_of
from thoughtbox.domains.notebooks.shown import pieces_of
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import (
    InvalidPayload,
    IsolationUnavailable,
    NotebookNotFound,
    RuntimeUnavailable,
)
from thoughtbox.operations import Example, Slices, Steps, Tx

GRACE_SECONDS: Final = 3.0
_NEVER_RUN: Final = "it has not been run since it was written"


class Shown(NamedTuple):
    """A code cell, and what its last run has shown."""

    cell: Cell
    language: Language
    source: str
    before: Texts | None
    """None when it was not run since it was written."""


class Prepared(NamedTuple):
    """A notebook that is to be replayed."""

    notebook_id: str
    cells: list[Shown]
    files: dict[str, str]
    plans: dict[bool, Plan]
    """For cells in Python, and for the others."""
    folder: Path
    folders: Folders


@room.operation(
    "notebook.replay",
    writes=True,
    guard=AT_STAGE,
    title="Replay a notebook",
    errors=[NotebookNotFound, IsolationUnavailable, RuntimeUnavailable, RuntimeUnavailable],
    example=Example({"notebookId": "latest"}, given=[*GIVEN, ("notebook.run_cell", NAMED)]),
)
def replay(slices: Slices, call: Replay) -> Steps[Replayed]:
    """Run all code cells again in a fresh folder and kernel, and say cell by cell whether they show the same."""
    patterns = list(call.mask or ())
    for pattern in patterns:
        _must_be_a_pattern(pattern)
    kernels = slices.calling.lasting.of(Kernels)
    prepared: Prepared = yield slices.read(lambda tx: _prepare(tx, call.notebook_id, kernels))
    replaying = Replaying(slices, kernels, prepared, patterns)
    place = kernels.queues.reserve((slices.workspace, prepared.notebook_id, "replay"))
    return (yield place.put(replaying.run, stop=replaying.stop))


def _must_be_a_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidPayload(
            f"`mask`: {pattern!r} is no regular expression: {error}",
            recovery=r"Such as \d\d:\d\d:\d\d or 0x[0-9a-f]+.",
            details={"fields": ["mask"]},
        ) from None


def _prepare(tx: Tx, notebook_id: str, kernels: Kernels) -> Prepared:
    notebook = existing(tx, notebook_id)
    cells = tx.ask(Notebooks).cells(notebook.id)
    contents = contents_of(tx, cells)
    wanted = [cell for cell in cells if cell.is_runnable and cell.language is not None]
    if not wanted:
        raise InvalidPayload("the notebook has no code cells", recovery="Add one with notebook.add_cell.")
    shown = []
    for cell in wanted:
        ended = contents[cell.ended_seq] if cell.ended_seq is not None else None
        is_well = ended is not None and ended.data["outcome"] == "completed"
        before = texts_of(pieces_of(tx, ended), is_well=is_well) if ended is not None else None
        assert cell.language is not None
        shown.append(Shown(cell, cell.language, text_of(cell, contents), before))
    folders = kernels.folders(tx.data_dir)
    own = folders.of(tx.workspace, notebook.id)
    fresh = folders.fresh(tx.workspace, notebook.id, tx.random_bytes(6).hex())
    plans = {}
    for is_python in {cell.language == "python" for cell in wanted}:
        language = "python" if is_python else next(str(cell.language) for cell in wanted if cell.language != "python")
        if any(cell.language == "typescript" for cell in wanted) and not is_python:
            language = "typescript"
        node = None if is_python else node_for(language, tx.settings.get("node"))
        plan = plan_of(fresh, tx.settings, node=node, trusted=bool(notebook.is_trusted), data_dir=tx.data_dir)
        plans[is_python] = plan._replace(binds=[*plan.binds, *_packages(own)])
    files = files_of(notebook, {cell.filename: text_of(cell, contents) for cell in cells if cell.filename})
    return Prepared(notebook.id, shown, files, plans, fresh, folders)


def _packages(own: Path) -> list[Bind]:
    """What was installed for the notebook, to be seen in the fresh folder, too."""
    installed = {own / "env": ENVIRONMENT, own / "files" / "node_modules": f"{FILES}/node_modules"}
    return [Bind(str(path), target) for path, target in installed.items() if path.is_dir() and not path.is_symlink()]


class Replaying:
    """One replay. It is run in a thread of its own, and may be stopped from any other."""

    def __init__(self, slices: Slices, kernels: Kernels, prepared: Prepared, patterns: list[str]) -> None:
        self._slices = slices
        self._kernels = kernels
        self._prepared = prepared
        self._patterns = patterns
        self._program = Program(kernels)
        self._kernel: Box | None = None

    def stop(self) -> None:
        self._program.stop()
        if self._kernel is not None:
            self._kernel.stop()

    def run(self) -> Replayed:
        prepared = self._prepared
        try:
            after: list[Texts] = []
            for done, shown in enumerate(prepared.cells):
                after.append(self._rerun(shown))
                self._slices.report(done + 1, len(prepared.cells), f"{shown.cell.filename}: run again\n")
            before = [shown.before or {} for shown in prepared.cells]
            if self._patterns:
                before, after = self._masked(before), self._masked(after)
            verdicts = [
                _verdict(shown, was, now) for shown, was, now in zip(prepared.cells, before, after, strict=True)
            ]
        finally:
            if self._kernel is not None:
                self._kernel.end()
            prepared.folders.remove(prepared.folder)
        return self._slices.write(lambda tx: self._write(tx, verdicts)).result()

    def _rerun(self, shown: Shown) -> Texts:
        """What a cell shows when it is run again."""
        plan = self._prepared.plans[shown.language == "python"]
        if shown.language != "python":
            done = self._program.run(plan, program_of(plan, shown.cell), self._prepared.files)
            texts = texts_of(done.collected.pieces, is_well=done.exit_code == 0 and done.breach is None)
            return texts if done.breach is None else {**texts, "end": f"ended ({done.breach})"}
        if self._kernel is None:
            self._kernel = self._kernels.started(plan, None)
        return self._in_kernel(self._kernel, shown, plan)

    def _in_kernel(self, box: Box, shown: Shown, plan: Plan) -> Texts:
        collected = Collected(2 * plan.limits.output_kb * 1024)
        try:
            box.send({"run": shown.source, "files": self._prepared.files})
            while "ended" not in (message := box.receive(plan.limits.wall_seconds + GRACE_SECONDS)):
                collected.take(message)
        except (Gone, Late):
            message = {"ended": 1, "breach": "gone"}
        texts = texts_of(collected.pieces, is_well=message["ended"] == 0)
        if message.get("breach") is None:
            return texts
        box.end()
        self._kernel = None
        return {**texts, "end": f"ended ({message['breach']})"}

    def _masked(self, texts: list[Texts]) -> list[Texts]:
        plan = next(iter(self._prepared.plans.values()))
        asked = json.dumps(asked_to_mask(self._patterns, texts))
        done = self._program.run(plan, [PYTHON, "-I", "-S", "-c", MASKING], {"masked.json": asked})
        if not done.is_well:
            raise InvalidPayload(
                "`mask`: the patterns took too long, or made the texts too large",
                recovery="Send simpler patterns.",
                details={"fields": ["mask"]},
            )
        found: Any = json.loads(done.printed("stdout"))
        return found

    def _write(self, tx: Tx, verdicts: list[CellReplayed]) -> Replayed:
        notebook_id = existing(tx, self._prepared.notebook_id).id
        told = [verdict.answer() for verdict in verdicts]
        record = tx.append(
            records.replayed(notebook_id, told, mask=self._patterns), stream=records.stream_of(notebook_id)
        )
        return Replayed(
            notebook_id=notebook_id, same=all(verdict.same for verdict in verdicts), cells=verdicts, id=record.id
        )


def _verdict(shown: Shown, before: Texts, after: Texts) -> CellReplayed:
    named = {"cell_id": shown.cell.id, "filename": shown.cell.filename or ""}
    if shown.before is None:
        return CellReplayed(same=False, why=_NEVER_RUN, **named)
    found = difference(before, after)
    if found is None:
        return CellReplayed(same=True, **named)
    return CellReplayed(same=False, why=f"{found.what} differs", before=found.before, after=found.after, **named)
