"""A store in which every text is hostile: each of them stands in every place that takes one."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from tests.support.box import Box
from tests.support.hostile_texts import ALL, Hostile
from tests.support.thinker import Client

ACTION = "<img src=x onerror=__pwned.push(2)>"
POLLUTING = {"__proto__": {"polluted": True}, "constructor": {"prototype": {"polluted": True}}, "<b>": "<i>"}


class Planted(NamedTuple):
    """Where the texts stand."""

    sessions: dict[str, str]
    """The id of the session that a text is title, tag, description and first thought of, by the text's name."""
    thoughts: dict[str, str]
    """Its first thought, as a record."""
    many: str
    """The session in which each is a thought, of the main line and of a branch in turn."""


def plant(box: Box, texts: Sequence[Hostile] = ALL) -> Planted:
    sessions: dict[str, str] = {}
    thoughts: dict[str, str] = {}
    for hostile in texts:
        agent = Client(box, stateless=True, agent=hostile.text[:200])
        begun = agent.start_new(sessionTitle=hostile.text[:200], description=hostile.text)["sessionId"]
        sessions[hostile.name] = begun
        thoughts[hostile.name] = agent.think(hostile.text, sessionId=begun)["id"]
        if is_a_line(hostile.text):
            agent.call("session.tag", sessionId=begun, add=[hostile.text[:100]])
        _plant_elsewhere(box, hostile)
    while box.run_consolidation(threshold=1)["more"]:
        pass
    box.call("vars.set", {"name": "polluting", "value": POLLUTING, "session": "vars"})
    return Planted(sessions, thoughts, _many(box, texts))


def is_a_line(text: str) -> bool:
    """Names and tags are refused when they have control characters."""
    return not any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in text)


def _plant_elsewhere(box: Box, hostile: Hostile) -> None:
    name = hostile.text[:100] if is_a_line(hostile.text) else hostile.name
    box.thought_decision(sessionId=name, decision=hostile.text, actionId=ACTION)
    box.thought_plan(sessionId="plans", planDescription=hostile.text, actionId=name)
    box.macro_branch_note(name="what-if", content=hostile.text, title=name, meta=POLLUTING)
    box.think_card(card={"type": "hypothesis", "title": name, "text": hostile.text, "meta": POLLUTING})
    box.tasks_create(kind="plan", title=name, description=hostile.text)
    box.tasks_jobs_create(title=name, prompt=hostile.text, meta=POLLUTING)
    box.record_episode(summary=f"Always mind {hostile.text[:1000]}", source="user", context_keys=["attack"])


def _many(box: Box, texts: Sequence[Hostile]) -> str:
    agent = Client(box, agent="mia").ready(sessionTitle="All of them")
    agent.think("Here they part.")
    for number, hostile in enumerate(texts):
        branch = {"branchId": "other", "branchFromThought": 1} if number % 2 else {}
        agent.think(hostile.text, **branch)
    return agent.session_id
