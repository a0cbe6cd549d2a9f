"""What thoughts rest on, by name and as they are quoted: what fell never without what it fell to."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import is_tentative
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.domains.thoughts.sessions.learnings.findings import MOST_QUOTED, MOST_SOURCES, Quote, in_order
from thoughtbox.domains.thoughts.sessions.learnings.quoting import listed, name_of

JUST_BEFORE = 3
RESTS_ON = ("derived_from", "refines", "answers", "relates_to")
"""Relations from a thought to what it rests on."""


class Grounds:
    """The grounds of a session's thoughts."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._links = outcome.links
        self._reasoning = outcome.reasoning

    def of(self, thought: Thought) -> tuple[list[Thought], bool]:
        """What a thought rests on, and whether links say so: else it is just what came before."""
        direct = in_order(self._links.naming(thought, "supports"), self._links.named_by(thought, *RESTS_ON))
        behind = [
            self._links.first_naming(ground, "supports", MOST_SOURCES) for ground in direct if is_tentative(ground)
        ]
        linked = [ground for ground in in_order(direct, *behind) if ground.seq != thought.seq]
        if linked:
            return linked, True
        before: list[Thought] = []
        at = self._links.before(thought)
        while at is not None and len(before) < JUST_BEFORE:
            before.append(at)
            at = self._links.before(at)
        known = [ground for ground in before if not self._has_fallen(ground) or self.fell_since(ground, thought)]
        return known[::-1], False

    def _has_fallen(self, ground: Thought) -> bool:
        return self._reasoning.state(ground).has_fallen

    def fell_since(self, ground: Thought, thought: Thought) -> bool:
        """Whether a ground was revised or rejected after what rests on it was thought."""
        by = self._outcome.fell_to(ground)
        return by is not None and by.seq > thought.seq

    def speaks(self, ground: Thought) -> bool:
        """Whether it counts as evidence: it has not fallen, and is more than a question or an assumption."""
        state = self._reasoning.state(ground)
        return not state.has_fallen and state.role not in ("question", "assumption")

    def quote(self, ground: Thought) -> Quote:
        """A ground as the full form quotes it."""
        by = self._outcome.fell_to(ground)
        return Quote(self.name(ground), (ground.text, *([by.text] if by else [])), essential=False)

    def quotes(self, grounds: Sequence[Thought]) -> list[Quote]:
        return [self.quote(ground) for ground in grounds[:MOST_QUOTED]]

    def name(self, thought: Thought) -> str:
        """Its name, and what became of it: `[S4] (corrected by [S9])`."""
        by = self._outcome.fell_to(thought)
        state = self._reasoning.state(thought)
        if by is not None:
            how = "corrected" if state.status == "revised" else "rejected"
            return f"{name_of(thought)} ({how} by {name_of(by)})"
        if (state.role, state.status) == ("assumption", "open"):
            return f"{name_of(thought)} (untested)"
        return name_of(thought)

    def names(self, thoughts: Sequence[Thought]) -> str:
        return listed([self.name(thought) for thought in thoughts])
