"""Comparing the graphs of two branches."""

from __future__ import annotations

from typing import Any

from tests.support.box import WORKSPACE
from tests.support.graphs import counted, delete, diff, fork, link, put, unlink, upsert
from tests.support.mind import Mind
from thoughtbox.domains.mind.graph.comparing import differing
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS


def changes(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """Which nodes and edges, and what each says."""

    def said(change: dict[str, Any]) -> str:
        return "deleted" if change["to"]["deleted"] else change["to"].get("title", "")

    return [
        (change["id"] if change["kind"] == "node" else "|".join(change["key"].values()), said(change))
        for change in answer["changes"]
    ]


def test_states_of_the_one_that_differ_are_shown_newest_first(mind: Mind):
    fork(mind, upsert("a", title="1"), upsert("b", title="1"), upsert("c"), link("a", "b"), link("b", "a"))
    put(mind, upsert("b", title="2"), upsert("new", title="n"), unlink("b", "a"), branch="what-if")
    put(mind, delete("c"), upsert("a", title="3"), branch="what-if")

    answer = diff(mind, "main", "what-if")

    assert changes(answer) == [("a", "3"), ("c", "deleted"), ("b|supports|a", "deleted"), ("new", "n"), ("b", "2")]
    assert (answer["from"], answer["to"], answer["doc"], answer["truncated"]) == ("main", "what-if", "graph", False)
    seqs = [change["to"]["last_seq"] for change in answer["changes"]]
    assert seqs == sorted(seqs, reverse=True)
    assert answer["changes"][2]["key"] == {"from": "b", "rel": "supports", "to": "a"}
    # The other way round: what main says where the branch says something else.
    assert changes(diff(mind, "what-if", "main")) == [("b|supports|a", ""), ("c", ""), ("b", "1"), ("a", "1")]


def test_what_says_the_same_is_no_difference(mind: Mind):
    fork(mind, upsert("a", title="1", tags=["x"], meta={"k": [1]}), upsert("b"), link("a", "b", meta={"w": 1}))
    put(mind, upsert("a", title="2"), upsert("a", title="1", tags=["X"], meta={"k": [1]}), branch="what-if")
    put(mind, link("a", "b", meta={"w": 1}), upsert("never"), delete("never"), branch="what-if")
    put(mind, upsert("a", title="1", tags=["x"], meta={"k": [1.0]}))

    assert changes(diff(mind, "main", "what-if")) == []
    assert changes(diff(mind, "what-if", "main")) == []
    assert changes(diff(mind, "main", "main")) == []
    put(mind, upsert("a", title="1", tags=["x"], meta={"k": [True]}), branch="what-if")
    assert changes(diff(mind, "main", "what-if")) == [("a", "1")]


def test_branches_that_share_a_base_are_compared(mind: Mind):
    fork(mind, upsert("a", title="1"), upsert("b", title="1"), upsert("c", title="1"))
    mind.branch_create(name="other", **{"from": "main"})
    put(mind, upsert("a", title="2"), upsert("b", title="2"), branch="what-if")
    put(mind, upsert("b", title="3"), upsert("c", title="3"), branch="other")
    mind.branch_create(name="deeper", **{"from": "what-if"})
    put(mind, upsert("d", title="4"), branch="deeper")

    assert changes(diff(mind, "what-if", "other")) == [("c", "3"), ("b", "3"), ("a", "1")]
    assert changes(diff(mind, "other", "deeper")) == [("d", "4"), ("b", "2"), ("a", "2"), ("c", "1")]
    assert changes(diff(mind, "deeper", "main")) == [("b", "1"), ("a", "1")]


def test_pages_of_a_comparison_join_up(mind: Mind):
    fork(mind, *(upsert(f"n{n}", title="1") for n in range(9)))
    put(mind, *(upsert(f"n{n}", title="2") for n in range(0, 9, 2)), branch="what-if")
    put(mind, *(upsert(f"n{n}", title="3") for n in range(1, 9, 2)))
    whole = diff(mind, "main", "what-if")["changes"]
    assert len(whole) == 9

    answer = mind.whole("graph_diff", **{"from": "main", "to": "what-if", "limit": 2})
    found = answer["result"]["changes"]
    while answer["suggestions"]:
        answer = mind.send(answer["suggestions"][0])
        found += answer["result"]["changes"]
    assert found == whole
    assert answer["result"]["pagination"]["has_more"] is False


def test_only_what_was_written_since_they_parted_is_looked_at(mind: Mind):
    fork(mind, *(upsert(f"n{n}") for n in range(300)))
    put(mind, upsert("n7", title="theirs"), branch="what-if")
    put(mind, upsert("n8", title="ours"))

    def read(tx: Tx) -> tuple[int, int]:
        view, counting = tx.ask(Documents), counted(tx)
        source, to = view.branch("main"), view.branch("what-if")
        assert source
        assert to
        return len(differing(tx, source, to, "graph", before=None, limit=20)), counting.read

    found, rows = mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, read).result()
    assert found == 2
    assert rows < 20


def test_limits_and_names_of_a_comparison(quick: Mind):
    fork(quick, upsert("a"))
    put(quick, *(upsert(f"n{n}") for n in range(210)), branch="what-if")

    assert diff(quick, "main", "what-if")["pagination"]["limit"] == 20
    assert diff(quick, "main", "what-if", limit=10_000)["pagination"]["count"] == 200
    assert diff(quick, "main", "what-if", limit=0)["pagination"]["count"] == 1
    assert diff(quick, "main", "what-if", doc="map")["changes"] == []
    assert quick.refused("graph_diff", **{"from": "main", "to": "nobody"}).code == "UNKNOWN_ID"
    assert quick.refused("graph_diff", **{"from": "nobody", "to": "main"}).code == "UNKNOWN_ID"
