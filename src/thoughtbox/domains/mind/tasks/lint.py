"""What is wrong with a plan or task, and calls that mend it: pure logic over what was read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from thoughtbox import content
from thoughtbox.domains.mind.stubs import is_stub
from thoughtbox.domains.mind.tasks.fields import PROVED, anchors, proof_mode, required
from thoughtbox.domains.mind.tasks.radar import ACTIVE_LIMIT
from thoughtbox.domains.mind.view.tasks import Step, Target

FILE = "mind/lint.toml"
RESEARCH = re.compile(r"research|investigat|explor|hypothes|analy[sz]", re.IGNORECASE)
MOST_ISSUES = 50
LONGEST_SLUG = 40


@dataclass(frozen=True)
class Patch:
    """A call that mends an issue when it is sent as it stands."""

    tool: str
    arguments: Mapping[str, Any]
    note: str | None = None


@dataclass(frozen=True)
class Issue:
    code: str
    about: Target | Step
    values: Mapping[str, object] = field(default_factory=dict)
    patch: Patch | None = None


@dataclass(frozen=True)
class Facts:
    """What is known of a plan or task."""

    target: Target
    steps: Sequence[Step] = ()
    """Its open steps, in order."""
    total_steps: int = 0
    open_steps: int = 0
    tasks: Sequence[Target] = ()
    """Of a plan: some of its tasks, in order."""
    active: Sequence[Target] = ()
    """Of a plan: its active tasks."""
    leased: frozenset[str] = frozenset()
    """Steps that somebody works on: nobody else can mend them."""


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(content.text(FILE))


def issues(facts: Facts) -> list[Issue]:
    """All that is wrong, in a fixed order."""
    found = _of_plan(facts) if facts.target.kind == "plan" else _of_task(facts)
    return [_mendable(issue, facts.leased) for issue, _ in zip(found, range(MOST_ISSUES), strict=False)]


def _mendable(issue: Issue, leased: frozenset[str]) -> Issue:
    if issue.patch is None or issue.patch.arguments.get("step_id") not in leased:
        return issue
    return replace(issue, patch=None)


def _of_plan(facts: Facts) -> Iterator[Issue]:
    plan = facts.target
    checklist = plan.details.get("checklist", [])
    if not checklist:
        items = [task.title for task in facts.tasks] or [plan.title]
        yield Issue("NO_CHECKLIST", plan, patch=Patch("tasks_edit", {"plan": plan.id, "checklist": items}))
    current = plan.details.get("plan_current")
    if current is not None and current >= len(checklist):
        mended = {"op": "set", "field": "plan_current", "value": len(checklist) - 1}
        if not checklist:
            mended = {"op": "unset", "field": "plan_current"}
        values = {"current": current, "count": len(checklist)}
        patch = Patch("tasks_patch", {"plan": plan.id, "ops": [mended]})
        yield Issue("CHECKLIST_INDEX_OUT_OF_RANGE", plan, values, patch)
    for task in facts.active:
        if not anchors(task.details.get("tags", [])):
            yield Issue("ACTIVE_TASKS_MISSING_ANCHOR", task, patch=_anchored(task))
    if len(facts.active) > ACTIVE_LIMIT:
        rested = min(facts.active, key=lambda task: (task.updated_ms, task.number))
        values = {"count": len(facts.active), "limit": ACTIVE_LIMIT, "task": rested.id}
        yield Issue(
            "ACTIVE_LIMIT_EXCEEDED", plan, values, Patch("tasks_complete", {"task": rested.id, "status": "PARKED"})
        )


def _anchored(task: Target) -> Patch:
    words = task.details.get("component") or task.details.get("domain") or task.title
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:LONGEST_SLUG].strip("-") or "work"
    ops = [{"op": "append", "field": "tags", "value": f"a:{slug}"}]
    return Patch("tasks_patch", {"task": task.id, "ops": ops}, "Take an anchor that is there already, if one fits.")


def _of_task(facts: Facts) -> Iterator[Issue]:
    task = facts.target
    if task.status in ("DONE", "CANCELED"):
        return
    if task.status == "ACTIVE" and facts.total_steps and not facts.open_steps:
        yield Issue("ACTIVE_NO_OPEN_STEPS", task, patch=Patch("tasks_complete", {"task": task.id}))
    if not anchors(task.details.get("tags", [])):
        yield Issue("MISSING_ANCHOR", task, patch=_anchored(task))
    if not facts.total_steps:
        steps = [{"title": task.title}]
        yield Issue("NO_STEPS", task, patch=Patch("tasks_decompose", {"task": task.id, "steps": steps}))
    if task.details.get("reasoning_mode") == "strict" and facts.steps and not _asks_for_proof(facts.steps):
        yield Issue("MISSING_PROOF_PLAN", task, patch=_defined(facts.steps[0], proof_tests_mode="require"))
    for place, step in enumerate(facts.steps):
        yield from _of_step(task, step, is_next=place == 0)


def _asks_for_proof(steps: Sequence[Step]) -> bool:
    return any(proof_mode(step.details, name) != "off" for step in steps for name in PROVED)


def _of_step(task: Target, step: Step, *, is_next: bool) -> Iterator[Issue]:
    details = step.details
    if _is_missing(details.get("success_criteria")):
        patch = _filled(step, success_criteria=["<fill in: how one sees that it is done>"])
        yield Issue("MISSING_CRITERIA", step, patch=patch)
    if _is_missing(details.get("tests")):
        yield Issue("MISSING_TESTS", step, patch=_filled(step, tests=["<fill in: how that is checked>"]))
    for name in required(details):
        if name not in ("criteria", "tests") and name not in step.confirmed:
            arguments = {"task": step.task, "step_id": step.id, "checkpoints": {name: True}}
            note = "Send it once that is so."
            yield Issue(f"MISSING_{name.upper()}", step, patch=Patch("tasks_verify", arguments, note))
    if is_next and _is_missing(details.get("next_action")):
        tests = [] if _is_missing(details.get("tests")) else details["tests"]
        first = f"Run {tests[0]}" if tests else "<fill in: what to do first>"
        yield Issue("MISSING_NEXT_ACTION", step, patch=_filled(step, next_action=first))
    if RESEARCH.search(f"{task.title}\n{step.title}") and _is_missing(details.get("stop_criteria")):
        patch = _filled(step, stop_criteria="<fill in: when to stop looking>")
        yield Issue("RESEARCH_MISSING_STOP_CRITERIA", step, patch=patch)
    shown = details.get("evidence", {})
    for name in PROVED:
        if proof_mode(details, name) != "off" and not shown.get(name, {}).get("receipts"):
            yield Issue(f"MISSING_PROOF_{name.upper()}", step)
    if details.get("blocked") or details.get("blockers"):
        why = "; ".join(
            [*([details["block_reason"]] if details.get("block_reason") else []), *details.get("blockers", [])]
        )
        yield Issue("BLOCKED_STEPS", step, {"why": why or "it is marked as blocked"})


def _is_missing(value: Any) -> bool:
    """Whether nobody has said anything yet."""
    if not value:
        return True
    said = [value] if isinstance(value, str) else value
    return all(map(is_stub, said))


def _defined(step: Step, **fields: Any) -> Patch:
    return Patch("tasks_define", {"task": step.task, "step_id": step.id, **fields})


def _filled(step: Step, **fields: Any) -> Patch:
    patch = _defined(step, **fields)
    waits = any(is_stub(str(value)) for value in fields.values())
    return Patch(patch.tool, patch.arguments, "Write your own words in place of <fill in: …>." if waits else None)


def issue_shown(issue: Issue) -> dict[str, Any]:
    text = texts()[issue.code]
    values = {"name": _name(issue.about), **issue.values}
    severity = text["severity"]
    if issue.code.startswith("MISSING_PROOF_") and isinstance(issue.about, Step):
        name = issue.code.removeprefix("MISSING_PROOF_").lower()
        severity = "error" if proof_mode(issue.about.details, name) == "require" else "warning"
    return {
        "severity": severity,
        "kind": issue.about.kind if isinstance(issue.about, Target) else "step",
        "code": issue.code,
        "message": text["message"].format_map(values),
        "recovery": text["recovery"],
        "target": _where(issue.about),
    }


def patch_shown(issue: Issue, workspace: str) -> dict[str, Any] | None:
    if issue.patch is None:
        return None
    return {
        "id": f"{issue.code.lower()}:{issue.about.id}",
        "purpose": texts()[issue.code]["purpose"].format_map(issue.values),
        "apply": {"tool": issue.patch.tool, "arguments": {"workspace": workspace, **issue.patch.arguments}},
        **({"notes": issue.patch.note} if issue.patch.note else {}),
    }


def _name(about: Target | Step) -> str:
    if isinstance(about, Target):
        return f"{about.kind.capitalize()} {about.id} “{about.title}”"
    return f"Step {about.path} “{about.title}”"


def _where(about: Target | Step) -> dict[str, str]:
    if isinstance(about, Target):
        return {"id": about.id}
    return {"id": about.task, "step_id": about.id, "path": about.path}
