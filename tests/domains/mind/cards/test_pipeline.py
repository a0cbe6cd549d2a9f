"""A frame, hypothesis, test, evidence and decision in one call."""

from __future__ import annotations

from tests.support.mind import Mind, edges, node

ALL = {"frame": "F", "hypothesis": "H", "test": "T", "evidence": "E", "decision": "D"}


def test_a_pipeline_writes_its_stages_in_order_each_supporting_the_one_before(mind: Mind):
    answer = mind.think_pipeline(**dict(reversed(ALL.items())))

    assert [card["stage"] for card in answer["cards"]] == list(ALL)
    ids = [card["card_id"] for card in answer["cards"]]
    found = [node(mind, id) for id in ids]
    assert [(one.type, one.text) for one in found] == list(ALL.items())
    pairs = zip(ids[1:], ids, strict=False)
    assert edges(mind, *ids) == sorted((later, "supports", earlier) for later, earlier in pairs)
    assert [card["edges_upserted"] for card in answer["cards"]] == [0, 1, 1, 1, 1]
    assert all(card["inserted"] for card in answer["cards"])
    assert [card["last_seq"] for card in answer["cards"]] == [one.last_seq for one in found]
    assert [card["trace_ref"] for card in answer["cards"]] == [f"trace@{card['last_seq']}" for card in answer["cards"]]
    assert (answer["branch"], answer["trace_doc"], answer["graph_doc"]) == ("main", "trace", "graph")


def test_stages_may_be_left_out_but_not_all_of_them(quick: Mind):
    answer = quick.think_pipeline(frame="F", evidence="E")
    (frame, evidence) = (card["card_id"] for card in answer["cards"])

    assert edges(quick, evidence) == [(evidence, "supports", frame)]
    assert "decision_note" not in answer
    assert "notes_doc" not in answer
    assert quick.refused("think_pipeline", status={}).code == "INVALID_INPUT"


def test_a_stage_may_be_a_card_and_is_of_its_own_type(quick: Mind):
    answer = quick.think_pipeline(hypothesis={"id": "H1", "type": "note", "title": "t", "tags": ["cache"]})

    assert answer["cards"][0]["card_id"] == "H1"
    found = node(quick, "H1")
    assert (found.type, "cache" in found.tags) == ("hypothesis", True)


def test_statuses_are_for_stages_that_are_given(quick: Mind):
    answer = quick.think_pipeline(hypothesis="H", decision="D", status={"decision": "accepted"})
    found = [node(quick, card["card_id"]) for card in answer["cards"]]
    assert [one.status for one in found] == ["open", "accepted"]

    for status in ({"guess": "open"}, {"test": "open"}):
        error = quick.refused("think_pipeline", hypothesis="H", status=status)
        assert (error.code, error.details["fields"]) == ("INVALID_INPUT", ["status"])
    assert quick.refused("think_pipeline", hypothesis="H", status={"hypothesis": ""}).code == "INVALID_INPUT"


def test_the_decision_is_summed_up_in_the_notes_unless_that_is_not_wanted(quick: Mind):
    answer = quick.think_pipeline(decision={"id": "D1", "title": "Warm it", "text": "In the deploy script."})

    (note,) = quick.show(doc_kind="notes")["entries"]
    assert answer["decision_note"] == {"card_id": "D1", "doc": "notes", "seq": note["seq"]}
    assert answer["notes_doc"] == "notes"
    assert (note["title"], note["content"], note["meta"]) == ("Warm it", "In the deploy script.", {"card_id": "D1"})

    quick.think_pipeline(decision="D", note_title="Settled", note_format="markdown", notes_doc="log")
    (note,) = quick.show(doc_kind="notes", doc="log")["entries"]
    assert (note["title"], note["format"], note["content"]) == ("Settled", "markdown", "D")

    assert "decision_note" not in quick.think_pipeline(decision="D", note_decision=False)
    assert quick.show(doc_kind="notes")["pagination"]["count"] == 1


def test_a_pipeline_is_written_whole_or_not_at_all(quick: Mind):
    quick.think_card(card={"id": "D1", "type": "decision", "title": "taken"})

    error = quick.refused("think_pipeline", frame="F", decision={"id": "D1", "title": "another"})
    assert error.code == "INVALID_INPUT"
    error = quick.refused("think_pipeline", frame="F", test={"text": ""})
    assert error.details["fields"] == ["test"]


def test_a_pipeline_whose_stages_have_ids_is_written_once(mind: Mind):
    call = {stage: {"id": f"{stage}-1", "title": text} for stage, text in ALL.items()}
    first = mind.think_pipeline(**call)
    mind.think_set_status(targets="decision-1", status="revoked")
    head = mind.head()

    again = mind.think_pipeline(**call)
    assert mind.head() == head
    assert not any(card.pop("inserted") for card in again["cards"])
    assert all(card.pop("inserted") for card in first["cards"])
    assert again == first


def test_a_note_that_was_not_wanted_at_first_is_written_once(mind: Mind):
    call = {"decision": {"id": "D1", "title": "Warm it"}}
    mind.think_pipeline(**call, note_decision=False)
    first, again = mind.think_pipeline(**call), mind.think_pipeline(**call)

    assert first == again
    assert first["decision_note"]["seq"] == mind.head()


def test_a_pipeline_without_ids_writes_new_cards_each_time(quick: Mind):
    first, again = quick.think_pipeline(frame="F"), quick.think_pipeline(frame="F")
    assert first["cards"][0]["card_id"] != again["cards"][0]["card_id"]
