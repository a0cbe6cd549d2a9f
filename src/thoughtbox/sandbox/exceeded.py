"""What a model is told when its snippet has used up more than it may, and what it can do about it: the same in every
language."""

from __future__ import annotations

import time

from thoughtbox.errors import LimitExceeded
from thoughtbox.sandbox.protocol import Limits

MEGABYTE = 1024 * 1024

_SAYS = {
    "cpu": (
        "computed for longer than {allowed} ms",
        "Let operations do the work (they do not count), look for a loop that does not end, or split the snippet.",
    ),
    "wall": (
        "took longer than {allowed} ms in all, waiting included",
        "Ask for less at once, split the snippet, or call what takes long by itself.",
    ),
    "held": (
        "kept others from writing for longer than {allowed} ms",
        "Do what takes long before the first write, or split the snippet.",
    ),
    "memory": (
        "needed more than {megabytes} MB of memory",
        "Keep less at a time: ask for smaller pages, and keep only the fields you need.",
    ),
    "calls": (
        "asked for more than {allowed} operations and builders",
        "Use operations that take or return many things at once, or split the snippet.",
    ),
    "output": (
        "printed, returned or sent more than {allowed} characters",
        "Return a summary: counts, ids, the fields that matter; print less.",
    ),
    "recursion": (
        "nested calls or values too deeply: about {allowed} plain calls fit",
        "Look for a function that calls itself without end, or use a loop.",
    ),
}


def exceeded(limit: str, limits: Limits, allowed: int | None = None) -> LimitExceeded:
    """`allowed` where that is another number than the limits say, or they say none."""
    if allowed is None:
        allowed = limits.by_name[limit]
    what, instead = _SAYS[limit]
    return LimitExceeded(
        f"the snippet {what.format(allowed=allowed, megabytes=allowed // MEGABYTE)}",
        recovery=instead,
        details={"limit": limit, "allowed": allowed},
    )


class Deadline:
    """By when a run must have ended, and what it is told that has not. It only ever gets earlier."""

    def __init__(self) -> None:
        self.moment = float("inf")
        """Of the monotonic clock."""
        self.error: LimitExceeded | None = None

    def set(self, moment: float, error: LimitExceeded) -> None:
        if moment < self.moment:
            self.moment, self.error = moment, error

    def passed(self) -> LimitExceeded | None:
        """What is to be said, once it has passed."""
        return self.error if time.monotonic() > self.moment else None
