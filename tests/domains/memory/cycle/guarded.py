"""A caller of the guarded cycle, and the memory that it finds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.memory.cycle.phases import PHASES, Phase
from thoughtbox.domains.memory.episodes.cells import write_cell
from thoughtbox.domains.memory.episodes.recording import record_episode
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

T = TypeVar("T")

DRAFT = "The build cache is cold after every merge."
INPUTS: dict[Phase, dict[str, Any]] = {
    "SNAPSHOT": {"context": "builds", "context_keys": ["build"]},
    "ROUTER": {"user_input": "Why are builds slow?"},
    "DRAFT": {"draft": DRAFT},
}
"""What each phase needs to come to a good end; the others need nothing."""


class Guarded:
    """One caller: `cycle.snapshot()`, `cycle.until("DRAFT")`, and whatever else a box can be called with."""

    def __init__(self, box: Box, project: Path) -> None:
        self.box = box
        self.project = project
        project.mkdir(parents=True, exist_ok=True)

    def __getattr__(self, operation: str) -> Any:
        return getattr(self.box, operation)

    def snapshot(self, **given: Any) -> dict[str, Any]:
        return self.box.call("compliance_snapshot", given)

    def pack(self, session: int, **given: Any) -> dict[str, Any]:
        return self.box.call("memory.context_pack", {"session_id": session, **given})

    def phase(self, session: int, phase: Phase, **given: Any) -> dict[str, Any]:
        return self.box.call("guarded_cycle", {"session_id": session, "phase": phase, "input": given})

    def until(self, last: Phase, *, session: int | None = None, **given: Any) -> int:
        """A session that has come so far, every phase but the first through `guarded_cycle`; its id."""
        own = {phase: dict(found) for phase, found in INPUTS.items()}
        for phase, found in given.items():
            own[phase.upper()] = {**own.get(phase.upper(), {}), **found}  # ty: ignore[invalid-assignment]
        first = {**own["SNAPSHOT"], **({"session_id": session} if session is not None else {})}
        id = self.snapshot(**first)["session_id"]
        for phase in PHASES[1 : PHASES.index(last) + 1]:
            if phase not in self.status(id)["phases_skipped"]:
                self.phase(id, phase, **own.get(phase, {}))
        return id

    def status(self, session: int) -> dict[str, Any]:
        return self.box.call("memory_session_status", {"session_id": session})

    def inside(self, work: Callable[[Tx], T]) -> T:
        """Do something in a transaction of its own."""
        dispatcher = self.box.app.dispatcher
        operation = dispatcher.table.find("compliance_snapshot")
        call = Call(operation=operation.name, workspace=WORKSPACE, arguments={}, caller=Caller(agent="tester"))
        return self.box.app.engine.write(
            WORKSPACE, lambda sql: work(dispatcher._tx(sql, operation, call, writes=True))
        ).result()

    def knows(
        self,
        body: str,
        *,
        cell_type: str = "fact",
        source: str = "agent",
        trust: int = 1,
        state: str = "observed",
        keys: tuple[str, ...] = ("build",),
        scope: str = "project",
    ) -> int:
        """A cell with one episode behind it; its id."""

        def write(tx: Tx) -> int:
            episode = record_episode(
                tx, summary=body, outcome="success", source=source, trust=trust, scope=scope, context_keys=keys
            )
            return write_cell(
                tx,
                scope=scope,
                label="test",
                context_keys=keys,
                cell_type=cell_type,
                title=body,
                body=body,
                trust=trust,
                state=state,
                source=source,
                evidence=[episode],
            )

        return self.inside(write)

    def trust(self, cell: int) -> int:
        found = self.inside(lambda tx: tx.ask(Semantic).cell(cell))
        assert found is not None
        return found.trust
