"""What episodes, scenes and cells write, and how it is opened when it comes from elsewhere."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field, Strict

from thoughtbox.domains.memory.episodes import cell as cells
from thoughtbox.domains.memory.episodes import episode as episodes
from thoughtbox.domains.memory.episodes.keys import normalised
from thoughtbox.domains.memory.episodes.standing import Forming
from thoughtbox.domains.memory.episodes.trust import capped, earned_trust
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in
from thoughtbox.search.registry import searchable

CHANGES_AT_ONCE = 200
"""Cells whose change one record tells."""
MOST_PIECES = 10_000
"""Pieces of evidence that one record of many changes brings."""
LINES_AT_ONCE = 1000
"""Ids that one record of a consolidation names of each kind."""

Trust = Annotated[int, Field(ge=0, le=3)]
Salience = Annotated[int, Field(ge=0, le=1000)]
Count = Annotated[int, Field(ge=0)]


class EpisodeData(RecordData):
    scope: episodes.Scope
    context_keys: list[str]
    outcome: episodes.Outcome
    trust: Trust
    salience: Salience
    source: str
    session_id: int | None = None
    about: str | None = None
    validated: bool = False


class SceneData(RecordData):
    scope: episodes.Scope
    context_keys: list[str]


class StandingData(RecordData):
    trust: Trust
    salience: Salience
    state: cells.CellState
    evidence_count: Count
    contradiction_count: Count
    source: str
    base_trust: Annotated[int, Field(ge=0, le=2)]
    user_evidence: Count
    validated_evidence: Count
    conflict_group: str | None = None
    supersedes_cell_id: int | None = None
    supports: list[int] = Field(default_factory=list)
    contradicts: list[int] = Field(default_factory=list)


class CellData(StandingData):
    scene_id: int
    scope: episodes.Scope
    cell_type: cells.CellType
    title: str
    canonical_key: str
    key_set: str | None = None


class ChangeData(StandingData):
    cell_id: int
    touched: bool


class ChangesData(RecordData):
    changes: list[ChangeData]


class RunData(RecordData):
    scope: episodes.Scope
    up_to: Count
    # JSON has lists where a tuple was written.
    key_sets: list[Annotated[tuple[str, int], Strict(False)]] = Field(default_factory=list)
    scenes: list[int] = Field(default_factory=list)
    archived: list[int] = Field(default_factory=list)


def write_scene(tx: Tx, scope: str, label: str, context_keys: Sequence[str]) -> int:
    data = {"scope": scope, "contextKeys": list(context_keys)}
    draft = Draft(kind="observation", topic=cells.SCENE, text=label, session=cells.STREAM, data=data)
    return tx.append(draft, stream=cells.STREAM).seq


def write_new_cell(tx: Tx, forming: Forming, scene_id: int, canonical_key: str, *, key_set: str | None = None) -> int:
    """Write a cell that was not there; `forming` has its id from then on. `key_set` belongs to the scene since."""
    data = {
        "sceneId": scene_id,
        "scope": forming.scope,
        "cellType": forming.cell_type,
        "title": forming.title,
        "canonicalKey": canonical_key,
        **present({"keySet": key_set}),
        **forming.told(),
    }
    draft = Draft(kind="observation", topic=cells.CELL, text=forming.body, session=cells.STREAM, data=data)
    forming.id = tx.append(draft, stream=cells.STREAM).seq
    return forming.id


def write_changes(tx: Tx, changed: Iterable[Forming]) -> None:
    """Write what became of cells that were there, many in a record."""
    for part in _in_parts(changed):
        changes = [{"cellId": forming.id, "touched": forming.is_touched, **forming.told()} for forming in part]
        text = f"{len(part)} cells have changed"
        draft = Draft(
            kind="observation", topic=cells.CELLS_CHANGED, text=text, session=cells.STREAM, data={"changes": changes}
        )
        tx.append(draft, stream=cells.STREAM)


def _in_parts(changed: Iterable[Forming]) -> list[list[Forming]]:
    parts: list[list[Forming]] = []
    pieces = 0
    for forming in changed:
        more = len(forming.supports) + len(forming.contradicts)
        if not parts or len(parts[-1]) == CHANGES_AT_ONCE or pieces + more > MOST_PIECES:
            parts.append([])
            pieces = 0
        parts[-1].append(forming)
        pieces += more
    return parts


def write_run(
    tx: Tx,
    scope: str,
    *,
    up_to: int,
    text: str,
    key_sets: Sequence[tuple[str, int]],
    scenes: Sequence[int],
    archived: Sequence[int],
) -> None:
    """Write that a scope is consolidated up to an episode, in as many records as it needs."""
    longest = max(len(key_sets), len(scenes), len(archived), 1)
    for start in range(0, longest, LINES_AT_ONCE):
        told: dict[str, Any] = {
            "keySets": [list(placed) for placed in key_sets[start : start + LINES_AT_ONCE]] or None,
            "scenes": list(scenes[start : start + LINES_AT_ONCE]) or None,
            "archived": list(archived[start : start + LINES_AT_ONCE]) or None,
        }
        data = {"scope": scope, "upTo": up_to, **present(told)}
        draft = Draft(kind="observation", topic=cells.CONSOLIDATED, text=text, session=cells.STREAM, data=data)
        tx.append(draft, stream=cells.STREAM)


def opened_episode(record: Record, before: Ledger) -> None:
    must_stand_in(record, episodes.STREAM)
    data = EpisodeData.read(record.data)
    if data.source not in episodes.SOURCES:
        raise InvalidRecord(f"`data.source` is one of {', '.join(episodes.SOURCES)}")
    if data.trust > capped(data.trust, data.source):
        raise InvalidRecord("`data.trust` is more than its source allows")
    if data.context_keys != list(normalised(data.context_keys)):
        raise InvalidRecord("`data.contextKeys` are not in order")


def opened_scene(record: Record, before: Ledger) -> None:
    must_stand_in(record, cells.STREAM)
    data = SceneData.read(record.data)
    if data.context_keys != list(normalised(data.context_keys)):
        raise InvalidRecord("`data.contextKeys` are not in order")


def opened_cell(record: Record, before: Ledger) -> None:
    must_stand_in(record, cells.STREAM)
    data = CellData.read(record.data)
    semantic = before.ask(Semantic)
    scene = semantic.scene(data.scene_id)
    if scene is None or scene.scope != data.scope:
        raise InvalidRecord("`data.sceneId` names no scene of its scope before it")
    if semantic.cells_keyed([data.canonical_key]):
        raise InvalidRecord("there is a cell of that `data.canonicalKey` before it")
    _check_evidence(data, None, before)


def opened_changes(record: Record, before: Ledger) -> None:
    must_stand_in(record, cells.STREAM)
    changes = ChangesData.read(record.data).changes
    known = before.ask(Semantic).cells_named(change.cell_id for change in changes)
    if len(known) != len(changes):
        raise InvalidRecord("`data.changes` names a cell twice, or one that there is not before it")
    for change in changes:
        _check_evidence(change, known[change.cell_id], before)


def opened_run(record: Record, before: Ledger) -> None:
    must_stand_in(record, cells.STREAM)
    data = RunData.read(record.data)
    if data.up_to < before.ask(Semantic).meta(data.scope).last_experience_id:
        raise InvalidRecord("`data.upTo` goes back")


def _check_evidence(data: StandingData, known: cells.Cell | None, before: Ledger) -> None:
    """Trust is earned: a record that claims more than its evidence gives is not taken in."""
    named = {*data.supports, *data.contradicts}
    found = before.ask(Episodes).episodes(named)
    if len(found) != len(named):
        raise InvalidRecord("its evidence names an episode that there is not before it")
    had = (known.evidence_count, known.contradiction_count, known.user_evidence) if known is not None else (0, 0, 0)
    users = sum(found[id].heard for id in data.supports)
    counted = (had[0] + len(data.supports), had[1] + len(data.contradicts), had[2] + users)
    if counted != (data.evidence_count, data.contradiction_count, data.user_evidence):
        raise InvalidRecord("its counts are not those of its evidence")
    validated = known.validated_evidence if known is not None else 0
    if not validated <= data.validated_evidence <= validated + len(data.supports):
        raise InvalidRecord("`validatedEvidence` is more than its evidence gives")
    if data.trust != earned_trust(data.base_trust, *counted, data.validated_evidence):
        raise InvalidRecord("`trust` is not what its evidence gives")


def declare(room: Room) -> None:
    room.topic(episodes.EPISODE, opened_episode, streams="memory")
    room.topic(cells.SCENE, opened_scene, streams="memory")
    room.topic(cells.CELL, opened_cell, streams="memory")
    room.topic(cells.CELLS_CHANGED, opened_changes, streams="memory")
    room.topic(cells.CONSOLIDATED, opened_run, streams="memory")
    searchable(episodes.EPISODE)
    searchable(cells.CELL)
