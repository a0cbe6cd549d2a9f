"""Links, statuses and pins of cards that are there."""

from __future__ import annotations

import pytest

from tests.support.mind import Mind, edges, node


@pytest.fixture(autouse=True)
def cards(request: pytest.FixtureRequest) -> None:
    name = "mind" if "mind" in request.fixturenames else "quick"
    mind: Mind = request.getfixturevalue(name)
    for id, type in (("H1", "hypothesis"), ("T1", "test"), ("N1", "note")):
        mind.think_card(card={"id": id, "type": type, "title": id, "meta": {"own": 1}})


def test_a_link_may_be_of_any_relation_and_is_made_once(mind: Mind):
    call = {"from": "T1", "rel": "falsifies", "to": "H1", "message": "it could", "meta": {"weight": 2}}
    answer = mind.think_link(**call)
    head = mind.head()

    assert answer["changed"]
    assert answer["edge"]["meta"] == {"message": "it could", "weight": 2}
    assert (answer["last_seq"], answer["graph_ref"]) == (head, f"graph@{head}")
    assert edges(mind, "T1") == [("T1", "falsifies", "H1")]

    assert mind.think_link(**call) == {**answer, "changed": False}
    assert mind.head() == head
    assert mind.think_link(**{**call, "message": "else"})["changed"]


def test_both_ends_of_a_link_must_be_there_and_differ(quick: Mind):
    for ends in ({"from": "T1", "to": "H9"}, {"from": "H9", "to": "T1"}):
        error = quick.refused("think_link", rel="supports", **ends)
        assert (error.code, error.details["id"]) == ("UNKNOWN_ID", "H9")
    assert quick.refused("think_link", **{"from": "T1", "rel": "supports", "to": "T1"}).code == "INVALID_INPUT"
    assert quick.refused("think_link", **{"from": "T1", "rel": "a|b", "to": "H1"}).code == "INVALID_INPUT"


def test_a_status_is_any_word_and_says_why_in_meta(mind: Mind):
    answer = mind.think_set_status(targets="H1", status="on hold", message="no data", meta={"until": "May"})

    head = mind.head()
    assert answer == {
        "branch": "main",
        "graph_doc": "graph",
        "cards": [
            {
                "card_id": "H1",
                "status": "on hold",
                "pinned": False,
                "changed": True,
                "last_seq": head,
                "graph_ref": f"graph@{head}",
            }
        ],
        "changed": 1,
    }
    found = node(mind, "H1")
    assert (found.status, found.title, found.meta) == (
        "on hold",
        "H1",
        {"own": 1, "message": "no data", "until": "May"},
    )


def test_what_has_the_status_already_is_not_written_again(quick: Mind):
    quick.think_set_status(targets="H1", status="done", message="why")
    head = quick.head()

    answer = quick.think_set_status(targets="H1", status="done", message="why")
    assert (answer["changed"], answer["cards"][0]["changed"], answer["cards"][0]["last_seq"]) == (0, False, head)
    assert quick.head() == head
    answer = quick.think_set_status(targets=["H1", "T1", "T1"], status="done")
    assert [card["changed"] for card in answer["cards"]] == [False, True]
    assert quick.head() == head + 1


def test_cards_are_changed_together_or_not_at_all(quick: Mind):
    for tool, more in (("think_set_status", {"status": "done"}), ("think_pin", {})):
        error = quick.refused(tool, targets=["H1", "gone"], **more)
        assert (error.code, error.details["id"]) == ("UNKNOWN_ID", "gone")
        assert quick.refused(tool, targets=[], **more).code == "INVALID_INPUT"
        assert quick.refused(tool, targets="task:TASK-001", **more).code == "INVALID_INPUT"
    assert quick.refused("think_set_status", targets="H1", status="a\nb").code == "INVALID_INPUT"


def test_a_card_that_is_nowhere_is_refused_with_a_call_that_shows_those_there_are(quick: Mind):
    error = quick.refused("think_pin", targets="gone")
    (suggestion,) = error.details["suggestions"]
    assert {found["id"] for found in quick.send(suggestion)["result"]["nodes"]} == {"H1", "T1", "N1"}


def test_a_card_that_stands_elsewhere_is_refused_with_where(quick: Mind):
    quick.think_card(card={"id": "X1", "title": "x"}, graph_doc="other")

    error = quick.refused("think_pin", targets="X1")
    assert error.code == "UNKNOWN_ID"
    assert error.recovery == "It is there with ref=main, graph_doc=other."
    assert quick.think_pin(targets="X1", ref="main", graph_doc="other")["changed"] == 1


def test_a_pin_is_a_tag_that_comes_and_goes(mind: Mind):
    assert mind.think_pin(targets=["H1", "N1"])["changed"] == 2
    head = mind.head()
    assert mind.think_pin(targets="H1")["changed"] == 0
    assert mind.head() == head
    found = node(mind, "H1")
    assert found.tags == ("lane:shared", "pinned", "v:canon")

    answer = mind.think_pin(targets="H1", pinned=False)
    assert (answer["changed"], answer["cards"][0]["pinned"]) == (1, False)
    assert [pin["id"] for pin in mind.think_pins()["pins"]] == ["N1"]


def test_pins_are_listed_newest_first_drafts_among_them_a_page_at_a_time(mind: Mind):
    for id in ("T1", "N1", "H1"):
        mind.think_pin(targets=id)

    page = mind.think_pins(limit=2)
    assert [pin["id"] for pin in page["pins"]] == ["H1", "N1"]
    assert "v:draft" in page["pins"][1]["tags"]
    assert (page["pagination"]["has_more"], page["pagination"]["count"]) == (True, 2)
    (suggestion,) = mind.whole("think_pins", limit=2)["suggestions"]
    rest = mind.send(suggestion)["result"]
    assert [pin["id"] for pin in rest["pins"]] == ["T1"]
    assert rest["pagination"]["has_more"] is False
    assert rest["pagination"]["next_cursor"] is None
    assert mind.think_pins()["pagination"]["limit"] == 50


def test_pins_keep_to_a_budget_and_are_read_as_of_then(quick: Mind):
    for id in ("T1", "N1", "H1"):
        quick.think_pin(targets=id)
    then = quick.head()
    quick.think_pin(targets="H1", pinned=False)

    assert [pin["id"] for pin in quick.think_pins(as_of=then)["pins"]] == ["H1", "N1", "T1"]
    short = quick.think_pins(max_chars=450)
    assert short["truncated"]
    assert [pin["id"] for pin in short["pins"]] == ["N1"]
    assert short["budget"]["used_chars"] <= 450


def test_a_change_on_a_branch_is_not_seen_on_its_base(quick: Mind):
    quick.branch_create(name="what-if")
    quick.think_pin(targets="H1", ref="what-if")
    quick.think_set_status(targets="H1", status="done", ref="what-if")
    quick.think_link(**{"from": "T1", "rel": "supports", "to": "H1", "ref": "what-if"})

    assert [pin["status"] for pin in quick.think_pins(ref="what-if")["pins"]] == ["done"]
    assert edges(quick, "T1", branch="what-if") == [("T1", "supports", "H1")]
    assert quick.think_pins()["pins"] == []
    found = node(quick, "H1")
    assert found.status == "open"
    assert edges(quick, "T1") == []


def test_a_read_of_an_empty_workspace_shows_nothing_and_writes_nothing(quick: Mind):
    empty = Mind(quick.box, "elsewhere")
    assert empty.think_pins()["pins"] == []
    assert empty.head() == 0
