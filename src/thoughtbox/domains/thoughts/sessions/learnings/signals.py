"""Signals: what a session leaves to be looked after. Of each sort there is one, about all thoughts of that sort."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import is_complete
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.domains.thoughts.sessions.learnings.findings import (
    MOST_QUOTED,
    MOST_SOURCES,
    Finding,
    Quote,
    in_order,
    seqs_of,
    sources_of,
)
from thoughtbox.domains.thoughts.sessions.learnings.grounds import Grounds
from thoughtbox.domains.thoughts.sessions.learnings.models import Form
from thoughtbox.domains.thoughts.sessions.learnings.quoting import name_of, names_of

_MOST_ABOUT = MOST_SOURCES // 2
_MOST_ESSENTIAL = 2
"""Of thoughts of one sort, the brief form quotes this many and names the others."""


class Signals:
    """What was put right, what was never tested, what was never answered, and how a session ended undecided."""

    def __init__(self, outcome: Outcome, grounds: Grounds, decisions: Sequence[Thought]) -> None:
        self._outcome = outcome
        self._decisions = decisions
        self._under: defaultdict[int, list[Thought]] = defaultdict(list)
        for decision in decisions:
            for ground in grounds.of(decision)[0]:
                self._under[ground.seq].append(decision)

    def findings(self) -> list[Finding]:
        found = (self._corrected(), self._untested(), self._questions(), self._ending())
        return [finding for finding in found if finding is not None]

    def _corrected(self) -> Finding | None:
        """Figures and guesses that were put right."""
        old = self._most_telling(self._outcome.corrected)
        if not old:
            return None
        new = [by for by in map(self._outcome.fell_to, old) if by is not None]
        pairs = [(thought, self._outcome.fell_to(thought)) for thought in old]
        leads = [
            (f"Corrected {name_of(thought)}, by {name_of(by)}", (thought.text, by.text)) for thought, by in pairs if by
        ]
        named = [f"{name_of(thought)} by {name_of(by)}" for thought, by in pairs if by]
        return self._signal("corrected", "Corrected", old, leads, named, others=new)

    def _untested(self) -> Finding | None:
        """Assumptions that nothing was held against."""
        assumed = self._most_telling(self._outcome.reasoning.untested)
        leads = [
            (f"Assumed, never tested: {name_of(thought)}{self._resting(thought)}", (thought.text,))
            for thought in assumed
        ]
        return self._signal("untested", "Untested", assumed, leads, [name_of(thought) for thought in assumed])

    def _resting(self, thought: Thought) -> str:
        decisions = self._under.get(thought.seq)
        return f", under {names_of(decisions)}" if decisions else ""

    def _questions(self) -> Finding | None:
        asked = self._most_telling(self._outcome.reasoning.open_questions)
        leads = [(f"Never answered: {name_of(thought)}", (thought.text,)) for thought in asked]
        return self._signal("question", "Open", asked, leads, [name_of(thought) for thought in asked])

    def _ending(self) -> Finding | None:
        """How a session ended that came to no decision."""
        end = self._outcome.lines.get(None, [])[-1:]
        if self._decisions or self._outcome.overturned or not is_complete(end):
            return None
        last = end[0]
        if last.kind in ("question", "plan") or not self._outcome.stands(last):
            return None
        return self._signal(
            "ending", "Ended", [last], [(f"Ended without a decision, with {name_of(last)}", (last.text,))], []
        )

    def _most_telling(self, thoughts: Iterable[Thought]) -> list[Thought]:
        """Those that a decision rests on first, as many as are named."""
        first = sorted(thoughts, key=lambda thought: (thought.seq not in self._under, thought.seq))
        return list(islice(first, _MOST_ABOUT))

    def _signal(
        self,
        form: Form,
        verb: str,
        about: Sequence[Thought],
        leads: Sequence[tuple[str, tuple[str, ...]]],
        named: Sequence[str],
        others: Sequence[Thought] = (),
    ) -> Finding | None:
        if not about:
            return None
        resting = in_order(*(self._under.get(thought.seq, ()) for thought in about))
        also = ", ".join(named[_MOST_ESSENTIAL:])
        return Finding(
            form=form,
            type="signal",
            verb=verb,
            subject=about[0],
            held=others[0] if others else about[0],
            about=tuple(in_order(about, others)),
            sources=sources_of([*about, *others]),
            quotes=tuple(
                Quote(lead, texts, essential=at < _MOST_ESSENTIAL)
                for at, (lead, texts) in enumerate(leads[:MOST_QUOTED])
            ),
            also=f"Also {also}." if also else "",
            evidence=len(seqs_of(others)),
            tier=(0 if resting else 1) if form != "ending" else 2,
        )
