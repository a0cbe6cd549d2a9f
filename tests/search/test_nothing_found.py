"""A search that finds nothing says what is not known, and what is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.conftest import BOOK, NOTE, Library
from thoughtbox.search.spelling import distance
from thoughtbox.search.vocabulary import MOST_FORMS


def test_words_that_nobody_has_used_are_named_with_those_that_are_near(library: Library):
    library.add("the invalidation of caches", "a cached cabbage", "the cache", "invalid")

    found = library.find("why cahce invaldation frobnicates?")

    assert found.hits == []
    assert found.note == (
        "Nothing was found. Not known here: cahce (near: cache), invaldation (near: invalidation), frobnicates."
    )
    assert library.sessions("cahce").note == "Nothing was found. Not known here: cahce (near: cache)."


def test_words_that_are_known_but_not_together_are_said_to_be(library: Library):
    library.add("a cold cache", "a warm buffer")

    for query in ("+cold +buffer", '"cache cold"', "+cold -cache"):
        found = library.find(query)
        assert found.hits == []
        assert found.note == (
            "Nothing was found: each of the words is known here, but no text has all that the query demands."
        )


def test_what_is_known_elsewhere_in_the_workspace_is_known(library: Library):
    library.add("cache", topic=NOTE)
    library.add("cache", workspace="other")

    assert "each of the words is known" in (library.find("cache", topics=[BOOK]).note or "")
    assert library.find("cache", workspace="empty").note == "Nothing was found. Not known here: cache."


def test_what_was_not_known_then_is_not_known_as_of_then(library: Library):
    [first, _] = library.add("buffer", "cache")

    assert library.find("cache", as_of=first).note == "Nothing was found. Not known here: cache."
    assert library.find("cahce", as_of=first).note == "Nothing was found. Not known here: cahce."


def test_a_query_that_finds_something_says_nothing_of_its_other_words(library: Library):
    library.add("cache")

    assert library.find("cache frobnicates").note is None


def test_a_word_remembers_only_so_many_of_its_forms(library: Library):
    library.add(*[f"{'x' * 101}{number}" for number in range(9)], "write", "writes", "writing", "wrote", "written")
    forms = library.engine.read(lambda sql: sql.rows("SELECT forms FROM text_words")).result()

    assert all(len(row[0].split()) <= MOST_FORMS for row in forms)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("cache", "cache", 0),
        ("cache", "cahce", 1),
        ("cache", "caches", 1),
        ("cache", "cash", 2),
        ("cache", "wake", 3),
        ("", "ab", 2),
        ("東京", "京東", 1),
    ],
)
def test_letters_are_put_in_left_out_replaced_or_exchanged(one: str, other: str, apart: int):
    assert distance(one, other, 2) == distance(other, one, 2) == apart


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_a_distance_is_never_more_than_asked_for_and_nothing_only_between_equals(one: str, other: str):
    apart = distance(one, other, 2)

    assert (apart == 0) == (one == other)
    assert apart <= 3
    assert apart == min(distance(one, other, 8), 3)
