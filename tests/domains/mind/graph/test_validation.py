"""Checking a graph: every edge leads from a node to a node."""

from __future__ import annotations

from tests.support.graphs import delete, fork, link, merge, put, upsert
from tests.support.mind import Mind


def broken(mind: Mind, count: int = 1) -> None:
    """A merge brings edges to where their node is gone."""
    fork(mind, upsert("a"), upsert("b"))
    put(mind, *(link("a", "b", f"r{n}") for n in range(count)), branch="what-if")
    put(mind, delete("b"))
    merge(mind)


def test_a_graph_whose_edges_all_have_ends_is_whole(mind: Mind):
    fork(mind, upsert("a"), upsert("b"), link("a", "b"), upsert("c"))
    put(mind, delete("c"), branch="what-if")

    assert mind.graph_validate() == {
        "branch": "main",
        "doc": "graph",
        "ok": True,
        "stats": {"nodes": 3, "edges": 1},
        "errors": [],
        "truncated": False,
    }
    assert mind.graph_validate(branch="what-if")["stats"] == {"nodes": 2, "edges": 1}


def test_an_edge_without_an_end_is_an_error_that_says_what_to_do(mind: Mind):
    broken(mind)
    answer = mind.whole("graph_validate")

    result = answer["result"]
    assert (result["ok"], result["stats"]) == (False, {"nodes": 1, "edges": 1})
    (error,) = result["errors"]
    recovery = error.pop("recovery")
    assert error == {
        "code": "EDGE_ENDPOINT_MISSING",
        "message": "edge `a|r0|b` needs `b`, which is not there",
        "kind": "edge",
        "key": "a|r0|b",
    }
    assert '{"op": "edge_delete", "from": "a", "rel": "r0", "to": "b"}' in recovery
    (suggestion,) = answer["suggestions"]
    mind.send(suggestion)
    assert mind.graph_validate()["ok"]


def test_errors_are_bounded(quick: Mind):
    broken(quick, 60)

    assert len(quick.graph_validate()["errors"]) == 50
    few = quick.graph_validate(max_errors=2)
    assert ([error["key"] for error in few["errors"]], few["truncated"]) == (["a|r59|b", "a|r58|b"], True)
    assert len(quick.graph_validate(max_errors=0)["errors"]) == 1
    all_of_them = quick.graph_validate(max_errors=10_000)
    assert (len(all_of_them["errors"]), all_of_them["truncated"]) == (60, False)
