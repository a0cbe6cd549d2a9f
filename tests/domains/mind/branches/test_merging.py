"""diff and merge: what one branch has and another has not, and how its notes get there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.support.branching import merge, seq_of, texts, write_event
from tests.support.mind import Mind


def differing(mind: Mind, source: str, to: str, **options: Any) -> list[str]:
    answer = mind.diff(**{"from": source, "to": to, **options})
    return [entry["content"] for entry in answer["entries"]]


def forked(mind: Mind) -> None:
    """`alt` from main, and `deep` from that; each has notes of its own, before and after."""
    mind.notes_commit(content="m1")
    mind.branch_create(name="alt")
    mind.notes_commit(content="m2")
    mind.notes_commit(branch="alt", content="a1")
    mind.branch_create(name="deep", **{"from": "alt"})
    mind.notes_commit(branch="alt", content="a2")
    mind.notes_commit(branch="deep", content="d1")


def test_a_diff_has_what_one_branch_shows_and_the_other_does_not(mind: Mind):
    forked(mind)

    assert differing(mind, "main", "alt") == ["a1", "a2"]
    assert differing(mind, "alt", "main") == ["m2"]
    assert differing(mind, "main", "deep") == ["a1", "d1"]
    assert differing(mind, "deep", "main") == ["m2"]
    assert differing(mind, "alt", "deep") == ["d1"]
    assert differing(mind, "deep", "alt") == ["a2"]
    assert differing(mind, "alt", "alt") == []


def test_a_diff_is_of_one_document(quick: Mind):
    quick.branch_create(name="alt")
    quick.notes_commit(branch="alt", doc="ideas", content="i1")
    quick.notes_commit(branch="alt", content="n1")

    assert differing(quick, "main", "alt") == ["n1"]
    assert differing(quick, "main", "alt", doc="ideas") == ["i1"]
    answer = quick.diff(**{"from": "main", "to": "alt"})
    assert list(answer) == ["from", "to", "doc", "entries", "pagination", "truncated"]
    assert (answer["from"], answer["to"], answer["doc"]) == ("main", "alt", "notes")


def test_a_diff_pages_as_a_document_does(mind: Mind):
    mind.branch_create(name="alt")
    for number in range(5):
        mind.notes_commit(branch="alt", content=str(number))
    first = mind.diff(**{"from": "main", "to": "alt", "limit": 2})
    assert [entry["content"] for entry in first["entries"]] == ["3", "4"]
    assert first["pagination"] == {
        "cursor": None,
        "next_cursor": first["entries"][0]["seq"],
        "has_more": True,
        "limit": 2,
        "count": 2,
    }
    second = mind.diff(**{"from": "main", "to": "alt", "limit": 2, "cursor": first["pagination"]["next_cursor"]})
    assert [entry["content"] for entry in second["entries"]] == ["1", "2"]
    last = mind.diff(**{"from": "main", "to": "alt", "limit": 2, "cursor": second["pagination"]["next_cursor"]})
    assert ([entry["content"] for entry in last["entries"]], last["pagination"]["has_more"]) == (["0"], False)


def test_a_page_of_a_diff_has_twenty_entries_and_at_most_two_hundred(quick: Mind):
    quick.branch_create(name="alt")
    quick.box.call(
        "batch",
        {
            "calls": [
                {"operation": "notes_commit", "arguments": {"branch": "alt", "content": str(number)}}
                for number in range(201)
            ]
        },
    )

    assert len(differing(quick, "main", "alt")) == 20
    assert len(differing(quick, "main", "alt", limit=0)) == 1
    assert len(differing(quick, "main", "alt", limit=500)) == 200
    assert quick.refused("diff", **{"from": "main", "to": "alt", "limit": -1}).code == "INVALID_INPUT"
    cut = quick.diff(**{"from": "main", "to": "alt", "limit": 200, "max_chars": 900})
    assert cut["truncated"] is True
    assert cut["entries"][-1]["content"] == "200"


def test_a_diff_can_be_read_as_of_then(quick: Mind):
    forked(quick)

    assert differing(quick, "main", "alt", as_of=seq_of(quick, "a1", "alt")) == ["a1"]


def test_branches_that_are_not_there_cannot_be_compared_or_merged(quick: Mind):
    quick.notes_commit(content="one")
    for tool, arguments in [
        ("diff", {"from": "main", "to": "nowhere"}),
        ("diff", {"from": "nowhere", "to": "main"}),
        ("merge", {"from": "nowhere", "into": "main"}),
        ("merge", {"from": "main", "into": "nowhere"}),
    ]:
        assert quick.refused(tool, **arguments).code == "UNKNOWN_ID"


def test_a_merge_copies_notes_in_the_order_they_were_written(mind: Mind):
    forked(mind)
    meta = {"k": [1], "merged_from": "mine"}
    mind.notes_commit(branch="deep", content="d2", title="T", format="markdown", meta=meta)
    before = texts(mind, "deep")

    answer = mind.merge(**{"from": "deep", "into": "main"})

    assert answer == {
        "from": "deep",
        "into": "main",
        "doc": "notes",
        "merged": 3,
        "skipped": 0,
        "pagination": {"cursor": None, "next_cursor": None, "has_more": False, "limit": 200, "count": 3},
    }
    assert texts(mind, "main") == ["m1", "m2", "a1", "d1", "d2"]
    assert texts(mind, "deep") == before
    copy = mind.show(branch="main", doc_kind="notes")["entries"][-1]
    source = seq_of(mind, "d2", "deep")
    assert (copy["title"], copy["format"], copy["meta"]) == ("T", "markdown", meta)
    assert copy["merged_from"] == {"branch": "deep", "seq": source}
    assert copy["source_event_id"] == f"merge:deep:{source}"
    stored = mind.box.call("ledger_record", {"id": f"th:{copy['seq']}"})["record"]["data"]
    assert stored["meta"] == meta


def test_merging_again_changes_nothing(mind: Mind):
    forked(mind)
    assert merge(mind, "alt", "main") == (2, 0)
    before = mind.head()

    assert merge(mind, "alt", "main") == (0, 2)
    assert mind.head() == before
    mind.notes_commit(branch="alt", content="a3")
    assert merge(mind, "alt", "main") == (1, 2)
    assert texts(mind, "main") == ["m1", "m2", "a1", "a2", "a3"]


def test_a_dry_run_tells_the_same_and_writes_nothing(quick: Mind):
    forked(quick)
    before = quick.head()

    told = quick.merge(**{"from": "alt", "into": "main", "dry_run": True})

    assert quick.head() == before
    assert quick.merge(**{"from": "alt", "into": "main"}) == told


def test_a_note_does_not_come_back_as_a_copy_of_itself(mind: Mind):
    forked(mind)
    merge(mind, "alt", "main")

    assert merge(mind, "main", "alt") == (1, 2)
    assert texts(mind, "alt") == ["m1", "a1", "a2", "m2"]
    assert merge(mind, "alt", "main") == (0, 3)


def test_a_note_comes_once_by_whatever_way(mind: Mind):
    forked(mind)
    merge(mind, "alt", "main")
    mind.branch_create(name="third", **{"from": "deep"})

    assert merge(mind, "main", "third") == (2, 1), "a1 is there already; m2 and the copy of a2 are not"
    assert merge(mind, "alt", "third") == (0, 1), "the copy of a2 is there"
    assert texts(mind, "third") == ["m1", "a1", "d1", "m2", "a2"]
    mind.branch_create(name="fourth", **{"from": "third"})
    assert merge(mind, "alt", "fourth") == (0, 1), "a copy that a branch inherits counts"
    copy = mind.show(branch="third", doc_kind="notes")["entries"][-1]
    assert copy["merged_from"]["branch"] == "main", "where it was merged from, not where it was first written"


def test_a_copy_that_another_branch_does_not_see_does_not_count_there(quick: Mind):
    quick.branch_create(name="early")
    quick.macro_branch_note(name="alt", content="a1", **{"from": "main"})
    merge(quick, "alt", "main")

    assert merge(quick, "alt", "early") == (1, 0)


def test_only_notes_are_merged_and_others_are_counted_as_skipped(quick: Mind):
    quick.branch_create(name="alt")
    quick.notes_commit(branch="alt", doc="trace", content="n1")
    write_event(quick, "alt", "trace")

    assert merge(quick, "alt", "main", doc="trace") == (1, 1)
    assert [entry["kind"] for entry in quick.show(branch="main")["entries"]] == ["note"]


def test_a_merge_goes_into_the_base_when_that_is_asked_for(quick: Mind):
    forked(quick)

    assert quick.merge(**{"from": "deep", "merge_to_base": True})["into"] == "alt"
    assert quick.merge(**{"from": "alt", "into": "main", "merge_to_base": True})["into"] == "main"


def test_a_merge_says_where_to_and_that_is_another_branch(quick: Mind):
    forked(quick)

    error = quick.refused("merge", **{"from": "alt"})
    assert error.code == "INVALID_INPUT"
    (offered,) = error.details["suggestions"]
    assert quick.send(offered)["result"]["into"] == "main"
    for arguments in [
        {"from": "main"},
        {"from": "main", "merge_to_base": True},
        {"from": "alt", "into": "alt"},
        {"from": "alt", "into": "deep", "merge_to_base": True},
    ]:
        assert quick.refused("merge", **arguments).code == "INVALID_INPUT"


def test_a_long_merge_goes_on_where_it_was_and_keeps_the_order(mind: Mind):
    mind.branch_create(name="alt")
    for number in range(5):
        mind.notes_commit(branch="alt", content=str(number))
    answer = mind.whole("merge", **{"from": "alt", "into": "main", "limit": 2})
    merged = answer["result"]["merged"]
    while answer["result"]["pagination"]["has_more"]:
        (offered,) = answer["suggestions"]
        assert offered["params"]["cursor"] == answer["result"]["pagination"]["next_cursor"]
        answer = mind.send(offered)
        merged += answer["result"]["merged"]

    assert merged == 5
    assert answer["suggestions"] == []
    assert texts(mind, "main") == ["0", "1", "2", "3", "4"]


def test_a_merge_looks_at_two_hundred_entries_at_most(quick: Mind):
    quick.branch_create(name="alt")
    note = {"operation": "notes_commit", "arguments": {"branch": "alt", "content": "n"}}
    quick.box.call("batch", {"calls": [note] * 201})

    first = quick.merge(**{"from": "alt", "into": "main", "limit": 1000})
    assert (first["merged"], first["pagination"]["limit"], first["pagination"]["has_more"]) == (200, 200, True)
    assert quick.merge(**{"from": "alt", "into": "main", "limit": 0, "dry_run": True})["pagination"]["count"] == 1
    assert quick.merge(**{"from": "alt", "into": "main"})["skipped"] == 200


def test_merges_at_the_same_time_copy_a_note_once(mind: Mind):
    forked(mind)
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda _: merge(mind, "alt", "main"), range(4)))

    assert sorted(done) == [(0, 2), (0, 2), (0, 2), (2, 0)]
    assert texts(mind, "main") == ["m1", "m2", "a1", "a2"]


def test_notes_written_at_the_same_time_are_all_there_in_the_order_of_their_numbers(mind: Mind):
    mind.branch_create(name="alt")

    def write(writer: int) -> list[int]:
        return [
            mind.notes_commit(branch="alt", content=f"{writer}.{number}")["entry"]["seq"]
            if number % 2
            else mind.macro_branch_note(name="alt", content=f"{writer}.{number}")["note"]["seq"]
            for number in range(8)
        ]

    with ThreadPoolExecutor(4) as threads:
        written = list(threads.map(write, range(4)))

    entries = mind.show(branch="alt", doc_kind="notes", limit=200)["entries"]
    assert [entry["seq"] for entry in entries] == sorted(seq for seqs in written for seq in seqs)
    for writer in range(4):
        own = [entry["content"] for entry in entries if entry["content"].startswith(f"{writer}.")]
        assert own == [f"{writer}.{number}" for number in range(8)]
