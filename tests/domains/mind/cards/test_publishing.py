"""Publishing: a copy of a card that every default view shows."""

from __future__ import annotations

from tests.support.mind import Mind, edges, node, nodes

N1 = {"id": "N1", "type": "note", "title": "t", "text": "x", "tags": ["cache"], "meta": {"own": 1}}


def test_a_published_copy_is_canon_pinned_and_says_where_it_is_from(mind: Mind):
    mind.think_card(card=N1)
    answer = mind.think_publish(card_id="N1", agent_id="agent-1")

    seq = answer["trace_seq"]
    assert answer == {
        "branch": "main",
        "trace_doc": "trace",
        "graph_doc": "graph",
        "card_id": "N1",
        "published_id": "CARD-PUB-N1",
        "inserted": True,
        "updated": False,
        "trace_seq": seq,
        "trace_ref": f"trace@{seq}",
        "last_seq": seq,
        "graph_ref": f"graph@{seq}",
    }
    copy = node(mind, "CARD-PUB-N1")
    assert (copy.type, copy.title, copy.text, copy.status) == ("note", "t", "x", "open")
    assert copy.tags == ("cache", "lane:shared", "pinned", "v:canon")
    assert copy.meta == {"own": 1, "published_from": {"card_id": "N1", "lane": "shared", "agent_id": "agent-1"}}
    assert edges(mind, "CARD-PUB-N1") == [("CARD-PUB-N1", "supports", "N1")]
    source = node(mind, "N1")
    assert source.tags == ("cache", "lane:shared", "v:draft")


def test_publishing_again_changes_nothing_while_the_card_has_not(mind: Mind):
    mind.think_card(card=N1)
    first = mind.think_publish(card_id="N1", agent_id="agent-1")
    mind.think_set_status(targets="CARD-PUB-N1", status="closed")
    mind.think_pin(targets="CARD-PUB-N1", pinned=False)
    head = mind.head()

    assert mind.think_publish(card_id="N1", agent_id="agent-2") == {**first, "inserted": False}
    assert mind.head() == head


def test_publishing_a_card_that_has_changed_renews_the_copy(mind: Mind):
    mind.think_card(card=N1)
    mind.think_publish(card_id="N1")
    mind.think_set_status(targets="N1", status="closed")

    answer = mind.think_publish(card_id="N1")
    assert (answer["inserted"], answer["updated"], answer["last_seq"]) == (False, True, mind.head())
    copy = node(mind, "CARD-PUB-N1")
    assert (copy.status, copy.last_seq) == ("closed", mind.head())
    ids = [entry["meta"]["card_id"] for entry in mind.show(doc_kind="trace")["entries"]]
    assert ids == ["N1", "CARD-PUB-N1", "CARD-PUB-N1"]
    assert edges(mind, "CARD-PUB-N1") == [("CARD-PUB-N1", "supports", "N1")]
    head = mind.head()
    assert mind.think_publish(card_id="N1") == {**answer, "updated": False}
    assert mind.head() == head


def test_a_copy_that_was_deleted_is_made_anew(quick: Mind):
    quick.think_card(card=N1)
    quick.think_publish(card_id="N1")
    quick.graph_apply(ops=[{"op": "node_delete", "id": "CARD-PUB-N1"}])

    assert quick.think_publish(card_id="N1")["inserted"]
    assert edges(quick, "CARD-PUB-N1") == [("CARD-PUB-N1", "supports", "N1")]


def test_a_copy_need_not_be_pinned(quick: Mind):
    quick.think_card(card=N1)
    quick.think_publish(card_id="N1", pin=False)
    assert quick.think_pins()["pins"] == []
    assert quick.think_publish(card_id="N1", pin=True)["updated"]
    assert [pin["id"] for pin in quick.think_pins()["pins"]] == ["CARD-PUB-N1"]


def test_what_is_not_there_or_published_already_is_not_published(quick: Mind):
    quick.think_card(card=N1)
    quick.think_publish(card_id="N1")

    assert quick.refused("think_publish", card_id="gone").code == "UNKNOWN_ID"
    error = quick.refused("think_publish", card_id="CARD-PUB-N1")
    assert (error.code, "card_id=N1" in (error.recovery or "")) == ("INVALID_INPUT", True)
    quick.think_card(card={**N1, "id": "x" * 250})
    assert quick.refused("think_publish", card_id="x" * 250).code == "INVALID_INPUT"


def test_a_copy_made_on_a_branch_stays_there(quick: Mind):
    quick.think_card(card=N1)
    quick.branch_create(name="what-if")
    answer = quick.think_publish(card_id="N1", ref="what-if", trace_doc="other")

    assert (answer["branch"], answer["trace_doc"]) == ("what-if", "other")
    assert nodes(quick, "CARD-PUB-N1") == {}
    assert list(nodes(quick, "CARD-PUB-N1", branch="what-if")) == ["CARD-PUB-N1"]
