"""A server of several processes, started by its command, and a plain client of each era to it."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

from tests.support.forks import PATIENCE, forked
from tests.support.servers import ENVELOPE, HANDSHAKE, INITIALIZE, STATELESS, Process, Response, command, soon

USUAL = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
BRIEF = 5.0
"""Seconds within which a server that was told to end is gone, on a busy machine."""


class Served(Process):
    """`thoughtbox serve` over HTTP; its process is the supervisor, where there is one."""

    def __init__(self, environment: dict[str, str], said: Path, *options: str) -> None:
        self.told = environment
        self._count = int(options[options.index("--workers") + 1]) if "--workers" in options else 1
        self._connections: list[HTTPConnection | HTTPResponse] = []
        self.said = said
        """What it says on stderr."""
        with said.open("w", encoding="utf-8") as stderr:
            words = ["-m", "thoughtbox", "serve", "--http", "--port", "0", *options]
            super().__init__(words, environment, stderr, forked)
        self.address = soon(lambda: re.search(r"listens on http://127\.0\.0\.1:(\d+)/mcp", self.stderr()))

    @property
    def port(self) -> int:
        return int(self.address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def stderr(self) -> str:
        return self.said.read_text(encoding="utf-8")

    def workers(self) -> set[int]:
        """Processes that it has started and that have not ended."""
        return {pid for pid in self.children() if command(pid)}

    def restart(self) -> None:
        """Restart it, and wait until all that served before are gone."""
        before = self.workers() or {self.pid}
        self.popen.send_signal(signal.SIGUSR1)
        soon(lambda: self._is_served_by_others(before))

    def _is_served_by_others(self, before: set[int]) -> bool:
        now = self.workers()
        if before == {self.pid}:
            return bool(now) and not self._has_store_open()
        return len(now) == self._count and not now & before

    def _has_store_open(self) -> bool:
        files = Path(f"/proc/{self.pid}/fd").iterdir()
        return any(_target(file).endswith("thoughtbox.db") for file in files)

    def connect(self) -> HTTPConnection:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self._connections.append(connection)
        return connection

    def stop(self) -> None:
        for connection in self._connections:
            connection.close()
        super().stop()

    def closes(self, stream: HTTPResponse) -> None:
        """Close it in the end."""
        self._connections.append(stream)

    def client(self, era: str = "stateless", name: str = "tester") -> WorkersClient:
        return WorkersClient(self, era, name)


class WorkersClient:
    """A client of one era. It has one connection, and takes another when it is told to."""

    def __init__(self, server: Served, era: str, name: str) -> None:
        self._server = server
        self._connection = server.connect()
        self._ids = 0
        self._envelope = {**ENVELOPE, "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}}
        self.is_stateless = era == "stateless"
        self.headers: dict[str, str] = {}
        if not self.is_stateless:
            info = {**INITIALIZE, "clientInfo": {"name": name, "version": "1"}}
            opened = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info})
            self.headers = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": HANDSHAKE}
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @property
    def slot(self) -> str:
        """The worker that its session is in."""
        return self.headers["Mcp-Session-Id"].partition(".")[0]

    def reconnect(self) -> None:
        self._connection.close()

    def post(self, body: Mapping[str, Any]) -> Response:
        return self.request("POST", json.dumps(body).encode(), self.headers)

    def request(self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Response:
        self._connection.request(method, "/mcp", body, {**USUAL, **(headers or {})})
        answer = self._connection.getresponse()
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def ask(self, method: str, params: Mapping[str, Any]) -> Response:
        self._ids += 1
        message = {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}
        if not self.is_stateless:
            return self.post(message)
        name = {"Mcp-Name": str(params["name"])} if "name" in params else {}
        headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method, **name}
        message["params"] = {**params, "_meta": self._envelope}
        return self.request("POST", json.dumps(message).encode(), headers)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answers; it is an error if that is one."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status == 200, (answer.status, answer.body)
        result = answer.json()["result"]
        assert not result["isError"], result
        return result["structuredContent"]

    def stream(self) -> HTTPResponse:
        """A stream of its session, on a connection of its own."""
        connection = self._server.connect()
        connection.request("GET", "/mcp", headers={**self.headers, "Accept": "text/event-stream"})
        opened = connection.getresponse()
        assert opened.status == 200, opened.read()
        self._server.closes(opened)
        return opened


def _target(file: Path) -> str:
    """What a descriptor leads to; nothing, when it was closed since they were listed."""
    try:
        return str(file.readlink())
    except OSError:
        return ""
