"""HTTP as bytes: requests made beforehand, a server to send them to, and nothing in between that costs time."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import orjson

from bench.client import ABOUT, ENVELOPE, NEWEST, PROTOCOL
from bench.machine import resident_mb
from bench.servers import BIN, HERE

Era = Literal["handshake", "newest"]
ERAS: tuple[Era, Era] = ("handshake", "newest")
PATIENCE = 30
LENGTH = re.compile(rb"content-length: *(\d+)\r\n", re.IGNORECASE)
SESSION = re.compile(rb"mcp-session-id: *([^\r]+)\r\n", re.IGNORECASE)
USUAL = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

ADDRESS = re.compile(rb"http://127\.0\.0\.1:(\d+)/mcp")
SERVE = {
    "ours": [str(BIN / "thoughtbox"), "serve", "--transport", "http"],
    "before": [sys.executable, "-m", "tests.support.sdk_door", "http"],
}
"""The first line of each tells its address."""


class HttpServer:
    """A server process on a port of its own. Use it as a context manager."""

    def __init__(
        self, which: Literal["ours", "before"], directory: Path, durability: str = "normal", **settings: str
    ) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")}
        told = {"THOUGHTBOX_DATA_DIR": str(directory), "THOUGHTBOX_DURABILITY": durability, "THOUGHTBOX_PORT": "0"}
        told |= settings
        self._process = subprocess.Popen(
            SERVE[which],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**kept, **told},
            cwd=HERE.parent,
        )
        assert self._process.stdout
        found = ADDRESS.search(self._process.stdout.readline())
        if found is None:
            raise RuntimeError(f"{which}: the server did not start")
        self.port = int(found[1])

    @property
    def pid(self) -> int:
        return self._process.pid

    def resident_mb(self) -> float:
        return resident_mb(self.pid)

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.communicate()


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def request(era: Era, method: str, params: dict[str, Any], *, session: str = "", id: int | None = 1) -> bytes:
    """The bytes of a request, as a client of that era sends it."""
    headers = USUAL
    if era == "newest":
        headers += f"MCP-Protocol-Version: {NEWEST}\r\nMcp-Method: {method}\r\n"
        headers += f"Mcp-Name: {params['name']}\r\n" if "name" in params else ""
        params = {**params, "_meta": ENVELOPE}
    elif session:
        headers += f"MCP-Protocol-Version: {PROTOCOL}\r\nMcp-Session-Id: {session}\r\n"
    numbered = {} if id is None else {"id": id}
    body = orjson.dumps({"jsonrpc": "2.0", **numbered, "method": method, "params": params})
    return f"POST /mcp HTTP/1.1\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def stream(session: str) -> bytes:
    """The bytes with which a client with a handshake opens its stream."""
    return (
        f"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMCP-Protocol-Version: {PROTOCOL}\r\n"
        f"Mcp-Session-Id: {session}\r\n\r\n"
    ).encode()


def answer(connection: socket.socket) -> tuple[bytes, bytes]:
    """Head and body of one answer with a length."""
    found = b""
    while (end := found.find(b"\r\n\r\n")) < 0:
        found += _more(connection)
    head = found[: end + 2]
    length = LENGTH.search(head)
    whole = end + 4 + (int(length[1]) if length else 0)
    while len(found) < whole:
        found += _more(connection)
    return head, found[end + 4 : whole]


def _more(connection: socket.socket) -> bytes:
    if not (more := connection.recv(1 << 16)):
        raise RuntimeError("the server has hung up")
    return more


def begin(connection: socket.socket, era: Era) -> str:
    """Shake hands, where there are hands to shake; the session's handle."""
    if era == "newest":
        return ""
    params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": ABOUT}
    connection.sendall(request(era, "initialize", params))
    head, body = answer(connection)
    found = SESSION.search(head)
    if found is None:
        raise RuntimeError(f"no session was begun: {head!r} {body!r}")
    session = found[1].decode()
    connection.sendall(request(era, "notifications/initialized", {}, session=session, id=None))
    answer(connection)
    return session
