"""The id of a message that is too long to be kept, found while its bytes go by.

Whoever sent the message waits for an answer under its id, which may stand behind the
long part. So the bytes are walked through at the top level only, in linear time; of all
that goes by, nothing but a short key and the id itself is kept. What is no JSON is not
complained of here: there is an id or there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import TypeVar

LONGEST_ID = 1 << 16
"""Bytes of an id that is found; of a longer one nothing is kept."""

LONGEST_KEY = len(r"\u0072") * len("result")
"""Bytes of a key that matters, with every character of it escaped."""

ANSWERS = ("result", "error")

T = TypeVar("T")
Walk = Generator[None, None, T]
"""Goes on as far as the bytes reach, and waits for more."""

_NEXT = re.compile(rb"[^ \t\r\n]")
_SCALAR = re.compile(rb"[^\]},: \t\r\n]*+")
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_BETWEEN_BRACKETS = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_OPENING = re.compile(rb"[\[{]*+")
_CLOSING = re.compile(rb"[\]}]*+")


class OversizedId:
    """Feed it a message in pieces of any size, and then look at `id`."""

    def __init__(self) -> None:
        self._id: str | int | None = None
        self._is_answer = False
        self._data = b""
        self._at = 0
        self._walk = self._message()
        next(self._walk)

    @property
    def id(self) -> str | int | None:
        """The id of the request. None if it has none, or one that cannot be; None also for an answer to us."""
        return None if self._is_answer else self._id

    def feed(self, data: bytes) -> None:
        self._data, self._at = data, 0
        next(self._walk, None)

    def _message(self) -> Walk[None]:
        yield
        if (yield from self._next()) != b"{":
            return
        while (sign := (yield from self._next())) in (b'"', b","):
            if sign == b",":
                continue
            key = _text((yield from self._string(LONGEST_KEY)))
            if (yield from self._next()) != b":":
                return
            # As with every reader of JSON, the last of several values counts.
            if key == "id":
                self._id = yield from self._value(LONGEST_ID)
            else:
                self._is_answer |= key in ANSWERS
                yield from self._value(0)

    def _next(self) -> Walk[bytes]:
        """The next byte that is no white space."""
        while (found := _NEXT.search(self._data, self._at)) is None:
            yield
        self._at = found.end()
        return found.group()

    def _value(self, longest: int) -> Walk[str | int | None]:
        """A text or a whole number; None for everything else, and for what is longer."""
        sign = yield from self._next()
        if sign == b'"':
            return _text((yield from self._string(longest)))
        if sign in (b"{", b"["):
            yield from self._rest_of_nested()
            return None
        return _whole_number(sign, (yield from self._scalar(longest)))

    def _string(self, longest: int) -> Walk[bytes | None]:
        """What stands before the closing quote; None when that is too long."""
        kept = _Kept(longest)
        while True:
            self._take(_IN_STRING, kept)
            if self._data[self._at : self._at + 1] == b'"':
                self._at += 1
                return kept.whole()
            split = self._at < len(self._data)  # a backslash, and behind it the next piece
            kept.add(self._data[self._at :])
            yield
            if split:
                while not self._data:
                    yield
                kept.add(self._data[:1])
                self._at = 1

    def _scalar(self, longest: int) -> Walk[bytes | None]:
        kept = _Kept(longest)
        while True:
            self._take(_SCALAR, kept)
            if self._at < len(self._data):
                return kept.whole()
            yield

    def _rest_of_nested(self) -> Walk[None]:
        """Go past the bracket that closes what was just opened."""
        depth = 1
        while True:
            self._take(_BETWEEN_BRACKETS)
            if self._data[self._at : self._at + 1] == b'"':  # it does not end in this piece
                self._at += 1
                yield from self._string(0)
                continue
            depth += self._take(_OPENING)
            before = self._at
            closed = self._take(_CLOSING)
            if closed >= depth:
                self._at = before + depth
                return
            depth -= closed
            if self._at == len(self._data):
                yield

    def _take(self, pattern: re.Pattern[bytes], kept: _Kept | None = None) -> int:
        """Go on as far as the pattern does; how far that was."""
        found = pattern.match(self._data, self._at)
        assert found is not None  # all patterns here match nothing, too
        if kept is not None:
            kept.add(found.group())
        self._at = found.end()
        return found.end() - found.start()


class _Kept:
    """Bytes that were kept, as long as there are not too many."""

    def __init__(self, longest: int) -> None:
        self._room = longest
        self._bytes = bytearray()

    def add(self, more: bytes) -> None:
        self._room -= len(more)
        if self._room >= 0:
            self._bytes += more

    def whole(self) -> bytes | None:
        return bytes(self._bytes) if self._room >= 0 else None


def _text(raw: bytes | None) -> str | None:
    found = None if raw is None else _read(b'"' + raw + b'"')
    return found if isinstance(found, str) else None


def _whole_number(first: bytes, rest: bytes | None) -> int | None:
    found = None if rest is None else _read(first + rest)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _read(raw: bytes) -> object:
    try:
        return json.loads(raw.decode())
    except ValueError:
        return None
