"""A step of a trace, and the numbers that make it one of a sequence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

STEP = "trace_step"
SEQUENTIAL_STEP = "trace_sequential_step"
"""The two formats of an entry that may stand in a sequence."""

SEQUENTIAL_KEYS = (
    "thoughtNumber",
    "totalThoughts",
    "nextThoughtNeeded",
    "branchFromThought",
    "branchId",
    "isRevision",
    "revisesThought",
)
"""What an entry's `meta` says of its place, spelled as it was sent."""


class TraceStep(NamedTuple):
    """One entry of a trace document."""

    seq: int
    ts_ms: int
    format: str | None
    title: str | None
    content: str
    meta: Mapping[str, Any]


def positive(value: object) -> int | None:
    """The number of a thought, if this is one: a whole number from 1 on, however it is spelled in JSON."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value >= 1 and value % 1 == 0 else None


def is_sequential(meta: Mapping[str, Any]) -> bool:
    """Whether an entry says anything of its place in a sequence."""
    return any(meta.get(key) is not None for key in SEQUENTIAL_KEYS)
