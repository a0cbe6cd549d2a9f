"""An episode: one thing that happened, and how it went."""

from __future__ import annotations

from typing import Literal, NamedTuple

EPISODE = "memory.episode"
STREAM = "memory/episodes"

Scope = Literal["project", "global"]
Outcome = Literal["success", "partial", "fail", "unknown"]

SCOPES: tuple[Scope, ...] = ("project", "global")
OUTCOMES: tuple[Outcome, ...] = ("success", "partial", "fail", "unknown")
SOURCES = ("user", "system", "agent", "derived")

LONGEST_SUMMARY = 4000

AGENTS_SPEAK = frozenset({"stdio", "http"})
"""Doors at which nobody but agents speaks; a user has the shell."""


class Episode(NamedTuple):
    """An episode as it stands."""

    experience_id: int
    session_id: int | None
    scope: str
    context_keys: tuple[str, ...]
    summary: str
    outcome: str
    trust: int
    salience: int
    created_at: str
    source: str
    about: str | None
    """What it tells of, by id, such as th:17 for an experience."""
    validated: bool
    """Whether a validation that was passed stands behind it."""
    archived: bool
    heard: bool
    """Whether a user said it where users speak: what comes through MCP is an agent's word for it."""

    @property
    def states_nothing(self) -> bool:
        """Whether it only tells that a cycle was run, and for what: what somebody asks for is nothing that is known."""
        return self.session_id is not None and self.source == "agent"


def seen_from(scope: str) -> tuple[str, ...]:
    """The scopes that can be seen from one: what is global is seen from everywhere."""
    return ("project", "global") if scope == "project" else ("global",)
