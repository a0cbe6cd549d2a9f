"""Notes and traces: appended to, read in pages, as of then, on branches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.mind import Mind


def contents(page: dict[str, Any]) -> list[str]:
    return [entry["content"] for entry in page["entries"]]


def test_a_note_is_appended_to_the_notes_of_the_branch_that_is_checked_out(quick: Mind):
    entry = quick.notes_commit(content="Reads dominate", title="Load", format="text", meta={"run": 7})["entry"]

    assert entry.pop("ts").endswith("Z")
    assert entry.pop("ts_ms") > 0
    assert entry == {
        "seq": 3,
        "branch": "main",
        "doc": "notes",
        "kind": "note",
        "title": "Load",
        "format": "text",
        "meta": {"run": 7},
        "content": "Reads dominate",
    }


def test_a_note_goes_to_the_branch_and_document_that_are_named(quick: Mind):
    quick.notes_commit(content="one", branch="main", doc="ideas")
    quick.notes_commit(content="two", doc="ideas")

    assert contents(quick.show(branch="main", doc="ideas")) == ["one", "two"]
    assert contents(quick.show(doc_kind="notes")) == []


@pytest.mark.parametrize("content", ["", "   \n"])
def test_an_empty_note_is_refused(quick: Mind, content: str):
    assert quick.refused("notes_commit", content=content).code == "INVALID_INPUT"


@pytest.mark.parametrize("name", ["", " main", "a|b", "a\nb", "x" * 257])
def test_names_of_branches_and_documents_keep_to_one_grammar(quick: Mind, name: str):
    for argument in ("branch", "doc"):
        error = quick.refused("notes_commit", content="x", **{argument: name})
        assert error.code == "INVALID_INPUT"
        assert argument in error.message


def test_a_branch_that_is_not_there_is_refused_with_a_call_that_helps(quick: Mind):
    quick.notes_commit(content="x")
    for tool in ("notes_commit", "show"):
        arguments = {"content": "x"} if tool == "notes_commit" else {}
        error = quick.refused(tool, branch="mian", **arguments)
        assert error.code == "UNKNOWN_ID"
        assert error.recovery == "Did you mean the branch main?"


def test_show_pages_backwards_through_a_document_and_shows_each_entry_once(mind: Mind):
    for number in range(7):
        mind.notes_commit(content=f"n{number}")

    pages, cursor = [], None
    while True:
        page = mind.show(doc_kind="notes", limit=3, **({"cursor": cursor} if cursor else {}))
        pages.append(contents(page))
        told = page["pagination"]
        assert (told["limit"], told["count"], told["cursor"]) == (3, len(page["entries"]), cursor)
        assert told["has_more"] is (told["next_cursor"] is not None)
        if not told["has_more"]:
            break
        assert told["next_cursor"] == page["entries"][0]["seq"]
        cursor = told["next_cursor"]

    assert pages == [["n4", "n5", "n6"], ["n1", "n2", "n3"], ["n0"]]


def test_show_reads_the_trace_unless_it_is_told_to_read_the_notes(quick: Mind):
    quick.notes_commit(content="a note")
    quick.trace_step(step="a step")

    trace, notes = quick.show(), quick.show(doc_kind="notes")
    assert (trace["doc"], contents(trace)) == ("trace", ["a step"])
    assert (notes["doc"], contents(notes)) == ("notes", ["a note"])


@pytest.mark.parametrize(("limit", "shown"), [(0, 1), (1, 1), (500, 200)])
def test_a_limit_is_kept_between_one_and_two_hundred(quick: Mind, limit: int, shown: int):
    assert quick.show(limit=limit)["pagination"]["limit"] == shown


def test_a_negative_limit_is_refused(quick: Mind):
    assert quick.refused("show", limit=-1).code == "INVALID_INPUT"


def test_a_workspace_without_anything_can_be_read(quick: Mind):
    assert quick.show(doc_kind="notes") == {
        "branch": "main",
        "doc": "notes",
        "entries": [],
        "pagination": {"cursor": None, "next_cursor": None, "has_more": False, "limit": 20, "count": 0},
        "truncated": False,
    }
    assert quick.head() == 0


def test_show_as_of_a_record_or_a_time_answers_as_it_would_have_then(mind: Mind):
    entries = [mind.notes_commit(content=f"n{number}")["entry"] for number in range(4)]
    then = [quick_contents(mind, entry["seq"]) for entry in entries]
    by_time = [quick_contents(mind, entry["ts"]) for entry in entries]

    assert then == by_time == [["n0"], ["n0", "n1"], ["n0", "n1", "n2"], ["n0", "n1", "n2", "n3"]]
    assert quick_contents(mind, "th:4") == ["n0", "n1"]
    assert quick_contents(mind, "1999-12-31") == []
    assert quick_contents(mind, "2999-12-31") == ["n0", "n1", "n2", "n3"]
    assert mind.refused("show", as_of="yesterday").code == "INVALID_INPUT"


def quick_contents(mind: Mind, then: object) -> list[str]:
    return contents(mind.show(doc_kind="notes", as_of=then))


def test_a_budget_is_kept_and_said(quick: Mind):
    for number in range(9):
        quick.notes_commit(content=f"n{number} " + "x" * 200)

    answer = quick.whole("show", doc_kind="notes", max_chars=900)
    result = answer["result"]
    assert result["budget"]["used_chars"] <= result["budget"]["max_chars"] == 900
    assert result["truncated"] is result["budget"]["truncated"] is True
    assert result["entries"][-1]["seq"] == 11  # the oldest go first
    assert [warning["code"] for warning in answer["warnings"]] == ["BUDGET_TRUNCATED"]
    assert quick.warnings("show", max_chars=1)[0] == "BUDGET_MIN_CLAMPED"


def test_an_entry_is_opened_by_its_reference(quick: Mind):
    quick.notes_commit(content="first line\nsecond", title="About it")

    opened = quick.open(id="notes@3")

    assert (opened["kind"], opened["ref"], opened["summary"]) == ("doc_entry", "notes@3", "About it")
    assert opened["entry"]["content"] == "first line\nsecond"
    assert set(opened["entry"]) == {"seq", "ts", "ts_ms", "branch", "doc", "kind", "title", "content"}


def test_a_reference_with_another_documents_name_is_refused_with_the_right_one(quick: Mind):
    quick.notes_commit(content="x")

    error = quick.refused("open", id="ideas@3")
    assert (error.code, error.recovery) == ("INVALID_INPUT", "Expected notes@3.")


@pytest.mark.parametrize("id", ["notes@99", "notes@1", "CARD-99", "nonsense", "@", "x@y"])
def test_an_unknown_id_is_refused_with_a_way_out(quick: Mind, id: str):
    quick.notes_commit(content="x")
    error = quick.refused("open", id=id)
    assert error.code == "UNKNOWN_ID"
    assert error.recovery
