"""A box, seen from the server: spoken to with a deadline, and ended at any time."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from contextlib import suppress
from typing import Final

from thoughtbox.confinement.frames import Incoming, Message, Unreadable, packed

END_SECONDS: Final = 2.0
"""For a box to end by itself, once it was told to."""
SEND_SECONDS: Final = 10.0
_BLOCK: Final = 1 << 16


class Gone(Exception):
    """The box has ended, with all that was in it."""


class Late(Exception):
    """The box has said nothing in time."""


class Box:
    """Whoever holds one may speak to it; anybody may `stop` it."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._incoming = Incoming()
        self._outer: int | None = None
        """The process of the machine that ends all others of the box with itself."""
        channel.setblocking(False)

    def send(self, message: Message) -> None:
        data = memoryview(packed(message))
        deadline = time.monotonic() + SEND_SECONDS
        while data:
            try:
                data = data[self._channel.send(data) :]
            except BlockingIOError:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([], [self._channel], [], left)[1]:
                    raise Gone from None
            except OSError:
                raise Gone from None

    def receive(self, seconds: float) -> Message:
        """The next message; `Late` when it has not come in time, and can still be received then."""
        deadline = time.monotonic() + seconds
        while True:
            message = self._message()
            if message is not None:
                return message
            poll = select.poll()
            poll.register(self._channel, select.POLLIN)
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                raise Late
            self._take_in()

    def _message(self) -> Message | None:
        try:
            while (found := self._incoming.message()) is not None:
                if isinstance(outer := found.get("outer"), int):
                    self._know(outer)
                else:
                    return found
        except Unreadable:
            raise Gone from None
        return None

    def _know(self, process: int) -> None:
        if self._outer is None:
            with suppress(OSError):
                self._outer = os.pidfd_open(process)

    def _take_in(self) -> None:
        try:
            data = self._channel.recv(_BLOCK)
        except BlockingIOError:
            return
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self._incoming.feed(data)

    @property
    def is_gone(self) -> bool:
        """Whether it has ended while nobody spoke to it."""
        try:
            while "ended" not in self.receive(0):
                pass
        except Late:
            return False
        except Gone:
            return True
        return True

    def stop(self) -> None:
        """Have the box end soon: what it has said until then can still be received."""
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_WR)

    def end(self) -> None:
        """End the box, and wait until nothing of it is left. Nobody may be speaking to it."""
        self.stop()
        for harder in (signal.SIGTERM, signal.SIGKILL):
            if self._has_ended(END_SECONDS):
                break
            self._kill(harder)
        else:
            self._has_ended(END_SECONDS)
        self._channel.close()
        if self._outer is not None:
            os.close(self._outer)
            self._outer = None

    def _kill(self, how: signal.Signals) -> None:
        """Asked to end, the outer process ends the box and sees the last of it; killed, it takes the box along."""
        if self._outer is not None:
            with suppress(OSError):
                signal.pidfd_send_signal(self._outer, how)

    def _has_ended(self, seconds: float) -> bool:
        """Whether all processes of the box have ended in time: the last of them closes the wire."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                self.receive(left)
            except Gone:
                return True
            except Late:
                return False
        return False
