"""Messages between the processes of one server, over a Unix socket; with each there may go an open connection."""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple

import orjson

_SIZES = struct.Struct(">II?")
_MOST_AT_ONCE = 1 << 16
_MOST_DESCRIPTORS = 16
_FULL = frozenset({errno.EAGAIN, errno.EWOULDBLOCK, errno.ENOBUFS, errno.ETOOMANYREFS})
"""What the system says when it takes no more for now."""


class Frame(NamedTuple):
    """One message."""

    kind: str
    fields: dict[str, Any]
    body: bytes = b""
    descriptor: int | None = None
    """Of a connection that goes along. It belongs to whoever has the frame."""


class Channel:
    """One end. Nothing here waits: what cannot be sent now is kept until `flush`."""

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        self.socket = connected
        self._out: deque[tuple[bytes, int | None]] = deque()
        self._in = bytearray()
        self._descriptors: deque[int] = deque()

    def fileno(self) -> int:
        return self.socket.fileno()

    @property
    def is_waiting(self) -> bool:
        """Whether there is something that could not be sent yet."""
        return bool(self._out)

    def send(self, frame: Frame) -> None:
        head = orjson.dumps([frame.kind, frame.fields])
        sizes = _SIZES.pack(len(head), len(frame.body), frame.descriptor is not None)
        self._out.append((sizes + head + frame.body, frame.descriptor))
        self.flush()

    def flush(self) -> None:
        """Send as much as goes. A peer that is gone takes nothing: that is seen where its messages are read."""
        while self._out:
            data, descriptor = self._out[0]
            try:
                if descriptor is None:
                    sent = self.socket.send(data)
                else:
                    sent = socket.send_fds(self.socket, [data], [descriptor])
            except OSError as error:
                if error.errno not in _FULL:
                    self.drop()
                return
            if descriptor is not None:
                os.close(descriptor)
            self._out.popleft()
            if sent < len(data):
                self._out.appendleft((data[sent:], None))

    def receive(self) -> list[Frame] | None:
        """What has come; None when nothing more will."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.socket, _MOST_AT_ONCE, _MOST_DESCRIPTORS)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError:
            return None
        self._descriptors.extend(descriptors)
        if not data:
            return None
        self._in += data
        return self._frames()

    def _frames(self) -> list[Frame]:
        frames = []
        while len(self._in) >= _SIZES.size:
            head, body, has_descriptor = _SIZES.unpack_from(self._in)
            end = _SIZES.size + head + body
            if len(self._in) < end:
                break
            kind, fields = orjson.loads(self._in[_SIZES.size : _SIZES.size + head])
            content = bytes(self._in[_SIZES.size + head : end])
            del self._in[:end]
            frames.append(Frame(kind, fields, content, self._descriptors.popleft() if has_descriptor else None))
        return frames

    def drop(self) -> None:
        """Forget what could not be sent."""
        while self._out:
            _, descriptor = self._out.popleft()
            if descriptor is not None:
                os.close(descriptor)

    def close(self) -> None:
        self.drop()
        while self._descriptors:
            os.close(self._descriptors.popleft())
        with suppress(OSError):
            self.socket.close()
