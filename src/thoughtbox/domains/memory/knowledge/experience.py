"""An experience: what was tried in which situation, what came of it, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Type = Literal["effective", "ineffective"]
Domain = Literal["Tools", "Protocol", "Communication", "Process", "Debugging", "Decision"]
Scope = Literal["project", "global"]
Source = Literal["agent", "user", "import"]

TEXTS = ("situation", "approach", "outcome", "reasoning")
"""What it says, in the order in which it is compared."""

LEVELS = 10
"""Steps of confidence that experiences are marked with, so that those of some confidence are found by it."""


class Entry(NamedTuple):
    """What there is to say when an experience is written down."""

    type: str
    domain: str
    situation: str
    approach: str
    outcome: str
    reasoning: str
    confidence: float | None = None
    tags: tuple[str, ...] = ()
    scope: str = "project"
    source: str = "agent"
    trust: int = 0
    created_at: int | None = None
    """When it was first written, if that was elsewhere."""
    revision_of: int | None = None
    original_id: int | None = None
    """The first of its line; None for the first itself."""
    reason: str | None = None
    """Why it took the place of what it revises."""
    archived_at: int | None = None
    archive_reason: str | None = None
    context: Mapping[str, Any] | None = None
    """What else was known of it where it comes from."""

    @property
    def texts(self) -> tuple[str, str, str, str]:
        return self.situation, self.approach, self.outcome, self.reasoning


class Experience(NamedTuple):
    """An experience as it stands."""

    id: int
    type: str
    domain: str
    situation: str
    approach: str
    outcome: str
    reasoning: str
    confidence: float | None
    tags: tuple[str, ...]
    scope: str
    created_at: int
    original_id: int | None
    revision_of: int | None
    revision_reason: str | None
    updated_at: int
    archived_at: int | None
    archive_reason: str | None
    trust: int
    source: str
    context: Mapping[str, Any] | None
    """What else was known of it where it comes from."""
    access_count: int = 0
    last_accessed_at: int | None = None

    @property
    def line(self) -> int:
        """The first of its line: what all its versions are found by."""
        return self.original_id or self.id

    @property
    def texts(self) -> tuple[str, str, str, str]:
        return self.situation, self.approach, self.outcome, self.reasoning


def scopes_in_sight(scope: str) -> tuple[str, ...]:
    """A project sees what is its own and what is global; what is global sees only that."""
    return ("project", "global") if scope == "project" else ("global",)


def marks(type: str, domain: str, scope: str, confidence: float | None) -> tuple[str, ...]:
    """What an experience is found by beside its words."""
    at_least = () if confidence is None else tuple(level(step) for step in range(_step(confidence) + 1))
    kinds = (kind_mark(), kind_mark(type=type), kind_mark(domain=domain), kind_mark(type=type, domain=domain))
    return (*kinds, scope_mark(scope), *at_least)


def kind_mark(*, type: str | None = None, domain: str | None = None) -> str:
    """What all experiences are marked with, or all of a type, of a domain, of both."""
    return f"experience {type or ''} {domain or ''}"


def scope_mark(scope: str) -> str:
    return f"experience scope {scope}"


def level(step: int) -> str:
    return f"experience confidence {step}"


def level_below(confidence: float) -> str:
    """The mark that all have whose confidence is at least this; some have it whose is a little less."""
    return level(_step(confidence))


def _step(confidence: float) -> int:
    return max(step for step in range(LEVELS + 1) if step == 0 or confidence >= step / LEVELS)
