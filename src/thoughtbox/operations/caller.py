"""Who calls, through which door, and what is remembered of them between calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The one on the other side of a door."""

    agent: str = "anonymous"
    transport: str | None = None
    model: str | None = None


ANONYMOUS = Caller()


@dataclass(slots=True)
class Focus:
    """What a connection remembers in one workspace: its current session, and the stage it has reached there.

    Callers without a connection have a new one for every call, and name their session themselves.
    """

    session_id: str | None = None
    stage: int = 0
    place: Mapping[str, str] = field(default_factory=dict)
    """Where it works, before it has a session that could remember it: project, task, aspect, domain, root."""
    lasts: bool = True
    """Whether there is a connection that will have it at its next call."""

    def move(self, session_id: str | None, stage: int) -> None:
        self.session_id, self.stage = session_id, stage


@dataclass(frozen=True, slots=True)
class Root:
    """A directory that a client says it works in."""

    uri: str
    name: str | None = None
