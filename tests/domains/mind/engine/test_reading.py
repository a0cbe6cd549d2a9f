"""What is read off a card: labels, receipts, the worth of evidence, how long it stays fresh."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.slices import DAY, card, engine, links, signals_of, subjects
from thoughtbox.domains.mind.engine.argument import argument_of
from thoughtbox.domains.mind.engine.evidence import worth
from thoughtbox.domains.mind.engine.freshness import span, window_of
from thoughtbox.domains.mind.engine.reading import is_active, is_draft, is_open, label, named
from thoughtbox.domains.mind.engine.receipts import command, link


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("x" * 64, None, "x" * 64),
        ("x" * 65, None, "x" * 63 + "…"),
        (None, "\n  first   line \nsecond", "first line"),
        ("  ", "text", "text"),
        ("two\nlines", None, "two"),
        (None, None, ""),
    ],
)
def test_a_label_is_one_line_of_64_characters_at_most(title: str | None, text: str | None, expected: str):
    assert label(card("CARD-1", "note", title=title, text=text)) == expected


def test_a_card_without_words_is_named_by_its_id_alone():
    assert named(card("CARD-1", "note")) == "CARD-1"
    assert named(card("CARD-1", "note", title="Why")) == "CARD-1 “Why”"


@pytest.mark.parametrize(
    ("status", "open_", "active"),
    [
        ("open", True, True),
        (None, True, True),
        ("Open", False, True),
        ("accepted", False, True),
        ("closed", False, False),
        ("done", False, False),
        ("resolved", False, False),
        ("merged", False, False),
    ],
)
def test_open_is_one_status_and_active_all_that_are_not_settled(status: str | None, open_: bool, active: bool):
    found = card("CARD-1", "hypothesis", status=status)

    assert (is_open(found), is_active(found)) == (open_, active)


@pytest.mark.parametrize(
    ("tags", "draft"),
    [
        ((), False),
        (("v:canon",), False),
        (("v:draft",), True),
        (("v:draft", "v:canon"), True),
        (("lane:agent:a1",), True),
        (("lane:agent:a1", "v:canon"), False),
        (("lane:shared",), False),
    ],
)
def test_a_draft_is_marked_as_one_or_stands_in_an_agents_lane(tags: tuple[str, ...], draft: bool):
    assert is_draft(card("CARD-1", "decision", *tags)) is draft


@pytest.mark.parametrize(
    ("meta", "text", "expected"),
    [
        ({"run": {"cmd": "a"}, "cmd": "b", "meta": {"cmd": "c"}}, "CMD: d", "a"),
        ({"cmd": "b", "meta": {"cmd": "c"}}, "CMD: d", "b"),
        ({"meta": {"run": {"cmd": "c"}}}, "CMD: d", "c"),
        ({"meta": {"cmd": "c"}}, "CMD: d", "c"),
        ({}, "How:\nCMD: pytest -q", "pytest -q"),
        ({}, "- CMD: pytest", "pytest"),
        ({}, "  2) CMD: `pytest -k 'a b'`", "pytest -k 'a b'"),
        ({}, "> * [ ] CMD: pytest", "pytest"),
        ({}, '"CMD: pytest"', "pytest"),
        ({}, "CMD: 'a' && 'b'", "'a' && 'b'"),
        ({}, "cmd: pytest", "pytest"),
        ({}, "Run CMD: pytest", None),
        ({}, "CMD:   ", None),
        ({}, "CMD: <fill in the command>", None),
        ({"cmd": "run <FILL this>"}, None, None),
        ({"cmd": "  "}, "CMD: later", "later"),
        ({"cmd": 7, "run": "no"}, None, None),
        ({}, None, None),
    ],
)
def test_a_command_is_taken_from_meta_before_text_and_never_a_placeholder(
    meta: dict[str, Any], text: str | None, expected: str | None
):
    assert command(card("CARD-1", "test", text=text, meta=meta)) == expected


@pytest.mark.parametrize(
    ("meta", "text", "found"),
    [
        ({"run": {"link": "x"}}, None, True),
        ({"run": {"url": "x"}}, None, True),
        ({"link": "x"}, None, True),
        ({"url": "x"}, None, True),
        ({"artifact": "out/report.html"}, None, True),
        ({"meta": {"link": "x"}}, None, True),
        ({}, "LINK: build 7", True),
        ({}, "- https://ci.example/7", True),
        ({}, "1. file:///tmp/report.html", True),
        ({}, "> 'http://ci.example/7'", True),
        ({}, "see https://ci.example/7", False),
        ({}, "LINK: <fill in>", False),
        ({"link": ["x"]}, None, False),
    ],
)
def test_a_link_is_taken_from_meta_and_from_lines_that_are_one(meta: dict[str, Any], text: str | None, found: bool):
    assert (link(card("CARD-1", "evidence", text=text, meta=meta)) is not None) is found


@pytest.mark.parametrize(
    ("tags", "meta", "text", "bears_on", "score"),
    [
        ((), {}, "it works", None, 0),
        ((), {"cmd": "pytest"}, None, None, 25),
        ((), {"link": "x"}, None, None, 25),
        (("ci",), {}, None, None, 20),
        (("github-actions",), {}, None, None, 20),
        (("buildkite",), {}, None, None, 20),
        (("jenkins",), {}, None, None, 20),
        ((), {"env": "CI"}, None, None, 20),
        ((), {"run": {"env": "ci"}}, None, None, 20),
        (("local",), {}, None, None, 10),
        ((), {"env": "local"}, None, None, 10),
        (("ci", "local"), {}, None, None, 20),
        ((), {}, None, "test", 20),
        ((), {}, None, "hypothesis", 10),
        ((), {}, None, "decision", 10),
        ((), {}, None, "question", 0),
        (("ci",), {"cmd": "pytest"}, "LINK: build 7", "test", 90),
    ],
)
@pytest.mark.parametrize("rel", ["supports", "blocks"])
def test_evidence_is_worth_its_receipts_its_source_and_what_it_bears_on(
    tags: tuple[str, ...], meta: dict[str, Any], text: str | None, bears_on: str | None, score: int, rel: str
):
    evidence = card("E", "evidence", *tags, meta=meta, text=text)
    cards = [evidence, card("X", bears_on or "note")]
    argument = argument_of(cards, links(f"E {rel} X") if bears_on else [], [])

    assert worth(evidence, argument).score == score


@pytest.mark.parametrize(
    ("meta", "window"),
    [
        ({}, 30 * DAY),
        ({"stale_after_ms": 0}, 0),
        ({"stale_after_ms": 5, "stale_after_days": 1}, 5),
        ({"run": {"stale_after_ms": 7}}, 7),
        ({"meta": {"stale_after_ms": 9}}, 9),
        ({"stale_after_ms": -1, "stale_after_days": 2}, 2 * DAY),
        ({"stale_after_days": 0}, 0),
        ({"stale_after_days": 3650}, 3650 * DAY),
        ({"stale_after_days": 3651}, 30 * DAY),
        ({"stale_after_days": -1}, 30 * DAY),
        ({"stale_after_days": True}, 30 * DAY),
        ({"stale_after_ms": "5"}, 30 * DAY),
    ],
)
def test_evidence_stays_fresh_as_long_as_its_test_says_or_30_days(meta: dict[str, Any], window: int):
    assert window_of(card("T", "test", meta=meta)) == window


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0 ms"), (1, "1 ms"), (DAY, "1 day"), (30 * DAY, "30 days"), (5_400_000, "90 minutes"), (1_500, "1500 ms")],
)
def test_a_span_is_said_in_the_largest_unit_that_fits(ms: int, said: str):
    assert span(ms) == said


def test_a_card_and_its_published_copy_are_judged_as_one():
    """The links of the source count for the pinned copy, and the copy is no support of its source."""
    decision = card("CARD-7", "decision", "v:draft", title="Use a queue")
    copy = card("CARD-PUB-CARD-7", "decision", "v:canon", "pinned", title="Use a queue")
    evidence = [card(f"CARD-{number}", "evidence", meta={"cmd": "load", "link": "x"}, text="ok") for number in (8, 9)]
    published = links("CARD-PUB-CARD-7 supports CARD-7")
    supported = published + links("CARD-8 supports CARD-7", "CARD-9 supports CARD-7")

    bare = engine([decision, copy], published)
    whole = engine([decision, copy, *evidence], supported)
    copy_alone = engine([copy, *evidence], supported)

    assert subjects(signals_of(bare)) == ["CARD-7"]
    assert [one["code"] for one in signals_of(bare)] == ["BM3_DECISION_LOW_CONFIDENCE"]
    assert [one["code"] for one in signals_of(whole)] == ["BM10_NO_COUNTER_EDGES"]
    assert subjects(signals_of(copy_alone, "BM10_NO_COUNTER_EDGES")) == ["CARD-PUB-CARD-7"]
    assert not signals_of(copy_alone, "BM3_DECISION_LOW_CONFIDENCE")
