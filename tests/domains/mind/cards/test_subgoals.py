"""Subgoals of questions."""

from __future__ import annotations

from typing import Any

from tests.support.mind import Mind, edges, node


def opened(mind: Mind, **arguments: Any) -> dict[str, Any]:
    mind.think_card(card={"id": "Q1", "type": "question", "title": "Why slow?"})
    return mind.think_subgoal_open(question_id="Q1", **arguments)


def test_a_subgoal_is_a_question_below_a_question_with_a_trace_of_its_own(mind: Mind):
    answer = opened(mind, message="Which keys?", meta={"own": 1})

    id, seq = answer["card_id"], answer["trace_seq"]
    assert id == f"CARD-{seq}"
    assert answer == {
        "branch": "main",
        "graph_doc": "graph",
        "question_id": "Q1",
        "card_id": id,
        "child_trace_doc": f"{id}-trace",
        "child_graph_doc": f"{id}-graph",
        "trace_seq": seq,
        "trace_ref": f"{id}-trace@{seq}",
        "last_seq": seq,
        "graph_ref": f"graph@{seq}",
    }
    found = node(mind, id)
    assert (found.type, found.title, found.status) == ("question", "Which keys?", "open")
    assert "subgoal" in found.tags
    assert found.meta == {
        "own": 1,
        "parent_question_id": "Q1",
        "child_trace_doc": f"{id}-trace",
        "child_graph_doc": f"{id}-graph",
    }
    assert edges(mind, "Q1") == [("Q1", "subgoal", id)]
    assert [entry["seq"] for entry in mind.show(doc_kind="trace", doc=f"{id}-trace")["entries"]] == [seq]
    assert [entry["meta"]["card_id"] for entry in mind.show(doc_kind="trace")["entries"]] == ["Q1"]


def test_a_subgoal_may_work_in_documents_that_are_named(quick: Mind):
    answer = opened(quick, child_trace_doc="keys-trace", child_graph_doc="keys-graph")

    assert answer["trace_ref"] == f"keys-trace@{answer['trace_seq']}"
    found = node(quick, answer["card_id"])
    assert found.title == "Subgoal of Why slow?"
    assert found.meta["child_graph_doc"] == "keys-graph"


def test_nothing_is_written_below_what_is_no_question(quick: Mind):
    quick.think_card(card={"id": "H1", "type": "hypothesis", "title": "h"})

    assert quick.refused("think_subgoal_open", question_id="gone").code == "UNKNOWN_ID"
    assert quick.refused("think_subgoal_open", question_id="H1").code == "INVALID_INPUT"


def test_closing_a_subgoal_brings_back_what_came_of_it(mind: Mind):
    id = opened(mind)["card_id"]
    answer = mind.think_subgoal_close(card_id=id, return_card="The session keys", message="found")

    returned = answer["returned"]["card_id"]
    assert (answer["status"], answer["changed"], answer["last_seq"]) == ("closed", True, mind.head())
    assert answer["returned"]["trace_ref"] == f"trace@{answer['returned']['trace_seq']}"
    assert edges(mind, id) == [(id, "return", returned)]
    subgoal, card = node(mind, id), node(mind, returned)
    assert (subgoal.status, subgoal.meta["message"]) == ("closed", "found")
    assert (card.type, card.text) == ("note", "The session keys")


def test_closing_twice_changes_nothing(mind: Mind):
    id = opened(mind)["card_id"]
    call = {"card_id": id, "return_card": {"type": "evidence", "title": "e"}, "message": "found"}
    first = mind.think_subgoal_close(**call)
    mind.think_set_status(targets=first["returned"]["card_id"], status="doubted")
    head = mind.head()

    assert mind.think_subgoal_close(**call) == {**first, "changed": False}
    assert mind.think_subgoal_close(card_id=id) == {**first, "changed": False}
    assert mind.head() == head
    assert mind.refused("think_subgoal_close", card_id=id, return_card="something else").code == "INVALID_INPUT"


def test_what_came_of_a_closed_subgoal_may_be_brought_back_later(quick: Mind):
    id = opened(quick)["card_id"]
    assert "returned" not in quick.think_subgoal_close(card_id=id)

    answer = quick.think_subgoal_close(card_id=id, return_card={"id": "R1", "title": "r"})
    assert (answer["changed"], answer["returned"]["card_id"]) == (True, "R1")


def test_only_subgoals_are_closed(quick: Mind):
    opened(quick)
    assert quick.refused("think_subgoal_close", card_id="Q1").code == "INVALID_INPUT"
    assert quick.refused("think_subgoal_close", card_id="gone").code == "UNKNOWN_ID"
    assert quick.refused("think_subgoal_close", card_id="gone", return_card={}).code == "UNKNOWN_ID"
