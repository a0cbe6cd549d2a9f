"""How what is said of the judged sessions compares with what a careful reader says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.judged import Judged

LISTS = {
    "decisions": "decisions",
    "overturned": "overturned",
    "rejected": "rejected",
    "open_questions": "openQuestions",
    "untested_assumptions": "untestedAssumptions",
    "stale": "stale",
    "carried_out": "carriedOut",
}
"""The lists of a judgement, and what the wire calls them."""

_FIGURE = re.compile(r"(?<![\w.,])\d[\d,.]*(?<=\d)")
_REFERENCE = re.compile(r"^S\d+\|\w\|[^|]*\||\[[^\]]*S\d+\]")


@dataclass(slots=True)
class Tally:
    """What was said, and what should have been."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)
    """Said, and not so."""
    found: int = 0
    missed: list[str] = field(default_factory=list)
    """So, and not said."""

    @property
    def precision(self) -> float:
        return self.right / (self.right + len(self.wrong)) if self.right or self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.found / (self.found + len(self.missed)) if self.found or self.missed else 1.0

    def add(self, other: Tally) -> None:
        self.right += other.right
        self.wrong += other.wrong
        self.found += other.found
        self.missed += other.missed

    def __str__(self) -> str:
        said, asked = self.right + len(self.wrong), self.found + len(self.missed)
        return f"precision {self.precision:.2f} ({self.right}/{said}), recall {self.recall:.2f} ({self.found}/{asked})"


def analysis_tallies(judged: Judged, analysis: dict[str, Any]) -> Iterator[tuple[str, Tally]]:
    """For each list of a `session.analyze` answer; what is tolerated counts neither for nor against."""
    tolerated = judged.judgement.get("tolerated", {})
    for name, spelled in LISTS.items():
        yield name, _tally(judged, name, set(analysis[spelled]), judged.judgement[name], tolerated.get(name, []))
    fates = [f"{branch} {fate}" for branch, fate in judged.judgement["branches"].items()]
    said = {f"{branch} {fate}" for branch, fate in analysis["branches"].items()}
    yield "branches", _tally(judged, "branches", said, fates, [])


def _tally(judged: Judged, name: str, said: set[str], wanted: Sequence[str], tolerated: Sequence[str]) -> Tally:
    def told(places: set[str]) -> list[str]:
        return [f"{judged.name} {name} {place}" for place in sorted(places)]

    right = said & set(wanted)
    return Tally(len(right), told(said - set(wanted) - set(tolerated)), len(right), told(set(wanted) - said))


def learning_tally(judged: Judged, learnings: Sequence[dict[str, Any]]) -> Tally:
    """A learning is right when one of its type is about the same thought. What is only acceptable need not be found."""
    tally = Tally()
    for learning in learnings:
        if any(_matches(learning, reader) for reader in [*judged.learnt, *judged.acceptable]):
            tally.right += 1
        else:
            tally.wrong.append(f"{judged.name} {learning['type']} about {learning['about']}")
    for reader in judged.learnt:
        if any(_matches(learning, reader) for learning in learnings):
            tally.found += 1
        else:
            tally.missed.append(f"{judged.name} {reader['type']} about {reader['about']}")
    return tally


def _matches(learning: dict[str, Any], reader: dict[str, Any]) -> bool:
    return learning["type"] == reader["type"] and bool(set(learning["about"]) & set(reader["about"]))


def silent_figures(judged: Judged, texts: dict[str, str], content: str, corrections: dict[str, str]) -> list[str]:
    """Figures that a learning quotes from thoughts that were put right, without saying so.

    `texts` are all thoughts by place; `corrections` says, by place, how the thought that put it right is named. A
    figure that other thoughts have, too, may be from there.
    """
    quoted = " ".join(line for line in content.splitlines() if line.startswith(">"))
    shown = figures(quoted)
    silent = []
    for place, name in corrections.items():
        others = " ".join(text for other, text in texts.items() if other != place)
        own = figures(texts[place]) - figures(others)
        if own & shown and f"by {name}" not in content:
            silent.append(f"{judged.name} {place}: {sorted(own)}")
    return silent


def figures(text: str) -> set[str]:
    """The numbers of a text but those of the thoughts that it names."""
    return set(_FIGURE.findall(_REFERENCE.sub("", text)))
