"""Verbs of leases: who works on a step."""

from __future__ import annotations

from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.tasks import events
from thoughtbox.domains.mind.tasks.leases import Lease, lease_of, must_be_free, must_hold
from thoughtbox.domains.mind.tasks.models import ClaimLease, LeaseShown, ReleaseLease, StepNamed
from thoughtbox.domains.mind.tasks.shaping import GIVEN
from thoughtbox.domains.mind.tasks.shown import lease_shown, step_line
from thoughtbox.domains.mind.tasks.targets import step_named, target_of
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.errors import StepLeaseHeld, StepLeaseNotHeld, UnknownId
from thoughtbox.operations import Example, Tx

_STEP = {"task": "TASK-001", "path": "s:0"}
_CLAIM = ("tasks_step_lease_claim", {**_STEP, "agent_id": "agent-1"})


@room.operation(
    "tasks_step_lease_claim",
    writes=True,
    title="Take a step",
    toolsets=IN_FULL,
    errors=[UnknownId, StepLeaseHeld],
    example=Example(_CLAIM[1], given=GIVEN),
)
def tasks_step_lease_claim(tx: Tx, call: ClaimLease) -> LeaseShown:
    """Take a step that nobody works on, until so many more records are written: others cannot change it meanwhile."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    must_be_free(tx, step, call.agent_id)
    return _lease(tx, task, step, call, "claimed")


@room.operation(
    "tasks_step_lease_renew",
    writes=True,
    title="Keep a step for longer",
    toolsets=IN_FULL,
    errors=[UnknownId, StepLeaseNotHeld],
    example=Example(_CLAIM[1], given=[*GIVEN, _CLAIM]),
)
def tasks_step_lease_renew(tx: Tx, call: ClaimLease) -> LeaseShown:
    """Let a lease last for so many more records from now on."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    must_hold(tx, step, call.agent_id)
    return _lease(tx, task, step, call, "renewed")


def _lease(tx: Tx, task: Target, step: Step, call: ClaimLease, word: str) -> LeaseShown:
    seq = tx.ledger.last_seq() + 1
    before = lease_of(step, tx.ledger.last_seq())
    lease = Lease(call.agent_id, before.claimed_seq if before else seq, seq + call.ttl_seq)
    events.happened(
        tx,
        task,
        f"step_lease_{word}",
        f"{call.agent_id} works on {step.id} of {task.id}",
        {"step_id": step.id, **lease._asdict()},
        path=step.path,
        steps=[{"id": step.id, "details": {"lease": lease._asdict()}}],
    )
    return LeaseShown(task=task.id, step=step_line(step), lease=lease_shown(lease, tx.ledger.last_seq()))


@room.operation(
    "tasks_step_lease_release",
    writes=True,
    effect="ends",
    title="Give a step back",
    toolsets=IN_FULL,
    errors=[UnknownId, StepLeaseNotHeld],
    example=Example({**_STEP, "agent_id": "agent-1"}, given=[*GIVEN, _CLAIM]),
)
def tasks_step_lease_release(tx: Tx, call: ReleaseLease) -> LeaseShown:
    """Give a step back before its lease is over."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    must_hold(tx, step, call.agent_id)
    events.happened(
        tx,
        task,
        "step_lease_released",
        f"{call.agent_id} no longer works on {step.id} of {task.id}",
        {"step_id": step.id, "agent_id": call.agent_id},
        path=step.path,
        steps=[{"id": step.id, "details": {"lease": None}}],
    )
    return LeaseShown(task=task.id, step=step_line(step), lease=None)


@room.operation(
    "tasks_step_lease_get",
    title="See who works on a step",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(_STEP, given=[*GIVEN, _CLAIM]),
)
def tasks_step_lease_get(tx: Tx, call: StepNamed) -> LeaseShown:
    """Who works on a step, and for how many more records."""
    task = target_of(tx, call, ("task",))
    step = step_named(tx, task, call)
    last_seq = tx.ledger.last_seq()
    lease = lease_of(step, last_seq)
    return LeaseShown(task=task.id, step=step_line(step), lease=lease_shown(lease, last_seq) if lease else None)
