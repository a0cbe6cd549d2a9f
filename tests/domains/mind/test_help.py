"""The help: one text that suffices to begin, every call in it ready to be sent."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.mind_texts import TOOLS, tools_in
from thoughtbox import content
from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.parsing import read_card
from thoughtbox.domains.mind.cards.playbooks import names

HELP = content.text("mind/help.md")
LINE = re.compile(r"^([a-z_]+) (\{.*\})$", re.MULTILINE)
BEGINNING = 1500


def calls(text: str) -> list[tuple[str, dict[str, Any]]]:
    return [(tool, json.loads(arguments)) for tool, arguments in LINE.findall(text)]


def test_the_help_is_short_and_its_beginning_suffices_to_begin():
    begun = [tool for tool, _ in calls(HELP[:BEGINNING])]

    assert len(HELP) <= 6000
    assert begun == ["status", "context_pack", *["think_card"] * 4, "think_link", "think_pack"]


def test_every_call_is_one_of_a_tool_with_arguments_in_json():
    sent = calls(HELP)

    assert {tool for tool, _ in sent} <= TOOLS
    assert len(sent) >= 20


def test_tools_are_named_as_calls_only():
    assert not tools_in(LINE.sub("", HELP))


def test_every_card_of_the_help_is_read_and_points_to_cards_above_it():
    written: list[str | None] = []
    for tool, arguments in calls(HELP):
        if tool == "think_card":
            card = read_card(arguments["card"])
            assert set(arguments.get("supports", [])) <= set(written)
            assert card.id is None or card.id not in written
            written.append(card.id)
        elif tool == "think_link":
            assert {arguments["from"], arguments["to"]} <= set(written)

    assert {"H-cold", "T-cold", "E-cold", "D-warm"} <= set(written)


def test_the_help_explains_proof_tags_targets_types_and_playbooks():
    explained = {"CMD:", "LINK:", "v:canon", "v:draft", "pinned", "step:", "a:", "counter", "assumption", "blocker"}
    explained |= {"subgoal", "include_drafts", "focus", "recovery", "suggestions", *TYPES, *names()}

    assert {word for word in explained if word not in HELP} == set()
