"""What goes in and what comes out."""

from typing import Annotated, Literal

from pydantic import Field

from thoughtbox.domains.memory.episodes.cell import CellState, CellType
from thoughtbox.domains.memory.episodes.episode import LONGEST_SUMMARY, Outcome, Scope
from thoughtbox.domains.memory.episodes.keys import LONGEST_KEY, MOST_KEYS
from thoughtbox.operations import Input, MaxChars, Output, Text

ScopeOf = Annotated[Scope, Field(description="project, or global for what holds in all projects.")]
CellId = Annotated[int, Field(ge=1, description="The cell's id, such as 17.")]
ContextKeys = Annotated[
    list[Annotated[str, Field(max_length=LONGEST_KEY)]],
    Field(max_length=MOST_KEYS, description="Words that say what it is about, such as deployment, in any case."),
]


class RecordEpisode(Input):
    summary: Annotated[
        Text,
        Field(
            max_length=LONGEST_SUMMARY,
            description="What happened or was said, in whole sentences: rules, wishes and facts are taken from it.",
        ),
    ]
    outcome: Annotated[Outcome, Field(description="How it went.")] = "unknown"
    source: Annotated[
        Literal["user", "agent"],
        Field(description="user for what a user has stated: it is trusted further. agent for all else."),
    ] = "agent"
    context_keys: ContextKeys = Field(default_factory=list)
    scope: ScopeOf = "project"


class EpisodeRecorded(Output):
    sparse = True

    recorded: bool
    experience_id: Annotated[int | None, Field(description="The episode's id.")] = None
    trust: int | None = None
    salience: int | None = None
    context_keys: list[str] | None = None
    note: Annotated[str | None, Field(description="Why nothing was recorded.")] = None


class RunConsolidation(Input):
    scope: ScopeOf = "project"
    threshold: Annotated[
        int | None,
        Field(
            ge=1,
            le=1_000_000,
            description="Fewer new episodes than this, and nothing is done. Default: the project's"
            " consolidation_threshold.",
        ),
    ] = None


class Consolidated(Output):
    sparse = True

    processed: Annotated[int, Field(description="New episodes that were taken in.")]
    cells_created: int
    cells_updated: Annotated[int, Field(description="Cells that were there and have new evidence, for or against.")]
    idempotent: Annotated[bool, Field(description="Whether nothing was done.")]
    cells_archived: int
    conflicts: Annotated[int, Field(description="Pairs of cells that were found to contradict each other.")]
    superseded: int
    scenes_created: int
    episodes_archived: int
    more: Annotated[bool, Field(description="Whether there are more new episodes, for another run.")]
    note: Annotated[str | None, Field(description="Why nothing was done.")] = None


class ListCells(Input):
    scope: ScopeOf = "project"
    state: Annotated[
        CellState | None, Field(description="Only cells of this state. Without it: all that are not archived.")
    ] = None
    cell_type: Annotated[CellType | None, Field(description="Only cells of this type.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="How many in one answer.")] = 20
    cursor: Annotated[str | None, Field(description="Where the page before ended.")] = None
    max_chars: MaxChars = None


class CellShown(Output):
    cell_id: int
    scene_id: int
    scope: str
    cell_type: str
    title: str
    body: str
    trust: int
    salience: int
    state: str
    evidence_count: int
    contradiction_count: int
    conflict_group: str | None
    supersedes_cell_id: int | None
    source: Annotated[str, Field(description="The least trusted origin of its evidence.")]
    created_at: str
    updated_at: str


class CellsListed(Output):
    cells: list[CellShown]
    cursor: str | None


class GetCell(Input):
    cell_id: CellId


class SceneShown(Output):
    scene_id: int
    label: str
    context_keys: list[str]


class EvidenceShown(Output):
    id: int
    relation: Annotated[str, Field(description="supports or contradicts.")]
    created_at: str
    experience_id: Annotated[int, Field(description="The episode that says so.")]
    source: str
    trust: int
    outcome: str
    summary: str
    about: Annotated[str | None, Field(description="What the episode tells of, by id.")]
    session_id: int | None
    validated: bool


class CellRead(Output):
    cell: CellShown
    scene: SceneShown
    canonical_key: str
    evidence: Annotated[list[EvidenceShown], Field(description="In the order in which it came; the newest 100.")]
    conflicts_with: Annotated[list[CellShown], Field(description="The other cells of its conflict, best first.")]
    superseded_by: Annotated[list[int], Field(description="Cells that supersede it.")]
