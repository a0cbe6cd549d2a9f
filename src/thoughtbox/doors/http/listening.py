"""The address that a server is at, and the connections that come in there."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from typing import Any

from thoughtbox.doors.http import limits
from thoughtbox.errors import ConfigurationError

logger = logging.getLogger(__name__)

ACCEPT_AGAIN_SECONDS = 0.1

LONGEST_QUEUE = 1024
"""Connections that wait to be accepted; the system may have a lower limit."""


def base_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def listen_at(host: str, port: int, *, variable: str) -> socket.socket:
    """Take the port before anything else: a busy one is said at once. `variable` is the setting that names it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Whoever has vanished without a word is given up in time; connections inherit it.
        patience = round(limits.SILENCE_SECONDS * 1000)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
    try:
        listening.bind((host, port))
        listening.listen(LONGEST_QUEUE)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{host} port {port} cannot be had ({error.strerror})",
            recovery=f"Set {variable} to another one, or 0 for any that is free; `thoughtbox doctor` shows more.",
        ) from error
    return listening


class Acceptor:
    """Takes connections from a socket that other processes take them from, too: one in a turn, so that all get some.

    Those that it has not taken wait for the others: whoever stops accepting loses none of them.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, listening: socket.socket, serve: Callable[[], asyncio.Protocol]
    ) -> None:
        self._loop = loop
        self._listening = listening
        self._serve = serve
        self._is_accepting = False
        self._made: set[asyncio.Future[Any]] = set()
        """Connections that were taken and are not served yet."""

    def begin(self) -> None:
        self._listening.setblocking(False)
        self._is_accepting = True
        self._loop.add_reader(self._listening.fileno(), self._accept_one)

    async def stop(self) -> None:
        """Take no more. Those that were taken are served when this returns."""
        self._is_accepting = False
        self._loop.remove_reader(self._listening.fileno())
        if self._made:
            await asyncio.wait(self._made)

    def _accept_one(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another one was faster
        except OSError as error:
            logger.warning("connections cannot be accepted for now: %s", error.strerror)
            self._loop.remove_reader(self._listening.fileno())
            self._loop.call_later(ACCEPT_AGAIN_SECONDS, self._accept_again)
            return
        connection.setblocking(False)
        made = self._loop.create_task(self._loop.connect_accepted_socket(self._serve, connection))
        self._made.add(made)
        made.add_done_callback(self._was_made)

    def _accept_again(self) -> None:
        if self._is_accepting:
            self._loop.add_reader(self._listening.fileno(), self._accept_one)

    def _was_made(self, made: asyncio.Future[Any]) -> None:
        self._made.discard(made)
        if not made.cancelled() and (error := made.exception()) is not None:
            logger.debug("a connection was gone before it could be served: %s", error)
