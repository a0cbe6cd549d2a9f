"""Anchors: registered by notes and by cards, found again by meaning."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.anchors import lens
from thoughtbox.domains.mind.view.anchors import Anchors
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations.caller import ANONYMOUS

STORAGE = {"anchor": "a:storage", "title": "Storage", "kind": "component", "content": "One connection writes."}


def card(mind: Mind, id: str, type: str, *tags: str, **more: Any) -> dict[str, Any]:
    return mind.think_card(card={"id": id, "type": type, "title": id, "tags": list(tags)}, **more)


def ids(cards: list[dict[str, Any]]) -> list[str]:
    return [card["id"] for card in cards]


def opened(mind: Mind, id: str, *, limit: int = 20, include_drafts: bool = False) -> tuple[dict[str, Any], list[str]]:
    """What opening an anchor shows, and the codes that it warns of."""

    def look(tx: Any) -> tuple[dict[str, Any], list[str]]:
        shown = lens.anchor(tx, id, limit=limit, include_drafts=include_drafts)
        return shown, [notice.code for notice in tx.remarks]

    return mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, look).result()


def test_a_note_registers_an_anchor_with_all_that_is_said_of_it(mind: Mind):
    written = mind.macro_anchor_note(
        **STORAGE,
        description="Where records stand.",
        refs=["src/storage.py"],
        aliases=["a:db"],
        parent_id="a:core",
        depends_on=["a:disk"],
        status="planned",
    )

    anchor = written["anchor"]
    assert anchor == {
        "id": "a:storage",
        "title": "Storage",
        "kind": "component",
        "status": "planned",
        "description": "Where records stand.",
        "refs": ["src/storage.py"],
        "aliases": ["a:db"],
        "parent_id": "a:core",
        "depends_on": ["a:disk"],
        "created_at_ms": anchor["created_at_ms"],
        "updated_at_ms": anchor["created_at_ms"],
    }
    assert (written["created"], written["updated"]) == (True, False)
    assert mind.anchors_list()["anchors"] == [anchor]


def test_a_new_anchor_needs_a_title_and_a_kind(quick: Mind):
    error = quick.refused("macro_anchor_note", anchor="a:storage", content="x", card_type="decision")

    assert error.code == "INVALID_INPUT"
    assert [hint["field"] for hint in error.details["hints"]] == ["title", "kind"]
    (suggestion,) = error.details["suggestions"]
    sent = quick.send(suggestion)["result"]
    assert sent["anchor"]["title"] == "Storage"
    assert sent["note"]["type"] == "decision"
    assert quick.macro_anchor_note(anchor="a:storage", content="y")["created"] is False


def test_a_note_changes_what_it_names_and_nothing_else(quick: Mind):
    first = quick.macro_anchor_note(**STORAGE, refs=["a.py"], parent_id="a:core", aliases=["a:db"])["anchor"]
    changed = quick.macro_anchor_note(anchor="a:storage", content="x", status="retired", refs=[], aliases=["a:disk"])

    assert (changed["created"], changed["updated"]) == (False, True)
    assert changed["anchor"]["created_at_ms"] == first["created_at_ms"] < changed["anchor"]["updated_at_ms"]
    assert changed["anchor"] == {
        **first,
        "status": "retired",
        "refs": [],
        "aliases": ["a:db", "a:disk"],
        "updated_at_ms": changed["anchor"]["updated_at_ms"],
    }
    assert "parent_id" not in quick.macro_anchor_note(anchor="a:storage", content="x", parent_id="")["anchor"]


def test_a_note_that_says_nothing_new_of_the_anchor_leaves_it_as_it_is(quick: Mind):
    first = quick.macro_anchor_note(**STORAGE, aliases=["a:db"])["anchor"]
    again = quick.macro_anchor_note(**STORAGE, aliases=["a:db"])

    assert again["anchor"] == first
    assert (again["created"], again["updated"]) == (False, False)


def test_the_same_note_with_an_id_again_changes_nothing_whatever_became_of_card_and_anchor(quick: Mind):
    call = {**STORAGE, "card_id": "N1", "card_type": "decision"}
    first = quick.macro_anchor_note(**call)
    place = {"graph_doc": first["note"]["graph_doc"]}
    quick.think_set_status(targets="N1", status="accepted", **place)
    quick.think_pin(targets="N1", **place)
    quick.anchors_rename(**{"from": "a:storage", "to": "a:store"})
    head = quick.head()

    again = quick.macro_anchor_note(**call)
    assert again["note"] == {**first["note"], "inserted": False}
    assert again["anchor"]["id"] == "a:store"
    assert quick.head() == head


@pytest.mark.parametrize(
    ("type", "visibility"),
    [("decision", "canon"), ("evidence", "canon"), ("test", "canon"), ("note", "draft"), ("hypothesis", "draft")],
)
def test_a_note_is_canon_when_it_proves_something_and_otherwise_a_draft(quick: Mind, type: str, visibility: str):
    answer = quick.whole("macro_anchor_note", **STORAGE, card_type=type)

    note = answer["result"]["note"]
    assert note["visibility"] == visibility
    shown = [note["card_id"]] if visibility == "canon" else []
    assert ids(quick.anchor_snapshot(anchor="a:storage")["cards"]) == shown
    for suggestion in answer["suggestions"]:  # how a draft is seen
        assert ids(quick.send(suggestion)["result"]["cards"]) == [note["card_id"]]
    assert len(answer["suggestions"]) == (visibility == "draft")


def test_a_note_says_itself_whether_it_is_canon_or_pinned(quick: Mind):
    quick.macro_anchor_note(**STORAGE, card_id="N1", visibility="canon")
    quick.macro_anchor_note(**STORAGE, card_id="N2", pin=True, note_title="Pinned", meta={"why": "x"})

    cards = quick.anchor_snapshot(anchor="a:storage")["cards"]
    assert ids(cards) == ["N2", "N1"]
    assert (cards[0]["title"], cards[0]["text"], cards[0]["meta"]) == ("Pinned", STORAGE["content"], {"why": "x"})


def test_a_note_stands_with_the_notes_about_anchors_on_the_checkout(quick: Mind):
    note = quick.macro_anchor_note(**STORAGE, card_id="N1")["note"]

    assert (note["branch"], note["trace_doc"], note["graph_doc"]) == ("main", "anchors-trace", "anchors-graph")
    assert note["trace_ref"] == f"anchors-trace@{quick.head()}"
    entry = quick.show(doc="anchors-trace")["entries"][-1]
    assert (entry["seq"], entry["content"]) == (quick.head(), STORAGE["content"])


def test_a_note_with_a_target_stands_in_the_reasoning_of_the_task(quick: Mind):
    quick.tasks_create(title="Plan")
    steps = [{"title": "One", "success_criteria": ["done"]}]
    quick.tasks_create(title="Task", parent="PLAN-001", steps=steps)

    for place in ({"target": "TASK-001"}, {"target": {"id": "TASK-001"}, "step": "focus"}):
        note = quick.macro_anchor_note(**STORAGE, **place)["note"]
        assert (note["trace_doc"], note["graph_doc"]) == ("TASK-001-trace", "TASK-001-graph")
    cards = quick.anchor_snapshot(anchor="a:storage", include_drafts=True)["cards"]
    assert "step:step-00000001" in cards[0]["tags"]


def test_a_note_about_a_step_warns_when_no_task_is_in_focus(quick: Mind):
    answer = quick.whole("macro_anchor_note", **STORAGE, step="focus")
    assert [warning["code"] for warning in answer["warnings"]] == ["STEP_CONTEXT_IGNORED"]


def test_a_note_that_cannot_be_written_registers_nothing(quick: Mind):
    assert quick.refused("macro_anchor_note", **STORAGE, card_type="poem").code == "INVALID_INPUT"
    assert quick.refused("macro_anchor_note", **STORAGE, target="TASK-001").code == "UNKNOWN_ID"
    assert quick.anchors_list()["anchors"] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"anchor": "storage"},
        {"anchor": "a:"},
        {"anchor": "a:-x"},
        {"anchor": f"a:{'x' * 65}"},
        {"kind": "module"},
        {"title": "x" * 121},
        {"title": "two\nlines"},
        {"description": "x" * 281},
        {"refs": ["x" * 221]},
        {"refs": ["x"] * 33},
        {"aliases": [f"a:x{number}" for number in range(33)]},
        {"aliases": ["a:storage"]},
        {"aliases": ["nothing"]},
        {"depends_on": [f"a:x{number}" for number in range(33)]},
        {"parent_id": "core"},
    ],
)
def test_what_no_anchor_can_be_is_refused(quick: Mind, wrong: dict[str, Any]):
    assert quick.refused("macro_anchor_note", **{**STORAGE, **wrong}).code == "INVALID_INPUT"


def test_the_longest_anchor_is_taken_and_capitals_are_no_matter(quick: Mind):
    anchor = quick.macro_anchor_note(
        **{**STORAGE, "anchor": f"A:{'X' * 64}", "title": "x" * 120},
        description="x" * 280,
        refs=["x" * 220, *(f"r{number}" for number in range(31))],
        aliases=[f"A:Y{number}" for number in range(32)],
        depends_on=[f"a:z{number}" for number in range(32)],
    )["anchor"]

    assert anchor["id"] == f"a:{'x' * 64}"
    assert anchor["aliases"] == sorted(f"a:y{number}" for number in range(32))
    error = quick.refused("macro_anchor_note", anchor=anchor["id"], content="x", aliases=["a:one-more"])
    assert "33 aliases" in error.message


def test_an_alias_that_stands_for_something_else_is_refused_with_the_merge_that_would_do(quick: Mind):
    quick.macro_anchor_note(**STORAGE, aliases=["a:db"])
    quick.macro_anchor_note(anchor="a:disk", title="Disk", kind="ops", content="x")

    for alias in ("a:storage", "a:db"):
        error = quick.refused("macro_anchor_note", anchor="a:disk", content="x", aliases=[alias])
        assert error.code == "CONFLICT"
        assert error.details["id"] == "a:storage"
        new = quick.refused("macro_anchor_note", **{**STORAGE, "anchor": "a:new"}, aliases=[alias])
        assert (new.code, "suggestions" in new.details) == ("CONFLICT", False)
    (suggestion,) = error.details["suggestions"]
    assert quick.send(suggestion)["result"]["anchor"]["aliases"] == ["a:db", "a:storage"]


@pytest.mark.parametrize(
    ("type", "tags", "is_registered"),
    [
        ("decision", [], True),
        ("evidence", [], True),
        ("test", [], True),
        ("note", ["v:canon"], True),
        ("note", ["pinned"], True),
        ("hypothesis", ["v:draft"], False),
        ("note", [], False),
    ],
)
def test_a_card_that_others_rely_on_registers_the_anchors_it_names(
    quick: Mind, type: str, tags: list[str], is_registered: bool
):
    seq = card(quick, "C1", type, "a:user-data", "a:NOT_ONE", *tags)["last_seq"]

    anchors = quick.anchors_list()["anchors"]
    assert ids(anchors) == (["a:user-data"] if is_registered else [])
    for anchor in anchors:
        assert (anchor["title"], anchor["kind"], anchor["status"]) == ("User data", "component", "active")
        (entry,) = quick.show()["entries"]
        assert entry["seq"] == seq == quick.head()  # no record beside that of the card
        assert anchor["created_at_ms"] == anchor["updated_at_ms"] == entry["ts_ms"]


def test_pinning_a_draft_registers_its_anchors_and_a_known_one_stays_what_it_is(quick: Mind):
    card(quick, "N1", "note", "a:new")
    assert quick.anchors_list()["anchors"] == []
    quick.think_pin(targets="N1")
    assert ids(quick.anchors_list()["anchors"]) == ["a:new"]

    first = quick.macro_anchor_note(**STORAGE, aliases=["a:db"])["anchor"]
    card(quick, "D1", "decision", "a:storage", "a:db")
    assert quick.anchors_list(text="storage")["anchors"] == [first]
    assert ids(quick.anchors_list()["anchors"]) == ["a:new", "a:storage"]


def test_anchors_are_listed_by_id_a_page_at_a_time(mind: Mind):
    for slug in ("c", "a", "b", "d"):
        mind.macro_anchor_note(anchor=f"a:{slug}", title=f"Part {slug.upper()}", kind="data", content="x")

    first = mind.anchors_list(limit=3)
    assert (ids(first["anchors"]), first["count"], first["has_more"]) == (["a:a", "a:b", "a:c"], 3, True)
    rest = mind.anchors_list(limit=3, cursor=first["next_cursor"])
    assert (ids(rest["anchors"]), rest["has_more"], "next_cursor" in rest) == (["a:d"], False, False)
    assert ids(mind.anchors_list(limit=0)["anchors"]) == ["a:a"]
    assert mind.anchors_list(limit=10_000)["count"] == 4


def test_anchors_are_looked_for_by_id_and_title_kind_and_status(quick: Mind):
    quick.macro_anchor_note(anchor="a:wal", title="Write-Ahead Log", kind="data", content="x")
    quick.macro_anchor_note(anchor="a:log-viewer", title="Viewer", kind="component", content="x", status="retired")

    assert ids(quick.anchors_list(text="LOG")["anchors"]) == ["a:log-viewer", "a:wal"]
    assert ids(quick.anchors_list(text="ahead l")["anchors"]) == ["a:wal"]
    assert ids(quick.anchors_list(kind="data")["anchors"]) == ["a:wal"]
    assert ids(quick.anchors_list(status="retired")["anchors"]) == ["a:log-viewer"]
    assert quick.anchors_list(text="%")["anchors"] == []


def test_cards_of_an_anchor_come_pinned_first_then_by_type_then_the_newest(mind: Mind):
    mind.macro_anchor_note(**STORAGE)
    for type in ("frame", "note", "update", "question", "hypothesis", "test", "evidence", "decision"):
        card(mind, f"{type}-1", type, "a:storage", "v:canon")
    card(mind, "decision-2", "decision", "a:storage")
    card(mind, "frame-2", "frame", "a:storage", "pinned")
    mind.think_set_status(targets="decision-1", status="accepted")

    shown = mind.anchor_snapshot(anchor="a:storage")
    assert ids(shown["cards"]) == [
        *("frame-2", "decision-1", "decision-2", "evidence-1", "test-1", "hypothesis-1"),
        *("question-1", "update-1", "note-1", "frame-1"),
    ]
    assert (shown["count"], shown["has_more"]) == (10, False)
    assert shown["stats"] == {"links_count": 11, "links_has_more": False}  # the first note, too
    first = mind.anchor_snapshot(anchor="a:storage", limit=2)
    assert (ids(first["cards"]), first["has_more"]) == (["frame-2", "decision-1"], True)


def test_drafts_are_shown_when_asked_for_by_either_name(quick: Mind):
    quick.macro_anchor_note(**STORAGE, card_id="N1")
    card(quick, "D1", "decision", "a:storage", "v:draft")
    card(quick, "D2", "decision", "a:storage")

    assert ids(quick.anchor_snapshot(anchor="a:storage")["cards"]) == ["D2"]
    assert ids(quick.anchor_snapshot(anchor="a:storage", include_drafts=True)["cards"]) == ["D2", "D1", "N1"]
    assert ids(quick.anchor_snapshot(anchor="a:storage", all_lanes=True)["cards"]) == ["D2", "D1", "N1"]


def test_an_unknown_anchor_is_refused_with_the_call_that_registers_it(quick: Mind):
    error = quick.refused("anchor_snapshot", anchor="a:user-data")

    assert error.code == "UNKNOWN_ID"
    (suggestion,) = error.details["suggestions"]
    assert suggestion["target"] == "macro_anchor_note"
    quick.send(suggestion)
    assert quick.anchor_snapshot(anchor="a:user-data")["anchor"]["title"] == "User data"


def test_a_card_counts_as_it_stands_and_as_long_as_it_does(mind: Mind):
    mind.macro_anchor_note(**STORAGE)
    for id in ("D1", "D2", "D3"):
        card(mind, id, "decision", "a:storage")
    _change(mind, "D2", tags=["v:canon"])
    _change(mind, "D3", deleted=True)

    assert ids(mind.anchor_snapshot(anchor="a:storage")["cards"]) == ["D1"]
    assert mind.anchor_snapshot(anchor="a:storage")["stats"]["links_count"] == 2
    _change(mind, "D3", tags=["a:storage"])
    assert ids(mind.anchor_snapshot(anchor="a:storage")["cards"]) == ["D3", "D1"]


def test_a_renamed_branch_keeps_its_cards_and_a_deleted_one_takes_them_away(mind: Mind):
    mind.macro_anchor_note(**STORAGE)
    what_if = _branch(mind, "created", "what-if")
    card(mind, "D1", "decision", "a:storage", branch="what-if")
    assert mind.anchor_snapshot(anchor="a:storage")["cards"][0]["branch"] == "what-if"

    _branch(mind, "renamed", "tried", what_if)
    (shown,) = mind.anchor_snapshot(anchor="a:storage")["cards"]
    assert (shown["id"], shown["branch"], shown["graph_doc"]) == ("D1", "tried", "graph")
    _branch(mind, "deleted", "tried", what_if)
    assert mind.anchor_snapshot(anchor="a:storage")["cards"] == []


def test_a_card_on_several_branches_is_shown_once(mind: Mind):
    mind.macro_anchor_note(**STORAGE, aliases=["a:db"])
    card(mind, "D1", "decision", "a:storage", "a:db")
    _branch(mind, "created", "what-if")
    _change(mind, "D1", branch="what-if", tags=["a:storage", "v:canon"], title="newer")
    for number in range(3):
        card(mind, f"N{number}", "note", "a:storage", "a:db", "v:canon")

    shown = mind.anchor_snapshot(anchor="a:storage", limit=3)["cards"]
    assert [(card["id"], card["title"]) for card in shown] == [("D1", "newer"), ("N2", "N2"), ("N1", "N1")]
    assert mind.anchor_snapshot(anchor="a:storage")["stats"]["links_count"] == 5


def test_tasks_are_those_in_whose_reasoning_the_anchor_is_named(mind: Mind):
    mind.macro_anchor_note(**STORAGE)
    mind.tasks_create(title="Plan")
    for number in (1, 2, 3):
        mind.tasks_create(title=f"Task {number}", parent="PLAN-001")
    card(mind, "D1", "decision", "a:storage", target="TASK-001")
    card(mind, "D2", "decision", "a:storage", target="TASK-002")
    card(mind, "N1", "note", "a:storage", target="TASK-001")
    card(mind, "D3", "decision", target="TASK-003")

    shown = mind.anchor_snapshot(anchor="a:storage")
    assert [(task["id"], task["title"], task["status"]) for task in shown["tasks"]] == [
        ("TASK-001", "Task 1", "TODO"),
        ("TASK-002", "Task 2", "TODO"),
    ]
    assert shown["tasks_has_more"] is False
    fewer = mind.anchor_snapshot(anchor="a:storage", tasks_limit=1)
    assert (ids(fewer["tasks"]), fewer["tasks_has_more"]) == (["TASK-001"], True)
    assert mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, _on_the_branch_of_task_1).result() == ["a:storage"]


def test_opening_an_anchor_shows_it_with_its_cards(quick: Mind):
    quick.macro_anchor_note(**STORAGE, description="Where records stand.", parent_id="a:core", aliases=["a:db"])
    for number in range(3):
        card(quick, f"D{number}", "decision", "a:storage")

    shown, warnings = opened(quick, "A:Storage", limit=2)
    assert list(shown) == ["kind", "id", "summary", "anchor", "stats", "cards", "count", "truncated"]
    assert (shown["kind"], shown["id"], shown["summary"]) == ("anchor", "a:storage", "Storage: Where records stand.")
    assert shown["anchor"] == {**quick.anchors_list()["anchors"][0], "registered": True}
    assert (ids(shown["cards"]), shown["count"]) == (["D2", "D1"], 2)
    assert shown["stats"] == {"links_count": 4, "links_has_more": False}
    assert warnings == []
    assert opened(quick, "a:db") == ({**opened(quick, "a:storage")[0]}, ["ANCHOR_ALIAS_RESOLVED"])
    assert len(opened(quick, "a:storage", include_drafts=True)[0]["cards"]) == 4


def test_opening_an_anchor_that_nobody_registered_shows_what_is_tagged_so_and_writes_nothing(quick: Mind):
    card(quick, "H1", "hypothesis", "a:idea", "v:draft")
    head = quick.head()

    shown, warnings = opened(quick, "a:idea", include_drafts=True)
    assert (shown["anchor"]["registered"], shown["anchor"]["title"]) == (False, "Idea")
    assert (ids(shown["cards"]), shown["stats"]["links_count"]) == (["H1"], 1)
    assert warnings == ["ANCHOR_UNREGISTERED"]
    assert opened(quick, "a:never heard of")[0]["cards"] == []
    assert quick.head() == head
    assert quick.refused("anchor_snapshot", anchor="a:idea").code == "UNKNOWN_ID"


def test_more_links_than_are_counted_are_said_to_be_more(quick: Mind):
    quick.macro_anchor_note(**STORAGE)
    ops = [{"operation": "think_card", "arguments": {"card": {"text": "x", "tags": ["a:storage"]}}}] * 50
    for _ in range(4):
        quick.box.call("batch", {"calls": ops})

    assert quick.anchor_snapshot(anchor="a:storage")["stats"] == {"links_count": 200, "links_has_more": True}
    assert quick.anchor_snapshot(anchor="a:storage", include_drafts=True, limit=500)["count"] == 50


def test_the_map_is_what_a_replay_makes_of_the_records(mind: Mind):
    mind.macro_anchor_note(**STORAGE, aliases=["a:db"])
    card(mind, "D1", "decision", "a:storage", "a:auto")
    mind.think_pin(targets="D1")
    mind.anchors_rename(**{"from": "a:storage", "to": "a:store"})
    mind.anchors_merge(**{"from": "a:auto", "into": "a:store"})

    assert rebuild(mind.box.app.engine, Anchors)


def _change(mind: Mind, id: str, *, branch: str = "main", **changes: Any) -> None:
    """Put another version of a node into the graph, as graph_apply does."""
    node = {"id": id, "type": "decision", "title": id, "status": "open", "tags": [], "meta": {}, **changes}
    _do(mind, lambda tx: records.write_node(tx, tx.ask(Documents).branch(branch).id, branch, "graph", node, "test"))


def _branch(mind: Mind, change: str, name: str, branch: int | None = None) -> int:
    """Make a branch from main, rename it or delete it."""

    def work(tx: Any) -> int:
        base = None if branch else tx.ask(Documents).branch("main").id
        return records.write_branch(tx, change, branch, name=name, base=base)

    return _do(mind, work)


def _on_the_branch_of_task_1(tx: Any) -> list[str]:
    branch = tx.ask(Documents).canonical("TASK-001")
    return tx.ask(Anchors).on_branch(branch.id, limit=5)


def _do(mind: Mind, work: Any) -> Any:
    return mind.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, work, what="test").result()
