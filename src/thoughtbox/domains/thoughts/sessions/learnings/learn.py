"""What can be learnt from a session: what it decided, corrected, rejected, carried out and said again.

Nothing is invented: every learning quotes the thoughts that it comes from, and its scores are counted from them
(`docs/analysis.md` has the formulas). No database, no protocol, no clock.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.findings import Statement
from thoughtbox.domains.thoughts.sessions.learnings.mine import Mine
from thoughtbox.domains.thoughts.sessions.learnings.models import TYPES, ExtractedLearning, KeyMoment
from thoughtbox.domains.thoughts.sessions.learnings.moments import steer
from thoughtbox.domains.thoughts.sessions.learnings.wording import Wording, best_first, paths_of

MOST_LEARNINGS = 20


def learn(
    session: Session,
    thoughts: Sequence[Thought],
    *,
    at: str,
    key_moments: Sequence[KeyMoment] = (),
    types: Collection[str] = TYPES,
    earlier: Sequence[Statement] = (),
) -> list[ExtractedLearning]:
    """What a session teaches: key moments first, then the best proven, and the session's figures last."""
    if not thoughts:
        return []
    mine = Mine(session, thoughts, earlier)
    steered = steer(mine.findings(), key_moments, mine)
    learnings = [Wording(finding, mine.scores(finding), session, at) for finding in (*steered, mine.figures())]
    paths = paths_of(learnings, session)
    wanted = sorted((found for found in learnings if found.finding.type in types), key=best_first)
    figures = [found for found in wanted if found.finding.form == "figures"]
    others = [found for found in wanted if found.finding.form != "figures"]
    kept = others[: MOST_LEARNINGS - len(figures)] + figures
    return [found.learning(paths[found.id]) for found in kept]
