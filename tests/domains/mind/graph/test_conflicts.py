"""Conflicts: listed, shown with all three sides, resolved once."""

from __future__ import annotations

import re

import pytest

from tests.support.graphs import clash, delete, edges, fork, ids, link, merge, put, titles, upsert
from tests.support.mind import Mind


def test_a_conflict_shows_what_both_say_and_what_they_said_before(mind: Mind):
    id = clash(mind)

    shown = mind.graph_conflict_show(conflict_id=id)["conflict"]

    assert re.fullmatch(r"CONFLICT-[0-9a-f]{32}", id)
    assert list(shown) == [
        *("conflict_id", "kind", "key", "from", "into", "doc", "status", "base", "theirs", "ours", "created_at_ms")
    ]
    assert (shown["conflict_id"], shown["kind"], shown["key"]) == (id, "node", "H1")
    assert (shown["from"], shown["into"], shown["doc"], shown["status"]) == ("what-if", "main", "graph", "open")
    assert [shown[side]["title"] for side in ("base", "theirs", "ours")] == ["before", "theirs", "ours"]
    assert shown["ours"] == mind.graph_query()["nodes"][0]
    assert shown["theirs"] == mind.graph_query(branch="what-if")["nodes"][0]


def test_a_side_that_never_was_is_null_and_a_deleted_one_a_tombstone(mind: Mind):
    fork(mind, upsert("a"), upsert("b"))
    put(mind, upsert("new", title="theirs"), delete("a"), link("b", "b", meta={"w": 1}), branch="what-if")
    put(mind, upsert("new", title="ours"), upsert("a", title="ours"), link("b", "b"))
    found = {conflict["key"]: conflict["conflict_id"] for conflict in merge(mind)["conflicts"]}

    new = mind.graph_conflict_show(conflict_id=found["new"])["conflict"]
    assert (new["base"], new["ours"]["title"]) == (None, "ours")
    gone = mind.graph_conflict_show(conflict_id=found["a"])["conflict"]
    assert (gone["theirs"]["deleted"], gone["base"]["deleted"]) == (True, False)
    edge = mind.graph_conflict_show(conflict_id=found["b|supports|b"])["conflict"]
    assert (edge["kind"], edge["base"], edge["theirs"]["meta"]) == ("edge", None, {"w": 1})


def test_taking_theirs_writes_it_and_keeping_ours_does_not(mind: Mind):
    fork(mind, upsert("a"), upsert("b"))
    put(mind, upsert("a", title="theirs"), upsert("b", title="theirs"), branch="what-if")
    put(mind, upsert("a", title="ours"), upsert("b", title="ours"))
    found = {conflict["key"]: conflict["conflict_id"] for conflict in merge(mind)["conflicts"]}

    taken = mind.graph_conflict_resolve(conflict_id=found["a"], resolution="use_from")
    kept = mind.graph_conflict_resolve(conflict_id=found["b"], resolution="use_into")

    assert taken == {"conflict_id": found["a"], "status": "resolved", "applied": True}
    assert kept == {"conflict_id": found["b"], "status": "resolved", "applied": False}
    assert titles(mind) == {"a": "theirs", "b": "ours"}
    for id in found.values():
        shown = mind.graph_conflict_show(conflict_id=id)["conflict"]
        assert (shown["status"], shown["ours"]["title"]) == ("resolved", "ours")
        assert shown["resolved_at_ms"] > shown["created_at_ms"]
    before = mind.head()
    again = merge(mind)
    assert (again["merged"], again["skipped"], again["conflicts_created"], again["conflict_ids"]) == (0, 2, 0, [])
    assert mind.head() == before


def test_what_was_taken_is_the_base_of_the_next_merge(mind: Mind):
    mind.graph_conflict_resolve(conflict_id=clash(mind), resolution="use_from")
    put(mind, upsert("H1", title="theirs again"), branch="what-if")

    assert merge(mind)["merged"] == 1
    assert titles(mind) == {"H1": "theirs again"}


@pytest.mark.parametrize("resolution", ["use_from", "use_into"])
def test_a_conflict_is_resolved_once(quick: Mind, resolution: str):
    id = clash(quick)
    quick.graph_conflict_resolve(conflict_id=id, resolution=resolution)

    error = quick.refused("graph_conflict_resolve", conflict_id=id, resolution="use_from")

    assert error.code == "INVALID_INPUT"
    assert f"resolved already: {resolution}" in error.message
    (suggestion,) = error.details["suggestions"]
    assert quick.send(suggestion)["result"]["conflicts"] == []


def test_the_same_situation_is_the_same_conflict_and_shows_what_ours_says_now(mind: Mind):
    id = clash(mind)
    put(mind, upsert("H1", title="ours again"))

    answer = merge(mind)

    assert (answer["conflicts_created"], answer["conflict_ids"]) == (0, [id])
    assert mind.graph_conflict_show(conflict_id=id)["conflict"]["ours"]["title"] == "ours again"
    assert len(mind.graph_conflicts(into="main")["conflicts"]) == 1


def test_a_conflict_is_superseded_when_theirs_moves_on(mind: Mind):
    old = clash(mind)
    put(mind, upsert("H1", title="theirs again"), branch="what-if")

    (new,) = merge(mind)["conflict_ids"]

    assert new != old
    assert [found["conflict_id"] for found in mind.graph_conflicts(into="main")["conflicts"]] == [new]
    superseded = mind.graph_conflicts(into="main", status="superseded")["conflicts"]
    assert [(found["conflict_id"], found["status"]) for found in superseded] == [(old, "superseded")]
    shown = mind.graph_conflict_show(conflict_id=old)["conflict"]
    assert (shown["status"], shown["theirs"]["title"], "resolved_at_ms" in shown) == ("superseded", "theirs", False)
    assert "superseded" in mind.refused("graph_conflict_resolve", conflict_id=old, resolution="use_from").message


def test_a_conflict_that_is_none_any_more_is_superseded_and_may_come_back(mind: Mind):
    id = clash(mind)
    put(mind, upsert("H1", title="theirs"))
    assert merge(mind)["skipped"] == 1
    assert mind.graph_conflicts(into="main")["conflicts"] == []
    put(mind, upsert("H1", title="ours"))

    answer = merge(mind)
    assert (answer["conflicts_created"], answer["conflict_ids"]) == (1, [id])
    put(mind, upsert("H1", title="before"))
    assert merge(mind)["merged"] == 1
    assert mind.graph_conflicts(into="main")["conflicts"] == []
    assert titles(mind) == {"H1": "theirs"}
    shown = mind.graph_conflict_show(conflict_id=id)["conflict"]
    assert (shown["status"], shown["ours"]["title"]) == ("superseded", "before")


def test_conflicts_are_listed_newest_first_and_paged_without_a_gap(mind: Mind):
    fork(mind, *(upsert(f"n{n}") for n in range(7)))
    put(mind, *(upsert(f"n{n}", title="theirs") for n in range(7)), branch="what-if")
    put(mind, *(upsert(f"n{n}", title="ours") for n in range(7)))
    merge(mind, limit=3)
    merge(mind)

    answer = mind.whole("graph_conflicts", into="main", limit=2)
    assert answer["result"]["pagination"]["has_more"] is True
    found = list(answer["result"]["conflicts"])
    while answer["result"]["pagination"]["has_more"]:
        answer = mind.send(answer["suggestions"][0])
        found += answer["result"]["conflicts"]
    whole = mind.graph_conflicts(into="main")
    assert (found, whole["into"], whole["doc"]) == (whole["conflicts"], "main", "graph")
    assert sorted(conflict["key"] for conflict in found) == [f"n{n}" for n in range(7)]
    times = [conflict["created_at_ms"] for conflict in found]
    assert times == sorted(times, reverse=True)


def test_limits_and_filters_of_a_list_of_conflicts(quick: Mind):
    id = clash(quick)

    assert quick.graph_conflicts(into="main")["pagination"]["limit"] == 50
    assert quick.graph_conflicts(into="main", limit=10_000)["pagination"]["limit"] == 200
    assert quick.graph_conflicts(into="main", limit=0)["pagination"]["limit"] == 1
    assert quick.graph_conflicts(into="main", doc="map")["conflicts"] == []
    assert quick.graph_conflicts(into="what-if")["conflicts"] == []
    quick.graph_conflict_resolve(conflict_id=id, resolution="use_into")
    assert [found["status"] for found in quick.graph_conflicts(into="main", status="resolved")["conflicts"]] == [
        "resolved"
    ]
    assert quick.refused("graph_conflicts", into="nobody").code == "UNKNOWN_ID"
    assert quick.refused("graph_conflicts", into="main", status="any").code == "INVALID_INPUT"


def test_a_conflict_that_is_not_there_is_refused_with_where_to_look(quick: Mind):
    clash(quick)
    for tool, more in (("graph_conflict_show", {}), ("graph_conflict_resolve", {"resolution": "use_from"})):
        error = quick.refused(tool, conflict_id="CONFLICT-" + "0" * 32, **more)
        assert error.code == "UNKNOWN_ID"
        (suggestion,) = error.details["suggestions"]
        assert len(quick.send(suggestion)["result"]["conflicts"]) == 1
        assert quick.refused(tool, conflict_id="CONFLICT-1", **more).code == "INVALID_INPUT"


def test_taking_theirs_may_cost_an_edge_its_end_and_says_so(mind: Mind):
    fork(mind, upsert("a"), upsert("b"))
    put(mind, delete("b"), branch="what-if")
    put(mind, upsert("b", title="ours"), link("a", "b"))
    (id,) = merge(mind)["conflict_ids"]

    answer = mind.whole("graph_conflict_resolve", conflict_id=id, resolution="use_from")

    assert answer["result"]["applied"] is True
    assert [warning["code"] for warning in answer["warnings"]] == ["EDGE_ENDPOINT_MISSING"]
    assert mind.send(answer["suggestions"][0])["result"]["errors"][0]["key"] == "a|supports|b"
    assert ids(mind) == ["a"]
    assert edges(mind) == []


def test_conflicts_of_a_branch_go_with_it(mind: Mind):
    id = clash(mind)
    mind.branch_delete(name="what-if")

    assert mind.graph_conflicts(into="main")["conflicts"] == []
    assert mind.refused("graph_conflict_show", conflict_id=id).code == "UNKNOWN_ID"


@pytest.mark.parametrize("resolution", ["use_from", "use_into"])
def test_every_call_that_a_conflict_suggests_can_be_sent(quick: Mind, resolution: str):
    id = clash(quick)
    listed = quick.whole("graph_conflicts", into="main")["suggestions"]
    shown = quick.send(listed[0])

    assert shown["result"]["conflict"]["conflict_id"] == id
    by_choice = {suggestion["params"]["resolution"]: suggestion for suggestion in shown["suggestions"]}
    assert quick.send(by_choice[resolution])["result"]["status"] == "resolved"
