"""What can be learnt from a session: what stands, what fell and why, and what is left to be looked after.

Nothing is invented: every learning quotes the thoughts that it comes from, and its scores are counted from them
(`docs/analysis.md` has the formulas). No database, no protocol, no clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, zip_longest

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.domains.thoughts.sessions.learnings.findings import Statement
from thoughtbox.domains.thoughts.sessions.learnings.mine import Mine
from thoughtbox.domains.thoughts.sessions.learnings.models import TYPES, ExtractedLearning, KeyMoment
from thoughtbox.domains.thoughts.sessions.learnings.moments import steer
from thoughtbox.domains.thoughts.sessions.learnings.wording import Wording, paths_of

MOST_LEARNINGS = 20


class Learnings:
    """What a session teaches, the most telling first, in two forms."""

    def __init__(self, kept: Sequence[Wording], paths: dict[str, str]) -> None:
        self._kept = kept
        self._paths = paths

    def brief(self) -> list[ExtractedLearning]:
        return [found.brief(self._paths[found.id]) for found in self._kept]

    def full(self) -> list[ExtractedLearning]:
        return [found.full(self._paths[found.id]) for found in self._kept]


def learn(
    session: Session,
    outcome: Outcome,
    *,
    at: str,
    key_moments: Sequence[KeyMoment] = (),
    types: Collection[str] = TYPES,
    earlier: Sequence[Statement] = (),
) -> Learnings:
    """What a session teaches: key moments first, then patterns, anti-patterns and signals in turns."""
    mine = Mine(session, outcome, earlier)
    steered = steer(mine.findings(), key_moments, mine)
    found = [Wording(finding, mine.scores(finding), session, at) for finding in steered]
    paths = paths_of(found, session)
    wanted = [each for each in found if each.finding.type in types]
    return Learnings(_most_telling_first(wanted)[:MOST_LEARNINGS], paths)


def _most_telling_first(found: Iterable[Wording]) -> list[Wording]:
    ordered = sorted(found, key=_rank)
    named = [each for each in ordered if each.finding.significance is not None]
    by_type = [
        [each for each in ordered if each.finding.type == type_ and each.finding.significance is None]
        for type_ in TYPES
    ]
    in_turns = chain.from_iterable(zip_longest(*by_type))
    return [*named, *(each for each in in_turns if each is not None)]


def _rank(found: Wording) -> tuple[int, int, int, int, int]:
    """A key moment's significance; then what more thoughts are linked to, and what is better proven."""
    finding = found.finding
    return (
        -(finding.significance or 0),
        finding.tier,
        -finding.weight,
        -found.scores.maturity,
        finding.subject.seq,
    )
