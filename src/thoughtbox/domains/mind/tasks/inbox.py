"""What others do for a plan or task: its jobs, and whoever runs them."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.jobs.job import FLAGS, LAST_EVENTS, QUEUED, RUNNING, attention
from thoughtbox.domains.mind.times import moment
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.operations import Tx

MOST_LOOKED_AT = 20
MOST_SHOWN = 3


def inbox(tx: Tx, target: str) -> dict[str, Any]:
    """How many jobs run and wait, which of the newest need something, and how the runner of the last one is."""
    view, now_ms = tx.ask(Jobs), moment(tx)
    jobs = view.jobs(task=target, limit=MOST_LOOKED_AT)
    if not jobs:
        return {"inbox": None, "runner_status": None}
    flags = {job.id: attention(job, view.last_kinds(job.id, LAST_EVENTS), now_ms) for job in jobs}
    waiting = [{"job": id, "needs": [flag for flag in FLAGS if found[flag]]} for id, found in flags.items()]
    running = [job for job in jobs if job.status == RUNNING]
    runner = view.runner(running[0].runner) if running and running[0].runner is not None else None
    return {
        "inbox": {
            "running": len(running),
            "queued": sum(job.status == QUEUED for job in jobs),
            "attention": [one for one in waiting if one["needs"]][:MOST_SHOWN],
        },
        "runner_status": runner.status_at(now_ms) if runner is not None else None,
    }
