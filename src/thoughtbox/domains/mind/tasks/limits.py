"""How much of everything a view of a plan or task shows."""

from __future__ import annotations

from typing import Any, NamedTuple


class Limits(NamedTuple):
    """How many of each, at most."""

    events: int
    blockers: int
    decisions: int
    evidence: int
    notes: int
    trace: int
    cards: int
    engine_signals: int
    engine_actions: int


FULL = Limits(20, 5, 5, 5, 10, 20, 20, 6, 6)
FOCUS_ONLY = Limits(12, 3, 3, 3, 3, 8, 40, 6, 2)
MIDDLE = Limits(10, 3, 3, 3, 5, 10, 15, 4, 3)
SMALL = Limits(4, 2, 2, 2, 2, 4, 8, 3, 2)
TIERS = ((4_000, SMALL), (12_000, MIDDLE))
"""Of views that scale: up to so many characters, these."""
SCALING = ("smart", "explore")


def limits_for(view: str, max_chars: int | None, call: Any) -> Limits:
    """Those of the view, scaled to the budget where it scales; what a call says itself counts before that."""
    found = FOCUS_ONLY if view == "focus_only" else FULL
    if view in SCALING and max_chars is not None:
        found = next((limits for most, limits in TIERS if max_chars <= most), FULL)
    told = {name: getattr(call, f"{name}_limit", None) for name in Limits._fields}
    return found._replace(**{name: value for name, value in told.items() if value is not None})
