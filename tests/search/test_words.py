"""What a text is made of."""

from __future__ import annotations

import re
from collections import Counter
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.search.match import MOST_PLACES
from thoughtbox.search.words import IN_ORDER, LONGEST_WORD, MOST_BYTES, indexed, places, words

SPLIT = re.compile(r"[\s\x00-\x2f\x3a-\x60\x7b-\x7f]")
"""What would end a word inside an engine, or mean something to it; capitals too."""

TEXTS = st.one_of(st.text(), st.text(st.characters(codec="utf-8")), st.text("aé ÀﷺｶﾞﬁかがไทยK東_-'\"*:\\&|!"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The cache's 2nd read_through", ["the", "cache", "s", "2nd", "read", "through"]),
        ("src/ledger.py:17", ["src", "ledger", "py", "17"]),
        ("ÉTÉ été e\u0301te\u0301", ["ete", "ete", "ete"]),
        ("Straße İstanbul ﬁne ｆｕｌｌ", ["strasse", "istanbul", "fine", "full"]),
        ("Thoughtbox™ m² ½", ["thoughtbox", "m2", "1", "2"]),
        ("東京タワー", ["東", "京", "タ", "ワ", "ー"]),
        ("か\u3099が", ["が", "が"]),
        ("हिन्दी 한국어", ["हिन्दी", "한국어"]),
        ("ﷺ", ["صلى", "الله", "عليه", "وسلم"]),
        ("", []),
        ("¡¿…—\u200b\ufffd!", []),
    ],
)
def test_words_are_runs_of_letters_and_digits_without_case_and_accents(text: str, found: list[str]):
    assert words(text) == found


@given(TEXTS)
def test_no_word_holds_anything_that_an_engine_could_take_for_syntax(text: str):
    assert all(word and not SPLIT.search(word) and len(word) <= LONGEST_WORD for word in words(text))


@given(TEXTS)
def test_places_are_where_the_words_stand(text: str):
    found = list(places(text))

    assert [word.folded for word in found] == words(text)
    assert all(word.folded in words(text[word.start : word.end]) for word in found)


@given(TEXTS)
def test_composed_and_decomposed_texts_have_the_same_words(text: str):
    assert words(normalize("NFC", text)) == words(normalize("NFD", text))


def test_a_short_text_is_indexed_by_its_stems_and_keeps_how_they_were_written():
    found = indexed("Locked, locks: two locks")

    assert (found.said, found.rest) == (["lock", "lock", "two", "lock"], [])
    assert found.forms == {"lock": ["locked", "locks"], "two": ["two"]}


def test_a_long_text_keeps_the_order_of_its_beginning_and_every_further_word_once():
    found = indexed("a b " * (IN_ORDER // 2) + "c a d c b d")

    assert found.said == ["a", "b"] * (IN_ORDER // 2)
    assert found.rest == ["c", "d"]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"{number:x}" for number in range(500_000)),
        " ".join("\U0001e900" * 100 + str(number) for number in range(5_000)),
        "the " * 300_000,
    ],
    ids=["many", "wide", "same"],
)
def test_an_indexed_text_fits_into_what_postgres_can_hold(text: str):
    found = indexed(text)

    held = Counter(found.said) + Counter(found.rest)
    assert sum(len(word.encode()) + 4 + 2 * min(count, MOST_PLACES) for word, count in held.items()) <= MOST_BYTES
