"""The chain of a session's invocations: each link covers the one before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from thoughtbox.domains.memory.hashing import digest


class Link(Protocol):
    """What a link is made of."""

    @property
    def position(self) -> int: ...
    @property
    def tool_name(self) -> str: ...
    @property
    def input_hash(self) -> str: ...
    @property
    def output_hash(self) -> str: ...
    @property
    def ts(self) -> str: ...
    @property
    def prev_hash(self) -> str | None: ...
    @property
    def hash(self) -> str: ...


class Verified(NamedTuple):
    """Whether a chain holds, and what is wrong with it where it does not."""

    valid: bool
    errors: list[str]


def link(prev_hash: str | None, tool_name: str, input_hash: str, output_hash: str, ts: str) -> str:
    """The hash of an invocation behind another one; the first one is behind none."""
    return digest(
        {
            "prev_hash": prev_hash,
            "tool_name": tool_name,
            "input_hash": input_hash,
            "output_hash": output_hash,
            "ts": ts,
        }
    )


def verified(rows: Sequence[Link]) -> Verified:
    """A whole chain, from its first link on: every hash made anew, every link compared with the one before it."""
    errors: list[str] = []
    before: str | None = None
    for number, row in enumerate(rows, 1):
        if row.position != number:
            errors.append(f"invocation {number} says that it is number {row.position}")
        if row.prev_hash != before:
            errors.append(f"invocation {number} ({row.tool_name}) is not linked to the one before it")
        if row.hash != link(row.prev_hash, row.tool_name, row.input_hash, row.output_hash, row.ts):
            errors.append(f"invocation {number} ({row.tool_name}) does not have the hash of what it says")
        before = row.hash
    return Verified(not errors, errors)
