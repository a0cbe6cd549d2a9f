"""Notes to begin a branch with."""

from __future__ import annotations

import re

import pytest

from thoughtbox.domains.mind.branches.templates import UnknownTemplate, names, note_from


@pytest.mark.parametrize("name", ["initiative", "decision"])
def test_the_goal_stands_under_the_first_of_several_headings(name: str):
    note = note_from(f" {name.upper()} ", " Fast reads: {goal}, 100 %\nin two regions ")
    heading, goal, rest = note.split("\n\n", 2)

    assert heading.startswith("# ")
    assert goal == "Fast reads: {goal}, 100 %\nin two regions"
    assert len(re.findall(r"^# .+$", rest, re.MULTILINE)) >= 4
    assert note_from(name, "x") == note_from(name, "x")


@pytest.mark.parametrize("goal", [None, "", "  "])
@pytest.mark.parametrize("name", ["initiative", "decision"])
def test_without_a_goal_the_note_says_that_there_is_none(name: str, goal: str | None):
    assert "\n\n(not said yet)\n\n" in note_from(name, goal)


def test_an_unknown_template_is_refused_and_all_are_named():
    with pytest.raises(UnknownTemplate) as caught:
        note_from("memo", None)

    assert names() == ("decision", "initiative")
    assert caught.value.field == "template"
    assert "memo" in caught.value.message
    assert "decision, initiative" in caught.value.recovery
