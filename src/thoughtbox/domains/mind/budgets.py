"""Two names for one budget: the smaller of them counts."""

from __future__ import annotations

from typing import Any

LARGEST_BUDGET = 10_000_000


def with_one_budget(given: Any) -> Any:
    """Arguments with the smaller of their two budgets as `max_chars`; what is no budget is refused as it stands."""
    asked, budget = given.get("max_chars"), given.get("context_budget")
    if not _is_budget(budget) or (asked is not None and not _is_budget(asked)):
        return given
    return {**given, "max_chars": budget if asked is None else min(asked, budget)}


def _is_budget(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_BUDGET
