"""Texts that are given out in pieces, kept until they have been fetched. Losing one costs time, never an answer."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable

MOST_CHARACTERS = 8_000_000
"""Of all texts together. A longer one is made anew for every piece of it."""


class TextCache:
    """The texts that were asked for last. Their keys must say all that they depend on."""

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._texts: OrderedDict[Hashable, str] = OrderedDict()
        self._length = 0

    def get(self, key: Hashable) -> str | None:
        with self._lock:
            text = self._texts.get(key)
            if text is not None:
                self._texts.move_to_end(key)
            return text

    def make(self, key: Hashable, pieces: Iterable[str]) -> str | None:
        """Put the pieces together and keep the text; None when it is too long for that."""
        made: list[str] = []
        length = 0
        for piece in pieces:
            made.append(piece)
            length += len(piece)
            if length > self._most:
                return None
        text = "".join(made)
        with self._lock:
            self._length += length - len(self._texts.pop(key, ""))
            self._texts[key] = text
            while self._length > self._most:
                self._length -= len(self._texts.popitem(last=False)[1])
        return text
