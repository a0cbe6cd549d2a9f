"""What is known: cells, the scenes that they stand in, and the evidence for them and against them."""

from __future__ import annotations

from typing import Literal, NamedTuple

SCENE = "memory.scene"
CELL = "memory.cell"
CELLS_CHANGED = "memory.cells_changed"
CONSOLIDATED = "memory.consolidated"
STREAM = "memory/semantic"

CellType = Literal["rule", "preference", "policy", "fact"]
CellState = Literal["unverified", "observed", "reinforced", "stable", "decaying", "archived"]
STATES: tuple[CellState, ...] = ("unverified", "observed", "reinforced", "stable", "decaying", "archived")

ARCHIVED = "archived"
SUPPORTS = "supports"
CONTRADICTS = "contradicts"

LONGEST_TITLE = 80


class Scene(NamedTuple):
    """What some cells have in common."""

    scene_id: int
    scope: str
    label: str
    context_keys: tuple[str, ...]
    created_at: str
    updated_at: str


class Cell(NamedTuple):
    """A cell as it stands."""

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
    created_at: str
    updated_at: str
    canonical_key: str
    source: str
    """The least trusted origin of its evidence."""
    base_trust: int
    """The trust of its best evidence: what it falls back to when it is contradicted."""
    user_evidence: int
    validated_evidence: int


class CellPlace(NamedTuple):
    """Where a page of cells ends: they are in this order, the last part upwards, all others downwards."""

    trust: int
    salience: int
    updated_at: str
    cell_id: int


def place_of(cell: Cell) -> CellPlace:
    return CellPlace(cell.trust, cell.salience, cell.updated_at, cell.cell_id)


class Evidence(NamedTuple):
    """What an episode says for a cell or against it."""

    id: int
    cell_id: int
    experience_id: int
    relation: str
    created_at: str
