"""Every error a caller can meet, in one tree.

    ThoughtboxError
    ├── CallError                      the caller can mend the call and send it again
    │   ├── InvalidPayload             INVALID_PAYLOAD
    │   │   ├── InvalidInput           INVALID_INPUT
    │   │   └── ValidationFailed       VALIDATION_ERROR
    │   ├── InvalidOperation           INVALID_OPERATION
    │   ├── NotFound
    │   │   ├── SessionNotFound        SESSION_NOT_FOUND
    │   │   ├── ThoughtNotFound        THOUGHT_NOT_FOUND
    │   │   ├── RecordNotFound         RECORD_NOT_FOUND
    │   │   ├── UnknownId              UNKNOWN_ID
    │   │   ├── WorkspaceNotFound      WORKSPACE_NOT_FOUND
    │   │   ├── ResourceNotFound       RESOURCE_NOT_FOUND
    │   │   ├── ExperienceNotFound     EXPERIENCE_NOT_FOUND
    │   │   ├── PresetNotFound         PRESET_NOT_FOUND
    │   │   ├── NotebookNotFound       NOTEBOOK_NOT_FOUND
    │   │   ├── CellNotFound           CELL_NOT_FOUND
    │   │   ├── FileMissing            FILE_NOT_FOUND
    │   │   └── ProjectUnavailable     PROJECT_UNAVAILABLE
    │   ├── StageRequirementNotMet     STAGE_REQUIREMENT_NOT_MET
    │   ├── SamplingNotSupported       SAMPLING_NOT_SUPPORTED
    │   ├── SamplingFailed             SAMPLING_FAILED
    │   ├── Immutable                  IMMUTABLE
    │   ├── IdempotencyConflict        IDEMPOTENCY_CONFLICT
    │   ├── WorkspaceLocked            WORKSPACE_LOCKED
    │   ├── WorkspaceNotAllowed        WORKSPACE_NOT_ALLOWED
    │   ├── RecordedRefusal            that it was refused is itself a record
    │   │   └── PhaseViolation         PHASE_VIOLATION
    │   ├── CycleComplete              CYCLE_COMPLETE
    │   ├── ConfigInvalid              CONFIG_INVALID
    │   ├── PathRefused                PERMISSION_DENIED
    │   ├── HostOnly                   HOST_ONLY
    │   ├── SnippetError
    │   │   ├── SnippetInvalid         SNIPPET_INVALID
    │   │   ├── SnippetFailed          SNIPPET_FAILED
    │   │   └── LimitExceeded          LIMIT_EXCEEDED
    │   ├── NotTbx                     NOT_TBX
    │   └── MindError
    │       ├── Conflict               CONFLICT
    │       ├── MergeNotSupported      MERGE_NOT_SUPPORTED
    │       ├── RevisionMismatch       REVISION_MISMATCH
    │       ├── CheckpointsMissing     CHECKPOINTS_NOT_CONFIRMED
    │       ├── ProofRequired          PROOF_REQUIRED
    │       ├── ReasoningRequired      REASONING_REQUIRED
    │       ├── StepLeaseHeld          STEP_LEASE_HELD
    │       └── StepLeaseNotHeld       STEP_LEASE_NOT_HELD
    ├── LedgerError                    the ledger refuses, or does not hold together
    │   ├── NotCanonical               NOT_CANONICAL
    │   ├── InvalidRecord              INVALID_RECORD
    │   ├── InvalidProof               INVALID_PROOF
    │   ├── ImportRefused              IMPORT_REFUSED
    │   └── LedgerBroken               LEDGER_BROKEN
    ├── StorageError                   STORAGE_ERROR: the engine below could not do it
    │   ├── StorageBusy                STORAGE_BUSY
    │   ├── StorageFull                STORAGE_FULL
    │   ├── StorageDamaged             STORAGE_DAMAGED
    │   └── SchemaTooNew               SCHEMA_TOO_NEW
    ├── ConfigurationError             CONFIGURATION_ERROR: a setting cannot be honoured
    ├── SandboxUnavailable             SANDBOX_UNAVAILABLE: no sandbox could be started for a snippet
    ├── RuntimeUnavailable             RUNTIME_UNAVAILABLE: what a notebook's cells need to be run is not there
    │   └── IsolationUnavailable       ISOLATION_UNAVAILABLE
    └── InternalError                  INTERNAL_ERROR: our fault; the log has the details

An error says what was wrong, with which field, and what to send instead. It
travels as `{code, message, recovery, details}` on every door.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

LONGEST_NAME_SHOWN = 200

RESTORE = "Put the store back from a copy, or restore an export: `thoughtbox --data-dir NEW import FILE`."
"""What to do about a store that cannot be read, or is not what was written."""


def shown(name: str) -> str:
    """A name that a caller made up, short enough to be sent back in a message."""
    return name if len(name) <= LONGEST_NAME_SHOWN else f"{name[:LONGEST_NAME_SHOWN]}…"


class ThoughtboxError(Exception):
    """The one error type: a code, a sentence, a way out, and details for programs."""

    code: ClassVar[str] = "INTERNAL_ERROR"
    meaning: ClassVar[str]
    """What the code stands for: the first line of the class's docstring."""

    def __init_subclass__(cls) -> None:
        cls.meaning = (cls.__doc__ or "").partition("\n")[0]

    def __init__(self, message: str, *, recovery: str | None = None, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.recovery = recovery
        self.details = details or {}

    def payload(self) -> dict[str, Any]:
        """The error as every door shows it; empty parts are left out."""
        shown: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.recovery:
            shown["recovery"] = self.recovery
        if self.details:
            shown["details"] = self.details
        return shown

    def __str__(self) -> str:
        said = f"{self.code}: {self.message.rstrip('.')}."
        return f"{said} {self.recovery}" if self.recovery else said


class CallError(ThoughtboxError):
    """The caller can mend the call and send it again."""


class InvalidPayload(CallError):
    """An argument is missing, unknown, of the wrong type, out of range, or does not fit the others."""

    code = "INVALID_PAYLOAD"


class InvalidInput(InvalidPayload):
    """The same, in the mind room, with hints for programs about each argument."""

    code = "INVALID_INPUT"


class ValidationFailed(InvalidPayload):
    """The same, in the memory room, with the number that JSON-RPC has for it."""

    code = "VALIDATION_ERROR"
    number: ClassVar[int] = -32602

    def payload(self) -> dict[str, Any]:
        shown = super().payload()
        return {**shown, "details": {**shown.get("details", {}), "jsonrpc_code": self.number}}


class InvalidOperation(CallError):
    """There is no operation of that name, or it cannot be run this way."""

    code = "INVALID_OPERATION"


class NotFound(CallError):
    """What the call names does not exist in this workspace."""


class SessionNotFound(NotFound):
    """The workspace has no session of that id."""

    code = "SESSION_NOT_FOUND"


class ThoughtNotFound(NotFound):
    """The session has no such thought."""

    code = "THOUGHT_NOT_FOUND"


class RecordNotFound(NotFound):
    """The ledger has no record of that id in this workspace."""

    code = "RECORD_NOT_FOUND"


class UnknownId(NotFound):
    """The workspace has no branch, card, entry, plan, task, step, anchor, job or conflict of that id."""

    code = "UNKNOWN_ID"


class WorkspaceNotFound(NotFound):
    """The caller's token reaches no workspace of that name, whether there is one or not."""

    code = "WORKSPACE_NOT_FOUND"


class ResourceNotFound(NotFound):
    """No resource has that address."""

    code = "RESOURCE_NOT_FOUND"


class ExperienceNotFound(NotFound):
    """The workspace has no experience of that id."""

    code = "EXPERIENCE_NOT_FOUND"


class PresetNotFound(NotFound):
    """There is no preset of that name, neither among those that come with the product nor in the project."""

    code = "PRESET_NOT_FOUND"


class NotebookNotFound(NotFound):
    """The workspace has no notebook of that id."""

    code = "NOTEBOOK_NOT_FOUND"


class CellNotFound(NotFound):
    """The notebook has no cell of that id."""

    code = "CELL_NOT_FOUND"


class FileMissing(NotFound):
    """There is no such file."""

    code = "FILE_NOT_FOUND"


class ProjectUnavailable(NotFound):
    """The call needs the folder of a project, and the server has none to work in."""

    code = "PROJECT_UNAVAILABLE"


class StageRequirementNotMet(CallError):
    """The operation belongs to a later stage of the session than the one it has reached."""

    code = "STAGE_REQUIREMENT_NOT_MET"


class SamplingNotSupported(CallError):
    """The client does not lend its model to the server, so that there is no critique by itself."""

    code = "SAMPLING_NOT_SUPPORTED"


class SamplingFailed(CallError):
    """The client's model was asked for a critique and gave none; the thought itself is kept."""

    code = "SAMPLING_FAILED"


class Immutable(CallError):
    """The call would change something that was written once and for all."""

    code = "IMMUTABLE"


class IdempotencyConflict(CallError):
    """The idempotency key was used before, for another call."""

    code = "IDEMPOTENCY_CONFLICT"


class WorkspaceLocked(CallError):
    """The server works in one workspace only, and the call is for another."""

    code = "WORKSPACE_LOCKED"


class WorkspaceNotAllowed(CallError):
    """The call is for a workspace that is not among those which the server works in."""

    code = "WORKSPACE_NOT_ALLOWED"


class RecordedRefusal(CallError):
    """A refusal that is itself a record: what was tried is kept, and nothing else has changed."""

    def __init__(
        self,
        message: str,
        *,
        leaves: Callable[[Any], None],
        recovery: str | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        """`leaves` writes the record, in a transaction of its own, once the call is undone."""
        super().__init__(message, recovery=recovery, details=details)
        self.leaves = leaves


class PhaseViolation(RecordedRefusal):
    """The guarded cycle was asked for another phase than its next one."""

    code = "PHASE_VIOLATION"


class CycleComplete(CallError):
    """All phases of the session's cycle are done; the next one begins with a new session."""

    code = "CYCLE_COMPLETE"


class ConfigInvalid(CallError):
    """The project's configuration, or the one sent, does not say what it must."""

    code = "CONFIG_INVALID"


class PathRefused(CallError):
    """A path leads out of the folders that files may be read from or written to."""

    code = "PERMISSION_DENIED"


class HostOnly(CallError):
    """Records of that kind are written by Thoughtbox itself, never by a snippet or a caller."""

    code = "HOST_ONLY"


class SnippetError(CallError):
    """A snippet was not run to its end, and nothing of it was written."""


class SnippetInvalid(SnippetError):
    """The snippet cannot be read as its language, or calls something in a way that it cannot be called."""

    code = "SNIPPET_INVALID"


class SnippetFailed(SnippetError):
    """The snippet raised an error of its own, and did not catch it."""

    code = "SNIPPET_FAILED"


class LimitExceeded(SnippetError):
    """The snippet went beyond one of its limits: time, memory, calls, output or length. `details.limit` names it."""

    code = "LIMIT_EXCEEDED"


class NotTbx(CallError):
    """What was to be decoded is no TBX-C1, or not all of it is there."""

    code = "NOT_TBX"


class MindError(CallError):
    """What is there does not allow the call, in the mind room."""


class Conflict(MindError):
    """Something of that name is there already, or is in a state that does not allow it."""

    code = "CONFLICT"


class MergeNotSupported(MindError):
    """A branch is merged into the branch that it was made from, and nowhere else."""

    code = "MERGE_NOT_SUPPORTED"


class RevisionMismatch(MindError):
    """The plan, task or job has changed since the revision that the call expects."""

    code = "REVISION_MISMATCH"


class CheckpointsMissing(MindError):
    """A step is closed once its checkpoints are confirmed; some are not."""

    code = "CHECKPOINTS_NOT_CONFIRMED"


class ProofRequired(MindError):
    """A step asks for proof of a checkpoint, and no evidence is linked to it."""

    code = "PROOF_REQUIRED"


class ReasoningRequired(MindError):
    """A step of a strict task is closed once its reasoning holds: tested hypotheses, and a counter-position."""

    code = "REASONING_REQUIRED"


class StepLeaseHeld(MindError):
    """Another agent holds the lease of the step."""

    code = "STEP_LEASE_HELD"


class StepLeaseNotHeld(MindError):
    """The agent does not hold the lease of the step that it wants to renew or give back."""

    code = "STEP_LEASE_NOT_HELD"


class LedgerError(ThoughtboxError):
    """The ledger refuses, or does not hold together."""


class NotCanonical(LedgerError):
    """A value has no canonical form: NaN, an infinity, an integer beyond 2^53, a lone surrogate, a NUL."""

    code = "NOT_CANONICAL"


class InvalidRecord(LedgerError):
    """A record does not have the shape of its kind."""

    code = "INVALID_RECORD"


class InvalidProof(LedgerError):
    """A proof, a checkpoint or a signature does not hold."""

    code = "INVALID_PROOF"


class ImportRefused(LedgerError):
    """A file cannot be taken in; nothing of it was."""

    code = "IMPORT_REFUSED"


class LedgerBroken(LedgerError):
    """The stored ledger contradicts itself; nothing is appended to it until that is looked into."""

    code = "LEDGER_BROKEN"


class StorageError(ThoughtboxError):
    """The engine below could not do it; nothing was written, unless the message says that this is not known."""

    code = "STORAGE_ERROR"


class StorageBusy(StorageError):
    """Another process held the store for too long; nothing was written."""

    code = "STORAGE_BUSY"


class StorageFull(StorageError):
    """The disk is full; nothing was written."""

    code = "STORAGE_FULL"


class StorageDamaged(StorageError):
    """The database file is damaged, or is not a Thoughtbox store."""

    code = "STORAGE_DAMAGED"


class SchemaTooNew(StorageError):
    """The store was written, or has been taken over, by a newer Thoughtbox."""

    code = "SCHEMA_TOO_NEW"


class ConfigurationError(ThoughtboxError):
    """A setting has a value that cannot be honoured."""

    code = "CONFIGURATION_ERROR"


class SandboxUnavailable(ThoughtboxError):
    """No sandbox could be started, or all are busy; the snippet was not run."""

    code = "SANDBOX_UNAVAILABLE"


class RuntimeUnavailable(ThoughtboxError):
    """There is no Node or no Jupyter kernel that runs a cell, or it is too old for it; nothing was run."""

    code = "RUNTIME_UNAVAILABLE"


class IsolationUnavailable(RuntimeUnavailable):
    """The machine has no way to keep a notebook's cells apart from everything else; nothing was run."""

    code = "ISOLATION_UNAVAILABLE"


class InternalError(ThoughtboxError):
    """Our fault; the log has the details, under the incident that the error names."""

    code = "INTERNAL_ERROR"


def all_codes() -> dict[str, type[ThoughtboxError]]:
    """Every code with the class that carries it, for the reference and for tests."""

    def walk(cls: type[ThoughtboxError]) -> Iterator[type[ThoughtboxError]]:
        for child in cls.__subclasses__():
            if "code" in vars(child):
                yield child
            yield from walk(child)

    return {cls.code: cls for cls in walk(ThoughtboxError)}
