"""Visibility: what a card is tagged with when it is written, who sees it, and what publishing changes."""

from __future__ import annotations

import pytest

from thoughtbox.domains.mind.cards.card import TYPES, CardRefused, ParsedCard
from thoughtbox.domains.mind.cards.stamping import (
    default_visibility,
    is_visible,
    published,
    published_tags,
    stamped,
)
from thoughtbox.domains.mind.records import is_draft


@pytest.mark.parametrize("type", TYPES)
def test_a_card_that_does_not_say_is_canon_unless_it_is_a_frame_or_a_note(type: str):
    visibility = "v:draft" if type in {"frame", "note"} else "v:canon"

    assert default_visibility(type) == visibility
    assert stamped(["a:cache"], type) == ("a:cache", "lane:shared", visibility)


@pytest.mark.parametrize("said", [["v:draft"], ["v:canon"], ["v:canon", "v:draft"]])
def test_a_visibility_that_is_said_stays(said: list[str]):
    assert stamped(said, "decision") == ("lane:shared", *said)
    assert stamped(said, "note") == ("lane:shared", *said)


def test_every_lane_becomes_the_shared_one():
    written = stamped(["lane:agent:kim", "lane:x", "v:canon", "lanes"], "note")

    assert written == ("lane:shared", "lanes", "v:canon")
    assert stamped(written, "note") == written


@pytest.mark.parametrize(
    ("tags", "draft"),
    [
        ((), False),
        (("v:canon",), False),
        (("v:draft",), True),
        (("v:canon", "v:draft"), True),
        (("lane:agent:kim",), True),
        (("lane:agent:kim", "v:canon"), False),
        (("lane:shared",), False),
    ],
)
def test_a_draft_says_so_or_stands_in_the_lane_of_an_agent(tags: tuple[str, ...], draft: bool):
    assert is_draft(tags) is draft
    assert is_visible(tags) is not draft


def test_a_draft_is_seen_when_asked_for_when_pinned_and_at_its_step():
    draft = ("step:step-00000001", "v:draft")

    assert is_visible(draft, include_drafts=True)
    assert is_visible((*draft, "pinned"))
    assert is_visible(draft, step_tag="step:step-00000001")
    assert not is_visible(draft, step_tag="step:step-00000002")
    assert not is_visible(draft)


def test_a_published_copy_is_canon_shared_and_pinned_and_keeps_all_else():
    source = ParsedCard(
        "D1", "decision", "Ship", "Now", "accepted", ("a:cache", "lane:agent:kim", "step:s1", "v:draft"), {"n": 1}
    )

    copy = published(source, agent_id="kim")

    assert copy == ParsedCard(
        "CARD-PUB-D1",
        "decision",
        "Ship",
        "Now",
        "accepted",
        ("a:cache", "lane:shared", "pinned", "step:s1", "v:canon"),
        {"n": 1, "published_from": {"card_id": "D1", "lane": "agent:kim", "agent_id": "kim"}},
    )
    assert published(source, agent_id="kim") == copy
    assert source.meta == {"n": 1}


def test_without_a_pin_a_published_copy_gets_none_and_keeps_one():
    assert published(ParsedCard("D1"), pin=False).tags == ("lane:shared", "v:canon")
    assert published_tags(["pinned"], pin=False) == ("lane:shared", "pinned", "v:canon")
    assert published(ParsedCard("D1"), pin=False).meta == {"published_from": {"card_id": "D1"}}


def test_a_card_whose_copy_would_have_too_long_an_id_is_not_published():
    assert published(ParsedCard("x" * 247)).id == "CARD-PUB-" + "x" * 247
    with pytest.raises(CardRefused, match="257 characters"):
        published(ParsedCard("x" * 248))
    with pytest.raises(CardRefused, match="without an id"):
        published(ParsedCard(None))
