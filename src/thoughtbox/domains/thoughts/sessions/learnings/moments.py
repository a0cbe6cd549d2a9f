"""Key moments: thoughts that whoever asks holds to be important, and what they raise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.findings import Finding, Quote
from thoughtbox.domains.thoughts.sessions.learnings.mine import Mine
from thoughtbox.domains.thoughts.sessions.learnings.models import KeyMoment


def unknown_moments(thoughts: Sequence[Thought], key_moments: Iterable[KeyMoment]) -> list[KeyMoment]:
    """The key moments that name no thought of the session; `learn` passes them over."""
    places = Places(thoughts)
    return [moment for moment in key_moments if places.find(moment) is None]


class Places:
    """Finds the thought that a key moment means."""

    def __init__(self, thoughts: Sequence[Thought]) -> None:
        self._numbered: defaultdict[int, list[Thought]] = defaultdict(list)
        for thought in thoughts:
            self._numbered[thought.number].append(thought)

    def find(self, moment: KeyMoment) -> Thought | None:
        """On the branch it names; without one, on the main line, or else where that number exists alone."""
        numbered = self._numbered.get(moment.thought_number, [])
        for thought in numbered:
            if thought.branch_id == moment.branch_id:
                return thought
        return numbered[0] if moment.branch_id is None and len(numbered) == 1 else None


def steer(findings: Sequence[Finding], moments: Sequence[KeyMoment], mine: Mine) -> list[Finding]:
    """Raise what the key moments mean; a moment that means nothing found becomes a finding of its own."""
    places = Places(mine.thoughts)
    steered = list(findings)
    # The most significant comes last, so that of two moments for one thought the stronger word counts.
    for moment in sorted(moments, key=lambda moment: moment.significance or 0):
        thought = places.find(moment)
        if thought is None:
            continue
        meant = [place for place, finding in enumerate(steered) if thought.seq in finding.meant]
        if not meant:
            meant = [len(steered)]
            steered.append(mine.moment(thought, moment.type))
        for place in meant:
            steered[place] = _raised(steered[place], moment)
    return steered


def _raised(finding: Finding, moment: KeyMoment) -> Finding:
    quotes = finding.quotes
    if moment.summary is not None:
        quotes = (*quotes, Quote("A key moment, in the words of the caller", (moment.summary,)))
    return replace(finding, significance=moment.significance or 0, quotes=quotes)
