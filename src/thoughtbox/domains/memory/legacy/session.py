"""A session of the old way to reason: a problem, thoughts, a conclusion."""

from __future__ import annotations

from typing import Any, NamedTuple

BEGUN = "memory.reasoning_begun"
GATHERED = "memory.reasoning_gathered"
THOUGHT = "memory.reasoning_thought"
FINALIZED = "memory.reasoning_finalized"

MISSING_CONFIDENCE = 0.5
CONFIDENCE_WITHOUT_THOUGHTS = 0.7


class ReasoningSession(NamedTuple):
    """A session as it stands."""

    session_id: str
    problem: str
    user_intent: dict[str, Any]
    phase: str
    created_at: int
    updated_at: int
    finalized_at: int | None
    conclusion: str | None
    experience_id: int | None


class ReasoningThought(NamedTuple):
    """One thought of a session."""

    id: int
    session_id: str
    thought_number: int
    thought: str
    confidence: float | None
    is_revision: bool
    revises_thought: int | None
    created_at: int


def stream_of(session_id: str) -> str:
    return f"memory/reasoning/{session_id}"


def mean_confidence(thoughts: list[ReasoningThought]) -> float | None:
    """The mean of the thoughts' confidences, where one that has none counts as even; None without thoughts."""
    if not thoughts:
        return None
    given = [MISSING_CONFIDENCE if thought.confidence is None else thought.confidence for thought in thoughts]
    return round(sum(given) / len(given), 6)
