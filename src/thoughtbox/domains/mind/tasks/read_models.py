"""What goes in and what comes out of the verbs that look at plans and tasks."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from thoughtbox.domains.mind.arguments import AgentId, BoundedInput, ContextBudget, Drafts, MindInput, Target, TargetRef
from thoughtbox.domains.mind.budgets import with_one_budget
from thoughtbox.domains.mind.tasks.models import OfTarget, PlanRef, Status, TaskRef
from thoughtbox.operations import Output

ReadOnly = Annotated[bool, Field(description="Leave the focus where it is.")]
Limit = Annotated[int | None, Field(ge=0, le=200, description="How many at most.")]


class SetFocus(OfTarget):
    target: Annotated[
        str | TargetRef | None, Field(description="Plan or task to work on from now on, such as TASK-001.")
    ] = None


class GetFocus(MindInput):
    pass


class FocusSet(Output):
    previous: str | None
    focus: str


class FocusShown(Output):
    focus: str | None


class FocusCleared(Output):
    previous: str | None
    cleared: bool


class BoundedTarget(BoundedInput):
    target: Target = None
    task: TaskRef = None
    plan: PlanRef = None


class Radar(BoundedTarget):
    read_only: Annotated[bool, Field(description="The radar never writes; accepted for callers that say so.")] = True


class RadarShown(Output):
    requested: dict[str, Any]
    focus: str | None
    target: dict[str, Any]
    reasoning_ref: dict[str, Any]
    radar: dict[str, Any]
    steps: dict[str, Any]
    truncated: bool = False


class Delta(BoundedInput):
    since: Annotated[str | None, Field(description="Event id: events after it are shown; all when left out.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="Events in one answer.")] = 50


class DeltaShown(Output):
    since: str | None
    events: list[dict[str, Any]]
    count: int
    has_more: bool
    truncated: bool = False


class ListTargets(BoundedInput):
    kind: Annotated[Literal["plan", "task"] | None, Field(description="Only plans, or only tasks.")] = None
    status: Annotated[Status | None, Field(description="Only those with this status.")] = None
    plan: Annotated[PlanRef, Field(description="Only tasks of this plan.")] = None
    cursor: Annotated[str | None, Field(description="next_cursor of the page before.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="How many in one answer.")] = 50


class TargetsListed(Output):
    targets: list[dict[str, Any]]
    pagination: dict[str, Any]
    truncated: bool = False


class Lint(BoundedTarget):
    pass


class Linted(Output):
    workspace: str
    target: dict[str, Any]
    summary: dict[str, int]
    issues: list[dict[str, Any]]
    patches: list[dict[str, Any]]
    actions: list[dict[str, Any]]
    context_health: dict[str, Any]
    truncated: bool = False


class Resume(OfTarget):
    context_budget: ContextBudget = None
    max_chars: Annotated[
        int | None, Field(ge=0, le=10_000_000, description="Longest answer wanted, in characters; what is cut is said.")
    ] = None
    read_only: ReadOnly = False
    all_lanes: Drafts = False
    include_drafts: Drafts = False
    agent_id: AgentId = None

    @model_validator(mode="before")
    @classmethod
    def _fold(cls, given: Any) -> Any:
        """The smaller of two budgets is the one that counts."""
        return with_one_budget(given) if isinstance(given, dict) else given


class ResumeSuper(Resume):
    view: Annotated[
        Literal["full", "smart", "explore", "audit", "focus_only"] | None,
        Field(description="How much: full; smart (with a budget), explore and audit as for cards; focus_only."),
    ] = None
    events_limit: Limit = None
    decisions_limit: Limit = None
    evidence_limit: Limit = None
    blockers_limit: Limit = None
    notes_limit: Limit = None
    trace_limit: Limit = None
    cards_limit: Limit = None
    engine_signals_limit: Limit = None
    engine_actions_limit: Limit = None


class Snapshot(Resume):
    delta: Annotated[bool, Field(description="Tell what is new since the last snapshot with delta.")] = False


class Resumed(Output):
    sparse = True

    requested: dict[str, Any]
    focus: str | None
    focus_restored: bool | None = None
    focus_previous: str | None = None
    target: dict[str, Any]
    reasoning_ref: dict[str, Any]
    capsule: dict[str, Any]
    radar: dict[str, Any]
    steps: dict[str, Any]
    timeline: dict[str, Any]
    signals: dict[str, Any]
    memory: dict[str, Any]
    engine: dict[str, Any] | None = None
    step_focus: dict[str, Any] | None = None
    delta: dict[str, Any] | None = None
    degradation: dict[str, Any]
    truncated: bool = False
