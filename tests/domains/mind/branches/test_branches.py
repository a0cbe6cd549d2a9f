"""Branches: made, listed, checked out, renamed, deleted."""

from __future__ import annotations

import pytest

from tests.support.branching import canonical_branch, merge, seq_of, texts
from tests.support.mind import Mind
from thoughtbox.world import milliseconds

BAD_NAMES = ("", " ", " a", "a ", "a|b", "a\nb", "a\x7f", "x" * 257)


def test_a_branch_shows_its_base_as_it_was_and_then_its_own(mind: Mind):
    mind.notes_commit(content="before")
    mind.branch_create(name="alt")
    mind.notes_commit(content="on main")
    mind.notes_commit(branch="alt", content="on alt")
    mind.branch_create(name="deeper", **{"from": "alt"})
    mind.notes_commit(branch="alt", content="later on alt")
    mind.notes_commit(branch="deeper", content="deep")

    assert texts(mind, "main") == ["before", "on main"]
    assert texts(mind, "alt") == ["before", "on alt", "later on alt"]
    assert texts(mind, "deeper") == ["before", "on alt", "deep"]


def test_a_branch_is_made_from_the_one_checked_out_or_from_one_that_is_named(quick: Mind):
    quick.notes_commit(content="one")
    quick.branch_create(name="alt")
    quick.checkout(ref="alt")
    before = quick.head()

    assert quick.branch_create(name="of-alt") == {
        "workspace": "tests",
        "branch": {"name": "of-alt", "base_branch": "alt", "base_seq": before},
    }
    made = quick.branch_create(name="of-main", **{"from": "main"})["branch"]
    assert made == {"name": "of-main", "base_branch": "main", "base_seq": before + 1}


def test_the_first_branch_of_all_is_made_when_another_is_made_from_it(quick: Mind):
    made = quick.branch_create(name="alt")["branch"]

    assert (made["base_branch"], made["base_seq"]) == ("main", quick.head() - 1)
    assert [branch["name"] for branch in quick.branch_list()["branches"]] == ["alt", "main"]
    assert quick.checkout(ref="main")["previous"] == "main"


def test_a_name_that_is_taken_is_a_conflict_that_offers_the_branch(quick: Mind):
    quick.branch_create(name="alt")

    error = quick.refused("branch_create", name="alt")

    assert error.code == "CONFLICT"
    (offered,) = error.details["suggestions"]
    assert quick.send(offered)["result"]["current"] == "alt"


def test_a_branch_is_not_made_from_one_that_is_not_there(quick: Mind):
    quick.branch_create(name="alternative")

    error = quick.refused("branch_create", name="more", **{"from": "alternativ"})

    assert (error.code, error.recovery) == ("UNKNOWN_ID", "Did you mean the branch alternative?")
    (offered,) = error.details["suggestions"]
    assert quick.send(offered)["success"]


@pytest.mark.parametrize("name", BAD_NAMES)
def test_one_grammar_holds_for_every_name(quick: Mind, name: str):
    quick.commit(artifact="a", message="m")
    calls = [
        ("branch_create", {"name": name}),
        ("branch_rename", {"old": "main", "new": name}),
        ("macro_branch_note", {"name": name, "content": "c"}),
        ("macro_branch_note", {"doc": name, "content": "c"}),
        ("commit", {"artifact": "a", "message": "m", "docs": ["notes", name]}),
        ("tag_create", {"name": name}),
    ]
    for tool, arguments in calls:
        assert quick.refused(tool, **arguments).code == "INVALID_INPUT", tool


def test_the_longest_name_is_taken_as_it_is(quick: Mind):
    longest = "ä" * 256
    assert quick.branch_create(name=longest)["branch"]["name"] == longest
    assert quick.checkout(ref=longest)["current"] == longest


def test_names_of_plans_and_tasks_are_kept_for_their_branches(quick: Mind):
    own = canonical_branch(quick, "TASK-001")
    quick.branch_create(name="alt", **{"from": own})
    for tool, arguments in [
        ("branch_create", {"name": "task/TASK-002", "from": own}),
        ("branch_rename", {"old": "alt", "new": "plan/PLAN-001"}),
        ("macro_branch_note", {"name": "task/TASK-1234", "from": own, "content": "c"}),
    ]:
        assert quick.refused(tool, **arguments).code == "INVALID_INPUT"

    quick.branch_rename(old=own, new="renamed")
    assert quick.refused("branch_rename", old="alt", new=own).code == "INVALID_INPUT"
    assert quick.branch_rename(old="renamed", new=own)["current"] == own
    assert quick.branch_create(name="task/TASK-001-alt", **{"from": own})


def test_branches_are_listed_by_name_with_what_they_were_made_from(mind: Mind):
    mind.notes_commit(content="one")
    canonical_branch(mind, "TASK-001")
    for name in ("b", "a", "Z", "ä"):
        mind.branch_create(name=name, **{"from": "main"})

    listed = mind.branch_list()

    assert (listed["workspace"], listed["truncated"]) == ("tests", False)
    assert [branch["name"] for branch in listed["branches"]] == ["Z", "a", "b", "main", "task/TASK-001", "ä"]
    by_name = {branch["name"]: branch for branch in listed["branches"]}
    made = milliseconds(mind.box.call("ledger_record", {"id": "th:5"})["record"]["ts"])
    assert by_name["b"] == {"name": "b", "base_branch": "main", "base_seq": 4, "created_at_ms": made}
    assert by_name["main"].keys() == by_name["task/TASK-001"].keys() == {"name", "created_at_ms"}


def test_a_list_of_branches_goes_on_behind_the_last_one_shown(mind: Mind):
    for name in "abcde":
        mind.branch_create(name=name)
    seen, cursor = [], None
    while True:
        page = mind.branch_list(limit=2, cursor=cursor)
        seen += [branch["name"] for branch in page["branches"]]
        assert page["truncated"] is ("next_cursor" in page)
        if not page["truncated"]:
            break
        cursor = page["next_cursor"]

    assert seen == ["a", "b", "c", "d", "e", "main"]


def test_a_list_of_branches_has_between_one_and_five_hundred(quick: Mind):
    for number in range(501):
        quick.branch_create(name=f"b{number:03}", **{"from": "main"})

    assert len(quick.branch_list()["branches"]) == 50
    assert len(quick.branch_list(limit=0)["branches"]) == 1
    longest = quick.branch_list(limit=1000)
    assert (len(longest["branches"]), longest["truncated"]) == (500, True)
    assert quick.refused("branch_list", limit=-1).code == "INVALID_INPUT"


def test_a_short_budget_keeps_the_first_branches_and_says_so(quick: Mind):
    for number in range(20):
        quick.branch_create(name=f"b{number:02}")

    cut = quick.branch_list(max_chars=400)

    assert cut["truncated"] is True
    assert cut["branches"][0]["name"] == "b00"
    assert cut["budget"]["used_chars"] <= 400


def test_what_is_checked_out_is_where_notes_go(quick: Mind):
    quick.branch_create(name="alt")

    assert quick.checkout(ref="alt") == {"workspace": "tests", "previous": "main", "current": "alt"}
    assert quick.notes_commit(content="here")["entry"]["branch"] == "alt"
    assert texts(quick, "main") == []


def test_checking_out_again_writes_nothing(quick: Mind):
    quick.branch_create(name="alt")
    quick.checkout(ref="alt")
    before = quick.head()

    assert quick.checkout(ref="alt") == {"workspace": "tests", "previous": "alt", "current": "alt"}
    assert quick.head() == before


def test_only_a_branch_can_be_checked_out(quick: Mind):
    quick.commit(artifact="a", message="m")
    quick.tag_create(name="v1")

    assert quick.refused("checkout", ref="v1").code == "UNKNOWN_ID"
    assert quick.refused("checkout", ref="nowhere").code == "UNKNOWN_ID"


def test_everything_follows_a_branch_that_is_renamed(mind: Mind):
    mind.commit(artifact="base", message="m0")
    mind.macro_branch_note(name="alt", content="idea")
    mind.commit(artifact="more", message="m1")
    mind.tag_create(name="v1")
    mind.branch_create(name="child")
    assert merge(mind, "alt", "main") == (2, 0)
    moves = mind.reflog()["entries"]

    assert mind.branch_rename(old="alt", new="new") == {"workspace": "tests", "previous": "alt", "current": "new"}

    assert mind.refused("show", branch="alt").code == "UNKNOWN_ID"
    assert texts(mind, "new") == ["base", "idea", "more"]
    assert {entry["branch"] for entry in mind.show(branch="new", doc_kind="notes")["entries"]} == {"main", "new"}
    by_name = {branch["name"]: branch for branch in mind.branch_list()["branches"]}
    assert by_name["child"]["base_branch"] == "new"
    assert mind.checkout(ref="new")["previous"] == "new"
    assert mind.tag_list()["tags"][0]["branch"] == "new"
    assert mind.reflog()["entries"] == [{**move, "branch": "new"} for move in moves]
    assert [commit["artifact"] for commit in mind.log()["commits"]] == ["base", "idea", "more"]
    assert merge(mind, "new", "main") == (0, 2)
    copies = [entry for entry in mind.show(branch="main", doc_kind="notes")["entries"] if "merged_from" in entry]
    assert {copy["merged_from"]["branch"] for copy in copies} == {"new"}
    assert copies[0]["source_event_id"] == f"merge:new:{copies[0]['merged_from']['seq']}"


def test_the_first_branch_and_those_of_tasks_can_be_renamed(quick: Mind):
    quick.notes_commit(content="one")
    own = canonical_branch(quick, "TASK-001")

    quick.branch_rename(old="main", new="trunk")
    quick.branch_rename(old=own, new="the-task")

    assert quick.notes_commit(content="two")["entry"]["branch"] == "trunk"
    assert quick.notes_commit(target="TASK-001", content="three")["entry"]["branch"] == "the-task"


def test_a_branch_is_renamed_to_a_free_name_only(quick: Mind):
    quick.branch_create(name="alt")

    assert quick.refused("branch_rename", old="alt", new="main").code == "CONFLICT"
    assert quick.refused("branch_rename", old="alt", new="alt").code == "INVALID_INPUT"
    assert quick.refused("branch_rename", old="nowhere", new="b").code == "UNKNOWN_ID"
    quick.branch_rename(old="alt", new="b")
    assert quick.branch_create(name="alt")["branch"]["name"] == "alt"


def test_what_a_deleted_branch_had_is_shown_no_more_and_stays_in_the_ledger(mind: Mind):
    mind.commit(artifact="base", message="m0")
    mind.macro_branch_note(name="alt", content="idea")
    mind.commit(artifact="more", message="m1")
    mind.tag_create(name="v1")
    mind.tag_create(name="v0", **{"from": "main"})
    merge(mind, "alt", "main")
    idea, before = seq_of(mind, "idea", "alt"), mind.head()
    mind.checkout(ref="main")

    assert mind.branch_delete(name="alt") == {"workspace": "tests", "name": "alt", "deleted": True}

    for tool, arguments in [
        ("show", {"branch": "alt"}),
        ("diff", {"from": "main", "to": "alt"}),
        ("merge", {"from": "alt", "into": "main"}),
        ("log", {"ref": "alt"}),
        ("log", {"ref": "v1"}),
        ("reflog", {"ref": "alt"}),
        ("docs_list", {"ref": "alt"}),
        ("branch_delete", {"name": "alt"}),
    ]:
        assert mind.refused(tool, **arguments).code == "UNKNOWN_ID", tool
    assert [branch["name"] for branch in mind.branch_list()["branches"]] == ["main"]
    assert [tag["name"] for tag in mind.tag_list()["tags"]] == ["v0"]
    assert mind.box.call("ledger_record", {"id": f"th:{idea}"})["record"]["body"]["text"] == "idea"
    assert texts(mind, "alt", as_of=before) == ["base", "idea", "more"]
    copies = [entry for entry in mind.show(doc_kind="notes")["entries"] if "merged_from" in entry]
    assert {copy["merged_from"]["branch"] for copy in copies} == {"alt"}


def test_a_branch_of_the_same_name_begins_anew(quick: Mind):
    quick.macro_branch_note(name="alt", content="old")
    quick.commit(artifact="old commit", message="m")
    quick.checkout(ref="main")
    quick.branch_delete(name="alt")

    quick.branch_create(name="alt")

    assert texts(quick, "alt") == []
    assert quick.log(ref="alt")["commits"] == []
    assert quick.reflog(ref="alt")["entries"] == []


def test_a_branch_that_is_needed_is_not_deleted(quick: Mind):
    own = canonical_branch(quick, "TASK-001")
    quick.branch_create(name="base", **{"from": own})
    quick.branch_create(name="child", **{"from": "base"})
    quick.checkout(ref="child")

    error = quick.refused("branch_delete", name="child")
    assert (error.code, "checked out" in error.message) == ("INVALID_INPUT", True)
    (offered,) = error.details["suggestions"]
    assert quick.send(offered)["result"]["current"] == "base"
    quick.checkout(ref=own)

    error = quick.refused("branch_delete", name="base")
    assert (error.code, "child" in error.message) == ("INVALID_INPUT", True)
    assert quick.branch_delete(name="child")["deleted"]
    assert quick.branch_delete(name="base")["deleted"]
    quick.branch_create(name="other")
    quick.checkout(ref="other")

    error = quick.refused("branch_delete", name=own)
    assert (error.code, "TASK-001" in error.message) == ("INVALID_INPUT", True)
    assert quick.refused("branch_delete", name="nowhere").code == "UNKNOWN_ID"


def test_the_only_branch_is_not_deleted(quick: Mind):
    quick.notes_commit(content="one")

    error = quick.refused("branch_delete", name="main")

    assert (error.code, error.recovery) == ("INVALID_INPUT", "It is the only branch there is.")


def test_branches_of_branches_may_be_as_deep_as_one_likes(mind: Mind):
    deep = 220
    for number in range(deep):
        mind.branch_create(name=f"b{number}", **{"from": f"b{number - 1}" if number else "main"})
        if number % 50 == 0:
            mind.notes_commit(branch=f"b{number}", content=str(number))
    last = f"b{deep - 1}"

    assert texts(mind, last) == ["0", "50", "100", "150", "200"]
    page = mind.show(branch=last, doc_kind="notes", limit=2)
    assert [entry["content"] for entry in page["entries"]] == ["150", "200"]
    assert len(mind.diff(**{"from": "main", "to": last})["entries"]) == 5
    mind.checkout(ref=last)
    assert [commit["artifact"] for commit in mind.log()["commits"]] == ["0", "50", "100", "150", "200"]
    mind.branch_create(name="aside", **{"from": "main"})
    assert merge(mind, last, "aside") == (5, 0)
    assert merge(mind, "aside", last) == (0, 5)
