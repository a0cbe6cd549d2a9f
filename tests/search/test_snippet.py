"""The words around what was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.search.query import parse
from thoughtbox.search.snippet import BEFORE, LENGTH, LONGEST_CUT, Snippets


def shown(text: str, query: str) -> str:
    return Snippets(parse(query).terms).of(text)


@pytest.mark.parametrize(
    ("text", "query", "found"),
    [
        ("The cache is cold", "cache", "The «cache» is cold"),
        ("The Café is CAFÉ", "cafe", "The «Café» is «CAFÉ»"),
        ("a read-through cache", '"read through" cache', "a «read-through» «cache»"),
        ("read it through", '"read through" OR +it', "read «it» through"),
        ("Caches were cached", "why is caching hard?", "«Caches» were «cached»"),
        ("a locked cache", '"locking caches"', "a «locked cache»"),
        ("the decision", "decisi*", "the «decision»"),
        ("one two three", '"one two" "two three"', "«one two three»"),
        ("caching caches", "cach*", "«caching» «caches»"),
        ("read throughput", '"read through"*', "«read throughput»"),
        ("東京タワーに", "タワー", "東京«タワー»に"),
        ("one\n\n  two\tthree", "two", "one «two» three"),
        ("cache cold", "cold -cache", "cache «cold»"),
        ("nothing here", "absent", "nothing here"),
        ("", "cache", ""),
    ],
)
def test_matches_are_marked_where_they_stand(text: str, query: str, found: str):
    assert shown(text, query) == found


def test_of_a_long_text_the_part_around_the_first_match_is_shown():
    text = "before it " * 100 + "the needle is here " + "behind it " * 100

    found = shown(text, "needle")

    assert found.startswith(("…before it ", "…it "))
    assert "the «needle» is here behind it" in found
    assert found.endswith("…")
    assert len(found) <= LENGTH + 2 * LONGEST_CUT + 4


def test_a_text_without_spaces_is_cut_somewhere():
    found = shown("x" * 5_000 + "-needle-" + "y" * 5_000, "needle")

    assert "-«needle»-" in found
    assert len(found) <= LENGTH + 2 * LONGEST_CUT + 4
    assert found.index("«") <= BEFORE + 1


@given(st.text(), st.text())
def test_a_snippet_is_never_an_error_and_takes_nothing_but_the_text(text: str, query: str):
    found = shown(text, query)

    plain = "".join(found.replace("«", "").replace("»", "").replace("…", "").split())
    assert plain in "".join(text.replace("«", "").replace("»", "").replace("…", "").split())
