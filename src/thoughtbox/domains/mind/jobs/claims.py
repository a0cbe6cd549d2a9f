"""Who works on a job: taken by one runner at a time, and proved by the revision that the claim has made."""

from __future__ import annotations

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.jobs.job import QUEUED, RUNNING, Job
from thoughtbox.domains.mind.refusals import suggested
from thoughtbox.errors import Conflict
from thoughtbox.operations import Tx


def must_be_free(tx: Tx, job: Job, *, now_ms: int, runner: str, allow_stale: bool) -> None:
    """Refuse to hand out a job that is over, or that somebody works on."""
    if job.status == QUEUED or (allow_stale and job.is_stale(now_ms)):
        return
    if job.status != RUNNING:
        raise wrong_state(tx, job, "claimed", requeue=True)
    stale = job.is_stale(now_ms)
    again = {"workspace": tx.workspace, "job": job.id, "runner_id": runner, "allow_stale": True}
    take = Suggestion("tasks_jobs_claim", again, f"Take it over: the lease of {job.runner} has expired", "high")
    raise Conflict(
        f"{job.id} is claimed by {job.runner}, {'whose lease has expired' if stale else 'whose lease is running'}",
        recovery="Send allow_stale=true to take it over."
        if stale
        else f"If that is you, go on with claim_revision={job.revision}; otherwise take another job.",
        details={"id": job.id, "runner": job.runner, "revision": job.revision}
        | suggested([take] if stale else [looking(tx, job)]),
    )


def must_hold(tx: Tx, job: Job, runner: str, revision: int) -> None:
    """Refuse whoever does not work on the job, or no longer does."""
    if job.status != RUNNING:
        raise wrong_state(tx, job, "reported on")
    if (job.runner, job.revision) == (runner, revision):
        return
    why = (
        f"it is claimed by {job.runner}"
        if job.runner != runner
        else f"its claim_revision is {job.revision}, not {revision}"
    )
    raise Conflict(
        f"{job.id} is not yours: {why}",
        recovery="Stop working on it, and claim another job."
        if job.runner != runner
        else f"Send claim_revision={job.revision} if that claim is yours, too.",
        details={"id": job.id, "runner": job.runner, "revision": job.revision} | suggested([looking(tx, job)]),
    )


def wrong_state(tx: Tx, job: Job, what: str, *, requeue: bool = False) -> Conflict:
    """For a job that is in another state than it would have to be."""
    again = Suggestion("tasks_jobs_requeue", {"workspace": tx.workspace, "job": job.id}, "Have it done again", "medium")
    return Conflict(
        f"{job.id} is {job.status}, and cannot be {what}",
        recovery="tasks_jobs_requeue puts it into the queue again."
        if requeue
        else "tasks_jobs_open shows how it stands.",
        details={"id": job.id, "status": job.status} | suggested([again] if requeue else [looking(tx, job)]),
    )


def looking(tx: Tx, job: Job) -> Suggestion:
    return Suggestion("tasks_jobs_open", {"workspace": tx.workspace, "job": job.id}, "See how the job stands", "high")
