"""What goes in and what comes out of governance."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.domains.memory.arguments import Hash, Scope, SessionId
from thoughtbox.operations import Input, Key, Output, Time


class RecordInvocation(Input):
    session_id: SessionId
    tool_name: Annotated[Key, Field(description="The tool that was called, such as Bash.")]
    input: Annotated[Any, Field(description="What it was called with: any JSON but null; its hash is kept.")] = None
    output: Annotated[Any, Field(description="What it answered: any JSON but null; its hash is kept.")] = None
    input_hash: Annotated[Hash | None, Field(description="In place of `input`: its SHA-256, in 64 hex digits.")] = None
    output_hash: Annotated[Hash | None, Field(description="In place of `output`: its SHA-256, in 64 hex digits.")] = (
        None
    )
    ts: Annotated[
        Time | None, Field(description="When it was called, such as 2026-01-15T12:00:00.000Z; now if not given.")
    ] = None
    meta: Annotated[dict[str, Any] | None, Field(description="What else to keep of it, as it is.")] = None


class InvocationRecorded(Output):
    id: int
    hash: str
    prev_hash: str | None
    chain_count: int


class VerifyReceipt(Input):
    receipt_id: Annotated[Any, Field(description="The number of a receipt in this workspace.")] = None
    receipt: Annotated[Any, Field(description="Or the receipt itself, as it was handed out.")] = None


class ReceiptVerified(Output):
    valid: bool
    signature_valid: bool
    hash_valid: bool
    payload: dict[str, Any] | None
    recorded: bool
    reason: str | None


class ReadSessionStatus(Input):
    session_id: SessionId


class ViolationShown(Output):
    id: int
    rule: str
    said: str
    ts: str


class SessionStatus(Output):
    session_id: int
    scope_mode: str
    created_at: str
    closed_at: str | None
    phase: str | None
    next_phase: str | None
    next_call: dict[str, Any] | None
    next_step: str
    phases_done: list[str]
    phases_skipped: list[str]
    flags: dict[str, Any]
    context_keys: list[str]
    snapshot_hash: str | None
    context_hash: str | None
    integrity: str | None
    user_input: str | None
    draft: str | None
    chain_count: int
    chain_head: str | None
    violations: list[ViolationShown]
    receipts: list[int]


class HostSession(Input):
    client: Annotated[Key, Field(description="The host: claude-code, codex.")]
    host_session: Annotated[Key, Field(description="What the host calls its session.")]
    scope: Annotated[Scope, Field(description="Scope of a session that is made.")] = "project"
    create: Annotated[bool, Field(description="Whether one is made where none is open.")] = True


class HostSessionFound(Output):
    session_id: int | None
    is_new: bool
    phase: str | None


class CloseHostSession(Input):
    session_id: SessionId


class Validated(Output):
    valid: bool
    errors: list[str]
    warnings: list[str]
    chain_count: int
    context_hash_match: bool | None
    receipt: dict[str, Any] | None
    token: dict[str, Any] | None


class HostSessionClosed(Validated):
    session_id: int
    closed: Literal[True] = True
