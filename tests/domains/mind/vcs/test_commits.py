"""commit, log, reset, reflog: a pointer to the notes of a branch, and where it went."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.branching import canonical_branch, focus, merge, texts
from tests.support.mind import Mind


def commit(mind: Mind, text: str, **options: Any) -> int:
    """Commit a note: its number."""
    (made,) = mind.commit(artifact=text, message=f"about {text}", **options)["commits"]
    return made["seq"]


def log(mind: Mind, **options: Any) -> list[str]:
    return [made["artifact"] for made in mind.log(**options)["commits"]]


def test_a_commit_is_a_note_with_a_message(quick: Mind):
    answer = quick.commit(artifact="the text", message="what it is", meta={"k": 1})

    (made,) = answer["commits"]
    (entry,) = quick.show(doc_kind="notes")["entries"]
    assert made == {
        **{name: entry[name] for name in ("seq", "ts", "ts_ms")},
        "branch": "main",
        "doc": "notes",
        "message": "what it is",
        "format": "commit",
        "meta": {"k": 1},
        "artifact": "the text",
    }
    assert (entry["kind"], entry["title"], entry["content"]) == ("note", "what it is", "the text")


def test_a_commit_goes_to_one_document_or_to_several(quick: Mind):
    assert [made["doc"] for made in quick.commit(artifact="a", message="m", docs="ideas")["commits"]] == ["ideas"]
    several = quick.commit(artifact="b", message="m", docs=["notes", "ideas", "notes"])["commits"]
    assert [made["doc"] for made in several] == ["notes", "ideas"]
    assert log(quick) == ["b"]
    assert log(quick, doc="ideas") == ["a", "b"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"artifact": " ", "message": "m"},
        {"artifact": "a", "message": ""},
        {"artifact": "a", "message": "m", "docs": []},
        {"artifact": "a"},
        {"message": "m"},
    ],
)
def test_a_commit_has_a_text_a_message_and_a_document(quick: Mind, arguments: dict[str, Any]):
    assert quick.refused("commit", **arguments).code == "INVALID_INPUT"


def test_commits_go_to_the_branch_checked_out_whatever_is_in_focus(quick: Mind):
    canonical_branch(quick, "TASK-001")
    quick.branch_create(name="alt")
    quick.checkout(ref="alt")
    focus(quick, "TASK-001")

    assert quick.notes_commit(content="n")["entry"]["branch"] == "task/TASK-001"
    commit(quick, "a")

    assert texts(quick, "alt") == ["a"]
    assert (quick.log()["branch"], log(quick)) == ("alt", ["a"])
    assert quick.reflog()["branch"] == "alt"


def test_a_log_lists_the_notes_up_to_the_pointer_in_order(mind: Mind):
    mind.notes_commit(content="plain")
    assert log(mind) == ["plain"], "before the first commit, up to the newest"
    commit(mind, "a")
    head = commit(mind, "b")
    mind.notes_commit(content="after")

    answer = mind.log()

    assert (answer["branch"], answer["doc"], answer["head_seq"]) == ("main", "notes", head)
    assert [made["artifact"] for made in answer["commits"]] == ["plain", "a", "b"]
    assert texts(mind, "main") == ["plain", "a", "b", "after"]
    commit(mind, "c")
    assert log(mind) == ["plain", "a", "b", "after", "c"]


def test_a_log_is_of_a_branch_a_tag_or_an_entry(quick: Mind):
    first = commit(quick, "a")
    quick.tag_create(name="release-1")
    commit(quick, "b")
    quick.macro_branch_note(name="alt", content="c")

    assert log(quick) == ["a", "b", "c"]
    assert log(quick, ref="main") == ["a", "b"]
    assert log(quick, ref="release-1") == ["a"]
    assert log(quick, ref=first) == log(quick, ref=str(first)) == ["a"]
    error = quick.refused("log", ref="relaese-1")
    assert (error.code, error.recovery) == ("UNKNOWN_ID", "Did you mean release-1?")
    assert all(quick.send(offered)["success"] for offered in error.details["suggestions"])


def test_a_tag_goes_before_a_branch_of_its_name_and_a_branch_before_a_number(quick: Mind):
    first = commit(quick, "a")
    commit(quick, "b")
    quick.tag_create(name="same", **{"from": first})
    quick.branch_create(name="same")
    quick.branch_create(name=str(first))

    assert log(quick, ref="same") == ["a"]
    assert log(quick, ref=str(first)) == ["a", "b"]
    assert log(quick, ref=first) == ["a"]


def test_a_log_pages_back_from_the_newest(mind: Mind):
    for text in "abcde":
        commit(mind, text)
    mind.reset(ref=mind.log()["commits"][2]["seq"])
    commit(mind, "f")

    seen: list[list[str]] = []
    page = mind.log(limit=2)
    while True:
        seen.append([made["artifact"] for made in page["commits"]])
        if not page["pagination"]["has_more"]:
            break
        page = mind.log(limit=2, cursor=page["pagination"]["next_cursor"])

    assert seen == [["c", "f"], ["a", "b"]]


def test_a_log_has_twenty_entries_and_at_most_two_hundred(quick: Mind):
    call = {"operation": "commit", "arguments": {"artifact": "a", "message": "m"}}
    quick.box.call("batch", {"calls": [call] * 201})

    assert len(log(quick)) == 20
    assert len(log(quick, limit=0)) == 1
    assert len(log(quick, limit=1000)) == 200
    assert len(quick.reflog()["entries"]) == 50
    assert len(quick.reflog(limit=1000)["entries"]) == 200


def test_a_reset_moves_the_pointer_and_nothing_else(mind: Mind):
    first = commit(mind, "a")
    last = commit(mind, "b")

    assert mind.reset(ref=first) == {"branch": "main", "doc": "notes", "old_seq": last, "new_seq": first}

    assert log(mind) == ["a"]
    assert mind.log()["head_seq"] == first
    assert texts(mind, "main") == ["a", "b"]


def test_the_next_commit_comes_behind_the_place_that_was_gone_back_to(mind: Mind):
    first = commit(mind, "a")
    commit(mind, "set aside")
    mind.notes_commit(content="set aside, too")
    mind.reset(ref=first)
    mind.notes_commit(content="plain")
    commit(mind, "b")

    assert log(mind) == ["a", "plain", "b"]
    assert texts(mind, "main") == ["a", "set aside", "set aside, too", "plain", "b"]


def test_what_was_set_aside_is_found_again_in_the_reflog(mind: Mind):
    first = commit(mind, "a")
    commit(mind, "b")
    commit(mind, "c")
    mind.reset(ref=first)
    commit(mind, "d")

    before_the_reset = mind.reflog()["entries"][1]["old_seq"]
    mind.reset(ref=before_the_reset)
    assert log(mind) == ["a", "b", "c"]
    commit(mind, "e")
    assert log(mind) == ["a", "b", "c", "e"]


def test_a_branch_begins_with_the_history_of_its_base(mind: Mind):
    first = commit(mind, "a")
    commit(mind, "set aside")
    mind.reset(ref=first)
    mind.macro_branch_note(name="alt", content="b")

    assert log(mind) == ["a", "b"]
    mind.reset(ref=first)
    commit(mind, "c")
    assert log(mind) == ["a", "c"]
    mind.checkout(ref="main")
    commit(mind, "d")
    assert log(mind) == ["a", "d"]
    assert log(mind, ref="alt") == ["a", "c"]
    assert log(mind, as_of=first) == ["a"]


def test_a_reset_goes_to_an_entry_a_tag_or_a_branch(quick: Mind):
    first = commit(quick, "a")
    quick.branch_create(name="old")
    quick.tag_create(name="v1")
    for ref in (first, str(first), "v1", "old"):
        last = commit(quick, "more")
        assert quick.reset(ref=ref) == {"branch": "main", "doc": "notes", "old_seq": last, "new_seq": first}
        assert quick.reflog()["entries"][0]["message"] == f"reset:{ref}"


def test_a_reset_goes_nowhere_that_the_branch_does_not_show(quick: Mind):
    commit(quick, "a")
    quick.macro_branch_note(name="alt", content="b")
    elsewhere = commit(quick, "c")
    (other,) = quick.commit(artifact="d", message="m", docs="ideas")["commits"]
    quick.checkout(ref="main")

    for ref in (elsewhere, "alt", other["seq"], 1, 9999):
        error = quick.refused("reset", ref=ref)
        assert error.code == "INVALID_INPUT", ref
        assert all(quick.send(offered)["success"] for offered in error.details["suggestions"])
    assert quick.refused("reset", ref="nowhere").code == "UNKNOWN_ID"
    assert quick.refused("reset", ref="main", doc="empty").code == "INVALID_INPUT"


def test_a_reset_to_where_the_pointer_stands_writes_nothing(quick: Mind):
    last = commit(quick, "a")
    before = quick.head()

    assert quick.reset(ref=last) == {"branch": "main", "doc": "notes", "old_seq": last, "new_seq": last}
    assert quick.head() == before


def test_a_reflog_tells_every_move_the_last_first(mind: Mind):
    first = commit(mind, "a")
    last = commit(mind, "b")
    mind.notes_commit(content="moves nothing")
    mind.reset(ref=first)

    answer = mind.reflog()

    assert (answer["branch"], answer["doc"]) == ("main", "notes")
    assert [(move["old_seq"], move["new_seq"], move["message"]) for move in answer["entries"]] == [
        (last, first, f"reset:{first}"),
        (first, last, "commit: about b"),
        (None, first, "commit: about a"),
    ]
    assert answer["entries"][0].keys() >= {"seq", "ts", "ts_ms", "branch", "doc"}
    page = mind.reflog(limit=1)
    assert mind.reflog(limit=1, cursor=page["pagination"]["next_cursor"])["entries"] == answer["entries"][1:2]


def test_a_merge_leaves_the_pointer_where_it_is(quick: Mind):
    commit(quick, "a")
    quick.macro_branch_note(name="alt", content="b")
    merge(quick, "alt", "main")
    quick.checkout(ref="main")

    assert log(quick) == ["a"]
    commit(quick, "c")
    assert log(quick) == ["a", "b", "c"]


def test_commits_at_the_same_time_are_all_there_and_the_pointer_is_at_the_last(mind: Mind):
    commit(mind, "first")
    with ThreadPoolExecutor(4) as threads:
        made = list(threads.map(lambda number: commit(mind, str(number)), range(16)))

    answer = mind.log(limit=200)
    assert [one["seq"] for one in answer["commits"]][1:] == sorted(made)
    assert answer["head_seq"] == max(made)
    moves = mind.reflog(limit=200)["entries"]
    assert [move["old_seq"] for move in moves[:-1]] == [move["new_seq"] for move in moves[1:]]
