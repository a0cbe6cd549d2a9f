"""Messages between the server and a box: JSON behind its length."""

from __future__ import annotations

import json
from typing import Any, Final

LONGEST: Final = 64 * 1024 * 1024
_HEAD: Final = 4

Message = dict[str, Any]


def packed(message: Message) -> bytes:
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return len(text).to_bytes(_HEAD, "big") + text


class Unreadable(Exception):
    """What came is no message."""


class Incoming:
    """Bytes as they come, taken apart into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> None:
        self._bytes += data

    def message(self) -> Message | None:
        """The next one, if all of it has come."""
        if len(self._bytes) < _HEAD:
            return None
        length = int.from_bytes(self._bytes[:_HEAD], "big")
        if length > LONGEST:
            raise Unreadable(f"a message of {length} bytes")
        if len(self._bytes) < _HEAD + length:
            return None
        text = bytes(self._bytes[_HEAD : _HEAD + length])
        del self._bytes[: _HEAD + length]
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise Unreadable("no JSON") from error
        if not isinstance(found, dict):
            raise Unreadable("no object")
        return found
