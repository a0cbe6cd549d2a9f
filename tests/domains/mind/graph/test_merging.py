"""Merging a branch's graph back into its base."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.box import WORKSPACE, Box
from tests.support.graphs import clash, counted, delete, edges, fork, ids, link, merge, put, titles, unlink, upsert
from tests.support.mind import Mind
from thoughtbox.domains.mind.graph.merging import Merge
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS


def counts(answer: dict[str, Any]) -> tuple[int, int, int]:
    return answer["merged"], answer["skipped"], answer["conflicts_created"]


def test_what_only_the_branch_changed_is_written_into_its_base(mind: Mind):
    fork(mind, upsert("a", title="1"), upsert("b"), upsert("c"), link("a", "b"), link("b", "c"))
    put(mind, upsert("a", title="2"), upsert("new", tags=["x"]), link("new", "a"), delete("c"), branch="what-if")
    put(mind, upsert("own"))
    before = mind.head()

    answer = merge(mind)

    assert counts(answer) == (5, 0, 0)
    assert (answer["from"], answer["into"], answer["doc"]) == ("what-if", "main", "graph")
    assert (answer["conflict_ids"], answer["conflicts"]) == ([], [])
    assert answer["pagination"] == {"cursor": None, "next_cursor": None, "has_more": False, "limit": 200, "count": 5}
    assert mind.head() == before + 5
    assert titles(mind) == {"own": None, "a": "2", "new": None, "b": None}
    assert edges(mind) == ["new|supports|a", "a|supports|b"]
    assert mind.graph_validate()["ok"]


def test_bookkeeping_stands_beside_what_was_said(mind: Mind):
    fork(mind, upsert("a"))
    put(mind, upsert("a", meta={"k": 1}), link("a", "a"), branch="what-if")
    theirs = {node["id"]: node["last_seq"] for node in mind.graph_query(branch="what-if")["nodes"]}
    merge(mind)

    (node,) = mind.graph_query()["nodes"]
    assert node["meta"] == {"k": 1}
    record = mind.box.call("ledger_record", {"id": f"th:{node['last_seq']}"})["record"]
    branch = mind.box.call("ledger_record", {"id": f"th:{theirs['a']}"})["record"]["data"]["branch"]
    assert (record["data"]["why"], record["data"]["mergedFrom"]) == (
        "graph_merge",
        {"branch": branch, "seq": theirs["a"]},
    )


def test_a_second_merge_does_nothing(mind: Mind):
    clash(mind)
    put(mind, upsert("b"), link("b", "H1"), branch="what-if")
    first = merge(mind)
    assert counts(first) == (2, 0, 0)
    before = mind.head()

    again = merge(mind)

    assert counts(again) == (0, 2, 0)
    assert again["conflict_ids"] == first["conflict_ids"]
    assert again["diff_summary"]["edges_changed"] == 0
    assert mind.head() == before


def test_what_was_merged_is_the_base_of_the_next_merge(mind: Mind):
    fork(mind, upsert("a", title="1"))
    put(mind, upsert("a", title="2"), branch="what-if")
    merge(mind)
    put(mind, upsert("a", title="3"), branch="what-if")
    assert counts(merge(mind)) == (1, 0, 0)
    put(mind, upsert("a", title="ours"))
    assert counts(merge(mind)) == (0, 1, 0)
    # Back to what it was at the fork is a change, too.
    put(mind, upsert("a", title="3"))
    put(mind, upsert("a", title="1"), branch="what-if")
    assert counts(merge(mind)) == (1, 0, 0)
    assert titles(mind) == {"a": "1"}


def test_what_neither_or_both_changed_alike_is_skipped(mind: Mind):
    fork(mind, upsert("same", title="1"), upsert("back", title="1"), upsert("gone"))
    put(mind, upsert("same", title="2"), upsert("back", title="x"), delete("gone"), branch="what-if")
    put(mind, upsert("back", title="1"), upsert("brief"), delete("brief"), branch="what-if")
    put(mind, upsert("same", title="2"), delete("gone"))
    before = mind.head()

    assert counts(merge(mind)) == (0, 4, 0)
    assert mind.head() == before


def test_what_both_changed_is_a_conflict_and_is_not_applied(mind: Mind):
    fork(mind, upsert("a", title="1"), upsert("b"), upsert("c", title="1"), link("a", "b"))
    put(mind, upsert("a", title="theirs"), link("a", "b", meta={"w": 1}), delete("c"), upsert("d"), branch="what-if")
    put(mind, upsert("a", title="ours"), unlink("a", "b"), upsert("c", title="2"))
    answer = mind.whole("graph_merge", **{"from": "what-if", "into": "main"})

    result = answer["result"]
    assert counts(result) == (1, 0, 3)
    assert [(found["kind"], found["key"], found["status"]) for found in result["conflicts"]] == [
        ("node", "c", "open"),
        ("edge", "a|supports|b", "open"),
        ("node", "a", "open"),
    ]
    assert [found["conflict_id"] for found in result["conflicts"]] == result["conflict_ids"]
    listed = mind.graph_conflicts(into="main")["conflicts"]
    assert sorted(listed, key=lambda found: found["key"]) == sorted(result["conflicts"], key=lambda found: found["key"])
    assert titles(mind) == {"d": None, "c": "2", "a": "ours", "b": None}
    assert mind.send(answer["suggestions"][0])["result"]["conflict"]["key"] == "c"


def test_a_summary_counts_what_changed_against_the_base(mind: Mind):
    fork(mind, upsert("a", title="1", tags=["x"]), upsert("b"), upsert("gone"), link("a", "b"))
    put(mind, upsert("a", type="fact", title="2", status="open", tags=["x"]), branch="what-if")
    put(mind, upsert("new", text="t", meta={"k": 1}), delete("gone"), branch="what-if")
    put(mind, link("a", "b", meta={"w": 1}), link("b", "a"), branch="what-if")
    put(mind, upsert("a", title="ours"), delete("b"))

    assert merge(mind, dry_run=True)["diff_summary"] == {
        # type, title and status of a; type, text and meta of new; that gone is deleted
        "nodes_changed": 3,
        "node_fields_changed": 7,
        "edges_changed": 2,
        "edge_fields_changed": 1,
    }


def test_a_dry_run_says_what_would_happen_and_writes_nothing(mind: Mind):
    clash(mind)
    put(mind, upsert("b"), upsert("H1", title="theirs again"), branch="what-if")
    before = mind.head()
    answer = merge(mind, dry_run=True)

    assert mind.head() == before
    assert counts(answer) == (1, 0, 1)
    (preview,) = answer["conflicts"]
    assert (preview["status"], preview["kind"], preview["key"]) == ("preview", "node", "H1")
    assert [preview[side]["title"] for side in ("base", "theirs", "ours")] == ["before", "theirs again", "ours"]
    assert mind.refused("graph_conflict_show", conflict_id=preview["conflict_id"]).code == "UNKNOWN_ID"
    done = merge(mind)
    assert counts(done) == counts(answer)
    assert (done["conflict_ids"], done["diff_summary"]) == (answer["conflict_ids"], answer["diff_summary"])


def test_a_graph_is_merged_into_its_direct_base_only(quick: Mind):
    fork(quick, upsert("a"))
    quick.branch_create(name="deeper", **{"from": "what-if"})
    put(quick, upsert("a", title="2"), branch="deeper")

    error = quick.refused("graph_merge", **{"from": "deeper", "into": "main"})
    assert error.code == "MERGE_NOT_SUPPORTED"
    assert "what-if" in str(error.recovery)
    for merged, into in (("main", "deeper"), ("main", "main"), ("deeper", "deeper")):
        assert quick.refused("graph_merge", **{"from": merged, "into": into}).code == "MERGE_NOT_SUPPORTED"
    assert quick.refused("graph_merge", **{"from": "main", "merge_to_base": True}).code == "MERGE_NOT_SUPPORTED"
    assert quick.refused("graph_merge", **{"from": "deeper"}).code == "INVALID_INPUT"
    assert quick.refused("graph_merge", **{"from": "nobody", "into": "main"}).code == "UNKNOWN_ID"
    assert quick.refused("graph_merge", **{"from": "deeper", "into": "nobody"}).code == "UNKNOWN_ID"
    (suggestion,) = error.details["suggestions"]
    assert quick.send(suggestion)["result"]["merged"] == 1
    assert titles(quick, "what-if") == {"a": "2"}
    assert counts(merge(quick, "what-if", merge_to_base=True, into="main")) == (1, 0, 0)


def test_only_the_document_that_is_named_is_merged(quick: Mind):
    fork(quick)
    put(quick, upsert("a"), branch="what-if", doc="map")

    assert counts(merge(quick)) == (0, 0, 0)
    assert counts(merge(quick, doc="map")) == (1, 0, 0)
    assert [node["id"] for node in quick.graph_query(branch="main", doc="map")["nodes"]] == ["a"]


def test_a_merge_that_takes_an_end_from_an_edge_says_so(mind: Mind):
    fork(mind, upsert("a"), upsert("b"))
    put(mind, delete("b"), branch="what-if")
    put(mind, link("a", "b"))
    answer = mind.whole("graph_merge", **{"from": "what-if", "merge_to_base": True})

    assert [warning["code"] for warning in answer["warnings"]] == ["EDGE_ENDPOINT_MISSING"]
    (suggestion,) = answer["suggestions"]
    assert [error["key"] for error in mind.send(suggestion)["result"]["errors"]] == ["a|supports|b"]


def test_a_merge_by_pages_is_suggested_page_by_page(mind: Mind):
    fork(mind, upsert("a"))
    put(mind, *(upsert(f"n{n}") for n in range(3)), link("n0", "n1"), link("n1", "a"), branch="what-if")

    answer = mind.whole("graph_merge", **{"from": "what-if", "merge_to_base": True, "limit": 2})
    pages = [answer["result"]]
    while answer["suggestions"]:
        assert pages[-1]["pagination"]["has_more"]
        answer = mind.send(answer["suggestions"][0])
        pages.append(answer["result"])
    assert [page["merged"] for page in pages] == [2, 2, 1]
    assert sorted(ids(mind)) == ["a", "n0", "n1", "n2"]
    assert len(edges(mind)) == 2


def test_a_thousand_changes_go_in_one_call(quick: Mind):
    fork(quick)
    put(quick, *(upsert(f"n{n}") for n in range(600)), branch="what-if")
    put(quick, *(link(f"n{n}", f"n{n + 1}") for n in range(500)), branch="what-if")

    assert merge(quick, limit=0, dry_run=True)["pagination"]["limit"] == 1
    assert merge(quick, dry_run=True)["pagination"]["limit"] == 200
    answer = merge(quick, limit=5_000)
    assert counts(answer) == (1_000, 0, 0)
    assert (answer["pagination"]["limit"], answer["pagination"]["has_more"]) == (1_000, True)
    assert counts(merge(quick, limit=1_000, cursor=answer["pagination"]["next_cursor"])) == (100, 0, 0)
    assert quick.graph_validate()["stats"] == {"nodes": 600, "edges": 500}


def test_questions_of_a_merge_do_not_grow_with_what_was_changed(quick: Mind):
    fork(quick, *(upsert(f"n{n}") for n in range(60)))

    def questions() -> int:
        def asked(tx: Tx) -> int:
            view, counting = tx.ask(Documents), counted(tx)
            source, into = view.branch("what-if"), view.branch("main")
            assert source
            assert into
            found = Merge(tx, source, into, "graph")
            assert found.outcome(found.changes(None, 200), {}).skipped == 0
            return counting.asked

        return quick.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, asked).result()

    put(quick, upsert("n1", title="2"), link("n1", "n2"), branch="what-if")
    few = questions()
    put(quick, *(upsert(f"n{n}", title="3") for n in range(60)), branch="what-if")
    put(quick, *(link(f"n{n}", "n1") for n in range(60)), branch="what-if")
    assert questions() == few


def test_merging_survives_a_rename_of_both_branches(mind: Mind):
    conflict = clash(mind)
    put(mind, upsert("b"), branch="what-if")
    merge(mind)
    mind.branch_rename(old="what-if", new="idea")
    mind.branch_rename(old="main", new="trunk")
    before = mind.head()

    again = merge(mind, "idea")

    assert (again["from"], again["into"], counts(again)) == ("idea", "trunk", (0, 1, 0))
    assert again["conflict_ids"] == [conflict]
    assert mind.head() == before
    shown = mind.graph_conflict_show(conflict_id=conflict)["conflict"]
    assert (shown["from"], shown["into"]) == ("idea", "trunk")


IDS = st.sampled_from("abcd")
CHANGES = st.lists(
    st.one_of(
        st.builds(upsert, IDS, title=st.sampled_from("xyz")),
        st.builds(delete, IDS),
        st.builds(link, IDS, IDS, meta=st.sampled_from([{}, {"w": 1}])),
        st.builds(unlink, IDS, IDS),
    ),
    max_size=8,
)


def tried(mind: Mind, changes: list[dict[str, Any]], branch: str) -> None:
    """Apply those changes that can be."""
    for change in changes:
        future: Future[dict[str, Any]] = mind.box.submit("graph_apply", {"branch": branch, "ops": [change]})
        future.exception()


def state(mind: Mind) -> Any:
    """What main says, without the numbers of its versions."""
    shown = mind.graph_query(limit=200)
    things = [{**thing, "last_seq": 0, "last_ts_ms": 0} for thing in (*shown["nodes"], *shown["edges"])]
    conflicts = mind.graph_conflicts(into="main", limit=200)["conflicts"]
    about = sorted((found["kind"], found["key"], found["status"]) for found in conflicts)
    return sorted(map(repr, things)), about


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(before=CHANGES, theirs=CHANGES, ours=CHANGES, more=CHANGES, limit=st.integers(1, 3))
def test_merging_by_pages_is_merging_at_once_and_merging_again_is_nothing(
    before: list[Any], theirs: list[Any], ours: list[Any], more: list[Any], limit: int
):
    minds = [Mind(Box()), Mind(Box())]
    for mind, size in zip(minds, (limit, 1_000), strict=True):
        tried(mind, before, "main")
        mind.branch_create(name="what-if")
        for changes in (theirs, more):
            tried(mind, changes, "what-if")
            tried(mind, ours, "main")
            cursor = {}
            while True:
                answer = merge(mind, limit=size, **cursor)
                if not answer["pagination"]["has_more"]:
                    break
                cursor = {"cursor": answer["pagination"]["next_cursor"]}
            head, whole = mind.head(), state(mind)
            again = merge(mind, limit=1_000)
            assert (again["merged"], again["conflicts_created"]) == (0, 0)
            assert (mind.head(), state(mind)) == (head, whole)
    assert state(minds[0]) == state(minds[1])
    for mind in minds:
        mind.box.close()


def test_a_writer_beside_a_merge_loses_nothing(mind: Mind):
    fork(mind, *(upsert(f"n{n}", title="1") for n in range(12)))
    put(mind, *(upsert(f"n{n}", title="theirs") for n in range(12)), branch="what-if")

    calls = []
    for n in range(12):
        calls.append(mind.box.submit("graph_apply", {"branch": "main", "ops": [upsert(f"n{n}", title="ours")]}))
        calls.append(mind.box.submit("graph_merge", {"from": "what-if", "merge_to_base": True, "limit": n + 1}))
    for call in calls:
        call.result()
    merge(mind, limit=1_000)

    # Each node says what was written to it last, or is in conflict; what was merged first was written over knowingly.
    open_keys = {found["key"] for found in mind.graph_conflicts(into="main")["conflicts"]}
    assert set(titles(mind).values()) == {"ours"}
    for id in titles(mind):
        history = [title for title in _titles_ever(mind, id) if title != "1"]
        assert history[-1] == "ours"
        assert ("theirs" in history) != (id in open_keys)


def _titles_ever(mind: Mind, id: str) -> list[str]:
    """What main ever said of a node, in order."""
    seqs = range(1, mind.head() + 1)
    shown = [mind.graph_query(branch="main", ids=id, as_of=seq)["nodes"] for seq in seqs if seq > 2]
    said = [nodes[0]["title"] for nodes in shown if nodes]
    return [title for title, before in zip(said, [None, *said], strict=False) if title != before]


@pytest.mark.parametrize("tool", ["graph_merge", "graph_diff"])
def test_names_of_branches_are_checked(quick: Mind, tool: str):
    other = "into" if tool == "graph_merge" else "to"
    assert quick.refused(tool, **{"from": "a|b", other: "main"}).code == "INVALID_INPUT"
    assert quick.refused(tool, **{"from": "main", other: "a\nb"}).code == "INVALID_INPUT"
