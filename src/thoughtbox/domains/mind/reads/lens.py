"""How a read looks at a graph: where, through which view, with drafts or without, and about which step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thoughtbox.domains.mind.reads.models import InView, Reading
from thoughtbox.domains.mind.refusals import choose_one
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.selection import ViewName
from thoughtbox.domains.mind.steps import StepRef, resolve_step
from thoughtbox.domains.mind.view.documents import Narrowed
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc
from thoughtbox.operations import Tx


@dataclass(frozen=True, slots=True)
class Lens:
    scope: Scope
    graph: GraphDoc
    view: ViewName
    drafts: bool
    step: StepRef | None

    @property
    def step_tag(self) -> str | None:
        return self.step.tag if self.step is not None else None

    @property
    def step_focus(self) -> dict[str, Any] | None:
        return self.step.meta() if self.step is not None else None

    @property
    def lane(self) -> str:
        return "all" if self.drafts else "shared"

    @property
    def entries(self) -> Narrowed:
        """Which entries of documents are in sight: those of the step, drafts or not; or all but drafts."""
        if self.step is None:
            return Narrowed(drafts=self.drafts)
        return Narrowed(task=self.step.task_id, path=self.step.path)


def lens_of(tx: Tx, scope: Scope, call: Reading, overrides: Mapping[str, str | None]) -> Lens:
    """The lens of a call. `overrides` are its arguments that name a branch or document, with which no step goes."""
    given = [name for name, value in overrides.items() if value is not None]
    if call.step is not None and given:
        raise choose_one(f"`step` goes with a task, and `{given[0]}` says to look elsewhere", "step", given[0])
    view = view_of(call)
    step = resolve_step(tx, scope, call.step, overridden=False)
    graph = tx.ask(Graph).of(scope.branch, scope.graph)
    return Lens(scope, graph, view, call.drafts or view == "audit", step)


def view_of(call: Reading) -> ViewName:
    """Without a view, the closer look when there is a budget for the context, and otherwise the wider one."""
    named = call.view if isinstance(call, InView) else None
    return named or ("smart" if call.context_budget is not None else "explore")
