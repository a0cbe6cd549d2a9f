"""The verbs of episodes and cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thoughtbox.domains.memory.episodes.cell import ARCHIVED, Cell, CellPlace, place_of
from thoughtbox.domains.memory.episodes.episode import seen_from
from thoughtbox.domains.memory.episodes.models import (
    CellRead,
    CellShown,
    CellsListed,
    Consolidated,
    EpisodeRecorded,
    EvidenceShown,
    GetCell,
    ListCells,
    RecordEpisode,
    RunConsolidation,
    SceneShown,
)
from thoughtbox.domains.memory.room import BESIDE, TOOLS, room
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import ConfigInvalid, ProjectUnavailable, StorageBusy, ValidationFailed
from thoughtbox.operations import Example, Pages, Slices, Steps, Tx, cursor, place_in

if TYPE_CHECKING:
    from thoughtbox.domains.memory.episodes.consolidating import Run

ATTEMPTS = 3
"""Times that a run is worked out beside everybody else, before it is worked out with everybody waiting."""
MOST_EVIDENCE = 100

_RULE = ("record_episode", {"summary": "Always run the tests before a release.", "context_keys": ["release"]})
_CONSOLIDATED = [_RULE, ("run_consolidation", {"threshold": 1})]


@room.operation(
    "record_episode",
    writes=True,
    title="Record what happened or what a user stated",
    errors=[ConfigInvalid, ProjectUnavailable],
    toolsets=BESIDE,
    example=Example(
        {
            "summary": "I prefer short answers.",
            "outcome": "success",
            "source": "user",
            "context_keys": ["communication"],
        }
    ),
)
def record_episode(tx: Tx, call: RecordEpisode) -> EpisodeRecorded:
    """Record an episode: what happened and how it went, or what a user has stated. Consolidation learns from it.

    What a user stated comes in with trust 2, all else with trust 1.
    """
    from thoughtbox.domains.memory.episodes import recording
    from thoughtbox.domains.memory.episodes.trust import entry_trust

    if not recording.memory_is_on(tx):
        return EpisodeRecorded(recorded=False, note="memory_enabled is false in this project: nothing is recorded.")
    id = recording.record_episode(
        tx,
        summary=call.summary,
        outcome=call.outcome,
        source=call.source,
        trust=entry_trust(call.source, None),
        scope=call.scope,
        context_keys=call.context_keys,
    )
    episode = tx.ask(Episodes).episode(id)
    assert episode is not None
    return EpisodeRecorded(
        recorded=True,
        experience_id=id,
        trust=episode.trust,
        salience=episode.salience,
        context_keys=list(episode.context_keys),
    )


@room.operation(
    "run_consolidation",
    writes=True,
    idempotent=True,
    title="Turn new episodes into cells",
    errors=[ConfigInvalid, ProjectUnavailable, StorageBusy],
    toolsets=TOOLS,
    example=Example({"scope": "project", "threshold": 1}, given=[_RULE]),
)
def run_consolidation(slices: Slices, call: RunConsolidation) -> Steps[Consolidated]:
    """Make cells of what new episodes say: rules, preferences, policies, facts; find contradictions, let old ones fade.

    Each episode counts once, however often this is called. Fewer new ones than the threshold: nothing is done.
    """
    from thoughtbox.domains.memory.episodes.consolidating import Nothing, prepared, written

    def at_once(tx: Tx) -> Run | Nothing | None:
        found = prepared(tx, call.scope, call.threshold)
        return found if isinstance(found, Nothing) else written(tx, found)

    for _ in range(ATTEMPTS):
        found = yield slices.read(lambda tx: prepared(tx, call.scope, call.threshold), long=True)
        if isinstance(found, Nothing):
            return _nothing(found.note)
        run = yield slices.write(lambda tx, found=found: written(tx, found))
        if run is not None:
            return _done(run)
    run = yield slices.write(at_once)
    return _nothing(run.note) if isinstance(run, Nothing) else _done(run)


def _nothing(note: str) -> Consolidated:
    return Consolidated(
        processed=0,
        cells_created=0,
        cells_updated=0,
        idempotent=True,
        cells_archived=0,
        conflicts=0,
        superseded=0,
        scenes_created=0,
        episodes_archived=0,
        more=False,
        note=note,
    )


def _done(run: Run) -> Consolidated:
    plan = run.prepared.plan
    return Consolidated(
        processed=run.prepared.processed,
        cells_created=len(plan.created),
        cells_updated=plan.updated,
        idempotent=False,
        cells_archived=plan.archived,
        conflicts=plan.conflicts,
        superseded=plan.superseded,
        scenes_created=run.scenes_created,
        episodes_archived=len(run.prepared.archived),
        more=run.prepared.more,
    )


def _end_of_page(cell: Mapping[str, Any]) -> str:
    """The cursor of a page whose last cell this is."""
    return cursor(CellPlace(*(cell[name] for name in CellPlace._fields)))


@room.operation(
    "list_cells",
    title="See what is known",
    toolsets=BESIDE,
    newest_first=frozenset({"cells"}),
    pages=[Pages("cells", _end_of_page, cursor="cursor")],
    example=Example({"cell_type": "rule"}, given=_CONSOLIDATED),
)
def list_cells(tx: Tx, call: ListCells) -> CellsListed:
    """What memory knows, most trusted and salient first: rules, preferences, policies and facts with their state."""
    found = tx.ask(Semantic).selected(
        seen_from(call.scope),
        live=call.state != ARCHIVED,
        state=call.state,
        cell_type=call.cell_type,
        limit=call.limit + 1,
        after=place_in(call.cursor, CellPlace) if call.cursor else None,
    )
    shown = found[: call.limit]
    return CellsListed(
        cells=list(map(_shown, shown)), cursor=cursor(place_of(shown[-1])) if len(found) > len(shown) else None
    )


@room.operation(
    "get_cell",
    title="Read a cell with its evidence",
    toolsets=BESIDE,
    example=Example({"cell_id": 3}, given=_CONSOLIDATED),
)
def get_cell(tx: Tx, call: GetCell) -> CellRead:
    """One cell with what speaks for and against it, where each piece comes from, and what it is in conflict with."""
    semantic = tx.ask(Semantic)
    cell = semantic.cell(call.cell_id)
    scene = semantic.scene(cell.scene_id) if cell is not None else None
    if cell is None or scene is None:
        raise ValidationFailed(
            f"there is no cell {call.cell_id}",
            recovery='{"operation": "list_cells"} shows those there are.',
            details={"fields": ["cell_id"], "reason": "CELL_NOT_FOUND"},
        )
    pieces = semantic.newest_evidence(cell.cell_id, MOST_EVIDENCE)
    episodes = tx.ask(Episodes).episodes(piece.experience_id for piece in pieces)
    others = semantic.in_conflict(cell.conflict_group) if cell.conflict_group is not None else []
    return CellRead(
        cell=_shown(cell),
        scene=SceneShown(scene_id=scene.scene_id, label=scene.label, context_keys=list(scene.context_keys)),
        canonical_key=cell.canonical_key,
        evidence=[
            EvidenceShown(
                id=piece.id,
                relation=piece.relation,
                created_at=piece.created_at,
                experience_id=piece.experience_id,
                source=episode.source,
                trust=episode.trust,
                outcome=episode.outcome,
                summary=episode.summary,
                about=episode.about,
                session_id=episode.session_id,
                validated=episode.validated,
            )
            for piece in pieces
            if (episode := episodes.get(piece.experience_id)) is not None
        ],
        conflicts_with=[_shown(other) for other in others if other.cell_id != cell.cell_id],
        superseded_by=semantic.superseding(cell.cell_id),
    )


def _shown(cell: Cell) -> CellShown:
    return CellShown(**{name: getattr(cell, name) for name in CellShown.model_fields})
