"""Which step of a task something is about: the first open one, or one by its id or path."""

from __future__ import annotations

import re
from typing import NamedTuple

from thoughtbox.domains.mind.envelope import Suggestion, warn
from thoughtbox.domains.mind.refusals import choose_one, invalid, unknown
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.view.tasks import Step, Tasks
from thoughtbox.operations import Tx

FOCUS = "focus"
STEP_ID = re.compile(r"STEP-[0-9A-F]{8}")
STEP_PATH = re.compile(r"s:(?:0|[1-9][0-9]{0,8})(?:\.s:(?:0|[1-9][0-9]{0,8}))*")


class StepRef(NamedTuple):
    """A step, by all that it is known by."""

    task_id: str
    step_id: str
    path: str

    @property
    def tag(self) -> str:
        """What cards about it are tagged with."""
        return step_tag(self.step_id)

    def meta(self) -> dict[str, str]:
        return self._asdict()


def step_tag(step_id: str) -> str:
    return f"step:{step_id.lower()}"


def ref_of(step: Step) -> StepRef:
    return StepRef(step.task, step.id, step.path)


def resolve_step(tx: Tx, scope: Scope, step: str | None, *, overridden: bool) -> StepRef | None:
    """The step that a call is about, if it names one. `overridden` says that it names a branch or document itself."""
    if step is None:
        return None
    if overridden:
        raise choose_one("`step` goes with a task, not with a branch or document of your own", "step", "branch")
    if scope.target is None or not scope.target.startswith("TASK-"):
        if scope.target is not None and not scope.is_focus:
            raise invalid(
                f"`step` goes with a task, and `{scope.target}` is a plan",
                recovery="Name a task as target, or leave step out.",
                field="step",
                hints=[{"kind": "prefix", "field": "target", "allowed": ["TASK-"]}],
            )
        warn(
            tx,
            "STEP_CONTEXT_IGNORED",
            f"No task is in focus, so that `{step[:80]}` is no step of anything; the call was made without it.",
            "Name a task as target, or set the focus to one with tasks_focus_set.",
        )
        return None
    return ref_of(step_of(tx, scope.target, step))


def step_of(tx: Tx, task: str, step: str, *, field: str = "step") -> Step:
    """A step of a task; refuses what is none. `field` is the argument that names it."""
    tasks = tx.ask(Tasks)
    if step == FOCUS:
        found = tasks.first_open(task)
        if found is None:
            raise no_open_step(tx, task)
        return found
    if STEP_ID.fullmatch(step.upper()):
        found = tasks.step(step.upper())
        if found is None or found.task != task:
            raise _unknown_step(tx, task, step)
        return found
    if not STEP_PATH.fullmatch(step):
        raise invalid(
            f"`{field}` names no step: {step[:80]}",
            recovery="Send focus for the first open one, an id such as STEP-00000001, or a path such as s:0.s:1.",
            field=field,
        )
    found = tasks.step_at(task, step)
    if found is None:
        raise _unknown_step(tx, task, step)
    return found


def no_open_step(tx: Tx, task: str) -> Exception:
    """For a call about the first open step of a task that has none."""
    return invalid(
        f"{task} has no open step",
        recovery="Name a step by its id or path, or add one with tasks_decompose.",
        field="step",
        suggestions=[_look(tx, task)],
    )


def _unknown_step(tx: Tx, task: str, step: str) -> Exception:
    return unknown(
        f"step of {task}",
        step[:80],
        recovery="tasks_radar shows the first open one, tasks_resume_super all of them.",
        suggestions=[_look(tx, task)],
    )


def _look(tx: Tx, task: str) -> Suggestion:
    return Suggestion("tasks_radar", {"workspace": tx.workspace, "task": task}, "See which steps the task has", "high")
