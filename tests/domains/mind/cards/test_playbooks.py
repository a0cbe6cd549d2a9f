"""Playbooks: every one of them tells what to write as which card, and when to stop."""

from __future__ import annotations

import json
import re

import pytest

from tests.support.mind_texts import TOOLS, tools_in
from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.playbooks import names, playbook

STEPS = {
    "default": ["frame", "hypothesis", "test", "evidence", "decision"],
    "strict": ["frame", "skeptic-loop", "counter", "minimize", "breakthrough-loop", "evidence", "decision"],
    "skeptic": ["claim", "counter", "falsifier", "run", "stop criteria"],
    "breakthrough": ["frame", "inversion", "assumptions", "extremes", "analogy", "lever", "test", "stop criteria"],
    "debug": ["reproduce", "locate", "hypothesis", "test", "evidence", "decision"],
    "bisect": ["range", "check", "ends", "halve", "confirm", "decision"],
    "criteria_matrix": ["question", "options", "criteria", "weights", "scores", "sensitivity", "decision"],
    "experiment": ["claim", "prediction", "design", "threshold", "run", "decision"],
    "contradiction": ["state", "weigh", "decide by test", "run", "resolve"],
}
GENERIC = ["frame", "options", "test", "evidence", "decision"]
ALL = [*STEPS, "something else"]
CARD = re.compile(rf"`({'|'.join(TYPES)})` cards?")


def labels(name: str) -> list[str]:
    return [step.partition(": ")[0] for step in playbook(name)["template"]["steps"]]


@pytest.mark.parametrize("name", STEPS)
def test_each_playbook_has_its_steps(name: str):
    found = playbook(name)

    assert found["name"] == name
    assert labels(name) == STEPS[name]
    assert "fallback" not in found["template"]
    assert found["template"]["use"]


def test_these_are_all_and_an_alias_is_the_same_one():
    assert sorted(names()) == sorted(STEPS)
    assert playbook("skeptic_loop") == playbook("skeptic")
    assert playbook(" Criteria-Matrix ") == playbook("criteria_matrix")


def test_an_unknown_name_gets_the_generic_one_which_says_so_and_names_the_others():
    found = playbook("Something Else")

    assert found["name"] == "Something Else"
    assert labels("Something Else") == GENERIC
    assert found["template"]["fallback"] is True
    assert found["template"]["known"] == sorted(STEPS)


@pytest.mark.parametrize("name", ALL)
def test_every_step_names_the_card_to_write_and_the_last_one_says_when_to_stop(name: str):
    steps = playbook(name)["template"]["steps"]

    for step in steps:
        assert CARD.search(step), step
        assert "\n" not in step
        assert 150 < len(step) < 700, step
    assert re.search(r"\b[Ss]top\b", steps[-1])


@pytest.mark.parametrize("name", ALL)
def test_cards_that_a_step_points_to_were_written_before(name: str):
    """A link to a card of a later step could not be made."""
    steps = playbook(name)["template"]["steps"]
    for number, step in enumerate(steps):
        for ids in re.findall(r"(?:supports|blocks) \[([^]]*)]", step):
            for id in re.findall(r'"(\w+)"', ids):
                assert re.search(rf"\b{id}\b", " ".join(steps[: number + 1]).split(f'"{id}"')[0]), (id, step)


@pytest.mark.parametrize("name", ALL)
def test_every_tool_that_a_playbook_names_is_a_tool_and_so_is_every_playbook(name: str):
    written = json.dumps(playbook(name))

    assert tools_in(written) <= TOOLS
    assert set(re.findall(r"playbook `(\w+)`", written)) <= set(STEPS)


def test_extras_of_debug_and_of_the_matrix():
    matrix = playbook("criteria_matrix")["template"]["matrix_template"]

    assert playbook("debug")["template"]["pattern"] == "bisect"
    assert len(matrix["options"]) >= 2
    assert sum(criterion["weight"] for criterion in matrix["criteria"]) == 10
    assert all(set(criterion) == {"name", "weight"} for criterion in matrix["criteria"])


@pytest.mark.parametrize("name", ALL)
def test_a_playbook_is_the_same_each_time_whatever_was_done_to_the_one_before(name: str):
    first = playbook(name)
    written = json.dumps(first)
    first["template"]["steps"].clear()
    first["template"].get("matrix_template", {}).clear()

    assert json.dumps(playbook(name)) == written
