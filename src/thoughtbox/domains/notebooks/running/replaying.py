"""A whole notebook run again where nothing is left of it, and compared with what it has shown."""

from __future__ import annotations

import json
import re
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from thoughtbox.confinement.box import Box, Gone, Late
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, Bind, Plan
from thoughtbox.confinement.removal import remove
from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.cell import Cell, Language
from thoughtbox.domains.notebooks.cells import GIVEN, NAMED
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.running.collecting import Collected
from thoughtbox.domains.notebooks.running.comparing import (
    MASKING,
    Texts,
    asked_to_mask,
    difference,
    outcome_of,
    texts_of,
)
from thoughtbox.domains.notebooks.running.folders import held, sweep
from thoughtbox.domains.notebooks.running.kernels import Kernels, in_line, plan_of
from thoughtbox.domains.notebooks.running.models import CellReplayed, Replay, Replayed
from thoughtbox.domains.notebooks.running.node import Node, node_for
from thoughtbox.domains.notebooks.running.programs import PYTHON, Program
from thoughtbox.domains.notebooks.running.queues import Line
from thoughtbox.domains.notebooks.running.run import files_of, program_of
from thoughtbox.domains.notebooks.scope import existing, text_of
from thoughtbox.domains.notebooks.scope import texts_of as contents_of
from thoughtbox.domains.notebooks.shown import pieces_of
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import (
    InvalidOperation,
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
    is_trusted: bool
    cells: list[Shown]
    files: dict[str, str]
    node: Node | None
    """For cells that are not in Python, if there are any."""
    data_dir: Path | None
    own: Path
    """The notebook's folder, of which packages are seen."""
    fresh: Path


@room.operation(
    "notebook.replay",
    writes=True,
    guard=AT_STAGE,
    title="Replay a notebook",
    errors=[NotebookNotFound, InvalidOperation, IsolationUnavailable, RuntimeUnavailable],
    reserve=in_line,
    example=Example({"notebookId": "latest"}, given=[*GIVEN, ("notebook.run_cell", NAMED)]),
)
def replay(slices: Slices, call: Replay) -> Steps[Replayed]:
    """Run all code cells again in a fresh folder and kernel, and say cell by cell whether they show the same."""
    patterns = list(call.mask or ())
    for pattern in patterns:
        _must_be_a_pattern(pattern)
    kernels = slices.calling.lasting.of(Kernels)
    notebook_id: str = yield slices.read(lambda tx: existing(tx, call.notebook_id).id)
    # It is compared with what was sent before it; what is sent behind it does not wait for it.
    looking = slices.place.put(
        lambda: slices.read(lambda tx: _prepare(tx, notebook_id, kernels)).result(),
        stop=lambda: None,
        owner=notebook_id,
    )
    prepared: Prepared = yield looking
    replaying = Replaying(slices, kernels, prepared, patterns)
    place = kernels.queues.reserve(Line(slices.workspace, notebook_id, is_replay=True))
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
        before = texts_of(pieces_of(tx, ended), ended.data["outcome"]) if ended is not None else None
        assert cell.language is not None
        shown.append(Shown(cell, cell.language, text_of(cell, contents), before))
    others = [str(cell.language) for cell in wanted if cell.language != "python"]
    language = "typescript" if "typescript" in others else "javascript"
    folders = kernels.folders(tx.data_dir)
    return Prepared(
        notebook.id,
        bool(notebook.is_trusted),
        shown,
        files_of(notebook, {cell.filename: text_of(cell, contents) for cell in cells if cell.filename}),
        node_for(language, tx.settings.get("node")) if others else None,
        tx.data_dir,
        folders.of(tx.workspace, notebook.id),
        folders.fresh(tx.workspace, notebook.id, tx.random_bytes(6).hex()),
    )


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
        if (kernel := self._kernel) is not None:
            kernel.stop()

    def run(self) -> Replayed:
        fresh = self._prepared.fresh
        sweep(self._prepared.own)
        try:
            with held(fresh, lambda: self._program.is_stopped):
                verdicts = self._verdicts()
        finally:
            if self._kernel is not None:
                self._kernel.end()
            remove(fresh)
        return self._slices.write(lambda tx: self._write(tx, verdicts)).result()

    def _verdicts(self) -> list[CellReplayed]:
        cells = self._prepared.cells
        after: list[Texts] = []
        for done, shown in enumerate(cells):
            after.append(self._rerun(shown))
            self._must_go_on()
            self._slices.report(done + 1, len(cells), f"{shown.cell.filename}: run again\n")
        before = [shown.before or {} for shown in cells]
        if self._patterns:
            before, after = self._masked(before), self._masked(after)
        return [_verdict(shown, was, now) for shown, was, now in zip(cells, before, after, strict=True)]

    def _must_go_on(self) -> None:
        """What was ended before its end has shown nothing that could be judged."""
        if self._program.is_stopped:
            again = json.dumps({"operation": "notebook.replay", "notebookId": self._prepared.notebook_id})
            raise InvalidOperation(
                "interrupted: the replay was ended before it had come to its end, so that there is no verdict",
                recovery=f"{again} begins again.",
                details={"notebookId": self._prepared.notebook_id},
            )

    @cached_property
    def _for_python(self) -> Plan:
        return self._plan(None)

    @cached_property
    def _for_node(self) -> Plan:
        return self._plan(self._prepared.node)

    def _plan(self, node: Node | None) -> Plan:
        """A box around the fresh folder, with what was installed for the notebook."""
        prepared = self._prepared
        plan = plan_of(
            prepared.fresh,
            self._slices.calling.settings,
            node=node,
            trusted=prepared.is_trusted,
            data_dir=prepared.data_dir,
        )
        installed = {
            prepared.own / "env": ENVIRONMENT,
            prepared.own / "files" / "node_modules": f"{FILES}/node_modules",
        }
        packages = [
            Bind(str(path), target) for path, target in installed.items() if path.is_dir() and not path.is_symlink()
        ]
        return plan._replace(binds=[*plan.binds, *packages])

    def _rerun(self, shown: Shown) -> Texts:
        """What a cell shows when it is run again."""
        if shown.language == "python":
            if self._kernel is None:
                self._kernel = self._kernels.started(self._for_python, None)
            return self._in_kernel(self._kernel, shown, self._for_python)
        plan, node = self._for_node, self._prepared.node
        assert node is not None
        done = self._program.run(plan, program_of(node, plan.limits, shown.cell), self._prepared.files)
        if done.exit_code != 0:
            done.collected.part_uncaught()
        return texts_of(done.collected.pieces, outcome_of(done.exit_code, done.breach))

    def _in_kernel(self, box: Box, shown: Shown, plan: Plan) -> Texts:
        if self._program.is_stopped:  # since the kernel was started, perhaps
            return {}
        collected = Collected(2 * plan.limits.output_kb * 1024)
        try:
            box.send({"run": shown.source, "files": self._prepared.files})
            while "ended" not in (message := box.receive(plan.limits.wall_seconds + GRACE_SECONDS)):
                collected.take(message)
        except (Gone, Late):
            message = {"ended": 1, "breach": "gone"}
        if message.get("breach") is not None:
            box.end()
            self._kernel = None
        return texts_of(collected.pieces, outcome_of(message["ended"], message.get("breach")))

    def _masked(self, texts: list[Texts]) -> list[Texts]:
        plan = self._for_node if self._prepared.node is not None else self._for_python
        asked = json.dumps(asked_to_mask(self._patterns, texts))
        done = self._program.run(plan, [PYTHON, "-I", "-S", "-c", MASKING], {"masked.json": asked})
        self._must_go_on()
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
