"""Reading jobs: all of them, one of them, what they need."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

from thoughtbox.domains.mind.jobs.examples import CLAIM, CREATE
from thoughtbox.domains.mind.jobs.filters import tags_of, task_named
from thoughtbox.domains.mind.jobs.job import (
    FLAGS,
    LAST_EVENTS,
    QUEUED,
    RUNNING,
    TERMINAL,
    Job,
    attention,
)
from thoughtbox.domains.mind.jobs.lens import (
    events_of,
    known_job,
    prompt_of,
    shown_job,
    shown_lease,
)
from thoughtbox.domains.mind.jobs.models import (
    JobShown,
    JobsListed,
    JobsRadar,
    JobTail,
    ListJobs,
    OpenJob,
    Radar,
    TailJob,
)
from thoughtbox.domains.mind.room import IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.times import moment
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Pages, Tx

MOST_JOBS, MOST_EVENTS, MOST_RUNNERS = 200, 200, 50


@room.operation(
    "tasks_jobs_list",
    title="List jobs",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["has_more", "next_cursor"],
    newest_first=frozenset({"jobs"}),
    pages=[Pages("jobs", itemgetter("last_seq"))],
    example=Example({"status": "QUEUED"}, given=[CREATE]),
)
def tasks_jobs_list(tx: Tx, call: ListJobs) -> JobsListed:
    """Jobs by their last change, the newest first."""
    limit = min(max(call.limit, 1), MOST_JOBS)
    found = tx.ask(Jobs).jobs(
        statuses=[call.status] if call.status else (),
        task=task_named(tx, call.task),
        anchors=tags_of(tx, call.anchor),
        kind=call.kind,
        runner=call.runner_id,
        before=call.cursor,
        limit=limit + 1,
    )
    page, has_more = found[:limit], len(found) > limit
    return JobsListed(
        jobs=[shown_job(job) for job in page],
        count=len(page),
        has_more=has_more,
        next_cursor=page[-1].last_seq if has_more else None,
    )


@room.operation(
    "tasks_jobs_open",
    title="See how a job stands",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["job", "has_more_events"],
    newest_first=frozenset({"events"}),
    pages=[
        Pages(
            "events",
            itemgetter("seq"),
            cursor="next_before_seq",
            has_more="has_more_events",
            argument="before_seq",
        )
    ],
    example=Example({"job": "JOB-001", "include_prompt": True}, given=[CREATE]),
)
def tasks_jobs_open(tx: Tx, call: OpenJob) -> JobShown:
    """A job and what happened to it last, the newest first; before_seq leads further back."""
    job = known_job(tx, call.job)
    limit = min(max(call.max_events, 1), MOST_EVENTS)
    seqs = (
        tx.ask(Jobs).events(job.id, before=call.before_seq, newest=True, limit=limit + 1) if call.include_events else []
    )
    has_more = len(seqs) > limit
    return JobShown(
        job=shown_job(job),
        prompt=prompt_of(tx, job) if call.include_prompt else None,
        events=events_of(tx, job.id, seqs[:limit]),
        has_more_events=has_more,
        next_before_seq=seqs[limit - 1] if has_more else None,
    )


@room.operation(
    "tasks_jobs_tail",
    title="Follow a job",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["status", "has_more"],
    newest_first=frozenset({"events"}),
    pages=[Pages("events", itemgetter("seq"), cursor="next_after_seq", argument="after_seq")],
    example=Example({"job": "JOB-001"}, given=[CREATE]),
)
def tasks_jobs_tail(tx: Tx, call: TailJob) -> JobTail:
    """What happened to a job since, in order; next_after_seq is where to go on."""
    job = known_job(tx, call.job)
    limit = min(max(call.limit, 1), MOST_EVENTS)
    seqs = tx.ask(Jobs).events(job.id, after=call.after_seq, newest=False, limit=limit + 1)
    page = seqs[:limit]
    return JobTail(
        job=job.id,
        status=job.status,
        events=events_of(tx, job.id, page),
        count=len(page),
        has_more=len(seqs) > limit,
        next_after_seq=page[-1] if page else call.after_seq,
    )


@room.operation(
    "tasks_jobs_radar",
    title="What jobs need",
    toolsets=IN_DAILY,
    errors=[UnknownId],
    keep=["attention", "count"],
    newest_first=frozenset({"jobs", "runners"}),
    pages=[Pages("jobs", None)],
    example=Example({}, given=[CREATE, CLAIM]),
)
def tasks_jobs_radar(tx: Tx, call: Radar) -> JobsRadar:
    """Jobs that run, wait, or ended with something open, and what each needs: a word, proof, a look, another runner.

    Those that need something come first. runners are those that have been heard of in time.
    """
    view, now_ms = tx.ask(Jobs), moment(tx)
    limit = min(max(call.limit, 1), MOST_JOBS)
    task, anchors = task_named(tx, call.task), tags_of(tx, call.anchor)
    found = [
        job
        for states in ((RUNNING,), (QUEUED,), TERMINAL)
        for job in view.jobs(statuses=states, task=task, anchors=anchors, limit=limit + 1)
    ]
    flagged = [(job, attention(job, view.last_kinds(job.id, LAST_EVENTS), now_ms)) for job in found]
    open_ones = [(job, flags) for job, flags in flagged if job.status not in TERMINAL or any(flags.values())]
    order = sorted(open_ones, key=lambda one: not any(one[1].values()))
    page = order[:limit]
    return JobsRadar(
        jobs=[_on_radar(tx, job, flags, now_ms) for job, flags in page],
        count=len(page),
        has_more=len(order) > limit,
        attention={name: sum(flags[name] for _, flags in page) for name in FLAGS},
        runners=[
            {**shown_lease(runner, now_ms), "ref": f"runner:{runner.id}"}
            for runner in view.active_runners(now_ms, MOST_RUNNERS)
        ],
    )


def _on_radar(tx: Tx, job: Job, flags: dict[str, bool], now_ms: int) -> dict[str, Any]:
    runner = tx.ask(Jobs).runner(job.runner) if job.status == RUNNING and job.runner is not None else None
    last = tx.ask(Jobs).events(job.id, newest=True, limit=1)
    return {
        **{name: value for name, value in shown_job(job).items() if name != "meta"},
        **({"runner_status": runner.status_at(now_ms)} if runner is not None else {}),
        "attention": flags,
        "last_event": events_of(tx, job.id, last)[0],
    }
