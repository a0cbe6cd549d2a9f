"""Tests that can be run, and whether what they showed is still worth something."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any, NamedTuple

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.reading import is_open, metas, run_of
from thoughtbox.domains.mind.engine.receipts import command
from thoughtbox.domains.mind.slice import Card

DAY_MS = 86_400_000
DEFAULT_WINDOW_MS = 30 * DAY_MS
MOST_DAYS = 3650
UNITS = ((DAY_MS, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"))


class State(IntEnum):
    """In the order in which tests are worth running."""

    MISSING = 0
    STALE = 1
    FRESH = 2


class Runnable(NamedTuple):
    """An open test with a command."""

    test: Card
    command: str
    state: State
    evidence: Card | None
    """What it showed last, good or bad."""
    window_ms: int


def runnable_tests(argument: Argument) -> list[Runnable]:
    """Those without evidence first, then the stale ones, then the fresh ones; the newest of each first."""
    found = [
        _runnable(test, said, argument)
        for test in argument.of_type("test")
        if is_open(test) and (said := command(test)) is not None
    ]
    return sorted(found, key=lambda one: (one.state, -one.test.last_seq, one.test.id))


def window_of(test: Card) -> int:
    """How long its evidence holds, in milliseconds: as its meta says, or 30 days."""
    for value in _settings(test, "stale_after_ms"):
        if _is_number(value) and value >= 0:
            return int(value)
    for value in _settings(test, "stale_after_days"):
        if _is_number(value) and 0 <= value <= MOST_DAYS:
            return int(value * DAY_MS)
    return DEFAULT_WINDOW_MS


def span(ms: int) -> str:
    """A length of time in the largest unit that says it exactly."""
    for length, unit in UNITS:
        if ms and ms % length == 0:
            return f"{ms // length} {unit}{'' if ms == length else 's'}"
    return f"{ms} ms"


def _runnable(test: Card, said: str, argument: Argument) -> Runnable:
    window = window_of(test)
    results = [card for card in argument.supporters(test) + argument.blockers(test) if card.type == "evidence"]
    if not results:
        return Runnable(test, said, State.MISSING, None, window)
    latest = min(results, key=lambda card: (-card.last_ts_ms, -card.last_seq, card.id))
    stale = latest.last_ts_ms + window < argument.reference_ts
    return Runnable(test, said, State.STALE if stale else State.FRESH, latest, window)


def _settings(test: Card, name: str) -> Iterator[Any]:
    for meta in metas(test):
        yield meta.get(name)
        yield run_of(meta).get(name)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
