"""Verbs that say what is to be done: plans, tasks, steps, and notes on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.arguments import TargetRef
from thoughtbox.domains.mind.envelope import Suggestion, suggest
from thoughtbox.domains.mind.refusals import choose_one, invalid
from thoughtbox.domains.mind.room import IN_CORE, IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.scope import NOTES, checked_out
from thoughtbox.domains.mind.steps import ref_of, step_of
from thoughtbox.domains.mind.tasks import events
from thoughtbox.domains.mind.tasks.changes import change_state, changed, must_come_first, patched
from thoughtbox.domains.mind.tasks.leases import must_be_free
from thoughtbox.domains.mind.tasks.models import (
    AddNote,
    Created,
    CreateTask,
    Decompose,
    Decomposed,
    DefineStep,
    EditTarget,
    NewStep,
    NoteAdded,
    PatchTarget,
    StepChanged,
    TargetChanged,
)
from thoughtbox.domains.mind.tasks.shown import event_shown, step_line, step_shown, target_shown
from thoughtbox.domains.mind.tasks.targets import (
    known_target,
    must_be_revision,
    named_kind,
    names_step,
    step_named,
    target_of,
)
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.errors import RevisionMismatch, StepLeaseHeld, UnknownId
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import Example, Tx

PLAN = ("tasks_create", {"title": "Move the cache"})
TASK = (
    "tasks_create",
    {
        "parent": "PLAN-001",
        "title": "Measure reads",
        "steps": [{"title": "Count reads", "success_criteria": ["Numbers for a week"], "tests": ["make bench"]}],
    },
)
GIVEN = [PLAN, TASK]
CHANGES = [UnknownId, RevisionMismatch]
STEP_CHANGES = [UnknownId, RevisionMismatch, StepLeaseHeld]
ABOUT_STEP = ("workspace", "target", "task", "plan", "path", "step_id", "agent_id", "expected_revision")


@room.operation(
    "tasks_create",
    writes=True,
    title="Begin a plan or a task",
    toolsets=IN_CORE,
    errors=[UnknownId],
    example=Example(TASK[1], given=[PLAN]),
)
def tasks_create(tx: Tx, call: CreateTask) -> Created:
    """Begin a plan, or a task of a plan with its first steps; each has a branch of its own for reasoning about it."""
    kind = call.kind or ("task" if call.parent is not None else "plan")
    parent = _parent(tx, kind, call)
    if kind == "plan" and (call.steps or call.reasoning_mode):
        raise invalid("a plan has a checklist and tasks, no steps", recovery="Send checklist, or kind=task.")
    if kind == "task" and call.checklist is not None:
        raise invalid("a task has steps, no checklist", recovery="Send steps.", field="checklist")
    must_come_first(tx, None, call.depends_on or ())
    checked_out(tx)  # a workspace has a branch of its own before it has one of a plan
    id = f"{kind.upper()}-{tx.ask(Tasks).next_number(kind):03d}"
    created = _create(tx, call, kind, id, parent)
    written = [created]
    steps: list[dict[str, Any]] = []
    if call.steps:
        record, steps = _add_steps(tx, known_target(tx, id), None, call.steps)
        written.append(record)
    suggest(tx, "tasks_focus_set", {"workspace": tx.workspace, kind: id}, f"Work on {id} without naming it each time")
    shown = [event_shown(record) for record in written]
    return Created(
        id=id,
        kind=kind,
        qualified_id=f"{tx.workspace}:{id}",
        revision=known_target(tx, id).revision,
        event=shown[0],
        events=shown if len(shown) > 1 else None,
        steps=steps or None,
    )


def _parent(tx: Tx, kind: str, call: CreateTask) -> str | None:
    if kind == "plan":
        if call.parent is not None:
            raise choose_one("a plan has no parent", "parent", "kind")
        return None
    parent: str | TargetRef | None = call.parent
    if parent is None and (focus := tx.ask(Documents).place("focus")) is not None:
        in_focus = known_target(tx, focus)
        parent = in_focus.id if in_focus.kind == "plan" else in_focus.parent
    if parent is None:
        raise invalid(
            "a task belongs to a plan, and none is named or in focus",
            recovery="Begin a plan first, then send its id as parent.",
            field="parent",
            hints=[{"kind": "missing_required", "field": "parent"}],
            suggestions=[
                Suggestion(
                    "tasks_create",
                    {"workspace": tx.workspace, "kind": "plan", "title": call.title},
                    "Begin a plan for it",
                    "high",
                )
            ],
        )
    return known_target(tx, named_kind(parent, "parent", ("plan",))).id


def _create(tx: Tx, call: CreateTask, kind: str, id: str, parent: str | None) -> Record:
    told = {
        name: getattr(call, name)
        for name in (
            *("description", "context", "contract", "contract_data", "priority", "tags", "depends_on"),
            *("checklist", "reasoning_mode"),
        )
    }
    details = {name: value for name, value in told.items() if value not in (None, [])}
    branch_id = records.write_branch(tx, "created", name=_free_name(tx, f"{kind}/{id}"), canonical=id)
    branch = tx.ask(Documents).branch_of(branch_id)
    assert branch is not None
    below = f" below {parent}" if parent else ""
    return events.write(
        tx,
        branch,
        id,
        0,
        f"{kind}_created",
        f"{id} is begun{below}: {call.title}",
        {"title": call.title, **present({"parent": parent}), **details},
        state={"kind": kind, **present({"parent": parent}), "title": call.title, "status": "TODO", "details": details},
    )


def _free_name(tx: Tx, name: str) -> str:
    """What the branch is called: `task/TASK-001`, unless somebody has taken that name for a branch of their own."""
    documents, free, tried = tx.ask(Documents), name, 1
    while documents.branch(free) is not None:
        tried += 1
        free = f"{name}-{tried}"
    return free


def _add_steps(
    tx: Tx, task: Target, parent: Step | None, given: Sequence[NewStep]
) -> tuple[Record, list[dict[str, Any]]]:
    tasks = tx.ask(Tasks)
    number, first = tasks.next_step_number(), tasks.next_ordinal(task.id, parent)
    above = f"{parent.path}." if parent else ""
    changes = [
        {
            "id": f"STEP-{number + place:08X}",
            **present({"parent": parent.id if parent else None}),
            "ordinal": first + place,
            "path": f"{above}s:{first + place}",
            "title": step.title,
            "details": {
                name: value for name, value in step.model_dump(exclude={"title"}).items() if value not in (None, [])
            },
        }
        for place, step in enumerate(given)
    ]
    added = [{"step_id": change["id"], "path": change["path"]} for change in changes]
    titles = [{**one, "title": change["title"]} for one, change in zip(added, changes, strict=True)]
    said = f"{task.id} has more steps: {'; '.join(step.title for step in given)}"
    record = events.happened(
        tx, task, "steps_added", said, {"steps": titles}, path=parent.path if parent else None, steps=changes
    )
    return record, added


@room.operation(
    "tasks_decompose",
    writes=True,
    title="Add steps to a task",
    toolsets=IN_DAILY,
    errors=CHANGES,
    example=Example({"task": "TASK-001", "steps": [{"title": "Draw the curve"}]}, given=GIVEN),
)
def tasks_decompose(tx: Tx, call: Decompose) -> Decomposed:
    """Add steps to a task, at the end or below one of its steps."""
    task = target_of(tx, call, ("task",))
    must_be_revision(tx, task, call.expected_revision)
    if task.status in ("DONE", "CANCELED"):
        raise invalid(
            f"{task.id} is {task.status}: nothing is added to it",
            recovery="Take it up again first.",
            suggestions=[
                Suggestion(
                    "tasks_complete",
                    {"workspace": tx.workspace, "task": task.id, "status": "ACTIVE"},
                    "Take it up again",
                    "high",
                )
            ],
        )
    parent = step_of(tx, task.id, call.parent, field="parent") if call.parent is not None else None
    record, steps = _add_steps(tx, task, parent, call.steps)
    return Decomposed(task=task.id, revision=task.revision + 1, steps=steps, event=event_shown(record))


@room.operation(
    "tasks_define",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Say what a step is",
    toolsets=IN_FULL,
    errors=STEP_CHANGES,
    example=Example({"task": "TASK-001", "path": "s:0", "next_action": "Turn counting on"}, given=GIVEN),
)
def tasks_define(tx: Tx, call: DefineStep) -> StepChanged:
    """Say what a step is: title, criteria, tests, blockers, next action. Changed criteria are to be confirmed anew."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    wanted = _given(call)
    change = changed(tx, step, wanted)
    record = _change_step(tx, task, step, change, call) if change else None
    return StepChanged(**step_told(tx, task, step), event=event_shown(record) if record else None)


def _given(call: DefineStep | EditTarget) -> dict[str, Any]:
    """The fields that a call says anything about."""
    names = [name for name in call.model_fields_set if name not in ABOUT_STEP and getattr(call, name) is not None]
    if not names:
        raise invalid("nothing is to be changed", recovery="Name a field and its value, such as title.")
    return {name: getattr(call, name) for name in sorted(names)}


def _change_step(tx: Tx, task: Target, step: Step, change: dict[str, Any], call: DefineStep | PatchTarget) -> Record:
    must_be_revision(tx, task, call.expected_revision)
    must_be_free(tx, step, call.agent_id)
    touched = {"success_criteria": "criteria", "tests": "tests"}
    stale = sorted({touched[name] for name in change if name in touched} & step.confirmed) if not step.completed else []
    return events.happened(
        tx,
        task,
        "step_defined",
        f"{step.id} of {task.id} is defined anew: {', '.join(sorted(change))}",
        {"step_id": step.id, "changed": change, **present({"unconfirmed": stale or None})},
        path=step.path,
        steps=[{"id": step.id, **change_state(change), **present({"confirmed": dict.fromkeys(stale, False) or None})}],
    )


def step_told(tx: Tx, task: Target, step: Step) -> dict[str, Any]:
    tasks = tx.ask(Tasks)
    now, whole = tasks.step(step.id), tasks.target(task.id)
    assert now is not None
    assert whole is not None
    return {"task": task.id, "revision": whole.revision, "step": step_shown(now, tx.ledger.last_seq())}


@room.operation(
    "tasks_edit",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Change a plan or task",
    toolsets=IN_FULL,
    errors=CHANGES,
    example=Example({"task": "TASK-001", "priority": "HIGH", "tags": ["a:cache"]}, given=GIVEN),
)
def tasks_edit(tx: Tx, call: EditTarget) -> TargetChanged:
    """Change fields of a plan or task; what is as wanted already is not written again."""
    target = target_of(tx, call)
    change = changed(tx, target, _given(call))
    record = _change_target(tx, target, change, call.expected_revision) if change else None
    return target_told(tx, target, record)


def _change_target(tx: Tx, target: Target, change: dict[str, Any], expected: int | None) -> Record:
    must_be_revision(tx, target, expected)
    return events.happened(
        tx,
        target,
        f"{target.kind}_edited",
        f"{target.id} is changed: {', '.join(sorted(change))}",
        {"changed": change},
        state=change_state(change),
    )


def target_told(tx: Tx, target: Target, record: Record | None) -> TargetChanged:
    now = known_target(tx, target.id)
    return TargetChanged(
        id=now.id,
        kind=now.kind,
        revision=now.revision,
        target=target_shown(now),
        event=event_shown(record) if record else None,
    )


@room.operation(
    "tasks_patch",
    writes=True,
    effect="overwrites",
    title="Patch a plan, task or step",
    toolsets=IN_FULL,
    errors=STEP_CHANGES,
    example=Example(
        {"task": "TASK-001", "path": "s:0", "ops": [{"op": "append", "field": "blockers", "value": "No numbers yet"}]},
        given=GIVEN,
    ),
)
def tasks_patch(tx: Tx, call: PatchTarget) -> TargetChanged:
    """Set, unset, append to or remove from fields of a plan or task, or of the step that path or step_id names."""
    if not names_step(call):
        target = target_of(tx, call)
        change = patched(tx, target, call.ops)
        record = _change_target(tx, target, change, call.expected_revision) if change else None
        return target_told(tx, target, record)
    target = target_of(tx, call, ("task",))
    step = step_named(tx, target, call)
    change = patched(tx, step, call.ops)
    record = _change_step(tx, target, step, change, call) if change else None
    told = target_told(tx, target, record)
    return told.model_copy(update={"step": step_told(tx, target, step)["step"]})


@room.operation(
    "tasks_note",
    writes=True,
    title="Note something on a task",
    toolsets=IN_DAILY,
    errors=CHANGES,
    example=Example({"task": "TASK-001", "path": "s:0", "note": "Reads peak at nine."}, given=GIVEN),
)
def tasks_note(tx: Tx, call: AddNote) -> NoteAdded:
    """Note something on a plan, task or step; it stands among the notes of the plan or task, too."""
    target = target_of(tx, call, ("task",) if names_step(call) else ("plan", "task"))
    must_be_revision(tx, target, call.expected_revision)
    step = step_named(tx, target, call) if names_step(call) else None
    record, note = note_on(tx, target, step, call.note)
    return NoteAdded(
        id=target.id,
        revision=target.revision + 1,
        step=step_line(step) if step else None,
        note_ref=f"{NOTES}@{note.seq}",
        note_seq=record.data["payload"]["note_seq"],
        event=event_shown(record),
    )


def note_on(tx: Tx, target: Target, step: Step | None, text: str, source: str = "tasks_note") -> tuple[Record, Record]:
    """Write a note on a plan, task or step: the event, and the same among its notes."""
    number = target.details.get("notes", 0) + 1
    where = f"{step.id} of {target.id}" if step else target.id
    record = events.happened(
        tx,
        target,
        "note_added",
        f"Note on {where}: {text}",
        {"note": text, "note_seq": number, **present({"step_id": step.id if step else None})},
        path=step.path if step else None,
        state={"details": {"notes": number}},
    )
    branch = events.canonical_branch(tx, target.id)
    meta = {
        "source": source,
        "task_id": target.id,
        **({"step_id": step.id, "path": step.path, "step": ref_of(step).meta()} if step else {}),
        "note_seq": number,
        "event_id": record.data["eventId"],
    }
    return record, records.write_note(tx, branch.id, branch.name, NOTES, text, meta=meta)
