"""WebSocket (RFC 6455) without input or output: bytes in, messages out, and the other way round.

One side of it, the server's. No extension is spoken: what is sent to many is the same bytes for all of them.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator
from hashlib import sha1
from typing import Final, NamedTuple

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA

NORMAL, GOING_AWAY, PROTOCOL_ERROR, NOT_UTF8, NOT_WELCOME, TOO_LARGE, RESTARTING = (
    *(1000, 1001, 1002, 1007, 1008, 1009, 1012),
)

LONGEST_MESSAGE: Final = 1 << 16
"""Bytes that a watcher may say at once: a subscription is a few hundred."""

LONGEST_CONTROL: Final = 125

_MAGIC: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_KEY_BYTES: Final = 16


class Message(NamedTuple):
    """Something that a watcher has sent, whole."""

    kind: int
    body: bytes


class Violation(Exception):
    """What came is not what the protocol allows: the connection ends with this code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def accept_of(key: bytes) -> bytes | None:
    """What proves that a handshake was understood; None when its key is none."""
    try:
        if len(b64decode(key, validate=True)) != _KEY_BYTES:
            return None
    except (Error, ValueError):
        return None
    return b64encode(sha1(key + _MAGIC, usedforsecurity=False).digest())


def frame(kind: int, body: bytes) -> bytes:
    """A message in one frame, as a server sends it: plain."""
    length = len(body)
    if length < 126:
        return struct.pack("!BB", 0x80 | kind, length) + body
    if length < 1 << 16:
        return struct.pack("!BBH", 0x80 | kind, 126, length) + body
    return struct.pack("!BBQ", 0x80 | kind, 127, length) + body


def text(body: bytes) -> bytes:
    return frame(TEXT, body)


def closing(code: int, reason: str = "") -> bytes:
    return frame(CLOSE, struct.pack("!H", code) + reason.encode()[: LONGEST_CONTROL - 2])


def close_code(body: bytes) -> int:
    """What a watcher closes with, checked as the protocol wants it; answered with the same."""
    if not body:
        return NORMAL
    if len(body) == 1:
        raise Violation(PROTOCOL_ERROR, "a close frame with half a code")
    (code,) = struct.unpack_from("!H", body)
    if code not in (1000, 1001, 1002, 1003, *range(1007, 1015)) and not 3000 <= code < 5000:
        raise Violation(PROTOCOL_ERROR, f"there is no close code {code}")
    _must_be_utf8(body[2:])
    return code


class Frames:
    """Reads what a watcher sends: `feed` gives the messages that have become whole, control frames among them."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._kind: int | None = None
        """Of the message whose parts are being gathered."""
        self._parts = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Raises `Violation` at what may not be sent; nothing more may be fed after that."""
        self._buffer += data
        while (found := self._next()) is not None:
            is_final, kind, body = found
            if kind >= CLOSE:
                yield Message(kind, body)
            elif (message := self._gathered(kind, body, is_final=is_final)) is not None:
                yield message

    def _next(self) -> tuple[bool, int, bytes] | None:
        """The next frame, if it is whole."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        is_final, kind, length, at = bool(first & 0x80), first & 0x0F, second & 0x7F, 2
        if first & 0x70:
            raise Violation(PROTOCOL_ERROR, "no extension was agreed on")
        if kind not in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG):
            raise Violation(PROTOCOL_ERROR, f"there is no opcode {kind}")
        if not second & 0x80:
            raise Violation(PROTOCOL_ERROR, "a client masks what it sends")
        if kind >= CLOSE and (length > LONGEST_CONTROL or not is_final):
            raise Violation(PROTOCOL_ERROR, "a control frame is short and whole")
        if length >= 126:
            layout = "!H" if length == 126 else "!Q"
            at += struct.calcsize(layout)
            if len(buffer) < at:
                return None
            (length,) = struct.unpack_from(layout, buffer, 2)
        if kind < CLOSE and length + len(self._parts) > LONGEST_MESSAGE:
            raise Violation(TOO_LARGE, f"a message has {LONGEST_MESSAGE} bytes at most")
        end = at + 4 + length
        if len(buffer) < end:
            return None
        body = _unmasked(bytes(buffer[at + 4 : end]), bytes(buffer[at : at + 4]))
        del buffer[:end]
        return is_final, kind, body

    def _gathered(self, kind: int, body: bytes, *, is_final: bool) -> Message | None:
        if (kind == CONTINUATION) != (self._kind is not None):
            raise Violation(PROTOCOL_ERROR, "parts of messages are out of order")
        if self._kind is None:
            self._kind = kind
        self._parts += body
        if not is_final:
            return None
        message = Message(self._kind, bytes(self._parts))
        self._kind = None
        self._parts.clear()
        if message.kind == TEXT:
            _must_be_utf8(message.body)
        return message


def _unmasked(body: bytes, mask: bytes) -> bytes:
    """As one large number: a loop over the bytes would take fifty times as long."""
    length = len(body)
    repeated = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(body, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")


def _must_be_utf8(body: bytes) -> None:
    try:
        body.decode()
    except UnicodeDecodeError:
        raise Violation(NOT_UTF8, "a text is UTF-8") from None
