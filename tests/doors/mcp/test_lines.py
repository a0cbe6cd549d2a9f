"""Lines out of bytes that come in pieces of any size."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.doors.mcp.transports.lines import Line, Lines, TooLong

LONGEST = 20


def split(content: bytes, cuts: list[int], longest: int = LONGEST) -> list[Line]:
    lines = Lines(longest)
    places = [0, *sorted(cut % (len(content) + 1) for cut in cuts), len(content)]
    found = [line for start, end in pairwise(places) for line in lines.feed(content[start:end])]
    return found + lines.end()


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b""))), st.lists(st.integers(0, 10_000)))
def test_lines_are_the_same_in_whatever_pieces_they_come(lines: list[bytes], cuts: list[int]):
    content = b"".join(line + b"\n" for line in lines)

    assert split(content, cuts) == [line if len(line) <= LONGEST else TooLong(None) for line in lines]


@given(st.binary(max_size=LONGEST).map(lambda line: line.replace(b"\n", b"")), st.lists(st.integers(0, 100)))
def test_a_last_line_needs_no_newline(line: bytes, cuts: list[int]):
    assert split(b"first\n" + line, cuts) == [b"first", *([line] if line else [])]


@given(
    st.one_of(st.integers(0, 99), st.text(st.characters(exclude_categories=["Cs"]), max_size=3)), st.integers(0, 500)
)
def test_of_a_line_that_is_too_long_the_id_is_known(id: int | str, cut: int):
    line = json.dumps({"params": {"text": "x" * 100}, "id": id}).encode()

    assert split(line + b"\nnext\n", [cut]) == [TooLong(id), b"next"]


def test_a_line_as_long_as_allowed_is_read_and_one_byte_more_is_not():
    assert split(b"x" * LONGEST + b"\n", [7]) == [b"x" * LONGEST]
    assert split(b"x" * (LONGEST + 1) + b"\n", [7]) == [TooLong(None)]
