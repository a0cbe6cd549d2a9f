"""Experiences to write down."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.memory.episodes.episode import Episode
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.operations.caller import ANONYMOUS

DEPLOY: dict[str, Any] = {
    "type": "effective",
    "domain": "Process",
    "situation": "The deploy stopped halfway because a migration waited for a lock.",
    "approach": "Set a lock timeout and ran the migration before the traffic came.",
    "outcome": "The next deploys went through without a pause.",
    "reasoning": "A migration that cannot get its lock holds up everything behind it.",
    "confidence": 0.6,
    "tags": ["deploy", "migration"],
}


def unlike(number: int, **changes: Any) -> dict[str, Any]:
    """An experience that is like no other one of these."""
    letters = sha256(b"%d" % number).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    words = [letters[start : start + 6] for start in range(0, 60, 6)]
    said = {
        "situation": f"Case {number}: {' '.join(words[:4])}",
        "approach": " ".join(words[4:6]),
        "outcome": " ".join(words[6:8]),
        "reasoning": " ".join(words[8:]),
    }
    return {**DEPLOY, "tags": [], **said, **changes}


def recorded(box: Box, **changes: Any) -> int:
    answer = box.call("record_experience", {**DEPLOY, **changes})
    assert answer["recorded"], answer
    return answer["experience_id"]


def found(box: Box, query: str, **arguments: Any) -> list[int]:
    return [row["id"] for row in box.call("search_experiences", {"query": query, **arguments})["results"]]


def episodes(box: Box) -> list[Episode]:
    """All there are, the newest first."""
    asked = box.app.dispatcher.ask(
        WORKSPACE, ANONYMOUS, lambda tx: tx.ask(Episodes).newest_first(["project", "global"], limit=100)
    )
    return asked.result()
