"""A cell while it is being changed: its evidence grows, and what follows from it is worked out anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from thoughtbox.domains.memory.episodes.cell import ARCHIVED, Cell
from thoughtbox.domains.memory.episodes.episode import Episode
from thoughtbox.domains.memory.episodes.salience import salience
from thoughtbox.domains.memory.episodes.trust import STATED, capped, earned_trust, least_trusted
from thoughtbox.ledger.record import present
from thoughtbox.world import milliseconds

FADED = 20
"""The salience up to which what decays is archived."""
TOO_MANY_CONTRADICTIONS = 2


@dataclass(slots=True, eq=False)
class Forming:
    """A cell that is there (`known`), or is about to be."""

    scene: Any
    """The id of its scene, or what stands for one that is not written yet."""
    scope: str
    cell_type: str
    title: str
    body: str
    known: Cell | None = None
    id: int | None = None
    """Of one that is about to be: once it is written."""
    state: str = "observed"
    source: str | None = None
    base_trust: int = 0
    trust: int = 0
    salience: int = 0
    evidence: int = 0
    contradictions: int = 0
    users: int = 0
    validated: int = 0
    conflict_group: str | None = None
    supersedes: Forming | int | None = None
    supports: list[int] = field(default_factory=list)
    """Episodes that support it, of those that are new."""
    contradicts: list[int] = field(default_factory=list)
    """Episodes that contradict it, of those that are new."""
    opposites: list[Forming] = field(default_factory=list)
    is_challenged: bool = False
    """Whether one of those that contradict it is trusted as far as it is."""

    @classmethod
    def of(cls, cell: Cell) -> Forming:
        return cls(
            scene=cell.scene_id,
            scope=cell.scope,
            cell_type=cell.cell_type,
            title=cell.title,
            body=cell.body,
            known=cell,
            id=cell.cell_id,
            state=cell.state,
            source=cell.source,
            base_trust=cell.base_trust,
            trust=cell.trust,
            salience=cell.salience,
            evidence=cell.evidence_count,
            contradictions=cell.contradiction_count,
            users=cell.user_evidence,
            validated=cell.validated_evidence,
            conflict_group=cell.conflict_group,
            supersedes=cell.supersedes_cell_id,
        )

    def is_supported_by(self, episode: Episode, *, validated: bool = False) -> None:
        """Take in that an episode says the same; once."""
        if self.supports and self.supports[-1] == episode.experience_id:
            return
        self.supports.append(episode.experience_id)
        self.evidence += 1
        self.users += episode.heard
        self.validated += episode.validated or validated
        self.base_trust = max(self.base_trust, min(capped(episode.trust, episode.source), STATED))
        self.source = least_trusted(self.source, episode.source)

    def is_contradicted_by(self, episode: Episode) -> None:
        """Take in that an episode says the opposite; once."""
        if self.contradicts and self.contradicts[-1] == episode.experience_id:
            return
        self.contradicts.append(episode.experience_id)
        self.contradictions += 1
        self.is_challenged |= capped(episode.trust, episode.source) >= self.base_trust

    def step(self) -> None:
        """The next state, one step at the most."""
        if self.state in ("decaying", ARCHIVED):
            if self.supports and not self.contradicts and self._outweighs():
                self.state = "observed"
        elif self.contradictions >= TOO_MANY_CONTRADICTIONS and self.is_challenged:
            # Only by a new one: what has come back is not sent away again for what it has outweighed.
            self.state = "decaying"
        elif self.state == "unverified" and self.evidence >= 1:
            self.state = "observed"
        elif self.state == "observed" and self.evidence >= 2 and self.contradictions == 0:
            self.state = "reinforced"
        elif self.state == "reinforced" and self.evidence >= 3:
            self.state = "stable"

    def _outweighs(self) -> bool:
        """Whether what speaks for it weighs more than what speaks against it, as salience weighs them."""
        return self.evidence > 2 * self.contradictions

    def settle(self, now_ms: int) -> None:
        """Work out what follows from the evidence and the state."""
        self.trust = earned_trust(self.base_trust, self.evidence, self.contradictions, self.users, self.validated)
        updated_ms = now_ms if self.known is None or self.is_touched else milliseconds(self.known.updated_at)
        self.salience = (
            0
            if self.state == ARCHIVED
            else salience(self.state, self.evidence, self.contradictions, self.trust, updated_ms, now_ms)
        )

    def archive(self) -> None:
        self.state, self.salience = ARCHIVED, 0

    @property
    def has_faded(self) -> bool:
        return self.state == "decaying" and self.salience <= FADED

    @property
    def is_touched(self) -> bool:
        """Whether more than time has changed it."""
        known = self.known
        return known is None or bool(
            self.supports
            or self.contradicts
            or self.state != known.state
            or self.conflict_group != known.conflict_group
            or self.superseded_id != known.supersedes_cell_id
        )

    @property
    def has_changed(self) -> bool:
        known = self.known
        return self.is_touched or known is None or (self.trust, self.salience) != (known.trust, known.salience)

    @property
    def superseded_id(self) -> int | None:
        return self.supersedes.id if isinstance(self.supersedes, Forming) else self.supersedes

    def told(self) -> dict[str, Any]:
        """What a record says of it; what it supersedes must be written by then."""
        return {
            "trust": self.trust,
            "salience": self.salience,
            "state": self.state,
            "evidenceCount": self.evidence,
            "contradictionCount": self.contradictions,
            "source": self.source or "derived",
            "baseTrust": self.base_trust,
            "userEvidence": self.users,
            "validatedEvidence": self.validated,
            **present(
                {
                    "conflictGroup": self.conflict_group,
                    "supersedesCellId": self.superseded_id,
                    "supports": self.supports or None,
                    "contradicts": self.contradicts or None,
                }
            ),
        }
