"""Verbs that bring work to its end: checkpoints, evidence, closing steps, completing plans and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thoughtbox.domains.mind.envelope import Suggestion, suggest, warn
from thoughtbox.domains.mind.refusals import choose_one, invalid, suggested
from thoughtbox.domains.mind.room import IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.tasks import events
from thoughtbox.domains.mind.tasks.closing import confirming, receipts, unproved
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, required
from thoughtbox.domains.mind.tasks.leases import must_be_free
from thoughtbox.domains.mind.tasks.models import (
    CaptureEvidence,
    CheckpointState,
    CloseStep,
    CompleteTarget,
    EvidenceCaptured,
    FinishStep,
    Override,
    StepChanged,
    StepClosed,
    TargetChanged,
    VerifyStep,
)
from thoughtbox.domains.mind.tasks.shaping import GIVEN, STEP_CHANGES, note_on, step_told, target_told
from thoughtbox.domains.mind.tasks.shown import event_shown, step_line
from thoughtbox.domains.mind.tasks.targets import (
    known_target,
    must_be_revision,
    names_step,
    step_named,
    target_of,
)
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.errors import CheckpointsMissing, ProofRequired, ReasoningRequired, RevisionMismatch, UnknownId
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import Example, Tx

if TYPE_CHECKING:
    from thoughtbox.domains.mind.tasks.gate import Gaps

CLOSED = "CANCELED", "DONE"
_VERIFY = ("tasks_verify", {"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": True, "tests": True}})
_CLOSE = ("tasks_close_step", {"task": "TASK-001", "path": "s:0", "checkpoints": "gate"})


@room.operation(
    "tasks_verify",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Confirm checkpoints of a step",
    toolsets=IN_FULL,
    errors=STEP_CHANGES,
    example=Example(_VERIFY[1], given=GIVEN),
)
def tasks_verify(tx: Tx, call: VerifyStep) -> StepChanged:
    """Confirm what closing a step needs: that its criteria are met and tests pass, and the rest where it matters."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    change = confirming(step, call.checkpoints)
    record = None
    if change:
        must_be_revision(tx, task, call.expected_revision)
        must_be_free(tx, step, call.agent_id)
        record = _verify(tx, task, step, change, _said_of(call.checkpoints))
    return StepChanged(**step_told(tx, task, step), event=event_shown(record) if record else None)


def _said_of(given: Any) -> dict[str, str]:
    """What was said about checkpoints, by name."""
    if given is None or isinstance(given, str):
        return {}
    states = {name: getattr(given, name) for name in CHECKPOINTS}
    return {name: state.note for name, state in states.items() if isinstance(state, CheckpointState) and state.note}


def _verify(tx: Tx, task: Target, step: Step, change: dict[str, bool], notes: dict[str, str]) -> Record:
    words = ", ".join(f"{name} {'confirmed' if value else 'open again'}" for name, value in change.items())
    return events.happened(
        tx,
        task,
        "step_verified",
        f"{step.id} of {task.id}: {words}",
        {"step_id": step.id, "checkpoints": change, **present({"notes": notes or None})},
        path=step.path,
        steps=[{"id": step.id, "confirmed": change}],
    )


@room.operation(
    "tasks_evidence_capture",
    writes=True,
    title="Keep evidence for a step",
    toolsets=IN_FULL,
    errors=[UnknownId, RevisionMismatch],
    example=Example(
        {"task": "TASK-001", "path": "s:0", "checkpoint": "tests", "checks": ["CMD: make bench"]}, given=GIVEN
    ),
)
def tasks_evidence_capture(tx: Tx, call: CaptureEvidence) -> EvidenceCaptured:
    """Keep what was run and seen, and link it to checkpoints of a step; without an open step, to the plan or task."""
    target = target_of(tx, call, ("task",) if names_step(call) else ("plan", "task"))
    must_be_revision(tx, target, call.expected_revision)
    checkpoints = [call.checkpoint] if isinstance(call.checkpoint, str) else list(dict.fromkeys(call.checkpoint or ()))
    checks, attachments, items = call.checks or [], call.attachments or [], call.items or []
    if not (checks or attachments or items):
        raise invalid("there is no evidence in it", recovery='Send checks, such as ["CMD: make test"].', field="checks")
    step = step_named(tx, target, call) if names_step(call) else tx.ask(Tasks).first_open(target.id)
    if step is None and checkpoints:
        raise invalid(
            f"{target.id} has no open step whose checkpoints it could prove",
            recovery="Name a step, or leave checkpoint out.",
            field="checkpoint",
        )
    found = receipts([*checks, *attachments], items)
    evidence = {"checkpoints": checkpoints, "checks": checks, "attachments": attachments, "items": items}
    where = f"{step.id} of {target.id}" if step else target.id
    record = events.happened(
        tx,
        target,
        "evidence_captured",
        f"Evidence for {where}: {'; '.join([*checks, *attachments]) or f'{len(items)} items'}",
        {**present({"step_id": step.id if step else None}), **evidence, "receipts": found},
        path=step.path if step else None,
        steps=[_linked(step, checkpoints, found)] if step and checkpoints else (),
    )
    if not found:
        warn(
            tx,
            "PROOF_WEAK",
            "Nothing in it says what was run or where the result is, so that it proves nothing by itself.",
            'Capture it again with a line "CMD: …" in checks, or "LINK: …" in attachments.',
        )
    return EvidenceCaptured(
        id=target.id,
        revision=target.revision + 1,
        step=step_line(step) if step else None,
        evidence={**evidence, "receipts": found},
        event=event_shown(record),
    )


def _linked(step: Step, checkpoints: list[Any], found: int) -> dict[str, Any]:
    known = {name: dict(counts) for name, counts in step.details.get("evidence", {}).items()}
    for name in checkpoints:
        before = known.get(name, {"count": 0, "receipts": 0})
        known[name] = {"count": before["count"] + 1, "receipts": before["receipts"] + found}
    return {"id": step.id, "details": {"evidence": known}}


@room.operation(
    "tasks_done",
    writes=True,
    effect="ends",
    idempotent=True,
    title="Close a step that is verified",
    toolsets=IN_FULL,
    errors=[*STEP_CHANGES, CheckpointsMissing, ProofRequired, ReasoningRequired],
    example=Example({"task": "TASK-001", "path": "s:0"}, given=[*GIVEN, _VERIFY]),
)
def tasks_done(tx: Tx, call: FinishStep) -> StepClosed:
    """Close a step whose checkpoints are confirmed."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    return _close(tx, task, step, call, {}, {}, None)


@room.operation(
    "tasks_close_step",
    writes=True,
    effect="ends",
    idempotent=True,
    title="Confirm and close a step",
    toolsets=IN_DAILY,
    errors=[*STEP_CHANGES, CheckpointsMissing, ProofRequired, ReasoningRequired],
    example=Example(_CLOSE[1], given=GIVEN),
)
def tasks_close_step(tx: Tx, call: CloseStep) -> StepClosed:
    """Confirm checkpoints of a step and close it, in one go: the first open step when none is named."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    return _close(tx, task, step, call, confirming(step, call.checkpoints), _said_of(call.checkpoints), call.override)


def _close(
    tx: Tx,
    task: Target,
    step: Step,
    call: FinishStep | CloseStep,
    change: dict[str, bool],
    notes: dict[str, str],
    override: Override | None,
) -> StepClosed:
    if step.completed:
        warn(tx, "ALREADY_DONE", f"{step.id} of {task.id} is closed already; nothing was written.", "Nothing to do.")
        return _closed(tx, task, step, [])
    must_be_revision(tx, task, call.expected_revision)
    must_be_free(tx, step, call.agent_id)
    gaps = _gaps(tx, task, step)
    _must_be_confirmed(tx, task, step, call, change, may_close=not unproved(step, "require") and gaps is None)
    _must_be_proved(tx, task, step)
    if gaps is not None and override is None:
        raise _reasoning_required(task, step, gaps)
    written = []
    if change:
        written.append(_verify(tx, task, step, change, notes))
    if override is not None:
        written += _overridden(tx, known_target(tx, task.id), step, override, needed=gaps is not None)
    written.append(
        events.happened(
            tx,
            known_target(tx, task.id),
            "step_done",
            f"{step.id} of {task.id} is done: {step.title}",
            {"step_id": step.id, "title": step.title},
            path=step.path,
            steps=[{"id": step.id, "completed": True, "details": {"lease": None}}],
        )
    )
    return _closed(tx, task, step, written)


def _gaps(tx: Tx, task: Target, step: Step) -> Gaps | None:
    """What keeps the step of a strict task open."""
    if task.details.get("reasoning_mode") != "strict":
        return None
    from thoughtbox.domains.mind.tasks.gate import has_gaps, reasoning_gaps

    return gaps if has_gaps(gaps := reasoning_gaps(tx, task, step)) else None


def _closed(tx: Tx, task: Target, step: Step, written: list[Record]) -> StepClosed:
    following = tx.ask(Tasks).first_open(task.id)
    if following is None and task.status not in CLOSED:
        suggest(
            tx,
            "tasks_complete",
            {"workspace": tx.workspace, "task": task.id},
            f"Every step of {task.id} is done",
            "high",
        )
    return StepClosed(
        **step_told(tx, task, step),
        events=[event_shown(record) for record in written],
        next_step=step_line(following) if following else None,
    )


def _must_be_confirmed(
    tx: Tx, task: Target, step: Step, call: FinishStep | CloseStep, change: dict[str, bool], *, may_close: bool
) -> None:
    confirmed = (step.confirmed | {name for name, value in change.items() if value}) - {
        name for name, value in change.items() if not value
    }
    missing = [name for name in required(step.details) if name not in confirmed]
    if not missing:
        return
    tool = "tasks_close_step" if may_close else "tasks_verify"
    params = {"workspace": tx.workspace, "task": task.id, "step_id": step.id, "checkpoints": "gate"}
    agent = {"agent_id": call.agent_id} if call.agent_id is not None else {}
    reason = f"Confirm {' and '.join(missing)}, once that is so{', and close it' if may_close else ''}"
    raise CheckpointsMissing(
        f"{step.id} of {task.id} is not confirmed: {', '.join(missing)}",
        recovery='Send checkpoints="gate" to tasks_close_step once they hold.',
        details={"missing": missing} | suggested([Suggestion(tool, params | agent, reason, "high")]),
    )


def _must_be_proved(tx: Tx, task: Target, step: Step) -> None:
    if lacking := unproved(step, "require"):
        raise ProofRequired(
            f"{step.id} needs proof of {', '.join(lacking)}: evidence that names what was run or where the result is",
            recovery=f'Send tasks_evidence_capture with task="{task.id}", step_id="{step.id}", '
            f'checkpoint="{lacking[0]}" and checks such as ["CMD: make test"].',
            details={"missing": lacking},
        )
    if weak := unproved(step, "warn"):
        warn(
            tx,
            "PROOF_WEAK",
            f"{step.id} is closed without proof of {', '.join(weak)}.",
            f'tasks_evidence_capture with step_id="{step.id}", checkpoint="{weak[0]}" keeps what was run.',
        )


def _reasoning_required(task: Target, step: Step, gaps: Gaps) -> ReasoningRequired:
    signals, calls, stubs = gaps
    why = "; ".join(signal.message for signal in signals) or f"no card is about {step.id}"
    waiting = f"; what is not filled in does not count: {', '.join(stubs)}" if stubs else ""
    way_out = "Write what the stubs leave open as cards of your own" if stubs else "Make the suggested calls"
    return ReasoningRequired(
        f"{task.id} is strict, and {step.id} is not argued yet: {why}{waiting}",
        recovery=f"{way_out}, or send override with reason and risk to tasks_close_step.",
        details={"signals": [signal.code for signal in signals]}
        | suggested([Suggestion(call.tool, call.params, "Argue the step first", "high") for call in calls]),
    )


def _overridden(tx: Tx, task: Target, step: Step, override: Override, *, needed: bool) -> list[Record]:
    if not needed:
        warn(tx, "NOTE_IGNORED", "Nothing stood in the way, so that the override was not noted.", "Nothing to do.")
        return []
    text = f"Closed against the strict gate. Reason: {override.reason}\nRisk: {override.risk}"
    record, note = note_on(tx, task, step, text, source="strict_override")
    warn(
        tx,
        "STRICT_OVERRIDE_APPLIED",
        f"{step.id} is closed against the strict gate; reason and risk stand in notes@{note.seq}.",
        "Argue it later with cards of the step, if the risk comes true.",
    )
    return [record]


@room.operation(
    "tasks_complete",
    writes=True,
    effect="ends",
    idempotent=True,
    title="Complete, park or take up a plan or task",
    toolsets=IN_DAILY,
    errors=[UnknownId, RevisionMismatch],
    example=Example({"task": "TASK-001"}, given=[*GIVEN, _CLOSE]),
)
def tasks_complete(tx: Tx, call: CompleteTarget) -> TargetChanged:
    """Give a plan or task another status; a task is DONE only when all of its steps are."""
    target = target_of(tx, call)
    until = _parked_until(tx, call)
    if target.status == call.status and until in (None, target.details.get("parked_until_ts_ms")):
        warn(tx, "ALREADY_DONE", f"{target.id} is {call.status} already; nothing was written.", "Nothing to do.")
        return target_told(tx, target, None)
    must_be_revision(tx, target, call.expected_revision)
    counts = tx.ask(Tasks).step_counts(target.id)
    if call.status == "DONE" and counts.open:
        raise invalid(
            f"steps not completed: {counts.open} of {counts.total} of {target.id} are open",
            recovery="Close them with tasks_close_step first.",
            field="status",
            suggestions=[
                Suggestion(
                    "tasks_radar", {"workspace": tx.workspace, "task": target.id}, "See which step is next", "high"
                )
            ],
        )
    word = {"DONE": "completed", "TODO": "reopened", "ACTIVE": "activated"}.get(call.status, call.status.lower())
    record = events.happened(
        tx,
        target,
        f"{target.kind}_{word}",
        f"{target.id} is {call.status}: {target.title}",
        {"status": call.status, "previous": target.status, **present({"parked_until_ts_ms": until})},
        state={"status": call.status, "details": {"parked_until_ts_ms": until}},
    )
    return target_told(tx, target, record)


def _parked_until(tx: Tx, call: CompleteTarget) -> int | None:
    if call.parked_for_s is not None and call.parked_until_ts_ms is not None:
        raise choose_one("both say until when it is parked", "parked_for_s", "parked_until_ts_ms")
    if call.status != "PARKED" and (call.parked_for_s is not None or call.parked_until_ts_ms is not None):
        raise invalid(f"what is {call.status} is not parked", recovery="Send status=PARKED.", field="status")
    return tx.now_ms + call.parked_for_s * 1000 if call.parked_for_s is not None else call.parked_until_ts_ms
