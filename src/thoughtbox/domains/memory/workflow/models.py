"""What goes in and what comes out of the workflow tools."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.domains.memory.workflow.arguments import WorkflowSessionId
from thoughtbox.operations import Input, Output, Text

Phase = Annotated[Literal["teach", "learn", "reason"], Field(description="The gate: teach, learn or reason.")]
Action = Annotated[Text, Field(max_length=500, description="What you are about to do, such as edit_files.")]


class CheckCompliance(Input):
    current_phase: Phase
    action: Action
    session_id: WorkflowSessionId = None


class VerifyCompliance(CheckCompliance):
    pass


class AuthorizeOperation(Input):
    operation_token: Annotated[str, Field(max_length=200, description="The operation_token of verify_compliance.")]
    create_session_token: Annotated[
        bool, Field(description="Whether a session token is wanted, which opens the host's gate while it lives.")
    ] = False


class ReadWorkflow(Input):
    session_id: WorkflowSessionId = None


class ResetWorkflow(Input):
    session_id: Annotated[
        str | None,
        Field(max_length=256, description="The session to reset; without it, all of them and all their tokens."),
    ] = None
    cleanup_only: Annotated[bool, Field(description="Only take away the files of expired tokens.")] = False


class MissingStep(Output):
    """What a gate still asks for, and how to do it."""

    gate: str
    tool: str
    call: dict[str, Any] | None
    """As it can be sent; None where it depends on what came before, and `how` says more."""
    how: str


class ComplianceChecked(Output):
    compliant: bool
    current_phase: str
    action: str
    session_id: str
    preset: str
    enforcement: str
    required_tools: list[str]
    completed_tools: list[str]
    missing: list[MissingStep]
    fast_track: bool
    warnings: list[str]
    message: str


class ComplianceVerified(ComplianceChecked):
    operation_token: str | None
    expires_at: int | None
    expires_in_seconds: int | None


class OperationAuthorized(Output):
    authorized: bool
    status: Literal["valid", "invalid", "expired", "spent"]
    phase: str | None
    action: str | None
    session_id: str | None
    session_token: str | None
    session_token_expires_at: int | None
    message: str


class GateStatus(Output):
    status: Literal["passed", "ready", "pending", "not_configured"]
    """passed: verified in this session; ready: all done, not verified yet; not_configured: it asks for nothing."""
    level: str
    required_tools: list[str]
    missing_tools: list[str]


class ShownSession(Output):
    session_id: str
    preset: str
    gates_passed: list[str]
    steps_completed: list[str]
    created_at: int
    expires_at: int
    active: bool


class ActiveToken(Output):
    token_id: str
    type: str
    expires_in_seconds: int


class WorkflowStatus(Output):
    session_id: str
    session: ShownSession | None
    preset: str
    enforcement: str
    current_phase: Annotated[str, Field(description="teach, learn, reason, or act once all gates are passed.")]
    gates_status: dict[str, GateStatus]
    steps_completed: list[str]
    active_tokens: list[ActiveToken]
    fast_track_active: bool


class WorkflowReset(Output):
    reset: bool
    session_id: str | None
    cleanup_only: bool
    revoked: list[str]
    cleaned_up: int
    message: str
