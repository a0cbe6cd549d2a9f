"""Cursors: a place goes out as opaque text and comes back as it was; whatever no page ended with is refused."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.errors import InvalidPayload
from thoughtbox.operations import cursor, place_in
from thoughtbox.operations.paging import HIGHEST_NUMBER


class Shelf(NamedTuple):
    name: str
    number: int


class Shelves(NamedTuple):
    name: str
    number: int


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


def written(found: Any) -> str:
    return urlsafe_b64encode(json.dumps(found).encode()).decode().rstrip("=")


@given(NAMES, st.integers(0, HIGHEST_NUMBER))
def test_a_place_comes_back_as_it_was(name: str, number: int):
    text = cursor(Shelf(name, number))

    assert place_in(text, Shelf) == Shelf(name, number)
    assert text.isascii()
    assert not set(text) & set(" \n+/=")


def test_a_cursor_of_another_list_is_refused():
    with pytest.raises(InvalidPayload, match="not one that this call gave out"):
        place_in(cursor(Shelf("a", 1)), Shelves)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "12.7",
        "é",
        "a b",
        written(None),
        written({"Shelf": 1}),
        written(["Shelf"]),
        written(["Shelf", "a"]),
        written(["Shelf", "a", 1, 2]),
        written(["Shelf", "a", -1]),
        written(["Shelf", "a", HIGHEST_NUMBER + 1]),
        written(["Shelf", "a", 1.0]),
        written(["Shelf", "a", True]),
        written(["Shelf", 1, 1]),
        written(["Shelf", "a\0", 1]),
        written(["Shelf", "\ud800", 1]),
        "W" * 100_001,
    ],
)
def test_what_no_page_ended_with_is_refused(text: str):
    with pytest.raises(InvalidPayload) as refused:
        place_in(text, Shelf)

    assert refused.value.recovery == "Leave it out to begin anew."
    assert refused.value.details == {"fields": ["cursor"]}


@given(st.text())
def test_any_text_is_a_place_or_is_refused(text: str):
    try:
        place_in(text, Shelf)
    except InvalidPayload:
        return
    raise AssertionError(text)
