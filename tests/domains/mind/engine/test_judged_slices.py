"""The engine against a careful reader: realistic slices, and what is right to say about each."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.slices import (
    BRANCH,
    STEP,
    actions_of,
    card,
    engine,
    entry,
    links,
    read_slice,
    signals_of,
    slice_names,
)
from thoughtbox.domains.mind.engine.findings import SIGNALS
from thoughtbox.domains.mind.slice import Card, TraceEntry

NAMES = slice_names()


def read_card(number: int, said: dict[str, Any]) -> Card:
    fields = {name: value for name, value in said.items() if name not in {"id", "type", "tags"}}
    return card(said["id"], said["type"], *said.get("tags", []), seq=number, **fields)


def read_entry(seq: int, said: str, day: int) -> TraceEntry:
    kind, _, event = said.partition(":")
    if kind == "event":
        return entry(seq, event=event, day=day)
    return entry(seq, type=said, day=day)


def judged(name: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    said = read_slice(name)
    cards = [read_card(number, one) for number, one in enumerate(said["cards"], 1)]
    trace = [read_entry(seq, one, said["trace_day"]) for seq, one in enumerate(said["trace"], 100)]
    return said, engine(cards, links(*said["links"]), trace, STEP if said.get("step") else BRANCH)


def about(found: dict[str, Any]) -> str | None:
    first = found["refs"][0]
    return first["id"] if first["type"] == "card" else None


@pytest.mark.parametrize("name", NAMES)
def test_the_engine_says_what_a_careful_reader_says_in_the_same_order(name: str):
    said, found = judged(name)

    assert [[one["code"], about(one)] for one in signals_of(found)] == said["signals"]
    assert [[one["kind"], about(one)] for one in actions_of(found)] == said["actions"]
    assert not said["silent"].keys() & {one["code"] for one in signals_of(found)}


def test_every_code_is_right_in_some_slice():
    assert {code for name in NAMES for code, _ in read_slice(name)["signals"]} == set(SIGNALS)
