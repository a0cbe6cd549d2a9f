"""Querying a graph: filters, pages, edges, earlier times."""

from __future__ import annotations

from tests.support.graphs import delete, edges, fork, ids, link, put, unlink, upsert
from tests.support.mind import Mind


def test_nodes_come_newest_first_and_deleted_ones_never(mind: Mind):
    put(mind, upsert("a"), upsert("b"), upsert("c"), link("a", "c"), link("a", "b"))
    put(mind, upsert("a", title="again"), delete("b"))

    found = mind.graph_query()

    assert [node["id"] for node in found["nodes"]] == ["a", "c"]
    assert [edge["to"] for edge in found["edges"]] == ["c"]
    assert (found["branch"], found["doc"], found["truncated"]) == ("main", "graph", False)
    assert found["pagination"] == {"cursor": None, "next_cursor": None, "has_more": False, "limit": 50, "count": 2}


def test_filters_are_anded_and_take_one_or_several(mind: Mind):
    put(
        mind,
        upsert("a", type="fact", status="open", tags=["x", "y"], title="Cache"),
        upsert("b", type="idea", status="open", tags=["x"]),
        upsert("c", type="idea", status="done", tags=["y", "v:draft"]),
        upsert("d", type="idea"),
    )

    assert ids(mind, ids="b") == ["b"]
    assert ids(mind, ids=["a", "c", "nobody"]) == ["c", "a"]
    assert ids(mind, types="idea") == ["d", "c", "b"]
    assert ids(mind, types=["idea", "fact"], status="open") == ["b", "a"]
    assert ids(mind, status=["open", "done"]) == ["c", "b", "a"]
    assert ids(mind, tags_any=["x", "y"]) == ["c", "b", "a"]
    assert ids(mind, tags_any=["y", "v:draft"], types="idea") == ["c"]
    assert ids(mind, tags_all=["x", "Y "]) == ["a"]
    assert ids(mind, tags_all="v:draft") == ["c"]
    assert ids(mind, tags_any="x", types="idea", status="open", ids=["a", "b"]) == ["b"]
    assert ids(mind, ids=["a", "b"], text="cache") == ["a"]
    assert ids(mind, ids=[], types=[], status=[], tags_any=[], tags_all=[], text=None) == ["d", "c", "b", "a"]
    assert ids(mind, types=[f"t{n}" for n in range(20)] + ["fact"], status="open") == ["a"]
    assert ids(mind, tags_any=[f"t{n}" for n in range(20)] + ["x"]) == ["b", "a"]


def test_tags_are_matched_exactly(mind: Mind):
    put(mind, upsert("a", tags=["a_b"]), upsert("b", tags=["axb"]), upsert("c", tags=["a_bc"]))

    assert ids(mind, tags_all="a_b") == ["a"]
    assert ids(mind, tags_any=["a%"]) == []


def test_text_is_found_in_title_and_text_whatever_the_case_of_ascii(mind: Mind):
    put(
        mind,
        upsert("a", title="Read THROUGH"),
        upsert("b", text="a read-through cache, 100%"),
        upsert("c", text="ÜBER"),
    )

    assert ids(mind, text="THROUGH") == ["b", "a"]
    assert ids(mind, text="through\n") == ["a"]
    assert ids(mind, text="0%") == ["b"]
    assert ids(mind, text="_") == []
    assert ids(mind, text="über") == []
    assert ids(mind, text="Über") == ["c"]


def test_pages_show_each_node_once_in_its_newest_state(mind: Mind):
    put(mind, *(upsert(f"n{n}", title="old") for n in range(7)))
    first = mind.graph_query(limit=3)
    put(mind, upsert("n1", title="new"), upsert("n6", title="new"))

    seen, page = [], first
    while True:
        seen += [(node["id"], node["title"]) for node in page["nodes"]]
        if not page["pagination"]["has_more"]:
            break
        page = mind.graph_query(limit=3, cursor=page["pagination"]["next_cursor"])
    assert seen == [("n6", "old"), ("n5", "old"), ("n4", "old"), ("n3", "old"), ("n2", "old"), ("n0", "old")]


def test_the_next_page_is_suggested_as_it_can_be_sent(mind: Mind):
    put(mind, *(upsert(f"n{n}", tags=["x"] if n % 2 else []) for n in range(6)))
    answer = mind.whole("graph_query", tags_any="x", limit=2)

    (suggestion,) = answer["suggestions"]
    assert answer["result"]["pagination"]["next_cursor"] == suggestion["params"]["cursor"]
    assert [node["id"] for node in mind.send(suggestion)["result"]["nodes"]] == ["n1"]
    assert mind.whole("graph_query")["suggestions"] == []


def test_limits_are_kept_within_their_bounds(quick: Mind):
    put(quick, *(upsert(f"n{n}") for n in range(210)))

    assert quick.graph_query(limit=0)["pagination"]["limit"] == 1
    assert quick.graph_query(limit=10_000)["pagination"] == {
        "cursor": None,
        "has_more": True,
        "limit": 200,
        "count": 200,
        "next_cursor": quick.graph_query(limit=200)["nodes"][-1]["last_seq"],
    }
    assert quick.refused("graph_query", limit=-1).code == "INVALID_INPUT"


def test_edges_connect_the_nodes_of_the_page_and_are_bounded(mind: Mind):
    put(mind, upsert("a"), upsert("b"), upsert("c"), link("a", "b"), link("b", "c"), link("a", "c", meta={"w": 2}))

    assert edges(mind) == ["a|supports|c", "b|supports|c", "a|supports|b"]
    assert edges(mind, limit=2) == ["b|supports|c"]
    assert edges(mind, ids=["a", "c"]) == ["a|supports|c"]
    assert edges(mind, include_edges=False) == []
    few = mind.graph_query(edges_limit=1)
    assert [edge["meta"] for edge in few["edges"]] == [{"w": 2}]
    assert few["edges_truncated"] is True
    assert mind.graph_query(edges_limit=0)["edges"] == []
    assert "edges_truncated" not in mind.graph_query(edges_limit=3)
    put(mind, unlink("a", "c"))
    assert edges(mind) == ["b|supports|c", "a|supports|b"]


def test_a_budget_drops_the_oldest_and_says_so(quick: Mind):
    put(quick, *(upsert(f"n{n}", text="x" * 300) for n in range(30)))
    answer = quick.whole("graph_query", max_chars=4_000)

    result = answer["result"]
    assert result["truncated"] is True
    assert result["nodes"][0]["id"] == "n29"
    assert 0 < len(result["nodes"]) < 30
    assert "BUDGET_TRUNCATED" in [warning["code"] for warning in answer["warnings"]]


def test_a_branch_shows_its_base_as_it_was_and_its_own(mind: Mind):
    fork(mind, upsert("a", title="1"), upsert("b"), upsert("c"), link("a", "b"))
    put(mind, upsert("a", title="2"), delete("c"), upsert("later"))
    put(mind, upsert("own"), upsert("b", title="mine"), delete("a"), branch="what-if")

    assert ids(mind, "what-if") == ["b", "own", "c"]
    assert ids(mind) == ["later", "a", "b"]
    assert edges(mind) == ["a|supports|b"]
    mind.branch_create(name="deeper", **{"from": "what-if"})
    put(mind, delete("own"), branch="what-if")
    assert ids(mind, "deeper") == ["b", "own", "c"]


def test_a_query_answers_as_it_did_then(mind: Mind):
    seq = put(mind, upsert("a", title="1"), upsert("b"), link("a", "b"))["last_seq"]
    then = mind.graph_query()
    put(mind, upsert("a", title="2"), delete("b"), upsert("c", title="1"))

    assert mind.graph_query(as_of=seq) == then
    assert mind.graph_query(as_of=f"th:{seq}", text="1")["nodes"][0]["id"] == "a"
    assert ids(mind, as_of=seq - 2) == ["a"]
    assert ids(mind) == ["c", "a"]
    assert ids(mind, tags_any="nothing", as_of=1) == []


def test_drafts_are_shown(quick: Mind):
    put(quick, upsert("a", tags=["v:draft"]), upsert("b", tags=["lane:agent:me"]))

    assert ids(quick) == ["b", "a"]


def test_a_graph_that_was_never_written_is_empty(quick: Mind):
    assert quick.graph_query()["nodes"] == []
    assert quick.graph_query(branch="main", doc="map")["pagination"]["count"] == 0
    assert quick.graph_validate()["stats"] == {"nodes": 0, "edges": 0}
    assert quick.head() == 0
