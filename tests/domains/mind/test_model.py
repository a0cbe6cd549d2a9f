"""The model by itself, against examples worked out by hand from the contract: the judge is judged first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.mind.model import Model, Refused, Version

N1, N2, EDGE = ("node", "n1"), ("node", "n2"), ("edge", "n1", "supports", "n2")


def node(id: str, **said: Any) -> dict[str, Any]:
    return {"op": "node_upsert", "id": id, "type": "idea", **said}


def edge(source: str, to: str, op: str = "edge_upsert") -> dict[str, Any]:
    return {"op": op, "from": source, "rel": "supports", "to": to}


def contents(model: Model, branch: str) -> list[str]:
    return [note.said["content"] for note in model.notes(branch, "notes")]


def title(model: Model, branch: str, id: str = "n1") -> str | None:
    state = model.graph(branch, "graph")["node", id].state
    return state["title"] if state else None


def commit(model: Model, branch: str, *said: str) -> None:
    for content in said:
        model.notes_commit(branch, "notes", {"content": content})


def apply(model: Model, branch: str, *ops: dict[str, Any]) -> dict[str, int]:
    return model.graph_apply(branch, "graph", ops)


def forked() -> Model:
    """A node on main, and a branch that sees it."""
    model = Model()
    apply(model, "main", node("n1", title="old"), node("n2"))
    model.branch_create("a", "main")
    return model


def test_the_model_of_a_branch_sees_its_base_as_it_was_and_what_it_wrote_itself():
    model = Model()
    commit(model, "main", "1")
    model.branch_create("a", "main")
    commit(model, "a", "2")
    commit(model, "main", "3")
    model.branch_create("b", "a")
    commit(model, "a", "4")
    commit(model, "b", "5")
    assert [contents(model, name) for name in ("main", "a", "b")] == [["1", "3"], ["1", "2", "4"], ["1", "2", "5"]]
    assert [note.said["content"] for note in model.diff("main", "b", "notes")] == ["2", "5"]
    assert [note.said["content"] for note in model.diff("b", "main", "notes")] == ["3"]


def test_the_model_of_a_renamed_branch_keeps_its_notes_its_children_and_the_checkout():
    model = forked()
    commit(model, "a", "1")
    model.branch_create("b", "a")
    model.checkout("a")
    model.merge("a", "main", "notes")
    model.branch_rename("a", "c")
    base = model.base_of(model.branch("b"))
    assert base
    assert (base.name, model.checkout_name, contents(model, "b")) == ("c", "c", ["1"])
    assert model.merge("c", "main", "notes").merged == 0


def test_the_model_deletes_a_branch_only_when_it_is_safe_and_its_name_begins_anew():
    model = forked()
    commit(model, "a", "1")
    model.branch_create("b", "a")
    model.checkout("b")
    for name in ("a", "b", "main"):
        with pytest.raises(Refused, match="INVALID_INPUT"):
            model.branch_delete(name)
    model.checkout("main")
    model.branch_delete("b")
    model.branch_delete("a")
    assert model.names == ["main"]
    model.branch_create("a", "main")
    assert contents(model, "a") == []


def test_the_model_merges_notes_once_and_in_order_page_by_page():
    model = forked()
    commit(model, "a", "1", "2", "3")
    first = model.merge("a", None, "notes", limit=2)
    assert (first.merged, first.skipped, first.has_more) == (2, 0, True)
    second = model.merge("a", None, "notes", limit=2, after=first.page[-1].tick)
    assert (second.merged, second.skipped, second.has_more) == (1, 0, False)
    assert contents(model, "main") == ["1", "2", "3"]
    again = model.merge("a", "main", "notes")
    assert (again.merged, again.skipped) == (0, 3)


def test_the_model_merges_no_note_to_where_it_or_a_copy_of_it_is_seen():
    model = forked()
    commit(model, "a", "1")
    assert model.merge("a", "main", "notes").merged == 1
    assert model.merge("main", "a", "notes").merged == 0
    model.branch_create("b", "main")
    assert model.merge("a", "b", "notes").merged == 0
    model.branch_create("c", "a")
    assert model.merge("c", "main", "notes").merged == 0


def test_the_model_notes_by_macro_on_the_branch_that_is_named_made_or_checked_out():
    model = Model()
    said = {"content": "1"}
    assert model.macro_branch_note("a", None, "notes", said)[0] is True
    assert model.macro_branch_note("a", "nobody", "notes", said)[0] is False
    assert model.macro_branch_note(None, "main", "notes", said)[0] is False
    assert (model.checkout_name, contents(model, "a"), contents(model, "main")) == ("main", ["1", "1"], ["1"])
    for name, source in (("b", "nobody"), (None, "nobody")):
        with pytest.raises(Refused, match="UNKNOWN_ID"):
            model.macro_branch_note(name, source, "notes", said)
    assert model.names == ["a", "main"]


def test_the_model_applies_all_operations_or_none():
    model = forked()
    with pytest.raises(Refused, match="INVALID_INPUT"):
        apply(model, "a", node("n3"), {"op": "node_delete", "id": "n1"}, {"op": "node_delete", "id": "n1"})
    with pytest.raises(Refused, match="INVALID_INPUT"):
        apply(model, "a", {"op": "node_delete", "id": "n1"}, edge("n1", "n2"))
    assert model.graph("a", "graph") == model.graph("main", "graph")
    applied = apply(model, "a", edge("n1", "n2"), edge("n2", "n2"), {"op": "node_delete", "id": "n2"})
    assert applied == {"nodes_upserted": 0, "nodes_deleted": 1, "edges_upserted": 2, "edges_deleted": 2}
    assert list(model.alive("a", "graph")) == [N1]


def test_the_model_queries_living_nodes_newest_first_by_exact_tags_and_words():
    model = forked()
    apply(model, "a", node("n3", tags=["A_b", "a_b"], title="Plan", text="100%"), node("n4", tags=["axb"]))
    apply(model, "a", node("n1", status="done"), {"op": "node_delete", "id": "n2"})

    def found(**filters: Any) -> list[str]:
        return [version.key[1] for version in model.graph_query("a", "graph", **filters)]

    assert found() == ["n1", "n4", "n3"]
    assert found(tags_any=["a_b"]) == found(tags_all=["a_b"]) == found(text="PLAN") == found(text="0%") == ["n3"]
    assert found(tags_any=["a_b", "axb"]) == ["n4", "n3"]
    assert found(tags_all=["a_b", "axb"]) == []
    assert found(status="done", types=["idea"], ids=["n1", "n2"]) == ["n1"]


def test_the_model_of_a_diff_has_the_states_of_one_side_that_the_other_does_not_say():
    model = forked()
    apply(model, "a", node("n1", title="old"), {"op": "node_delete", "id": "n2"}, node("n3"))
    apply(model, "a", {"op": "node_delete", "id": "n3"})
    assert [(version.key, version.state) for version in model.graph_diff("main", "a", "graph")] == [(N2, None)]
    assert [version.key for version in model.graph_diff("a", "main", "graph")] == [N2]


def test_the_model_merges_what_one_side_changed_tombstones_included_and_then_nothing():
    model = forked()
    apply(model, "a", node("n1", title="new"), edge("n1", "n2"), node("n3"))
    apply(model, "main", node("n4"))
    merged = model.graph_merge("a", "main", "graph")
    assert (merged.merged, merged.skipped, merged.conflicts) == (3, 0, [])
    apply(model, "a", {"op": "node_delete", "id": "n2"}, node("n1", title="new"))
    merged = model.graph_merge("a", None, "graph")
    assert (merged.merged, merged.skipped) == (2, 2)
    assert {key[1] for key in model.alive("main", "graph")} == {"n1", "n3", "n4"}
    again = model.graph_merge("a", None, "graph")
    assert (again.merged, again.skipped, again.conflicts) == (0, 4, [])


def test_the_model_compares_with_what_was_last_merged():
    """Back to what it was at the fork: a change since the merge, and not since the fork."""
    model = forked()
    for new in ("new", "old"):
        apply(model, "a", node("n1", title=new))
        assert model.graph_merge("a", None, "graph").merged == 1
        assert title(model, "main") == new


def test_the_model_merges_into_the_base_alone():
    model = forked()
    model.branch_create("b", "a")
    with pytest.raises(Refused, match="MERGE_NOT_SUPPORTED"):
        model.graph_merge("b", "main", "graph")
    with pytest.raises(Refused, match="UNKNOWN_ID"):
        model.graph_merge("b", "nobody", "graph")


@pytest.mark.parametrize(("resolution", "kept"), [("use_from", "theirs"), ("use_into", "ours")])
def test_the_model_of_a_conflict_is_found_once_and_resolved_once(resolution: str, kept: str):
    model = forked()
    apply(model, "a", node("n1", title="theirs"), node("n2", title="same"))
    apply(model, "main", node("n1", title="ours"), node("n2", title="same"))
    merged = model.graph_merge("a", None, "graph")
    assert (merged.merged, merged.skipped) == (0, 1)
    [found] = merged.conflicts
    found.id = "CONFLICT-1"
    sides = [found.base, found.theirs.state, found.ours.state]
    assert [side and side["title"] for side in sides] == ["old", "theirs", "ours"]
    again = model.graph_merge("a", None, "graph")
    assert (again.merged, again.skipped, again.standing, again.conflicts) == (0, 1, 1, [])
    assert model.graph_conflict_resolve("CONFLICT-1", resolution) is (resolution == "use_from")
    assert title(model, "main") == kept
    with pytest.raises(Refused, match="INVALID_INPUT"):
        model.graph_conflict_resolve("CONFLICT-1", resolution)
    after = model.graph_merge("a", None, "graph")
    assert (after.merged, after.skipped, after.standing, after.conflicts) == (0, 2, 0, [])
    assert [model.graph_conflicts("main", "graph", status) for status in ("open", "resolved")] == [[], [found]]


def test_the_model_of_a_conflict_goes_with_its_branch():
    model = forked()
    apply(model, "a", node("n1", title="theirs"))
    apply(model, "main", node("n1", title="ours"))
    [found] = model.graph_merge("a", None, "graph").conflicts
    found.id = "CONFLICT-1"
    model.branch_delete("a")
    with pytest.raises(Refused, match="UNKNOWN_ID"):
        model.conflict("CONFLICT-1")


def test_the_model_may_hold_an_edge_without_its_end_after_a_merge_alone():
    model = forked()
    apply(model, "a", edge("n1", "n2"))
    apply(model, "main", {"op": "node_delete", "id": "n2"})
    assert model.graph_merge("a", None, "graph").merged == 1
    assert model.dangling("main", "graph") == {EDGE}
    assert model.edges_among("main", "graph", ["n1"]) == {}
    apply(model, "main", edge("n1", "n2", "edge_delete"))
    assert model.graph("main", "graph")[EDGE] == Version(model.now, EDGE, None)
