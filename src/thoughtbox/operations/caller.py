"""Who calls, and through which door."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The one on the other side of a door."""

    agent: str = "anonymous"
    transport: str | None = None
    model: str | None = None


ANONYMOUS = Caller()
