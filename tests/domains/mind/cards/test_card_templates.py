"""Templates of cards: whole, deterministic, and accepted once they have words."""

from __future__ import annotations

import json
import tomllib

import pytest

from tests.support.mind_texts import TOOLS, tools_in
from thoughtbox import content
from thoughtbox.domains.mind.cards.card import TYPES, CardRefused
from thoughtbox.domains.mind.cards.parsing import read_card
from thoughtbox.domains.mind.cards.stamping import stamped
from thoughtbox.domains.mind.cards.templates import guidance, template


@pytest.mark.parametrize("type", TYPES)
def test_a_template_has_every_field_of_a_card_and_is_the_same_each_time(type: str):
    first = template(type)
    written = json.dumps(first)
    first["tags"].append("changed")

    assert list(first) == ["id", "type", "title", "text", "status", "tags", "meta"]
    assert json.dumps(template(f" {type.upper()} ")) == written


@pytest.mark.parametrize("type", TYPES)
def test_a_template_with_words_is_a_card_like_one_that_names_its_type_alone(type: str):
    filled = read_card({**template(type), "title": "A title", "text": "A text"})
    bare = read_card({"type": type, "title": "A title", "text": "A text"})

    assert filled.id is None
    assert filled.meta == {}
    assert (filled.type, filled.status) == (bare.type, bare.status)
    assert stamped(filled.tags, type) == stamped(bare.tags, type)


@pytest.mark.parametrize("type", TYPES)
def test_guidance_says_for_every_type_what_to_write_where_and_what_comes_next(type: str):
    said = guidance(type)

    assert {"use", "title", "text", "links", "next"} <= set(said) <= {"use", "title", "text", "links", "next", "meta"}
    assert all(len(line) <= 160 for line in said.values())
    assert tools_in(" ".join(said.values())) <= TOOLS


def test_there_is_guidance_for_the_eight_types_and_no_two_say_the_same():
    said = tomllib.loads(content.text("mind/cards.toml"))

    assert tuple(said) == TYPES
    assert len({json.dumps(one) for one in said.values()}) == len(TYPES)


def test_a_template_of_an_unknown_type_is_refused_with_all_types():
    for read in (template, guidance):
        with pytest.raises(CardRefused) as caught:
            read("idea")
        assert caught.value.field == "type"
        assert all(type in caught.value.recovery for type in TYPES)
