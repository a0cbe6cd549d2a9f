"""What goes in and what comes out of the guarded cycle."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from thoughtbox.domains.memory.arguments import Scope, SessionId
from thoughtbox.domains.memory.cycle.phases import Phase, Status
from thoughtbox.operations import Input, Output, Text

LONGEST_DRAFT = 200_000


def _id_of(value: Any) -> Any:
    """A cell as a pack shows it stands for its id: what else it says of itself does not count."""
    return value["id"] if isinstance(value, dict) and "id" in value else value


CellId = Annotated[int, BeforeValidator(_id_of), Field(ge=1, le=2**53)]
ScopeArgument = Annotated[
    Scope | None, Field(description="project sees project and global memory, global only global.")
]
Keys = Annotated[
    list[Annotated[str, Field(max_length=200)]] | None,
    Field(max_length=64, description="Words for what it is about, such as deploy."),
]
UserInput = Annotated[str | None, Field(max_length=LONGEST_DRAFT, description="What the user asked.")]
DraftText = Annotated[str | None, Field(max_length=LONGEST_DRAFT, description="The answer as written so far.")]
ByteBudget = Annotated[
    int | None, Field(ge=1, le=1_000_000, description="Most bytes of all entries together; 8000 unless configured.")
]
MaxCells = Annotated[int | None, Field(ge=0, le=200, description="Most cells; 20 if not given.")]
MaxExperiences = Annotated[int | None, Field(ge=0, le=200, description="Most episodes; 10 if not given.")]
Cells = Annotated[
    list[CellId],
    Field(max_length=200, description="Ids of cells that the draft rests on, beside those of the pack."),
]
GivenHash = Annotated[str | None, Field(max_length=200, description="The context_hash of the pack, to be compared.")]


class TakeSnapshot(Input):
    session_id: Annotated[SessionId | None, Field(description="A session that was begun; a new one if not given.")] = (
        None
    )
    context: Annotated[Any, Field(description="What the work is about: any JSON.")] = None
    scope: ScopeArgument = None
    context_keys: Keys = None


class Route(Input):
    session_id: SessionId
    snapshot_hash: Annotated[str, Field(max_length=200, description="The one that compliance_snapshot gave.")]
    user_input: UserInput = None
    draft: DraftText = None
    scope: ScopeArgument = None


class PackContext(Input):
    session_id: SessionId
    scope: ScopeArgument = None
    byte_budget: ByteBudget = None
    context_keys: Keys = None
    max_cells: MaxCells = None
    max_experiences: MaxExperiences = None


class FinalizeResponse(Input):
    session_id: SessionId
    draft: Annotated[Text, Field(max_length=LONGEST_DRAFT, description="The answer to be looked at.")]
    context_hash: GivenHash = None
    cells: Cells = Field(default_factory=list)


class ValidateGovernance(Input):
    session_id: SessionId
    context_hash: GivenHash = None


class PhaseInput(Input):
    scope: ScopeArgument = None
    context: Annotated[Any, Field(description="SNAPSHOT: what the work is about.")] = None
    context_keys: Keys = None
    snapshot_hash: Annotated[str | None, Field(max_length=200, description="ROUTER: compared if given.")] = None
    user_input: UserInput = None
    draft: DraftText = None
    byte_budget: ByteBudget = None
    max_cells: MaxCells = None
    max_experiences: MaxExperiences = None
    cells: Cells = Field(default_factory=list)
    context_hash: GivenHash = None


class RunPhase(Input):
    session_id: SessionId
    phase: Annotated[Phase, Field(description="The phase to run: it must be the next one.")]
    input: Annotated[PhaseInput, Field(description="What the phase takes.")] = PhaseInput()


class PhaseAnswer(Output):
    """What every phase answers: which one it was, what it came to, and what is next."""

    session_id: int
    phase: str
    status: Status
    next_phase: str | None
    next_call: dict[str, Any] | None
    next_step: str


class SnapshotTaken(PhaseAnswer):
    snapshot_hash: str
    scope_mode: str
    flags: dict[str, Any]
    context_keys: list[str]


class Routed(PhaseAnswer):
    route: str | None
    has_draft: bool
    missing: list[str]
    skipped: list[str]


class ContextPacked(PhaseAnswer):
    packed_context: dict[str, Any]
    context_hash: str
    byte_count: int
    notice: str


class ResponseFinalized(PhaseAnswer):
    response: str
    integrity: str
    integrity_line: str
    violations: list[dict[str, Any]]
    used_cells: list[int]


class GovernanceValidated(PhaseAnswer):
    valid: bool
    errors: list[str]
    warnings: list[str]
    chain_count: int
    context_hash_match: bool | None
    receipt: dict[str, Any] | None
    token: dict[str, Any] | None


class PhaseRan(PhaseAnswer):
    output: dict[str, Any]
