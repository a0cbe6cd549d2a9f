"""A card is read from an object, from JSON, from lines of `key: value` and from plain text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thoughtbox.domains.mind.cards.card import TYPES, CardRefused, ParsedCard
from thoughtbox.domains.mind.cards.parsing import read_card

WHOLE: dict[str, Any] = {
    "id": "H1",
    "type": "hypothesis",
    "title": "The cache is cold",
    "text": "After each deploy.\n\n    cache.clear()",
    "status": "accepted",
    "tags": ["a:cache", "assumption"],
    "meta": {"run": {"cmd": "make load"}},
}
READ = replace(ParsedCard(**WHOLE), tags=("a:cache", "assumption"))
LINES = """\
id: H1
type: hypothesis
title: The cache is cold
text:
  After each deploy.

      cache.clear()
status: accepted
tags: assumption; a:cache
meta:
  {"run":
    {"cmd": "make load"}}
"""


def refused(value: object, **options: Any) -> CardRefused:
    with pytest.raises(CardRefused) as caught:
        read_card(value, **options)
    assert caught.value.message
    assert caught.value.recovery
    return caught.value


@pytest.mark.parametrize(
    "sent",
    [
        WHOLE,
        json.dumps(WHOLE),
        f"  \n{json.dumps(WHOLE, indent=2)}\n",
        LINES,
        LINES.replace("\n", "\r\n"),
        "".join(f"    {line}\n" for line in LINES.splitlines()),
        {**WHOLE, "meta": json.dumps(WHOLE["meta"])},
    ],
    ids=["object", "JSON", "JSON in lines", "lines", "CRLF", "indented lines", "meta as JSON"],
)
def test_all_forms_of_a_card_are_the_same_card(sent: object):
    assert read_card(sent) == READ


def test_plain_text_is_the_text_of_a_note_to_the_letter():
    text = "  Reads fall back to the database.\nSeen twice. "

    assert read_card(text) == ParsedCard(id=None, type="note", title=None, text=text, status="open", tags=(), meta={})


@pytest.mark.parametrize(
    "text",
    [
        "Note: nothing here is a key",
        "a:cache is slow",
        "https://example.org/title: x",
        "We looked at it.\ntitle: this line comes too late to make it a card",
        "{x} is a set",
        "{}: an empty set",
        "[1, 2]",
        "12:30 the queue stopped",
    ],
)
def test_text_that_no_known_key_begins_is_plain(text: str):
    assert read_card(text) == ParsedCard(id=None, text=text)


def test_what_is_left_out_null_or_blank_has_its_default():
    plain = ParsedCard(id=None, type="note", title="T", text=None, status="open", tags=(), meta={})

    assert read_card({"title": "T"}) == plain
    assert read_card({"title": " T ", **dict.fromkeys(("id", "type", "text", "status", "tags", "meta"))}) == plain
    assert read_card({"title": "T", "id": "", "type": " ", "text": "\n", "status": "", "tags": "", "meta": ""}) == plain
    assert read_card("title: T\nid:\ntype:\nstatus:\ntags:\nmeta:") == plain


def test_keys_are_trimmed_and_small_and_have_two_names():
    assert read_card({" Card_ID ": "H1", "CARD_TYPE": "Test", "Title": "T"}) == ParsedCard("H1", "test", "T")
    assert read_card("Card_Id: H1\nTYPE:test\ntitle : T") == ParsedCard("H1", "test", "T")


def test_unknown_keys_are_kept_under_meta_beside_what_is_there():
    sent = {"title": "T", "Confidence": 0.7, "meta": {"camelCase": 1}, "seen": None}

    assert read_card(sent).meta == {"camelCase": 1, "confidence": 0.7, "seen": None}
    assert read_card('title: T\nmeta: {"a": 1}\nOwner: kim\n  and lee\nempty:').meta == {
        "a": 1,
        "owner": "kim\nand lee",
        "empty": "",
    }


@pytest.mark.parametrize("tags", [["b", " A ", "a", "", "B"], "b, A;a;,B", ("B", "a")])
def test_tags_are_trimmed_small_each_once_and_in_order(tags: object):
    assert read_card({"text": "x", "tags": tags}).tags == ("a", "b")


def test_a_tag_in_a_list_may_hold_a_comma():
    assert read_card({"text": "x", "tags": ["a, b"]}).tags == ("a, b",)


@pytest.mark.parametrize("type", TYPES)
def test_each_of_the_eight_types_is_a_type_and_one_given_beside_the_card_counts(type: str):
    assert read_card({"type": type, "text": "x"}).type == type
    assert read_card({"type": "nonsense", "text": "x"}, type=type).type == type


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        (None, "card"),
        (7, "card"),
        (["text"], "card"),
        ("", "card"),
        (" \n", "card"),
        ({}, "card"),
        ("{}", "card"),
        ({"title": " ", "text": "", "tags": ["x"]}, "card"),
        ("status: open", "card"),
        ({"": "x", "text": "x"}, "card"),
        ({"text": "x", "type": "idea"}, "type"),
        ({"text": "x", "type": 3}, "type"),
        ({"text": 3}, "text"),
        ({"title": ["x"]}, "title"),
        ({"text": "x", "status": True}, "status"),
        ({"text": "x", "id": 5}, "id"),
        ({"text": "x", "id": " H1"}, "id"),
        ({"text": "x", "id": "a|b"}, "id"),
        ({"text": "x", "id": "a\nb"}, "id"),
        ({"text": "x", "id": "x" * 257}, "id"),
        ({"text": "x", "id": "task:TASK-001"}, "id"),
        ({"text": "x", "id": "step:STEP-00000001"}, "id"),
        ({"text": "x", "tags": [1]}, "tags"),
        ({"text": "x", "tags": {"a": 1}}, "tags"),
        ({"text": "x", "tags": ["a|b"]}, "tags"),
        ({"text": "x", "tags": ["y" * 257]}, "tags"),
        ({"text": "x", "meta": [1]}, "meta"),
        ({"text": "x", "meta": "[1]"}, "meta"),
        ({"text": "x", "meta": "source: ci"}, "meta"),
        ({"text": "x", "meta": {"n": float("nan")}}, "meta"),
        ({"text": "x", "meta": {"n": 2**60}}, "meta"),
        ({"text": "x\0"}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"text": "x", "id": "\ud800"}, "id"),
        ({"text": "x", "id": "a", "card_id": "b"}, "id"),
        ({"text": "x", "\ud800": 1, " \ud800": 2}, "\\ud800"),
        ({"text": "x", "meta": {"a": 1}, "A": 2}, "a"),
        ("title: a\ntitle: b", "title"),
    ],
)
def test_what_is_no_card_is_refused_by_the_field_that_is_wrong(sent: object, field: str):
    assert refused(sent).field == field


def test_the_same_text_under_both_names_of_a_key_is_no_contradiction():
    assert read_card({"text": "x", "id": "H1", "card_id": "H1"}).id == "H1"


def test_an_unknown_type_is_answered_with_all_types():
    assert all(type in refused({"text": "x", "type": "idea"}).recovery for type in TYPES)
    assert all(type in refused({"text": "x"}, type="idea").recovery for type in TYPES)


def test_json_that_is_broken_is_refused_and_does_not_become_a_note():
    assert "JSON" in refused('{"type": "decision", "title": "Ship it",}').message


def test_a_line_that_belongs_nowhere_is_named_and_nothing_of_it_is_lost():
    error = refused("type: hypothesis\ntitle: T\n\nThe cache is cold.\ntext: x")

    assert "line 4" in error.message
    assert "The cache is cold." in error.message
    assert "continue `title`" in error.recovery


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
NAMED = st.sampled_from(["id", "card_id", "Type", "title", " text", "status", "tags", "meta", "else"])
WORDS = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(
    VALUES
    | st.dictionaries(NAMED, VALUES, max_size=5)
    | st.dictionaries(NAMED, st.text(max_size=9), max_size=5).map(json.dumps)
    | st.lists(NAMED | st.sampled_from([": ", "\n", "\n  ", "{", '"', ",", "|", "\ud800"]) | WORDS).map("".join)
)
@example('{"a":' * 5000)
@example('{"text": "x", "meta": ' + '{"a":' * 300 + "1" + "}" * 301)
@example('{"text": ' + "9" * 5000 + "}")
@example({"text": "x", "else": "\ud800"})
@example({"text": "x", "\ud800": 1, " \ud800": 2})
def test_whatever_is_sent_is_read_or_refused_with_words_that_can_be_sent_back(value: object):
    try:
        card = read_card(value)
    except CardRefused as refusal:
        # Fails for half a character.
        f"{refusal.field} {refusal.message} {refusal.recovery}".encode()
        return
    assert card.type in TYPES
    assert (card.title or card.text or "").strip()
    assert read_card({field: getattr(card, field) for field in WHOLE}) == card


ONE_LINE = st.text(alphabet=st.characters(categories=["L", "N", "P", "S"], exclude_characters="|"), min_size=1)
PARAGRAPHS = st.lists(
    st.tuples(st.sampled_from(["", "  ", "    "]), ONE_LINE).map("".join) | st.just(""), min_size=1, max_size=5
).map("\n".join)
TAG = ONE_LINE.filter(lambda tag: not set(tag) & set(",;")).map(str.lower)


def in_lines(card: ParsedCard) -> str:
    """A card as somebody would write it."""
    blocks = {"id": card.id, "type": card.type, "status": card.status, "tags": ", ".join(card.tags)}
    blocks |= {"title": card.title, "text": card.text, "meta": json.dumps(card.meta, indent=1)}
    return "\n".join(
        f"{key}:\n" + "\n".join(f"  {line}" if line else "" for line in value.split("\n"))
        for key, value in blocks.items()
        if value
    )


@given(
    st.builds(
        ParsedCard,
        id=st.none() | ONE_LINE.filter(lambda id: not id.startswith(("task:", "step:"))),
        type=st.sampled_from(TYPES),
        title=ONE_LINE,
        text=st.none() | PARAGRAPHS.filter(lambda text: text == text.strip() and text),
        status=ONE_LINE,
        tags=st.lists(TAG, max_size=3).map(lambda tags: tuple(sorted(set(tags)))),
        meta=st.dictionaries(ONE_LINE, st.integers(0, 9) | ONE_LINE, max_size=3),
    )
)
def test_a_card_written_in_lines_is_read_as_the_card_it_was(card: ParsedCard):
    assert read_card(in_lines(card)) == card
