"""Thoughts by the label that their marker gave them: hypothesis, assumption, conclusion, rejected, revision."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload

LINES = [
    "S1|O|Pages are slow",
    "S2|H|S1|It is the cache",
    "S3|A|The load is as usual",
    "S4|E|⊖[S2]|The cache is warm",
    "S5|X|×[S2]|It is not the cache",
    "S6|C|S4|It is the database",
    "S7|C|S6|∴ Add an index",
    "S8|R|^S3|The load has doubled",
    "the last word, in prose",
]


@pytest.fixture
def told(mia: Client) -> Client:
    for line in LINES:
        mia.think(line)
    mia.think("S10|H|S1|It is the network", branchId="net", branchFromThought=1, thoughtNumber=10)
    mia.think("S11|H|It is the disk", branchId="net", revisesThought=10)
    return mia


def numbers(answer: dict[str, Any]) -> list[int]:
    assert answer["count"] == len(answer["thoughts"])
    return [thought["thoughtNumber"] for thought in answer["thoughts"]]


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("hypothesis", [2, 10, 11]),
        ("assumption", [3]),
        ("rejected", [5]),
        ("conclusion", [6, 7]),
        ("revision", [8]),
    ],
)
def test_thoughts_are_found_by_their_label(told: Client, label: str, found: list[int]):
    answer = told.read_thoughts(label=label)

    assert numbers(answer) == found
    assert answer["query"] == {"label": label}
    assert all(label in thought["labels"] for thought in answer["thoughts"])


def test_a_label_goes_with_whatever_else_is_asked_for(told: Client):
    assert numbers(told.read_thoughts(label="hypothesis", branchId="net")) == [10, 11]
    assert numbers(told.read_thoughts(label="hypothesis", last=1)) == [11]
    assert numbers(told.read_thoughts(label="hypothesis", range=[1, 5])) == [2]
    assert numbers(told.read_thoughts(label="hypothesis", thoughtNumber=2)) == [2]
    assert numbers(told.read_thoughts(label="hypothesis", thoughtNumber=3)) == []
    assert numbers(told.read_thoughts(label="conclusion", kind="decision")) == [7]
    assert numbers(told.read_thoughts(label="rejected", refersTo=2)) == [5]
    assert numbers(told.read_thoughts(label="assumption", kind="evidence")) == []


def test_they_come_in_pages_that_hold_each_once(told: Client):
    for number in range(130):
        told.think(f"S{number + 12}|H|guess {number}", branchId="net")

    pages = list(told.pages("read_thoughts", label="hypothesis", limit=40))

    seen = [thought["thought"] for page in pages for thought in page["thoughts"]]
    assert [len(page["thoughts"]) for page in pages] == [40, 40, 40, 13]
    assert len(set(seen)) == 133 == pages[0]["count"]


def test_a_label_that_is_a_kind_and_a_kind_that_is_a_label_are_told_apart(told: Client):
    for asked, way_out in (
        ({"label": "evidence"}, "Send kind instead: evidence is one."),
        ({"kind": "hypothesis"}, "Send label instead: hypothesis is one."),
        ({"label": "guess"}, "The labels are hypothesis, conclusion, revision, assumption, rejected."),
    ):
        with pytest.raises(InvalidPayload) as refused:
            told.read_thoughts(**asked)
        assert refused.value.recovery == way_out
        assert refused.value.details["fields"] == list(asked)
