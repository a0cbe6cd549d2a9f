"""What goes in and what comes out of the verbs that change plans, tasks and steps."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.mind.arguments import AgentId, AgentName, MindInput, Target, TargetRef
from thoughtbox.domains.mind.tasks.fields import LONGEST_FIELD, MOST_ITEMS, normal_tags
from thoughtbox.operations import Input, Output, Text

MOST_STEPS = 100
LONGEST_TITLE = 1_000


def _not_blank(texts: list[str]) -> list[str]:
    if not all(text.strip() for text in texts):
        raise ValueError("none of its items may be empty")
    return texts


Words = Annotated[str, Field(max_length=LONGEST_FIELD)]
Title = Annotated[Text, Field(max_length=LONGEST_TITLE, description="What it is, in a line.")]
Lines = Annotated[list[Words], AfterValidator(_not_blank), Field(max_length=MOST_ITEMS)]
Tags = Annotated[
    Annotated[Lines, AfterValidator(normal_tags)] | None,
    Field(description="Tags; an anchor such as a:storage says what it is about."),
]
Revision = Annotated[
    int | None, Field(ge=0, description="Refuse the call when the plan or task has another revision by now.")
]
Priority = Literal["LOW", "MEDIUM", "HIGH"]
ReasoningMode = Literal["normal", "deep", "strict"]
ProofMode = Literal["off", "warn", "require"]
Status = Literal["TODO", "ACTIVE", "PARKED", "DONE", "CANCELED"]
Checkpoint = Literal["criteria", "tests", "security", "perf", "docs"]
TaskRef = Annotated[str | TargetRef | None, Field(description="Task it is about, such as TASK-001.")]
TaskInFocus = Annotated[
    str | TargetRef | None, Field(description="Task it is about, such as TASK-001; the focus when left out.")
]
PlanRef = Annotated[str | TargetRef | None, Field(description="Plan it is about, such as PLAN-001.")]

Criteria = Annotated[Lines | None, Field(description="How one sees that it is done.")]
Tests = Annotated[Lines | None, Field(description="How that is checked.")]
Blockers = Annotated[Lines | None, Field(description="What hinders it.")]
Description = Annotated[Words | None, Field(description="What it is about.")]
Context = Annotated[Words | None, Field(description="What one has to know to work on it.")]
Contract = Annotated[Words | None, Field(description="What was agreed on.")]
ContractData = Annotated[dict[str, Any] | None, Field(description="The same, for programs.")]
DependsOn = Annotated[Lines | None, Field(description="Plans and tasks that come first.")]
Checklist = Annotated[Lines | None, Field(description="What the plan goes through, in order.")]
NextAction = Annotated[Words | None, Field(description="What to do first.")]
StopCriteria = Annotated[Words | None, Field(description="When to stop looking, for work with an open end.")]
ReasoningModeOf = Annotated[
    ReasoningMode | None,
    Field(description="strict: a step closes only once its hypotheses are tested and argued against."),
]
ProofModeOf = Annotated[ProofMode | None, Field(description="Whether closing wants evidence: off, warn, or require.")]
StepPath = Annotated[
    str | None, Field(description="Step by its path, such as s:0.s:1; the first open one if left out.")
]
StepId = Annotated[str | None, Field(description="Step by its id, such as STEP-00000001.")]
Agent = Annotated[AgentName, Field(description="Who holds the lease.")]


class OfTarget(MindInput):
    """What is about a plan or a task: the one in focus when none is named."""

    target: Target = None
    task: TaskRef = None
    plan: PlanRef = None


class Mutation(OfTarget):
    expected_revision: Revision = None


class OfTask(MindInput):
    target: TaskInFocus = None
    task: TaskRef = None


class TaskMutation(OfTask):
    expected_revision: Revision = None


class StepMutation(TaskMutation):
    """What is about a step: the first open one when none is named."""

    path: Annotated[
        str | None, Field(description="Step by its path, such as s:0.s:1; the first open one if left out.")
    ] = None
    step_id: Annotated[str | None, Field(description="Step by its id, such as STEP-00000001.")] = None
    agent_id: Annotated[AgentId, Field(description="Who calls: the holder of a lease is let in.")] = None


class NewStep(Input):
    title: Title
    success_criteria: Criteria = None
    tests: Tests = None
    blockers: Blockers = None
    next_action: NextAction = None
    stop_criteria: StopCriteria = None
    proof_tests_mode: ProofModeOf = None
    proof_security_mode: ProofModeOf = None
    proof_perf_mode: ProofModeOf = None
    proof_docs_mode: ProofModeOf = None


NewSteps = Annotated[
    list[NewStep], Field(max_length=MOST_STEPS, description="Steps in order, each with a title and success_criteria.")
]


class CreateTask(MindInput):
    kind: Annotated[Literal["plan", "task"] | None, Field(description="A task when it has a parent, else a plan.")] = (
        None
    )
    parent: Annotated[str | TargetRef | None, Field(description="Plan that the task belongs to.")] = None
    title: Title
    description: Description = None
    context: Context = None
    contract: Contract = None
    contract_data: ContractData = None
    priority: Annotated[Priority | None, Field(description="How much it matters.")] = None
    tags: Tags = None
    depends_on: DependsOn = None
    checklist: Checklist = None
    reasoning_mode: ReasoningModeOf = None
    steps: Annotated[
        NewSteps | None, Field(description="Its steps in order, each with a title and success_criteria.")
    ] = None


class Created(Output):
    sparse = True

    id: str
    kind: str
    qualified_id: str
    revision: int
    event: dict[str, Any]
    events: list[dict[str, Any]] | None = None
    steps: list[dict[str, Any]] | None = None


class Decompose(TaskMutation):
    parent: Annotated[str | None, Field(description="Step that these are part of, by its path or id.")] = None
    steps: Annotated[NewSteps, Field(min_length=1)]


class Decomposed(Output):
    task: str
    revision: int
    steps: list[dict[str, Any]]
    event: dict[str, Any]


class DefineStep(StepMutation):
    title: Annotated[Title | None, Field(description="What it is called from now on.")] = None
    success_criteria: Criteria = None
    tests: Tests = None
    blockers: Blockers = None
    next_action: NextAction = None
    stop_criteria: StopCriteria = None
    blocked: Annotated[bool | None, Field(description="Whether it cannot go on.")] = None
    block_reason: Annotated[Words | None, Field(description="Why not.")] = None
    proof_tests_mode: ProofModeOf = None
    proof_security_mode: ProofModeOf = None
    proof_perf_mode: ProofModeOf = None
    proof_docs_mode: ProofModeOf = None


class StepChanged(Output):
    sparse = True

    task: str
    revision: int
    step: dict[str, Any]
    event: dict[str, Any] | None = None


class EditTarget(Mutation):
    title: Annotated[Title | None, Field(description="What it is called from now on.")] = None
    description: Description = None
    context: Context = None
    contract: Contract = None
    contract_data: ContractData = None
    priority: Annotated[Priority | None, Field(description="How much it matters.")] = None
    tags: Tags = None
    depends_on: DependsOn = None
    plan_doc: Annotated[Words | None, Field(description="Of a plan: its document.")] = None
    plan_current: Annotated[
        int | None, Field(ge=0, lt=MOST_ITEMS, description="Of a plan: where in its checklist it is, from 0.")
    ] = None
    checklist: Checklist = None
    domain: Annotated[Words | None, Field(description="Of a task: its domain.")] = None
    phase: Annotated[Words | None, Field(description="Of a task: its phase.")] = None
    component: Annotated[Words | None, Field(description="Of a task: the component it changes.")] = None
    assignee: Annotated[Words | None, Field(description="Of a task: who does it.")] = None
    blocked: Annotated[bool | None, Field(description="Of a task: whether it cannot go on.")] = None
    reasoning_mode: ReasoningModeOf = None


class TargetChanged(Output):
    sparse = True

    id: str
    kind: str
    revision: int
    target: dict[str, Any]
    step: dict[str, Any] | None = None
    event: dict[str, Any] | None = None


class PatchOp(Input):
    op: Annotated[Literal["set", "unset", "append", "remove"], Field(description="append and remove are for lists.")]
    field: Annotated[str, Field(description="Field of the plan, task or step.")]
    value: Annotated[Any, Field(description="What to set, append or remove.")] = None


class PatchTarget(Mutation):
    path: Annotated[str | None, Field(description="Patch this step of the task, by its path.")] = None
    step_id: Annotated[str | None, Field(description="Patch this step of the task, by its id.")] = None
    agent_id: Annotated[AgentId, Field(description="Who calls: the holder of a lease is let in.")] = None
    ops: Annotated[list[PatchOp], Field(min_length=1, max_length=100, description="Changes, made in order.")]


class AddNote(Mutation):
    note: Annotated[Text, Field(max_length=LONGEST_FIELD, description="The note.")]
    path: Annotated[str | None, Field(description="Step it is about, by its path.")] = None
    step_id: Annotated[str | None, Field(description="Step it is about, by its id.")] = None
    agent_id: AgentId = None


class NoteAdded(Output):
    sparse = True

    id: str
    revision: int
    step: dict[str, Any] | None = None
    note_ref: str
    note_seq: int
    event: dict[str, Any]


class CheckpointState(Input):
    confirmed: bool
    note: Words | None = None


class Checkpoints(Input):
    criteria: bool | CheckpointState | None = None
    tests: bool | CheckpointState | None = None
    security: bool | CheckpointState | None = None
    perf: bool | CheckpointState | None = None
    docs: bool | CheckpointState | None = None


CheckpointsGiven = Annotated[
    Literal["gate", "all"] | Checkpoints,
    Field(description="gate: confirm those that closing needs; all: all five; or each by name, such as {tests: true}."),
]


class VerifyStep(StepMutation):
    checkpoints: CheckpointsGiven


class FinishStep(StepMutation):
    pass


class Override(Input):
    reason: Annotated[Text, Field(max_length=LONGEST_FIELD, description="Why it may close all the same.")]
    risk: Annotated[Text, Field(max_length=LONGEST_FIELD, description="What may come of it.")]


class CloseStep(StepMutation):
    checkpoints: Annotated[
        CheckpointsGiven | None,
        Field(description="What to confirm first: gate (what closing needs), all, or each by name, as {tests: true}."),
    ] = None
    override: Annotated[
        Override | None, Field(description="Close against the strict gate; reason and risk are noted.")
    ] = None


class StepClosed(Output):
    sparse = True

    task: str
    revision: int
    step: dict[str, Any]
    events: list[dict[str, Any]]
    next_step: dict[str, Any] | None = None


class CompleteTarget(Mutation):
    status: Annotated[Status, Field(description="What it becomes.")] = "DONE"
    parked_for_s: Annotated[int | None, Field(ge=1, le=315_360_000, description="PARKED: for so many seconds.")] = None
    parked_until_ts_ms: Annotated[
        int | None, Field(ge=0, lt=2**53, description="PARKED: until then, in milliseconds since 1970.")
    ] = None


class CaptureEvidence(StepMutation):
    plan: PlanRef = None
    checkpoint: Annotated[
        Checkpoint | Annotated[list[Checkpoint], Field(max_length=5)] | None, Field(description="What it proves.")
    ] = None
    checks: Annotated[Lines | None, Field(description="What was run, such as CMD: make test.")] = None
    attachments: Annotated[
        Lines | None, Field(description="Where the result is, such as LINK: https://ci.example/7.")
    ] = None
    items: Annotated[
        list[dict[str, Any]] | None,
        Field(max_length=MOST_ITEMS, description="Anything else that was seen, as objects."),
    ] = None


class EvidenceCaptured(Output):
    sparse = True

    id: str
    revision: int
    step: dict[str, Any] | None = None
    evidence: dict[str, Any]
    event: dict[str, Any]


class StepNamed(OfTask):
    path: Annotated[
        str | None, Field(description="Step by its path, such as s:0.s:1; the first open one if left out.")
    ] = None
    step_id: Annotated[str | None, Field(description="Step by its id, such as STEP-00000001.")] = None


TtlSeq = Annotated[int, Field(ge=1, le=10_000, description="Until so many more records are written.")]


class ClaimLease(StepNamed):
    agent_id: Agent
    ttl_seq: TtlSeq = 200


class ReleaseLease(StepNamed):
    agent_id: Agent


class LeaseShown(Output):
    task: str
    step: dict[str, Any]
    lease: dict[str, Any] | None
