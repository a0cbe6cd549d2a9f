"""The Observatory in this process, and those who watch it: plain requests, raw connections, and a library's WebSocket.

A folder's conftest takes what it needs: `from tests.support.watching import observe`.
"""

from __future__ import annotations

import json
import re
import socket
import struct
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.support.box import Box
from tests.support.forks import PATIENCE
from tests.support.servers import Response, soon
from tests.support.thinker import Client
from thoughtbox.doors.http.listening import listen_at
from thoughtbox.doors.observatory.server import running

Event = dict[str, Any]
Query = Mapping[str, object]

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA

HANDSHAKE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
"""The one of RFC 6455, section 1.3."""


class Watcher:
    """Somebody who watches over WebSocket. What comes is read when it is asked for, and not before."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self._marks = 0

    def send(self, message: object) -> None:
        """A message as JSON; a text or bytes as they are."""
        self.connection.send(message if isinstance(message, str | bytes) else json.dumps(message))

    def subscribe(self, channel: str, **about: object) -> None:
        self.send({"action": "subscribe", "channel": channel, **about})

    def unsubscribe(self, channel: str, **about: object) -> None:
        self.send({"action": "unsubscribe", "channel": channel, **about})

    def text(self) -> str:
        text = self.connection.recv(timeout=PATIENCE)
        assert isinstance(text, str), "all that is sent is text"
        return text

    def next(self) -> Event:
        return json.loads(self.text())

    def some(self, count: int) -> list[Event]:
        return [self.next() for _ in range(count)]

    def until(self, holds: Callable[[Event], bool]) -> list[Event]:
        """All that comes, up to the first for which this holds."""
        found = [self.next()]
        while not holds(found[-1]):
            found.append(self.next())
        return found

    def until_seq(self, seq: int) -> list[Event]:
        """All that comes, up to what is told of a record or of what stands behind it."""
        return self.until(lambda event: event.get("seq", 0) >= seq)

    def rest(self) -> list[Event]:
        """All that comes until what was asked before is answered: each message is, before the next one is heard."""
        self._marks += 1
        mark = f"mark {self._marks}"
        self.subscribe("sessions", **{mark: True})
        return self.until(lambda event: event["event"] == "error" and mark in event["data"]["message"])[:-1]

    def closed_with(self) -> int:
        """The code that the server closes with, whatever it sends before."""
        with suppress(ConnectionClosed):
            while True:
                self.connection.recv(timeout=PATIENCE)
        assert self.connection.protocol.close_code is not None
        return self.connection.protocol.close_code

    def close(self) -> None:
        self.connection.close()


class Observed:
    """An Observatory of this process, in front of a box."""

    def __init__(self, box: Box, port: int, link: str, kept: ExitStack) -> None:
        self.box = box
        self.port = port
        self.link = link
        self._kept = kept

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(
        self, path: str, query: Query | None = None, headers: Mapping[str, str] | None = None, method: str = "GET"
    ) -> Response:
        """One request, whatever is answered."""
        return get(self.port, path, query, headers, method)

    def ask(self, path: str, **query: object) -> Any:
        """The answer of the API, which has to be one."""
        answer = self.get(path, query)
        assert answer.status == 200, answer.body.decode(errors="replace")
        return answer.json()

    def refusal(self, path: str, **query: object) -> tuple[int, str, str]:
        """Status, code and message of an answer that is none."""
        answer = self.get(path, query)
        assert answer.status >= 400, answer.body.decode(errors="replace")
        said = answer.json()
        return answer.status, said["code"], said["message"]

    def pages(self, path: str, **query: object) -> Iterator[Any]:
        return pages(self.ask, path, **query)

    def watch(self, path: str = "/ws", **options: Any) -> Watcher:
        return self._kept.enter_context(watching(self.port, path, **options))

    def connect(self, sent: bytes = b"", *, takes: int | None = None) -> socket.socket:
        """A plain connection that these bytes were sent on; the system takes so many bytes for it and no more."""
        connection = self._kept.enter_context(socket.socket())
        if takes is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, takes)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(sent)
        return connection

    def watchers(self) -> int:
        """How many are watching, as it says itself."""
        return self.ask("/api/health")["connections"]


def pages(ask: Callable[..., Any], path: str, **query: object) -> Iterator[Any]:
    """All pages of an answer, each asked for with the cursor of the one before."""
    cursor: dict[str, object] = {}
    while True:
        page = ask(path, **query, **cursor)
        yield page
        if page["nextCursor"] is None:
            return
        cursor = {"cursor": page["nextCursor"]}


def get(
    port: int,
    path: str,
    query: Query | None = None,
    headers: Mapping[str, str] | None = None,
    method: str = "GET",
) -> Response:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, f"{path}?{urlencode(query)}" if query else path, headers=dict(headers or {}))
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Response(answer.status, named, answer.read())
    finally:
        connection.close()


@contextmanager
def watching(port: int, path: str = "/ws", **options: Any) -> Generator[Watcher]:
    """A watcher with an independent implementation of the protocol, through no proxy."""
    usual: dict[str, Any] = {"proxy": None, "max_size": None, "ping_interval": None, "compression": None}
    usual |= {"open_timeout": PATIENCE, "close_timeout": PATIENCE}
    with connect(f"ws://127.0.0.1:{port}{path}", **{**usual, **options}) as connection:
        yield Watcher(connection)


@contextmanager
def observed(box: Box) -> Generator[Observed]:
    """An Observatory in front of this box meanwhile."""
    settings = box.app.settings
    with (
        listen_at(settings.observatory_host, 0, variable="THOUGHTBOX_OBSERVATORY_PORT") as listening,
        running(box.app, listening) as server,
        ExitStack() as kept,
    ):
        assert server.link is not None
        yield Observed(box, listening.getsockname()[1], server.link, kept)


Observe = Callable[[Box], Observed]


@pytest.fixture
def observe() -> Iterator[Observe]:
    """Serves the Observatory in front of a box: `observe(open_box())`."""
    with ExitStack() as kept:
        yield lambda box: kept.enter_context(observed(box))


def masked(kind: int, body: bytes = b"", *, is_final: bool = True, mask: bytes = b"mask") -> bytes:
    """A frame as a client sends it, made by hand."""
    head = bytes([(0x80 if is_final else 0) | kind])
    if len(body) < 126:
        head += bytes([0x80 | len(body)])
    elif len(body) < 1 << 16:
        head += bytes([0x80 | 126]) + struct.pack("!H", len(body))
    else:
        head += bytes([0x80 | 127]) + struct.pack("!Q", len(body))
    return head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(body))


def said(message: object) -> bytes:
    """A message in one frame, as a client sends it."""
    return masked(TEXT, message.encode() if isinstance(message, str) else json.dumps(message).encode())


def taken(connection: socket.socket, until: bytes) -> bytes:
    """What comes on a plain connection, up to these bytes and whatever came with them."""
    found = b""
    while until not in found:
        some = connection.recv(1 << 16)
        assert some, f"it was closed after {found[-500:]!r}"
        found += some
    return found


def all_of(connection: socket.socket) -> bytes:
    """Everything that comes until the server closes the connection."""
    found = b""
    with suppress(ConnectionResetError):
        while some := connection.recv(1 << 16):
            found += some
    return found


def answer_of(connection: socket.socket) -> bytes:
    """One answer with a length, whole; the connection may stay open."""
    found = b""
    while not (head := re.search(rb"content-length: (\d+)(?s:.*?)\r\n\r\n", found)) or len(found) < head.end() + int(
        head[1]
    ):
        some = connection.recv(1 << 16)
        assert some, found
        found += some
    return found


def all_are_gone(observed: Observed) -> None:
    """Wait until nobody watches any more."""
    soon(lambda: observed.watchers() == 0)


class Story:
    """A session with a main line, a revision, a branch, a branch of that, and a revision on a branch; and its seqs."""

    def __init__(self, box: Box) -> None:
        self.mia = mia = Client(box).ready(sessionTags=["web"])
        self.id = mia.session_id
        self.one = self._thought("The list is slow.", thoughtNumber=1, totalThoughts=9)
        self.two = self._thought("Each row asks the database.")
        self.three = self._thought("The database is slow.")
        self.alt = self._thought("A cache would do.", branchId="alt", branchFromThought=2)
        self.alt_on = self._thought("For a minute.", branchId="alt")
        self.deep = self._thought("One for each user.", branchId="deep", branchFromThought=3, branchFromBranch="alt")
        self.revised = self._thought("Each row asks twice.", isRevision=True, revisesThought=2)
        self.alt_revised = self._thought("A shared cache would do.", branchId="alt", isRevision=True, revisesThought=3)
        self.last = self.alt_revised

    def _thought(self, text: str, **about: object) -> int:
        return int(self.mia.think(text, **about)["id"].removeprefix("th:"))

    def node(self, place: str) -> str:
        return f"{self.id}:{place}"
