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
        ("", "empty"),
        ("  ", "empty"),
        (" x", "white space"),
        ("x\u3000", "white space"),
        ("a|b", "`|`"),
        ("a\tb", "control"),
        ("a\x7fb", "control"),
        ("a\x85b", "control"),
        ("x" * 257, "256"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, wrong: str):
    assert wrong in (bad_name(name) or "")


def test_types_and_relations_are_half_as_long():
    assert bad_name("x" * 128, LONGEST_TYPE) is None
    assert "128" in (bad_name("x" * 129, LONGEST_TYPE) or "")
