"""BM9: an open question or decision weighs one thing against another. An action only: there is nothing wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import playbook
from thoughtbox.domains.mind.engine.findings import Finding, action
from thoughtbox.domains.mind.engine.reading import is_open, named
from thoughtbox.domains.mind.slice import Card, Place

WEIGHING = re.compile(r"\s(?:vs\.?|versus)\s|trade-?off|(?<![\w/])a/b(?![\w/])", re.IGNORECASE)
"""`a/b` as a word of its own: not the middle of `data/backup`."""


def tradeoffs(argument: Argument, place: Place) -> Iterator[Finding]:
    for card in argument.of_type("question", "decision"):
        if is_open(card) and _weighs(card):
            calls = [playbook("criteria_matrix", place)]
            yield action("use_playbook.criteria_matrix", "low", [card], calls, {"card": named(card)})
            return


def _weighs(card: Card) -> bool:
    return WEIGHING.search(f"{card.title or ''}\n{card.text or ''}") is not None
