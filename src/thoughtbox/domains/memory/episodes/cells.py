"""Writing a single cell, and supporting some: what the guarded cycle and its policies do to memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtbox.domains.memory.episodes.cell import ARCHIVED, STATES, Cell
from thoughtbox.domains.memory.episodes.episode import Episode
from thoughtbox.domains.memory.episodes.identity import canonical_key, title_of
from thoughtbox.domains.memory.episodes.keys import normalised
from thoughtbox.domains.memory.episodes.placing import Places
from thoughtbox.domains.memory.episodes.records import write_changes, write_new_cell, write_scene
from thoughtbox.domains.memory.episodes.standing import Forming
from thoughtbox.domains.memory.episodes.trust import capped
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import ValidationFailed
from thoughtbox.operations import Tx


def write_cell(
    tx: Tx,
    *,
    scope: str,
    label: str,
    context_keys: Iterable[str],
    cell_type: str,
    title: str,
    body: str,
    trust: int,
    state: str,
    source: str,
    evidence: Sequence[int],
) -> int:
    """Write a cell into the scene of these keys, which is made if there is none; its id.

    A cell that says the same gets the evidence that it has not got yet, and this state if it is a further one.
    """
    semantic, keys = tx.ask(Semantic), normalised(context_keys)
    places = Places.read(semantic, scope, [keys])
    place = places.place(keys)
    scene_id = place if isinstance(place, int) else write_scene(tx, scope, label, keys)
    key = canonical_key(scene_id, cell_type, body)
    known = semantic.cells_keyed([key]).get(key)
    if known is None:
        forming = Forming(scene_id, scope, cell_type, title_of(title), body, state=state, source=source)
    else:
        forming = Forming.of(known)
        if _is_further(state, known.state):
            forming.state = state
    forming.base_trust = max(forming.base_trust, capped(trust, source))
    for episode in _episodes(tx, _unknown_to(tx, known, evidence)):
        forming.is_supported_by(episode)
    forming.settle(tx.now_ms)
    if forming.known is None:
        return write_new_cell(tx, forming, scene_id, key, key_set=next(iter(places.joined), None))
    if forming.has_changed or forming.base_trust != forming.known.base_trust:
        write_changes(tx, [forming])
    return forming.known.cell_id


def support(tx: Tx, cell_ids: Iterable[int], episode_id: int, *, validated: bool) -> list[int]:
    """Let an episode support cells, each once; those that it does support now. What was validated verifies them."""
    (episode,) = _episodes(tx, [episode_id])
    semantic = tx.ask(Semantic)
    found = semantic.cells_named(cell_ids)
    had = semantic.supported_by(episode_id)
    now_ms = tx.now_ms
    changed: list[Forming] = []
    for cell in (found[id] for id in sorted(found) if id not in had):
        forming = Forming.of(cell)
        forming.is_supported_by(episode, validated=validated)
        forming.settle(now_ms)
        changed.append(forming)
    write_changes(tx, changed)
    return [cell_id for cell_id in (forming.id for forming in changed) if cell_id is not None]


def _unknown_to(tx: Tx, cell: Cell | None, evidence: Sequence[int]) -> list[int]:
    had = {piece.experience_id for piece in tx.ask(Semantic).evidence(cell.cell_id)} if cell is not None else set()
    return sorted(set(evidence) - had)


def _episodes(tx: Tx, ids: Sequence[int]) -> list[Episode]:
    found = tx.ask(Episodes).episodes(ids)
    missing = [id for id in ids if id not in found]
    if missing:
        raise ValidationFailed(
            f"there is no episode {missing[0]}", recovery="Name an episode of this workspace.", details={"fields": []}
        )
    return [found[id] for id in ids]


def _is_further(state: str, other: str) -> bool:
    """Whether a cell that stands so would be raised by this; what decays or is archived comes back."""
    rising = STATES[:4]
    return state in rising and (other in ("decaying", ARCHIVED) or rising.index(state) > rising.index(other))
