"""One rule for all names of the room."""

from __future__ import annotations

import pytest

from thoughtbox.domains.mind.names import LONGEST_TYPE, bad_name


@pytest.mark.parametrize("name", ["x", "a:core", "task/TASK-001", "two words", "überblick", "缓存", "x" * 256])
def test_a_name_may_have_any_letters_on_one_line(name: str):
    assert bad_name(name) is None


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("", "blank"),
        ("  ", "blank"),
        (" x", "white space"),
        ("x\u3000", "white space"),
        ("a|b", "`|`"),
        ("a\tb", "U+0009"),
        ("a\x7fb", "U+007F"),
        ("a\u2028b", "U+2028"),
        ("a\ud800", "U+D800"),
        ("x" * 257, "257 characters, 256"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, wrong: str):
    assert wrong in (bad_name(name) or "")


def test_types_and_relations_are_half_as_long():
    assert bad_name("x" * 128, LONGEST_TYPE) is None
    assert "128" in (bad_name("x" * 129, LONGEST_TYPE) or "")
