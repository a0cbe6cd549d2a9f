"""Templates, playbooks and lint, as tools."""

from __future__ import annotations

import json

import pytest

from tests.support.mind import Mind

TYPES = ["frame", "hypothesis", "question", "test", "evidence", "decision", "note", "update"]


@pytest.mark.parametrize("type", TYPES)
def test_a_template_has_every_field_of_a_card_and_can_be_sent_when_filled_in(quick: Mind, type: str):
    answer = quick.think_template(type=type)

    assert (answer["type"], answer["supported_types"], answer["truncated"]) == (type, TYPES, False)
    assert list(answer["template"]) == ["id", "type", "title", "text", "status", "tags", "meta"]
    assert answer["guidance"]["title"]
    assert quick.head() == 0
    assert quick.think_card(card={**answer["template"], "title": "filled in"})["inserted"]


def test_an_unknown_type_is_refused_with_those_there_are(quick: Mind):
    error = quick.refused("think_template", type="guess")
    assert error.code == "INVALID_INPUT"
    for type in TYPES:
        assert type in (error.recovery or "")


def test_a_template_keeps_to_a_budget(quick: Mind):
    short = quick.think_template(type="test", max_chars=220)
    assert (short["truncated"], short["template"]["type"]) == (True, "test")
    assert short["budget"]["used_chars"] <= 220


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("default", 5),
        ("strict", 7),
        ("skeptic", 5),
        ("breakthrough", 8),
        ("debug", 6),
        ("bisect", 6),
        ("criteria_matrix", 7),
        ("experiment", 6),
        ("contradiction", 5),
        ("no such playbook", 5),
    ],
)
def test_a_playbook_is_read_by_its_name_and_writes_nothing(quick: Mind, name: str, steps: int):
    answer = quick.think_playbook(name=name)

    assert (answer["workspace"], answer["name"], answer["truncated"]) == ("tests", name, False)
    assert len(answer["template"]["steps"]) == steps
    assert all(": " in step for step in answer["template"]["steps"])
    assert quick.think_playbook(name=name) == answer
    assert quick.head() == 0


def test_an_unknown_playbook_is_the_generic_one_and_says_so(quick: Mind):
    template = quick.think_playbook(name="juggling")["template"]
    assert template["fallback"] is True
    assert "strict" in template["known"]


def test_a_short_playbook_keeps_its_first_steps(quick: Mind):
    whole, short = quick.think_playbook(name="strict"), quick.think_playbook(name="strict", max_chars=700)

    assert short["truncated"]
    assert len(json.dumps(short["template"]["steps"])) < len(json.dumps(whole["template"]["steps"]))
    assert short["template"]["steps"][0][:10] == whole["template"]["steps"][0][:10]
    assert short["budget"]["used_chars"] <= 700


def test_lint_names_edges_that_lead_to_nothing(mind: Mind):
    mind.think_card(card={"id": "T1", "type": "test", "title": "t"}, supports=["H1"], blocks=["H2"])
    assert mind.think_lint(max_errors=1)["truncated"]

    answer = mind.think_lint()
    assert (answer["ok"], answer["stats"], answer["truncated"]) == (False, {"nodes": 1, "edges": 2}, False)
    assert [error["key"] for error in answer["errors"]] == ["T1|blocks|H2", "T1|supports|H1"]
    assert {error["code"] for error in answer["errors"]} == {"EDGE_ENDPOINT_MISSING"}

    then = mind.head()
    mind.branch_create(name="what-if")
    for id in ("H1", "H2"):
        mind.think_card(card={"id": id, "title": id}, branch="what-if")
    assert mind.think_lint(ref="what-if")["ok"]
    assert not mind.think_lint()["ok"]
    assert mind.think_lint(ref="main", as_of=then) == answer
