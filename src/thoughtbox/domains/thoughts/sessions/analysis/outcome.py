"""What a session came to: `model/reasoning.py`, and what was carried out, as analysis and learnings tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from thoughtbox.domains.thoughts.model.reasoning import Fate, Reasoning, Settled
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import Links, lines_of


class Outcome:
    """A session's thoughts in order of recording, how each of them stands, and what was done of what was decided."""

    def __init__(
        self,
        thoughts: Sequence[Thought],
        fates: Mapping[str, Settled] | None = None,
        whys: Mapping[str, str] | None = None,
    ) -> None:
        """`fates` and `whys` are what was said of branches; thoughts that settle one need not be among them."""
        self.thoughts = thoughts
        self.reasoning = Reasoning(thoughts, fates)
        self.links = Links(thoughts)
        self._whys = dict(whys or {})

    @cached_property
    def reports(self) -> dict[int, Thought]:
        """By decision or plan that was carried out: the thought that says so."""
        from thoughtbox.domains.thoughts.sessions.analysis.carried_out import carried_out  # it takes long to load

        return carried_out(self.reasoning)

    @cached_property
    def carried_out(self) -> list[Thought]:
        return [self.reasoning.thoughts[seq] for seq in sorted(self.reports)]

    @cached_property
    def overturned(self) -> list[Thought]:
        """Decisions that do not stand: revised, rejected, or left behind on a branch that was rejected."""
        left = [each for each in self.thoughts if each.kind == "decision" and not self.reasoning.counts(each)]
        return _in_order([*self.reasoning.overturned, *left])

    @cached_property
    def lines(self) -> dict[str | None, list[Thought]]:
        return lines_of(self.thoughts)

    @cached_property
    def branches(self) -> dict[str, Fate]:
        return {branch: self.reasoning.fate(branch) for branch in self.lines if branch is not None}

    def settled_by(self, branch: str | None) -> Thought | None:
        """The thought that adopted or rejected a branch; none when a call did."""
        settled = self.reasoning.fates.get(branch or "")
        return self.reasoning.thoughts.get(settled.by) if settled else None

    def why(self, branch: str | None) -> str:
        """What was said when a branch was adopted or rejected."""
        by = self.settled_by(branch)
        return by.text if by is not None else self._whys.get(branch or "", "")

    def stands(self, thought: Thought) -> bool:
        """Neither revised nor rejected, nor on a branch that was."""
        return not self.reasoning.state(thought).has_fallen and self.reasoning.counts(thought)

    def fell_to(self, thought: Thought) -> Thought | None:
        """What revised or rejected a thought."""
        state = self.reasoning.state(thought)
        return self.reasoning.thoughts.get(state.by or 0) if state.has_fallen else None

    def rests_on(self, thought: Thought) -> Thought | None:
        """What a thought rests on and has fallen since."""
        state = self.reasoning.state(thought)
        return self.reasoning.thoughts.get(state.rests_on or 0) if not state.has_fallen else None

    def name(self, seq: int | None) -> str:
        """The place of a thought; one of another session has none, and is named by its record."""
        thought = self.reasoning.thoughts.get(seq or 0)
        return place_of(thought) if thought is not None else f"th:{seq}"

    @cached_property
    def corrected(self) -> list[Thought]:
        """What was revised and is no decision: figures and guesses that something else took the place of."""
        states = self.reasoning.state
        return [each for each in self.thoughts if states(each).status == "revised" and each.kind != "decision"]


def place_of(thought: Thought) -> str:
    """`12` on the main line, `alt:12` on a branch."""
    return str(thought.number) if thought.branch_id is None else f"{thought.branch_id}:{thought.number}"


def places_of(thoughts: Iterable[Thought]) -> list[str]:
    return [place_of(thought) for thought in thoughts]


def _in_order(thoughts: Iterable[Thought]) -> list[Thought]:
    found = {thought.seq: thought for thought in thoughts}
    return [found[seq] for seq in sorted(found)]
