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
from tests.support.servers import ENVELOPE, HANDSHAKE, STATELESS, Process, Response, is_running, soon

USUAL = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


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
        return {pid for pid in self.children() if is_running(pid)}

    def restart(self) -> None:
        """Restart it, and wait until others serve. Those before them leave when nobody is connected any more."""
        restarts = self._restarts()
        self.popen.send_signal(signal.SIGUSR1)
        soon(lambda: self._restarts() > restarts)

    def has_left(self) -> bool:
        """Whether nobody is left of those who served before the last restart."""
        return len(self.workers()) == self._count and not self._has_store_open()

    def _restarts(self) -> int:
        return self.stderr().count("thoughtbox: restarted\n")

    def _has_store_open(self) -> bool:
        return any(_target(file).endswith("thoughtbox.db") for file in _descriptors(self.pid))

    def worker_of(self, connection: HTTPConnection) -> int | None:
        """The process that has accepted a connection; none for one that is closed."""
        if connection.sock is None:
            return None
        ours = f":{connection.sock.getsockname()[1]:04X}"
        rows = map(str.split, Path("/proc/net/tcp").read_text(encoding="utf-8").splitlines()[1:])
        found = {f"socket:[{row[9]}]" for row in rows if row[2].endswith(ours)}
        processes = self.workers() or {self.pid}
        return next((pid for pid in processes if found & {_target(file) for file in _descriptors(pid)}), None)

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

    def client(
        self,
        era: str = "stateless",
        name: str = "tester",
        headers: Mapping[str, str] | None = None,
        capabilities: Mapping[str, Any] | None = None,
        revision: str = HANDSHAKE,
    ) -> WorkersClient:
        """A client; one whose headers name a session goes on with that."""
        info = {
            "protocolVersion": revision,
            "capabilities": capabilities or {},
            "clientInfo": {"name": name, "version": "1"},
        }
        return WorkersClient(self, era, info, headers or {})


class WorkersClient:
    """A client of one era. It has one connection, and takes another when it is told to."""

    def __init__(self, server: Served, era: str, info: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self._server = server
        self._connection = server.connect()
        self._ids = 0
        self._envelope = {**ENVELOPE, "io.modelcontextprotocol/clientInfo": info["clientInfo"]}
        self.is_stateless = era == "stateless"
        self.headers = dict(headers)
        if not self.is_stateless and "Mcp-Session-Id" not in headers:
            opened = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": info})
            self.headers["Mcp-Session-Id"] = opened.headers["mcp-session-id"]
            self.headers["MCP-Protocol-Version"] = info["protocolVersion"]
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def again(self) -> WorkersClient:
        """A client that goes on with this one's session, on a connection of its own."""
        return self._server.client("handshake", headers=self.headers)

    @property
    def worker(self) -> int | None:
        """The worker that its connection is to."""
        return self._server.worker_of(self._connection)

    def reconnect(self) -> None:
        self._connection.close()

    def go_to(self, worker: int | None) -> WorkersClient:
        """Have its connection be to this worker: any of them accepts, whichever is faster."""
        soon(lambda: self._is_at(worker))
        return self

    def _is_at(self, worker: int | None) -> bool:
        if self.worker is None:
            self.reconnect()
            self._connection.request("GET", "/health")
            self._connection.getresponse().read()
        if self.worker == worker:
            return True
        self.reconnect()
        return False

    def post(self, body: Mapping[str, Any]) -> Response:
        return self.request("POST", json.dumps(body).encode(), self.headers)

    def request(self, method: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Response:
        self._connection.request(method, "/mcp", body, {**USUAL, **(headers or {})})
        answer = self._connection.getresponse()
        return Response(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def begin(self, body: Mapping[str, Any]) -> HTTPResponse:
        """Send a message, and return what comes as it comes."""
        self._connection.request("POST", "/mcp", json.dumps(body).encode(), {**USUAL, **self.headers})
        opened = self._connection.getresponse()
        self._server.closes(opened)
        return opened

    def is_refused_a_stream(self, worker: int) -> bool:
        """Whether there is one already; otherwise it is opened and closed."""
        self.go_to(worker)
        self._connection.request("GET", "/mcp", headers={**self.headers, "Accept": "text/event-stream"})
        opened = self._connection.getresponse()
        if opened.status == 200:
            self._connection.close()
        opened.close()
        return opened.status == 409

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

    def stream(self, worker: int | None = None, **headers: str) -> HTTPResponse:
        """A stream of its session, on a connection of its own: to this worker, or to any."""
        while True:
            connection = self._server.connect()
            connection.request("GET", "/health")
            connection.getresponse().read()
            if worker in (None, self._server.worker_of(connection)):
                break
            connection.close()
        connection.request("GET", "/mcp", headers={**self.headers, "Accept": "text/event-stream", **headers})
        opened = connection.getresponse()
        assert opened.status == 200, opened.read()
        self._server.closes(opened)
        self._listening = connection
        return opened

    def hang_up(self) -> None:
        """Close the connection of the stream that was opened last."""
        self._listening.close()


def _descriptors(pid: int) -> list[Path]:
    """Those of a process, as files that lead to what they are of; none when it has ended."""
    try:
        return list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return []


def _target(file: Path) -> str:
    """What a descriptor leads to; nothing, when it was closed since they were listed."""
    try:
        return str(file.readlink())
    except OSError:
        return ""
