"""How much a piece of evidence is worth: can it be repeated, seen, and placed?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.reading import metas, run_of
from thoughtbox.domains.mind.engine.receipts import command, link
from thoughtbox.domains.mind.slice import Card

COMMAND, LINK = 25, 25
CI, LOCAL = 20, 10
TEST, CLAIM = 20, 10
CI_TAGS = frozenset({"ci", "github-actions", "buildkite", "jenkins"})


class Worth(NamedTuple):
    """A score from 0 to 100, and what would raise it, as keys of the wording."""

    score: int
    lacking: tuple[str, ...]


def worth(evidence: Card, argument: Argument) -> Worth:
    parts = {
        "command": (COMMAND if command(evidence) else 0, COMMAND),
        "link": (LINK if link(evidence) else 0, LINK),
        "source": (_source(evidence), LOCAL),
        "test": (_bearing(evidence, argument), TEST),
    }
    lacking = tuple(name for name, (score, enough) in parts.items() if score < enough)
    return Worth(sum(score for score, _ in parts.values()), lacking)


def _source(evidence: Card) -> int:
    marks = {*evidence.tags, *_environments(evidence)}
    if "ci" in marks or not CI_TAGS.isdisjoint(evidence.tags):
        return CI
    return LOCAL if "local" in marks else 0


def _environments(evidence: Card) -> Iterator[str]:
    for meta in metas(evidence):
        for env in (meta.get("env"), run_of(meta).get("env")):
            if isinstance(env, str):
                yield str(env).lower()


def _bearing(evidence: Card, argument: Argument) -> int:
    types = {card.type for card in argument.touched_by(evidence)}
    if "test" in types:
        return TEST
    return CLAIM if types & {"hypothesis", "decision"} else 0
