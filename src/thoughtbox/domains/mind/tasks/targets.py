"""Which plan, task or step a call is about, and whether it may still be changed as the caller thinks."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.arguments import TargetRef
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import choose_one, invalid, suggested
from thoughtbox.domains.mind.scope import missing_target, target_id, unknown_target
from thoughtbox.domains.mind.steps import no_open_step, step_of
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.errors import RevisionMismatch
from thoughtbox.operations import Tx

NAMES = ("target", "task", "plan")


def named_target(call: Any, kinds: tuple[str, ...] = ("plan", "task")) -> str | None:
    """The id of the plan or task that a call names, under any of the names that it goes by."""
    given = {name: value for name in NAMES if (value := getattr(call, name, None)) is not None}
    if len(given) > 1:
        raise choose_one(f"{' and '.join(f'`{name}`' for name in given)} name what it is about twice", *given)
    for name, value in given.items():
        return named_kind(value, name, (name,) if name != "target" else kinds)
    return None


def named_kind(value: str | TargetRef, name: str, kinds: tuple[str, ...]) -> str:
    id = target_id(value, name)
    allowed = [f"{kind.upper()}-" for kind in kinds]
    if id is None or not id.startswith(tuple(allowed)):
        raise invalid(
            f"`{name}` is no {' or '.join(kinds)}: {id}",
            recovery=f"It looks like {' or '.join(f'{prefix}001' for prefix in allowed)}.",
            field=name,
            hints=[{"kind": "prefix", "field": name, "allowed": allowed}],
        )
    return id


def target_of(tx: Tx, call: Any, kinds: tuple[str, ...] = ("plan", "task")) -> Target:
    """The plan or task that a call is about: the one it names, or the one in focus."""
    named = named_target(call, kinds)
    id = named if named is not None else tx.ask(Documents).place("focus")
    if id is None or (named is None and not id.startswith(tuple(kind.upper() for kind in kinds))):
        why = f"the focus is {id}, which is none" if id is not None else "nothing is in focus"
        raise missing_target(tx, why, kinds)
    return known_target(tx, id)


def known_target(tx: Tx, id: str) -> Target:
    found = tx.ask(Tasks).target(id)
    if found is None:
        raise unknown_target(tx, id)
    return found


def step_named(tx: Tx, task: Target, call: Any) -> Step:
    """The step that a call is about: the one it names, or the first open one."""
    if call.path is not None and call.step_id is not None:
        raise choose_one("`path` and `step_id` name the step twice", "path", "step_id")
    field, named = ("path", call.path) if call.path is not None else ("step_id", call.step_id)
    if named is None:
        found = tx.ask(Tasks).first_open(task.id)
        if found is None:
            raise no_open_step(tx, task.id)
        return found
    return step_of(tx, task.id, named, field=field)


def names_step(call: Any) -> bool:
    return call.path is not None or call.step_id is not None


def must_be_revision(tx: Tx, target: Target, expected: int | None) -> None:
    """Refuse a change that was thought of before another one was made."""
    if expected is None or expected == target.revision:
        return
    look = Suggestion(
        "tasks_radar", {"workspace": tx.workspace, target.kind: target.id}, "See what it has become", "high"
    )
    raise RevisionMismatch(
        f"{target.id} has changed: expected={expected} actual={target.revision}",
        recovery=f"Look at it again, then send expected_revision={target.revision}.",
        details={"expected": expected, "actual": target.revision} | suggested([look]),
    )
