"""macro_branch_note: a note, and the branch it goes to, in one call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.branching import texts
from tests.support.mind import Mind


def test_a_name_makes_the_branch_checks_it_out_and_notes(quick: Mind):
    quick.notes_commit(content="one")
    head = quick.head()

    answer = quick.macro_branch_note(
        name="alt", content="idea", title="T", format="markdown", meta={"k": 1}, agent_id="a1"
    )

    assert list(answer) == ["workspace", "branch", "checkout", "note"]
    assert answer["branch"] == {"name": "alt", "created": True, "base_branch": "main", "base_seq": head}
    assert answer["checkout"] == {"previous": "main", "current": "alt"}
    note = answer["note"]
    told = {name: note[name] for name in ("branch", "doc", "kind", "title", "format", "meta", "content")}
    assert told == {
        "branch": "alt",
        "doc": "notes",
        "kind": "note",
        "title": "T",
        "format": "markdown",
        "meta": {"k": 1},
        "content": "idea",
    }
    assert quick.notes_commit(content="two")["entry"]["branch"] == "alt"


def test_a_new_branch_begins_from_the_one_that_is_named(quick: Mind):
    quick.macro_branch_note(name="a", content="on a")
    answer = quick.macro_branch_note(name="b", content="on b", **{"from": "main"})

    assert answer["branch"]["base_branch"] == "main"
    assert texts(quick, "b") == ["on b"]


def test_a_branch_that_is_there_is_used_and_from_does_not_matter(quick: Mind):
    quick.macro_branch_note(name="alt", content="one")
    quick.checkout(ref="main")

    answer = quick.macro_branch_note(name="alt", content="two", **{"from": "nowhere"})

    assert answer["branch"]["created"] is False
    assert answer["checkout"] == {"previous": "main", "current": "alt"}
    assert texts(quick, "alt") == ["one", "two"]


def test_from_without_a_name_switches_there_and_notes(quick: Mind):
    quick.branch_create(name="alt")

    answer = quick.macro_branch_note(content="here", **{"from": "alt"})

    assert answer["branch"]["name"] == answer["checkout"]["current"] == answer["note"]["branch"] == "alt"
    assert answer["branch"]["created"] is False


def test_without_either_it_notes_where_one_is(quick: Mind):
    first = quick.macro_branch_note(content="one")

    assert first["branch"] == {"name": "main", "created": False}
    assert first["checkout"] == {"previous": "main", "current": "main"}
    quick.branch_create(name="alt")
    quick.checkout(ref="alt")
    before = quick.head()
    assert quick.macro_branch_note(content="two", doc="ideas")["note"]["doc"] == "ideas"
    assert quick.head() == before + 1


def test_a_note_comes_from_a_template(quick: Mind):
    note = quick.macro_branch_note(name="alt", template="decision", goal="Choose a cache")["note"]

    assert "Choose a cache" in note["content"]
    assert note["content"].count("\n#") > 1


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"content": "c", "template": "decision"},
        {"template": "unheard-of"},
        {"content": "c", "goal": "g"},
        {"content": " "},
    ],
)
def test_a_note_is_either_sent_or_from_a_template_that_is_there(quick: Mind, arguments: dict[str, Any]):
    assert quick.refused("macro_branch_note", name="alt", **arguments).code == "INVALID_INPUT"


@pytest.mark.parametrize("arguments", [{"name": "alt"}, {}])
@pytest.mark.parametrize("note", [{"content": "Keep this"}, {"template": "initiative", "goal": "Keep this"}])
def test_a_beginning_that_is_not_there_is_refused_and_every_retry_carries_the_note(
    arguments: dict[str, Any], note: dict[str, Any]
):
    sent = {**arguments, **note, "from": "trunc", "meta": {"k": 1}}
    for number in range(3 - len(arguments)):
        box = Box()
        quick = Mind(box)
        quick.branch_create(name="trunk")

        error = quick.refused("macro_branch_note", **sent)

        assert error.code == "UNKNOWN_ID"
        assert len(error.details["suggestions"]) == 3 - len(arguments)
        result = quick.send(error.details["suggestions"][number])["result"]
        assert "Keep this" in result["note"]["content"]
        assert result["note"]["meta"] == {"k": 1}
        box.close()
