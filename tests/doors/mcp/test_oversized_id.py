"""The id of a message that is too long, found wherever it stands."""

from __future__ import annotations

import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.doors.mcp.transports.oversized_id import LONGEST_ID, OversizedId

CHARACTERS = st.characters(exclude_categories=["Cs"])
KEYS = st.one_of(st.sampled_from(["id", "ID", "params", 'id"', "\\id", "method"]), st.text(CHARACTERS, max_size=8))
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(CHARACTERS, max_size=20)
)
VALUES = st.recursive(
    st.one_of(SCALARS, st.just('","id":9,"'), st.just("\\")),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
MESSAGES = st.lists(st.tuples(KEYS, VALUES), max_size=8)
"""Keys with their values, in order; a key may come several times."""


def found(message: bytes, *cuts: int) -> str | int | None:
    """The id, when the message comes in these pieces."""
    finder = OversizedId()
    places = [0, *sorted(cuts), len(message)]
    for start, end in pairwise(places):
        finder.feed(message[start:end])
    return finder.id


def expected(message: bytes) -> str | int | None:
    """What a reader with enough memory finds."""
    id = json.loads(message).get("id")
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None


def written(pairs: list[tuple[str, Any]], *, escaped: bool, spaced: bool) -> bytes:
    colon, comma = (" :\t", " ,\r") if spaced else (":", ",")
    parts = [
        json.dumps(key, ensure_ascii=escaped) + colon + json.dumps(value, ensure_ascii=escaped) for key, value in pairs
    ]
    return ("{" + comma.join(parts) + "}").encode()


@settings(max_examples=50, deadline=None)
@given(MESSAGES, st.booleans(), st.booleans(), st.data())
def test_it_is_what_a_reader_of_json_finds_however_the_message_is_cut(
    pairs: list[tuple[str, Any]], escaped: bool, spaced: bool, data: st.DataObject
):
    message = written(pairs, escaped=escaped, spaced=spaced)
    cuts = data.draw(st.lists(st.integers(0, len(message)), max_size=6))

    assert found(message, *cuts) == expected(message)
    assert found(message, *range(len(message))) == expected(message), "byte by byte"


@settings(max_examples=50, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.text('{}[]":,\\ id17en', max_size=60).map(str.encode)))
def test_what_is_no_json_does_no_harm(noise: bytes):
    assert isinstance(found(noise, *range(len(noise))), str | int | None)
    assert isinstance(found(b'{"id":7,"x":' + noise), str | int | None)


@pytest.mark.parametrize(
    ("message", "id"),
    [
        (r'{"\u0069\u0064": "a\"b\\ä🧠"}', 'a"b\\ä🧠'),
        (r'{"id": "\ud83e\udde0"}', "🧠"),
        ('{"params": {"id": 1}, "id": 2}', 2),
        ('{"id": 1, "params": {"id": 2}, "id": 3}', 3),
        ('{"id": 1, "id": {}}', None),
        ('{"id": null}', None),
        ('{"id": true}', None),
        ('{"id": 7.0}', None),
        ('{"id": -0}', 0),
        ('{"id": ' + "9" * 4_000 + "}", int("9" * 4_000)),
        ('{"id": ' + "9" * 100_000 + "}", None),
        ('{"id": "' + "x" * LONGEST_ID + '"}', "x" * LONGEST_ID),
        ('{"id": "' + "x" * (LONGEST_ID + 1) + '"}', None),
        ('[{"id": 7}]', None),
        ('"id"', None),
        ("", None),
        ('{"id": 7, "params": {"text": "never ends', 7),
    ],
)
def test_an_id_is_a_text_or_a_whole_number_at_the_top(message: str, id: str | int | None):
    assert found(message.encode()) == id


@pytest.mark.parametrize("part", ['"result": {}', '"error": {"code": 1}'])
def test_an_answer_is_not_taken_for_a_request(part: str):
    """Its id is one of ours: an error under it would end another request of the client's."""
    assert found(f'{{"id": 7, {part}}}'.encode()) is None
    assert found(f'{{{part}, "id": 7}}'.encode()) is None


@pytest.mark.parametrize(
    "long",
    [b'"' + b"x" * 2**16, b"[" * 2**16, b"9" * 2**16, b'"' + b"\\" * 2**16, b" " * 2**16, b'["a","b"],' * 6_000],
    ids=["a text", "brackets", "digits", "backslashes", "blanks", "lists"],
)
def test_it_keeps_next_to_nothing_of_what_goes_by(long: bytes):
    finder = OversizedId()
    finder.feed(b'{"id": 7, "params": ')
    finder.feed(long)
    tracemalloc.start()
    for _ in range(100):
        finder.feed(long[1:])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert finder.id == 7
    assert most < 4 * len(long)
