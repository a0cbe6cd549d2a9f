"""Leases: who works on a step, until so many more records are written. No clock is asked."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import suggested
from thoughtbox.domains.mind.view.tasks import Step
from thoughtbox.errors import StepLeaseHeld, StepLeaseNotHeld
from thoughtbox.operations import Tx

TTL, LONGEST_TTL = 200, 10_000


class Lease(NamedTuple):
    """That an agent works on a step."""

    agent_id: str
    claimed_seq: int
    expires_seq: int


def lease_of(step: Step, last_seq: int) -> Lease | None:
    """The lease of a step, if it still holds."""
    held = step.details.get("lease")
    if held is None or held["expires_seq"] <= last_seq:
        return None
    return Lease(held["agent_id"], held["claimed_seq"], held["expires_seq"])


def must_be_free(tx: Tx, step: Step, agent_id: str | None) -> None:
    """Refuse to change a step that somebody else works on."""
    last_seq = tx.ledger.last_seq()
    lease = lease_of(step, last_seq)
    if lease is None or lease.agent_id == agent_id:
        return
    raise StepLeaseHeld(
        f"{step.id} is leased to {lease.agent_id} for {lease.expires_seq - last_seq} more records",
        recovery=f"Send agent_id={lease.agent_id} if that is you, or wait until the lease is released or over.",
        details={"step_id": step.id, "agent_id": lease.agent_id} | suggested([_look(tx, step)]),
    )


def must_hold(tx: Tx, step: Step, agent_id: str) -> Lease:
    """The lease of an agent; refuses whoever does not have it."""
    lease = lease_of(step, tx.ledger.last_seq())
    if lease is None or lease.agent_id != agent_id:
        holder = f"{lease.agent_id} has it" if lease else "nobody has it"
        raise StepLeaseNotHeld(
            f"{agent_id} has no lease of {step.id}: {holder}",
            recovery="tasks_step_lease_claim takes one that nobody has.",
            details={"step_id": step.id} | suggested([_look(tx, step)]),
        )
    return lease


def _look(tx: Tx, step: Step) -> Suggestion:
    params = {"workspace": tx.workspace, "task": step.task, "step_id": step.id}
    return Suggestion("tasks_step_lease_get", params, "See who works on the step", "high")
