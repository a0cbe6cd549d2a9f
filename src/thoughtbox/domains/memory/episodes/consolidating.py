"""Consolidation: what new episodes say becomes cells. Prepared beside everybody else, written in one go."""

from __future__ import annotations

from dataclasses import dataclass

from thoughtbox.domains.memory.configuration import MemorySettings, memory_settings
from thoughtbox.domains.memory.episodes.cell import ARCHIVED, STREAM, Cell
from thoughtbox.domains.memory.episodes.episode import SCOPES, Episode
from thoughtbox.domains.memory.episodes.identity import canonical_key
from thoughtbox.domains.memory.episodes.keys import label
from thoughtbox.domains.memory.episodes.placing import Fresh, Place, Places
from thoughtbox.domains.memory.episodes.plan import Caps, Plan, Statement, planned, statements
from thoughtbox.domains.memory.episodes.records import write_changes, write_new_cell, write_run, write_scene
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Tx

MOST_AT_ONCE = 10_000
"""Episodes that one run takes; the next one takes those behind them."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """There is nothing to do, and why."""

    note: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that is worked out, and what it rests on."""

    scope: str
    head: int
    """The newest record about cells: it must still be the newest when this is written."""
    processed: int
    up_to: int
    more: bool
    places: list[Place]
    joined: dict[str, Place]
    plan: Plan
    archived: list[int]
    """Episodes that are too many."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run has done."""

    prepared: Prepared
    scenes_created: int


def prepared(tx: Tx, scope: str, threshold: int | None) -> Prepared | Nothing:
    """Work out what a consolidation of a scope comes to; nothing is written."""
    settings = memory_settings(project_of(tx))
    if not settings.memory_enabled:
        return Nothing("memory_enabled is false in this project: nothing is consolidated until it is true.")
    wanted = settings.consolidation_threshold if threshold is None else threshold
    semantic = tx.ask(Semantic)
    found = tx.ask(Episodes).after(scope, semantic.meta(scope).last_experience_id, limit=MOST_AT_ONCE + 1)
    if not found:
        return Nothing("There is no new episode.")
    if len(found) < wanted:
        are = "is 1 new episode" if len(found) == 1 else f"are {len(found)} new episodes"
        return Nothing(f"There {are}; consolidation begins at {wanted}.")
    new = found[:MOST_AT_ONCE]
    return _worked_out(tx, scope, settings, new, more=len(found) > len(new))


def _worked_out(tx: Tx, scope: str, settings: MemorySettings, new: list[Episode], *, more: bool) -> Prepared:
    semantic = tx.ask(Semantic)
    key_sets = {episode.context_keys for episode in new}
    scenes = Places.read(semantic, scope, key_sets)
    places = scenes.place_all(key_sets)
    said_now = list(statements(new, places))
    live = semantic.selected(SCOPES, limit=NOW)
    caps = Caps(settings.max_cells_total, settings.max_cells_per_scene)
    plan = planned(said_now, scope, live, _archived(semantic, said_now), caps, tx.now_ms)
    head = tx.ledger.stream_head(STREAM)
    return Prepared(
        scope=scope,
        head=head.last_seq if head is not None else 0,
        processed=len(new),
        up_to=new[-1].experience_id,
        more=more,
        places=list(dict.fromkeys(places.values())),
        joined=scenes.joined,
        plan=plan,
        archived=tx.ask(Episodes).surplus(settings.max_experiences_total),
    )


def _archived(semantic: Semantic, said_now: list[Statement]) -> list[Cell]:
    """The archived cells that new statements repeat."""
    keys = {
        canonical_key(statement.place, statement.kind, statement.sentence)
        for statement in said_now
        if isinstance(statement.place, int)
    }
    return [cell for cell in semantic.cells_keyed(keys).values() if cell.state == ARCHIVED]


def written(tx: Tx, prepared: Prepared) -> Run | None:
    """Write a prepared run, all of it; None, and nothing written, when cells have changed since it was prepared."""
    head = tx.ledger.stream_head(STREAM)
    if (head.last_seq if head is not None else 0) != prepared.head:
        return None
    scope, plan = prepared.scope, prepared.plan
    fresh = [place for place in prepared.places if isinstance(place, Fresh)]
    ids: dict[Place, int] = {place: write_scene(tx, scope, label(place.keys), place.keys) for place in fresh}
    ids.update({place: place for place in prepared.places if isinstance(place, int)})
    for forming in plan.created:
        scene_id = ids[forming.scene]
        write_new_cell(tx, forming, scene_id, canonical_key(scene_id, forming.cell_type, forming.body))
    write_changes(tx, plan.changed)
    touched = sorted({forming.scene for forming in (*plan.created, *plan.changed) if isinstance(forming.scene, int)})
    write_run(
        tx,
        scope,
        up_to=prepared.up_to,
        text=f"{prepared.processed} episodes of scope {scope} are consolidated",
        key_sets=[(digest, ids[place]) for digest, place in prepared.joined.items()],
        scenes=touched,
        archived=prepared.archived,
    )
    return Run(prepared, len(fresh))
