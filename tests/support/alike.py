"""Answers and records of two runs of the same, made alike: times and what chance has made are taken out."""

from __future__ import annotations

import re
from typing import Any

_MADE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"  # an id
    r"|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)"  # a time
    r"|\b\d{13}\b(?:-[a-z0-9]{9}\b)?"  # a time in milliseconds, with a random tail
    r"|\b[0-9a-f]{12,64}\b"  # a hash
    r"|\b[A-Za-z0-9_-]{40,}\b"  # a token
    r'|(?<="durationMs":)\d+'  # how long something took
)
EARLIEST_MS = 10**12
VARYING = frozenset({"duration", "durationMs", "density", "thoughtDensity"})
"""Numbers that follow from how long something took."""


def alike(value: Any, *also: str) -> Any:
    """The value with a mark in the place of everything that differs from run to run; `also` are such texts."""
    if isinstance(value, dict):
        return {key: "…" if key in VARYING else alike(one, *also) for key, one in value.items()}
    if isinstance(value, list):
        return [alike(one, *also) for one in value]
    if isinstance(value, str):
        for text in also:
            value = value.replace(text, "…")
        return _MADE.sub("…", value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "…" if value >= EARLIEST_MS else float(value)
    return value
