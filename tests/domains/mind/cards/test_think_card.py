"""Cards: written into a trace and a graph at once, and never twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.boxes import OpenBox
from tests.support.mind import Mind, edges, node, nodes
from thoughtbox.domains.mind.view.cards import Cards
from thoughtbox.ledger.replay import rebuild

H1 = {"id": "H1", "type": "hypothesis", "title": "The cache is cold", "text": "Every deploy drops it."}


def trace(mind: Mind, **scope: Any) -> list[dict[str, Any]]:
    return mind.show(doc_kind="trace", **scope)["entries"]


def test_a_card_is_an_entry_of_the_trace_and_a_node_of_the_graph_at_once(mind: Mind):
    answer = mind.think_card(card={**H1, "tags": ["Cache", "cache"], "meta": {"run": 1}})

    seq = answer["trace_seq"]
    assert answer == {
        "branch": "main",
        "trace_doc": "trace",
        "graph_doc": "graph",
        "card_id": "H1",
        "inserted": True,
        "trace_seq": seq,
        "trace_ref": f"trace@{seq}",
        "graph_applied": {"nodes_upserted": 1, "edges_upserted": 0},
        "last_seq": seq,
        "graph_ref": f"graph@{seq}",
    }
    (entry,) = trace(mind)
    tags = ["cache", "lane:shared", "v:canon"]
    assert (entry["seq"], entry["kind"], entry["format"]) == (seq, "note", "think_card")
    assert (entry["title"], entry["content"]) == (H1["title"], H1["text"])
    assert entry["meta"] == {
        "source": "think_card",
        "card_id": "H1",
        "type": "hypothesis",
        "status": "open",
        "tags": tags,
        "meta": {"run": 1},
    }
    found = node(mind, "H1")
    assert (found.last_seq, found.type, found.title, found.text) == (seq, "hypothesis", H1["title"], H1["text"])
    assert (found.status, list(found.tags), found.meta) == ("open", tags, {"run": 1})


@pytest.mark.parametrize(
    "card",
    [
        {"type": "decision", "title": "Warm it"},
        '{"type": "decision", "title": "Warm it"}',
        "type: decision\ntitle: Warm it",
    ],
)
def test_a_card_comes_as_an_object_as_json_or_as_lines(quick: Mind, card: object):
    quick.think_card(card=card)

    (entry,) = trace(quick)
    assert (entry["meta"]["type"], entry["title"], entry["content"]) == ("decision", "Warm it", "Warm it")


def test_plain_text_is_a_note_which_is_a_draft(quick: Mind):
    quick.think_card(card="Reads dominate.")

    (entry,) = trace(quick)
    assert (entry["content"], entry["meta"]["type"]) == ("Reads dominate.", "note")
    assert entry["meta"]["tags"] == ["lane:shared", "v:draft"]


def test_what_is_no_card_is_refused_and_nothing_is_written(quick: Mind):
    quick.think_card(card="something")

    for card in ({"type": "note"}, {"title": " ", "text": ""}, "   ", {"type": "guess", "title": "t"}):
        assert quick.refused("think_card", card=card).code == "INVALID_INPUT"
    error = quick.refused("think_card", card={"type": "guess", "title": "t"})
    assert "hypothesis" in (error.recovery or "")
    assert error.details["fields"] == ["card.type"]
    long = quick.refused("think_card", card={"title": "t", "status": "s" * 129})
    assert long.details["fields"] == ["card.status"]


def test_a_card_without_an_id_gets_the_number_of_its_record(mind: Mind):
    answer = mind.think_card(card="one", supports=["A", "B"])
    assert answer["card_id"] == f"CARD-{answer['trace_seq']}"

    taken = f"CARD-{mind.head() + 2}"
    mind.think_card(card={"id": taken, "title": "chosen by hand"})
    answer = mind.think_card(card="two")
    assert answer["card_id"] == f"{taken}-2"
    assert answer["inserted"]


def test_ids_keep_to_the_grammar_and_are_not_those_of_tasks_and_steps(quick: Mind):
    quick.think_card(card="something")

    for id in ("task:TASK-001", "step:STEP-00000001", "a|b", " a", "x" * 257, "a\nb"):
        error = quick.refused("think_card", card={"id": id, "title": "t"})
        assert (error.code, error.details["fields"]) == ("INVALID_INPUT", ["card.id"])
    for id in ("x" * 256, "überblick", "a b", "a:cache"):
        assert quick.think_card(card={"id": id, "title": "t"})["card_id"] == id
        assert node(quick, id).title == "t"


def test_every_card_is_opened_by_its_id_and_by_its_refs(mind: Mind):
    for card in (H1, {**H1, "id": "x" * 256}, {**H1, "id": "a b@c"}, "plain"):
        answer = mind.think_card(card=card)
        assert mind.open(id=answer["card_id"])["card"]["id"] == answer["card_id"]
        for ref in (answer["trace_ref"], answer["graph_ref"]):
            assert mind.open(id=ref)["entry"]["seq"] == answer["trace_seq"]


def test_what_a_card_supports_and_blocks_becomes_edges(mind: Mind):
    mind.think_card(card=H1)
    answer = mind.think_card(card={"id": "T1", "type": "test", "title": "t"}, supports=["H1", "H1"], blocks="H9")

    assert answer["graph_applied"] == {"nodes_upserted": 1, "edges_upserted": 2}
    assert answer["last_seq"] == answer["trace_seq"]
    assert edges(mind, "T1") == [("T1", "blocks", "H9"), ("T1", "supports", "H1")]
    record = mind.box.call("ledger_record", {"id": f"th:{answer['trace_seq']}"})["record"]
    known = mind.think_card(card=H1)["trace_seq"]
    assert record["attrs"]["relations"] == [{"type": "supports", "to": f"th:{known}"}]


def test_a_card_does_not_lead_to_itself(quick: Mind):
    quick.think_card(card="something")

    for rel in ("supports", "blocks"):
        error = quick.refused("think_card", card=H1, **{rel: ["T1", "H1"]})
        assert (error.code, error.details["fields"]) == ("INVALID_INPUT", [rel])
    assert quick.refused("think_card", card=H1, supports=["a|b"]).code == "INVALID_INPUT"


def test_the_same_call_again_changes_nothing_and_answers_the_same(mind: Mind):
    call = {"card": {**H1, "tags": "b, a", "meta": {"x": [1, True, None]}}, "supports": ["Q1"], "blocks": ["D1"]}
    first = mind.whole("think_card", **call)
    head = mind.head()

    again = mind.whole("think_card", **call)
    assert again["result"].pop("inserted") is False
    assert first["result"].pop("inserted") is True
    assert {**again, "timestamp": ""} == {**first, "timestamp": ""}
    assert list(again["result"]) == list(first["result"])
    assert mind.head() == head

    other = {"card": {"meta": {"x": [1, True, None]}, "tags": ["A", "b"], **H1, "status": "open"}}
    assert mind.think_card(**other, supports="Q1", blocks=["D1", "D1"])["inserted"] is False
    assert mind.head() == head


def test_a_repeated_card_changes_nothing_after_its_status_pin_or_publication_changed(quick: Mind):
    first = quick.think_card(card=H1)
    quick.think_set_status(targets="H1", status="rejected", message="no")
    quick.think_pin(targets="H1")
    quick.think_publish(card_id="H1")
    head = quick.head()

    assert quick.think_card(card=H1) == {**first, "inserted": False}
    assert quick.head() == head
    assert node(quick, "H1").status == "rejected"


def test_a_repeated_card_changes_nothing_after_its_node_was_deleted(mind: Mind):
    first = mind.think_card(card=H1)
    mind.graph_apply(ops=[{"op": "node_delete", "id": "H1"}])
    head = mind.head()

    assert mind.think_card(card=H1) == {**first, "inserted": False}
    assert mind.head() == head
    assert nodes(mind, "H1") == {}
    assert "suggestions" not in mind.refused("think_card", card={**H1, "status": "done"}).details


def test_a_node_that_no_card_wrote_is_not_replaced_but_a_card_may_say_the_same(mind: Mind):
    tags = ["lane:shared", "v:canon"]
    same = {"op": "node_upsert", **H1, "status": "open", "tags": tags}
    mind.graph_apply(ops=[same, {**same, "id": "H2", "title": "else"}])

    assert "another title" in mind.refused("think_card", card={**H1, "id": "H2"}).message
    assert mind.think_card(card=H1)["inserted"]
    assert [entry["meta"]["card_id"] for entry in trace(mind)] == ["H1"]
    assert not mind.think_card(card=H1)["inserted"]


def test_the_same_id_with_something_else_is_refused_with_what_differs(quick: Mind):
    quick.think_card(card=H1, supports=["Q1"])

    error = quick.refused("think_card", card={**H1, "title": "Another", "meta": {"x": 1}}, supports=["Q1", "Q2"])
    assert error.code == "INVALID_INPUT"
    assert error.message == "there is a card `H1` already, written with another title, meta, supports"
    for way in ("think_set_status", "graph_apply", "another one"):
        assert way in (error.recovery or "")
    assert "suggestions" not in error.details


def test_a_card_that_only_has_another_status_now_is_sent_to_set_it(quick: Mind):
    quick.think_card(card=H1)

    error = quick.refused("think_card", card={**H1, "status": "accepted"})
    (suggestion,) = error.details["suggestions"]
    assert quick.send(suggestion)["result"]["cards"][0]["status"] == "accepted"


def test_true_is_not_one(quick: Mind):
    quick.think_card(card={**H1, "meta": {"x": True}})
    assert "meta" in quick.refused("think_card", card={**H1, "meta": {"x": 1}}).message


def test_a_card_of_the_base_counts_as_written_on_a_branch_made_from_it(mind: Mind):
    first = mind.think_card(card=H1)
    mind.branch_create(name="what-if")
    mind.think_card(card={"id": "H2", "title": "later on main"})
    head = mind.head()

    again = mind.think_card(card=H1, branch="what-if")
    assert again == {**first, "branch": "what-if", "inserted": False}
    assert mind.refused("think_card", card={**H1, "title": "else"}, branch="what-if").code == "INVALID_INPUT"
    assert mind.head() == head
    assert mind.think_card(card={"id": "H2", "title": "another there"}, branch="what-if")["inserted"]


def test_the_same_id_in_another_graph_is_another_card(quick: Mind):
    quick.think_card(card=H1)
    answer = quick.think_card(card={**H1, "title": "else"}, graph_doc="other", trace_doc="other-trace")
    assert answer["inserted"]
    assert (answer["trace_ref"], answer["graph_ref"]) == (
        f"other-trace@{answer['trace_seq']}",
        f"other@{answer['last_seq']}",
    )


def test_an_unknown_branch_is_refused(quick: Mind):
    quick.think_card(card="something")
    assert quick.refused("think_card", card=H1, branch="nowhere").code == "UNKNOWN_ID"


def test_an_agents_id_is_checked_and_makes_no_difference(quick: Mind):
    first = quick.think_card(card=H1, agent_id="agent-1")
    assert quick.think_card(card=H1, agent_id="agent-2") == {**first, "inserted": False}
    assert quick.refused("think_card", card=H1, agent_id="not an id").code == "INVALID_INPUT"
    assert node(quick, "H1").meta == {}


def test_null_is_the_same_as_left_out(quick: Mind):
    first = quick.think_card(card=H1)
    assert quick.think_card(
        card={**H1, "status": None, "tags": None}, supports=None, blocks=None, step=None, target=None, branch=None
    ) == {**first, "inserted": False}


@pytest.mark.parametrize("type", ["frame", "hypothesis", "question", "test", "evidence", "decision", "note", "update"])
def test_each_type_has_a_tool_that_writes_cards_of_it(quick: Mind, type: str):
    answer = getattr(quick, f"think_add_{type}")(card={"type": "note", "title": "t"}, supports="X")

    (entry,) = trace(quick)
    assert (entry["meta"]["type"], entry["meta"]["card_id"]) == (type, answer["card_id"])
    assert answer["graph_applied"] == {"nodes_upserted": 1, "edges_upserted": 1}
    visible = "v:draft" if type in ("frame", "note") else "v:canon"
    assert visible in entry["meta"]["tags"]


def test_what_is_known_of_cards_is_made_anew_from_the_ledger(mind: Mind):
    mind.think_pipeline(frame="F", decision={"id": "D1", "title": "d"})
    mind.think_publish(card_id="D1")
    assert rebuild(mind.box.app.engine, Cards)
    head = mind.head()
    mind.think_publish(card_id="D1")
    assert mind.head() == head


def test_two_who_write_one_card_at_once_write_it_once(open_box: OpenBox):
    boxes = [open_box(), open_box()]
    Mind(boxes[0]).notes_commit(content="so that main is there")
    head = Mind(boxes[0]).head()
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda turn: Mind(boxes[turn % 2]).think_card(card=H1, supports="X"), range(8)))

    assert sorted(answer["inserted"] for answer in answers) == [False] * 7 + [True]
    assert {answer["trace_seq"] for answer in answers} == {head + 1}
    assert Mind(boxes[1]).head() == head + 2
