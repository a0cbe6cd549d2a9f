"""What a consolidation would make of new episodes: pure, so that it can be worked out beside everybody else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from thoughtbox.domains.memory.episodes.cell import ARCHIVED, Cell
from thoughtbox.domains.memory.episodes.episode import Episode
from thoughtbox.domains.memory.episodes.identity import said, title_of
from thoughtbox.domains.memory.episodes.opposites import Opposites
from thoughtbox.domains.memory.episodes.placing import Fresh, Keys, Place
from thoughtbox.domains.memory.episodes.sentences import kind_of, sentences
from thoughtbox.domains.memory.episodes.standing import Forming
from thoughtbox.domains.memory.episodes.trust import earned_trust
from thoughtbox.domains.memory.hashing import digest

Identity = tuple[Place, str, str]


class Statement(NamedTuple):
    """A sentence of an episode that is worth keeping."""

    episode: Episode
    place: Place
    kind: str
    sentence: str

    @property
    def identity(self) -> Identity:
        return self.place, self.kind, said(self.sentence)


class Caps(NamedTuple):
    """How much memory may hold."""

    cells: int
    cells_per_scene: int


@dataclass(slots=True)
class Plan:
    """What there is to write."""

    created: list[Forming] = field(default_factory=list)
    changed: list[Forming] = field(default_factory=list)
    """Cells that were there, evidence or not."""
    updated: int = 0
    """Those of them that have new evidence."""
    archived: int = 0
    conflicts: int = 0
    superseded: int = 0


def statements(episodes: Iterable[Episode], places: Mapping[Keys, Place]) -> Iterator[Statement]:
    """What the episodes say, in their order."""
    stating = (episode for episode in episodes if not episode.states_nothing)
    for episode in sorted(stating, key=lambda episode: episode.experience_id):
        for sentence in sentences(episode.summary):
            kind = kind_of(sentence, source=episode.source, keys=episode.context_keys)
            if kind is not None:
                yield Statement(episode, places[episode.context_keys], kind, sentence)


def planned(
    said_now: Sequence[Statement], scope: str, live: Iterable[Cell], archived: Iterable[Cell], caps: Caps, now_ms: int
) -> Plan:
    """Work out what becomes of memory.

    `live` are all cells of all scopes that are not archived, `archived` those archived ones that some statement is.
    """
    return _Planning(scope, live, archived, caps, now_ms).plan(said_now)


class _Planning:
    def __init__(self, scope: str, live: Iterable[Cell], archived: Iterable[Cell], caps: Caps, now_ms: int) -> None:
        self._scope = scope
        self._caps = caps
        self._now_ms = now_ms
        known = [Forming.of(cell) for cell in sorted([*live, *archived], key=lambda cell: cell.cell_id)]
        self._all = known
        self._known = len(known)
        self._age: dict[Forming, int] = {forming: age for age, forming in enumerate(known)}
        self._cells: dict[Identity, Forming] = {
            (forming.scene, forming.cell_type, said(forming.body)): forming for forming in known
        }
        self._opposites: Opposites[Forming] = Opposites()
        self._entered: set[Forming] = set()
        self._clashes: dict[tuple[Forming, Forming], None] = {}
        self._groups: dict[str, list[Forming]] = defaultdict(list)
        for forming in known:
            if forming.conflict_group is not None:
                self._groups[forming.conflict_group].append(forming)

    def plan(self, said_now: Sequence[Statement]) -> Plan:
        touched = {statement.place for statement in said_now}
        for forming in list(self._all):
            if forming.scene in touched and forming.state != ARCHIVED:
                self._enter(forming)
        for statement in said_now:
            self._take(statement)
        own = [forming for forming in self._all if forming.scope == self._scope]
        for forming in own:
            forming.trust = earned_trust(
                forming.base_trust, forming.evidence, forming.contradictions, forming.users, forming.validated
            )
        superseded = self._supersede()
        for forming in own:
            forming.step()
            forming.settle(self._now_ms)
        self._cap()
        created, known = self._all[self._known :], self._all[: self._known]
        return Plan(
            created=created,
            changed=[forming for forming in known if forming.has_changed],
            updated=sum(bool(forming.supports or forming.contradicts) for forming in known),
            archived=sum(_is_archived_now(forming) for forming in self._all),
            conflicts=len(self._clashes),
            superseded=superseded,
        )

    def _take(self, statement: Statement) -> None:
        """A sentence is evidence for its cell, which is made if there is none, and against all that say otherwise."""
        forming = self._cells.get(statement.identity)
        if forming is None:
            forming = Forming(
                statement.place, self._scope, statement.kind, title_of(statement.sentence), statement.sentence
            )
            self._cells[statement.identity] = forming
            self._age[forming] = len(self._all)
            self._all.append(forming)
        self._enter(forming)
        forming.is_supported_by(statement.episode)
        for other in forming.opposites:
            other.is_contradicted_by(statement.episode)
            self._clash(forming, other)

    def _enter(self, forming: Forming) -> None:
        if forming in self._entered:
            return
        self._entered.add(forming)
        for other in self._opposites.enter((forming.scene, forming.cell_type), forming.body, forming):
            forming.opposites.append(other)
            other.opposites.append(forming)

    def _clash(self, one: Forming, other: Forming) -> None:
        """Both sides of a contradiction are in one conflict; where they were in two, these become one."""
        older, newer = sorted((one, other), key=self._age.__getitem__)
        if (older, newer) in self._clashes:
            return
        self._clashes[older, newer] = None
        group = older.conflict_group or newer.conflict_group or _group_name(older)
        for side in (older, newer):
            before = side.conflict_group
            members = self._groups.pop(before) if before is not None and before != group else [side]
            for member in members:
                if member.conflict_group != group:
                    member.conflict_group = group
                    self._groups[group].append(member)

    def _supersede(self) -> int:
        """A newer cell with more evidence supersedes the older one that it contradicts, if it is trusted as far."""
        count = 0
        for newer in self._entered_in_order():
            older = [other for other in newer.opposites if self._age[other] < self._age[newer]]
            if not older:
                continue
            weaker = [other for other in older if newer.evidence > other.evidence and newer.trust >= other.trust]
            best = max(weaker, key=lambda other: (other.evidence, -self._age[other]), default=None)
            was = newer.superseded_id
            if best is not None and (was is None or was != best.id):
                newer.supersedes = best
                count += 1
            elif best is None and was in [other.id for other in older if other.id is not None]:
                newer.supersedes = None
        return count

    def _entered_in_order(self) -> list[Forming]:
        return sorted(self._entered, key=self._age.__getitem__)

    def _cap(self) -> None:
        """Archive what is too much: in each scene, in all, and what has faded."""
        by_scene: dict[Place, list[Forming]] = defaultdict(list)
        for forming in self._all:
            if forming.state != ARCHIVED and forming.scope == self._scope:
                by_scene[forming.scene].append(forming)
        for of_scene in by_scene.values():
            self._archive_surplus(of_scene, self._caps.cells_per_scene)
        self._archive_surplus([forming for forming in self._all if forming.state != ARCHIVED], self._caps.cells)
        for forming in self._all:
            if forming.scope == self._scope and forming.has_faded:
                forming.archive()

    def _archive_surplus(self, live: list[Forming], most: int) -> None:
        if len(live) > most:
            for forming in sorted(live, key=lambda forming: (forming.salience, self._age[forming]))[: len(live) - most]:
                forming.archive()


def _is_archived_now(forming: Forming) -> bool:
    return forming.state == ARCHIVED and (forming.known is None or forming.known.state != ARCHIVED)


def _group_name(forming: Forming) -> str:
    scene = list(forming.scene.keys) if isinstance(forming.scene, Fresh) else forming.scene
    return f"conflict-{digest([forming.scope, scene, forming.cell_type, said(forming.body)])[:16]}"
