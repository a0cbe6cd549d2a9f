"""Changing a graph: in order, all of it or nothing."""

from __future__ import annotations

import pytest

from tests.support.box import WORKSPACE
from tests.support.graphs import counted, delete, edges, fork, ids, link, put, unlink, upsert
from tests.support.mind import Mind
from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.graph.applying import Batch
from thoughtbox.domains.mind.graph.models import ApplyGraph
from thoughtbox.domains.mind.scope import checked_out
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS


def test_a_batch_is_applied_in_order_and_counted(mind: Mind):
    answer = mind.graph_apply(
        ops=[upsert("a"), upsert("b"), link("a", "b"), link("b", "a"), unlink("b", "a"), upsert("c"), delete("c")]
    )

    assert answer["applied"] == {"nodes_upserted": 3, "nodes_deleted": 1, "edges_upserted": 2, "edges_deleted": 1}
    assert (answer["branch"], answer["doc"]) == ("main", "graph")
    assert answer["last_seq"] == mind.head()
    assert ids(mind) == ["b", "a"]
    assert edges(mind) == ["a|supports|b"]


def test_each_operation_is_a_version_of_its_own(mind: Mind):
    before = put(mind, upsert("a"))["last_seq"]
    answer = put(mind, upsert("a", title="one"), upsert("b"), upsert("a", title="two"))

    assert answer["last_seq"] == before + 3
    found = {node["id"]: (node["last_seq"], node.get("title")) for node in mind.graph_query()["nodes"]}
    assert found == {"a": (before + 3, "two"), "b": (before + 2, None)}
    assert mind.graph_query()["nodes"][0]["last_ts_ms"] == answer["last_ts_ms"]


def test_an_upsert_replaces_the_whole_node(mind: Mind):
    put(mind, upsert("a", title="t", text="x", status="open", tags=["one"], meta={"k": 1}))
    put(mind, upsert("a", type="fact", title="t2"))

    (node,) = mind.graph_query()["nodes"]
    version = {name: node.pop(name) for name in ("last_seq", "last_ts_ms")}
    assert node == {"id": "a", "type": "fact", "title": "t2", "deleted": False}
    assert version["last_seq"] == mind.head()


def test_tags_are_trimmed_lowered_each_once_and_in_order(quick: Mind):
    put(quick, upsert("a", tags=[" Beta ", "alpha", "BETA", "Ünder"]))

    assert quick.graph_query()["nodes"][0]["tags"] == ["alpha", "beta", "ünder"]


def test_an_edge_needs_both_its_ends(mind: Mind):
    put(mind, upsert("a"), upsert("gone"))
    put(mind, delete("gone"))

    for op in (link("a", "nobody"), link("nobody", "a"), link("a", "gone")):
        error = mind.refused("graph_apply", ops=[upsert("new"), op])
        assert error.code == "INVALID_INPUT"
        assert "ops[1]" in error.message
    put(mind, upsert("b"), link("a", "b"), upsert("gone"), link("gone", "b"))
    assert edges(mind) == ["gone|supports|b", "a|supports|b"]


def test_an_edge_may_lead_to_what_the_base_shows(mind: Mind):
    fork(mind, upsert("a"), upsert("b"))

    put(mind, link("a", "b"), branch="what-if")
    assert (edges(mind, "what-if"), edges(mind)) == (["a|supports|b"], [])
    put(mind, delete("b"), branch="what-if")
    assert "`b`" in mind.refused("graph_apply", branch="what-if", ops=[link("a", "b")]).message
    put(mind, link("a", "b"))


def test_a_node_takes_its_edges_with_it_each_in_a_record_of_its_own(mind: Mind):
    put(mind, upsert("a"), upsert("b"), upsert("c"), link("a", "b"), link("c", "a", "blocks"), link("b", "c"))
    before = mind.head()
    answer = put(mind, link("a", "a"), delete("a"))

    assert answer["applied"] == {"nodes_upserted": 0, "nodes_deleted": 1, "edges_upserted": 1, "edges_deleted": 3}
    assert mind.head() == before + 5
    assert edges(mind) == ["b|supports|c"]
    assert mind.graph_validate()["ok"]


def test_a_node_on_a_branch_takes_the_edges_of_its_base_with_it(mind: Mind):
    fork(mind, upsert("a"), upsert("b"), link("a", "b"))

    assert put(mind, delete("b"), branch="what-if")["applied"]["edges_deleted"] == 1
    assert (edges(mind, "what-if"), edges(mind)) == ([], ["a|supports|b"])


@pytest.mark.parametrize("op", [delete("nobody"), delete("twice"), unlink("a", "b"), unlink("a", "twice")])
def test_what_is_not_there_cannot_be_deleted(quick: Mind, op: dict[str, str]):
    put(quick, upsert("a"), upsert("b"), upsert("twice"), link("a", "twice"))
    put(quick, delete("twice"))

    error = quick.refused("graph_apply", ops=[upsert("c"), upsert("d"), op])

    assert error.code == "INVALID_INPUT"
    assert "ops[2]" in error.message
    assert ids(quick) == ["b", "a"]


def test_ids_of_tasks_and_steps_are_refused(quick: Mind):
    put(quick, upsert("a"))
    for op in (upsert("task:TASK-001"), upsert("step:1"), delete("task:1"), link("task:1", "a"), unlink("step:1", "a")):
        error = quick.refused("graph_apply", ops=[op])
        assert error.code == "INVALID_INPUT"
        assert "stands for a task or a step" in error.message


def test_an_edge_may_lead_to_a_task(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="Cache")["id"]
    task = quick.tasks_create(parent=plan, title="Measure")["id"]
    quick.graph_apply(target=task, ops=[upsert("H1"), link("H1", f"task:{task}")])

    found = quick.graph_query(target=task, ids=["H1", f"task:{task}"])
    assert [edge["to"] for edge in found["edges"]] == [f"task:{task}"]


@pytest.mark.parametrize(
    "op",
    [
        upsert(""),
        upsert(" a"),
        upsert("a|b"),
        upsert("a\nb"),
        upsert("x" * 257),
        upsert("a", type=""),
        upsert("a", type="x" * 129),
        upsert("a", type="x|y"),
        upsert("a", status="x|y"),
        upsert("a", tags=["x|y"]),
        upsert("a", tags=["x\ty"]),
        upsert("a", tags=["x" * 257]),
        link("a", "a", "x|y"),
        link("a", "a", "x" * 129),
        {"op": "node_rename", "id": "a"},
        {**upsert("a"), "titel": "t"},
    ],
)
def test_names_outside_of_the_grammar_are_refused(quick: Mind, op: dict[str, str]):
    put(quick, upsert("a"))

    error = quick.refused("graph_apply", ops=[upsert("b"), op])

    assert error.code == "INVALID_INPUT"
    assert "ops.1" in error.message


def test_names_may_be_as_long_as_the_grammar_says(quick: Mind):
    longest = "x" * 256
    put(quick, upsert(longest, type="t" * 128, tags=[longest]), link(longest, longest, "r" * 128))

    assert ids(quick, tags_all=longest) == [longest]


def test_a_batch_is_never_empty_and_has_a_thousand_at_most(quick: Mind):
    assert quick.refused("graph_apply", ops=[]).code == "INVALID_INPUT"
    assert quick.refused("graph_apply", ops=[upsert(f"n{n}") for n in range(1_001)]).code == "INVALID_INPUT"
    many = [upsert(f"n{n}") for n in range(500)] + [link(f"n{n}", f"n{n + 1}") for n in range(499)] + [delete("n7")]
    assert quick.graph_apply(ops=many)["applied"]["edges_deleted"] == 2


def test_questions_do_not_grow_with_the_batch(quick: Mind):
    put(quick, *(upsert(f"n{n}") for n in range(40)))

    def questions(ops: list[dict[str, str]]) -> int:
        return quick.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, lambda tx: _asked(tx, ops), what="test").result()

    many = [change(f"n{n}", f"n{n + 1}") for change in (link, unlink) for n in range(30)]
    few = [link("n5", "n6"), unlink("n5", "n6")]
    assert questions([*many, delete("n1"), delete("n2")]) == questions([*few, delete("n3")])


def _asked(tx: Tx, ops: list[dict[str, str]]) -> int:
    """How often the views are asked while a batch is applied."""
    counting = counted(tx)
    call = ApplyGraph.model_validate({"ops": ops})
    batch = Batch(tx, checked_out(tx), "graph", call.ops)
    for index, op in enumerate(call.ops):
        batch.apply(index, op)
    return counting.asked


def test_a_change_is_made_where_the_call_says(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="Cache")["id"]
    task = quick.tasks_create(parent=plan, title="Measure")["id"]
    quick.branch_create(name="side")

    answer = quick.graph_apply(target=task, ops=[upsert("t")])
    assert (answer["branch"], answer["doc"]) == (f"task/{task}", f"{task}-graph")
    answer = quick.graph_apply(target={"id": plan, "kind": "plan"}, ops=[upsert("p")])
    assert (answer["branch"], answer["doc"]) == (f"plan/{plan}", f"{plan}-graph")
    answer = quick.graph_apply(branch="side", doc="map", ops=[upsert("m")])
    assert (answer["branch"], answer["doc"]) == ("side", "map")
    answer = quick.graph_apply(branch="side", ops=[upsert("g")])
    assert (answer["branch"], answer["doc"]) == ("side", "graph")
    quick.checkout(ref="side")
    answer = quick.graph_apply(ops=[upsert("c")])
    assert (answer["branch"], answer["doc"]) == ("side", "graph")
    focus = quick.box.app.dispatcher.do(
        WORKSPACE, ANONYMOUS, lambda tx: records.write_place(tx, "focus", task, f"{task} is in focus"), what="focus"
    )
    focus.result()
    for tool in ("graph_query", "graph_validate"):
        answer = quick.whole(tool)["result"]
        assert (answer["branch"], answer["doc"]) == (f"task/{task}", f"{task}-graph")
    answer = quick.graph_apply(ops=[upsert("f")])
    assert (answer["branch"], answer["doc"]) == (f"task/{task}", f"{task}-graph")
    for tool, more in (("graph_apply", {"ops": [upsert("x")]}), ("graph_query", {}), ("graph_validate", {})):
        assert quick.refused(tool, target=task, branch="side", **more).code == "INVALID_INPUT"
        error = quick.refused(tool, target=task, doc="graph", **more)
        assert (error.code, error.recovery) == ("INVALID_INPUT", "Send target or doc, not both.")
        assert quick.refused(tool, branch="nobody", **more).code == "UNKNOWN_ID"
