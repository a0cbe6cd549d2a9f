"""Lines of bounded length, out of bytes that come in pieces of any size."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.doors.mcp.transports.oversized_id import OversizedId


class TooLong(NamedTuple):
    """Stands where a line was that is longer than allowed; its bytes are gone."""

    id: str | int | None
    """Of the request that it was, if it was one."""


Line = bytes | TooLong


class Lines:
    """Splits what is fed to it."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._begun: list[bytes] = []
        self._length = 0
        """Of what is begun."""
        self._skipped: OversizedId | None = None

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in these bytes, without their newlines."""
        *ended, rest = data.split(b"\n")
        found = [self._ended(part) for part in ended]
        if rest:
            self._begin(rest)
        return found

    def end(self) -> list[Line]:
        """What is left when nothing more comes: a last line that has no newline."""
        return [self._ended(b"")] if self._begun or self._skipped is not None else []

    def _ended(self, last: bytes) -> Line:
        if not self._begun and self._skipped is None and len(last) <= self._longest:
            return last
        self._begin(last)
        skipped, begun = self._skipped, self._begun
        self._skipped, self._begun, self._length = None, [], 0
        return TooLong(skipped.id) if skipped is not None else b"".join(begun)

    def _begin(self, part: bytes) -> None:
        """Keep a part of a line; from where it gets too long on, nothing but its id."""
        self._length += len(part)
        if self._length <= self._longest:
            self._begun.append(part)
            return
        if self._skipped is None:
            self._skipped = OversizedId()
            for earlier in self._begun:
                self._skipped.feed(earlier)
            self._begun = []
        self._skipped.feed(part)
