"""Who calls, through which door, and what is remembered of them between calls."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

V = TypeVar("V")

Memory = Literal["connection", "workspace", "none"]
"""What stands in for what a call does not say: what its connection has done before; the newest that the workspace has,
as in a shell, where one person goes on with what was last; or nothing at all."""

_NOTHING: Mapping[type, Any] = MappingProxyType({})


class Caller(NamedTuple):
    """The one on the other side of a door."""

    agent: str = "anonymous"
    transport: str | None = None
    model: str | None = None
    toolset: str | None = None
    """Which tools it is shown; None where that is no matter."""


ANONYMOUS = Caller()


class Focus(NamedTuple):
    """What is remembered of a caller in one workspace: a value for each room that remembers anything.

    It never changes. A call begins with one and comes to another, which counts once the call has been answered.
    """

    memory: Memory = "connection"
    values: Mapping[type, Any] = _NOTHING
    """By their type; each is immutable, and a room has one type for it."""

    @property
    def lasts(self) -> bool:
        """Whether the caller's next call begins where this one ends."""
        return self.memory == "connection"

    @property
    def session_id(self) -> str | None:
        """The session that the caller is in; a room that remembers one calls it so."""
        return next(filter(None, (getattr(value, "session_id", None) for value in self.values.values())), None)

    def of(self, kind: type[V]) -> V:
        """What one room remembers; a new one of its kind, where that is nothing yet."""
        found = self.values.get(kind)
        return found if found is not None else kind()

    def on(self, value: object) -> Focus:
        """The same, with another value in the place of the one of its type."""
        return self._replace(values=MappingProxyType({**self.values, type(value): value}))


class Landing:
    """Where a call leaves the focus that it came to: for whoever waits for its answer, and only then."""

    __slots__ = ("focus",)

    def __init__(self) -> None:
        self.focus: Focus | None = None


class Root(NamedTuple):
    """A directory that a client says it works in."""

    uri: str
    name: str | None = None
