"""What goes in and what comes out of jobs and runners."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from thoughtbox.domains.mind.anchors.ids import AnchorName
from thoughtbox.domains.mind.arguments import AgentId, BoundedInput, Meta, MindInput, Name, Seq
from thoughtbox.domains.mind.jobs.job import (
    JOB_ID,
    LONGEST_KIND,
    LONGEST_MESSAGE,
    LONGEST_PROMPT,
    LONGEST_REF,
    LONGEST_SUMMARY,
    LONGEST_TITLE,
    MOST_REFS,
)
from thoughtbox.operations import Output, Text


def _job_id(text: str) -> str:
    if not JOB_ID.fullmatch(text):
        raise ValueError("a job's id looks like JOB-001")
    return text


def _priority(value: object) -> object:
    if not isinstance(value, str):
        return value
    return {"NORMAL": "MEDIUM"}.get(value.upper(), value.upper())


Job = Annotated[Annotated[str, AfterValidator(_job_id)], Field(description="Job, such as JOB-001.")]
Priority = Annotated[
    Annotated[Literal["LOW", "MEDIUM", "HIGH"], BeforeValidator(_priority)],
    Field(description="LOW, MEDIUM (or normal) or HIGH."),
]
Status = Literal["QUEUED", "RUNNING", "DONE", "FAILED", "CANCELED"]
RunnerId = Annotated[Name, Field(description="Who runs it: the name that the runner gives itself.")]
ClaimRevision = Annotated[int, Field(ge=0, description="claim_revision of your claim.")]
Ttl = Annotated[int | None, Field(ge=0, description="How long the lease lasts: 1,000 to 300,000 ms.")]
Refs = Annotated[
    Annotated[list[Annotated[Text, Field(max_length=LONGEST_REF)]], Field(max_length=MOST_REFS)] | None,
    Field(description="What it refers to: ids, CMD: …, LINK: …"),
]
Message = Annotated[Text, Field(max_length=LONGEST_MESSAGE, description="What happened, in a line.")]
Why = Annotated[Text | None, Field(max_length=LONGEST_MESSAGE, description="Why, in a line.")]
EventKindName = Annotated[Name, Field(max_length=LONGEST_KIND)]


class CreateJob(MindInput):
    title: Annotated[Text, Field(max_length=LONGEST_TITLE, description="What is to be done, in a line.")]
    prompt: Annotated[Text, Field(max_length=LONGEST_PROMPT, description="All that the runner is to know.")]
    kind: Annotated[Name, Field(max_length=LONGEST_KIND, description="What kind of runner it is for.")] = "codex_cli"
    priority: Priority = "MEDIUM"
    task: Annotated[str | None, Field(description="Task that it is for, such as TASK-001.")] = None
    anchor: Annotated[AnchorName | None, Field(description="Anchor that it is about, such as a:storage.")] = None
    meta: Meta = None


class ListJobs(BoundedInput):
    status: Annotated[Status | None, Field(description="Only those in this state.")] = None
    task: Annotated[str | None, Field(description="Only those of this task.")] = None
    anchor: Annotated[AnchorName | None, Field(description="Only those about this anchor.")] = None
    kind: Annotated[Name | None, Field(description="Only those for this kind of runner.")] = None
    runner_id: Annotated[Name | None, Field(description="Only those of this runner.")] = None
    cursor: Annotated[Seq | None, Field(ge=0, description="next_cursor of the page before.")] = None
    limit: Annotated[int, Field(ge=0, description="Jobs in one answer: 1 to 200.")] = 25


class OpenJob(BoundedInput):
    job: Job
    include_prompt: Annotated[bool, Field(description="Show the prompt, too.")] = False
    include_events: Annotated[bool, Field(description="Show what happened.")] = True
    max_events: Annotated[int, Field(ge=0, description="Events in one answer: 1 to 200.")] = 10
    before_seq: Annotated[Seq | None, Field(ge=0, description="Only events before this number.")] = None


class ClaimJob(MindInput):
    job: Job
    runner_id: RunnerId
    lease_ttl_ms: Ttl = None
    allow_stale: Annotated[bool, Field(description="Take it from a runner whose lease has expired.")] = False


class ReportJob(MindInput):
    job: Job
    runner_id: RunnerId
    claim_revision: ClaimRevision
    message: Message
    kind: Annotated[
        EventKindName,
        Field(description="progress, heartbeat, error, question, blocker, needs_proof, or a word of your own."),
    ] = "progress"
    percent: Annotated[int | None, Field(ge=0, le=100, description="How much of it is done.")] = None
    refs: Refs = None
    meta: Meta = None
    lease_ttl_ms: Ttl = None


class CompleteJob(MindInput):
    job: Job
    runner_id: RunnerId
    claim_revision: ClaimRevision
    status: Annotated[Literal["DONE", "FAILED"], Field(description="What came of it.")] = "DONE"
    summary: Annotated[
        Text, Field(max_length=LONGEST_SUMMARY, description="What was done; CMD: and LINK: lines become references.")
    ]
    refs: Refs = None
    meta: Meta = None


class MessageJob(MindInput):
    job: Job
    message: Message
    refs: Refs = None
    meta: Meta = None
    agent_id: AgentId = None


class RequeueJob(MindInput):
    job: Job
    reason: Why = None


class CancelJob(MindInput):
    job: Job
    reason: Why = None


class TailJob(BoundedInput):
    job: Job
    after_seq: Annotated[Seq, Field(ge=0, description="Only events behind this number.")] = 0
    limit: Annotated[int, Field(ge=0, description="Events in one answer: 1 to 200.")] = 50


class Radar(BoundedInput):
    task: Annotated[str | None, Field(description="Only jobs of this task.")] = None
    anchor: Annotated[AnchorName | None, Field(description="Only jobs about this anchor.")] = None
    limit: Annotated[int, Field(ge=0, description="Jobs in one answer: 1 to 200.")] = 25


class Heartbeat(MindInput):
    runner_id: RunnerId
    status: Annotated[Literal["idle", "live"], Field(description="live while it works on a job.")]
    active_job_id: Annotated[
        Annotated[str, AfterValidator(_job_id)] | None, Field(description="Job that it works on.")
    ] = None
    lease_ttl_ms: Ttl = None
    meta: Annotated[dict[str, Any] | None, Field(description="What it tells of itself; kept until told anew.")] = None


class JobWritten(Output):
    job: dict[str, Any]
    event: dict[str, Any]


class JobClaimed(Output):
    job: dict[str, Any]
    claim_revision: int
    event: dict[str, Any]
    prompt: str


class JobReported(Output):
    sparse = True

    job: dict[str, Any]
    event: dict[str, Any] | None = None
    renewed: Annotated[bool, Field(description="false: the lease lasts long enough, and stands as it was.")]


class JobCanceled(Output):
    sparse = True

    job: dict[str, Any]
    event: dict[str, Any] | None = None
    changed: bool


class JobsListed(Output):
    sparse = True

    jobs: list[dict[str, Any]]
    count: int
    has_more: bool
    next_cursor: int | None = None
    truncated: bool = False


class JobShown(Output):
    sparse = True

    job: dict[str, Any]
    prompt: str | None = None
    events: list[dict[str, Any]]
    has_more_events: bool
    next_before_seq: int | None = None
    truncated: bool = False


class JobTail(Output):
    job: str
    status: str
    events: list[dict[str, Any]]
    count: int
    has_more: bool
    next_after_seq: int
    truncated: bool = False


class JobsRadar(Output):
    jobs: list[dict[str, Any]]
    count: int
    has_more: bool
    attention: dict[str, int]
    runners: list[dict[str, Any]]
    truncated: bool = False


class RunnerLease(Output):
    lease: dict[str, Any]
    renewed: bool
