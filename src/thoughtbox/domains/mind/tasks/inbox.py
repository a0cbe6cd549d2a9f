"""What others do for a plan or task: its jobs, and whoever runs them."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.jobs.job import FLAGS, LAST_EVENTS, QUEUED, RUNNING, TERMINAL, attention
from thoughtbox.domains.mind.times import moment
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.operations import Tx

MOST_LOOKED_AT = 20
"""Of the jobs that run, that wait and that have ended, each."""
MOST_SHOWN = 3


def inbox(tx: Tx, target: str) -> dict[str, Any]:
    """How many jobs run and wait, which of them all need something, and how the runner of the last one is."""
    view, now_ms = tx.ask(Jobs), moment(tx)
    running, queued, ended = (
        view.jobs(statuses=states, task=target, limit=MOST_LOOKED_AT) for states in ((RUNNING,), (QUEUED,), TERMINAL)
    )
    if not (running or queued or ended):
        return {"inbox": None, "runner_status": None}
    flags = {
        job.id: attention(job, view.last_kinds(job.id, LAST_EVENTS), now_ms) for job in (*running, *queued, *ended)
    }
    waiting = [{"job": id, "needs": [flag for flag in FLAGS if found[flag]]} for id, found in flags.items()]
    runner = view.runner(running[0].runner) if running and running[0].runner is not None else None
    return {
        "inbox": {
            "running": len(running),
            "queued": len(queued),
            "attention": [one for one in waiting if one["needs"]][:MOST_SHOWN],
        },
        "runner_status": runner.status_at(now_ms) if runner is not None else None,
    }
