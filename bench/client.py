"""A client with nothing between the clock and the bytes: one JSON line out, one JSON line back."""

from __future__ import annotations

import subprocess
import tempfile
import time
from io import BufferedReader, RawIOBase
from itertools import count
from types import TracebackType
from typing import Any

import orjson

from bench.machine import resident_mb
from bench.servers import Server

PROTOCOL = "2025-11-25"
NEWEST = "2026-07-28"
ABOUT = {"name": "bench", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": ABOUT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""What a request of the newest revision carries."""
PATIENCE = 10
READ_AHEAD = 1 << 20
LAST_WORDS = 2_000


class Client:
    """A server process and the pipes to it. Use it as a context manager.

    A `newest` one shakes no hands: it asks what the server is, and says who it is with every request.
    """

    def __init__(self, server: Server, *, newest: bool = False) -> None:
        self.server = server
        self._meta = {"_meta": ENVELOPE} if newest else {}
        self._ids = count(1)
        self._calls = count(1)
        self._early: dict[int, dict[str, Any]] = {}
        """Answers that came while another one was waited for."""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            server.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=server.environment,
            cwd=server.directory,
            bufsize=0,
        )
        assert self._process.stdin
        assert isinstance(self._process.stdout, RawIOBase)
        self._input = self._process.stdin
        self._output = BufferedReader(self._process.stdout, READ_AHEAD)
        if newest:
            self.ask("server/discover")
        else:
            self.ask("initialize", protocolVersion=PROTOCOL, capabilities={}, clientInfo=ABOUT)
        self.start_seconds = self.age()
        """From the start of the process to its first answer."""
        if not newest:
            self._send(method="notifications/initialized")

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._input.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
        self._complaints.close()

    def age(self) -> float:
        """Seconds since the start of the process."""
        return time.perf_counter() - self._began

    def call(self) -> None:
        """The server's own example call, each a little different."""
        self.call_tool(self.server.tool, self.server.arguments(next(self._calls)))

    def call_tool(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = self.ask("tools/call", name=name, arguments=arguments)
        if result.get("isError"):
            raise RuntimeError(f"{self.server.name}: {name} failed: {result}")
        return result

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request; notifications on the way are passed over."""
        return self.answer(self.begin(method, **params))

    def begin(self, method: str, **params: Any) -> int:
        """Send a request and go on; `answer` waits for what comes of it."""
        id = next(self._ids)
        self._send(id=id, method=method, params={**params, **self._meta})
        return id

    def answer(self, id: int) -> dict[str, Any]:
        while id not in self._early:
            line = self._output.readline()
            if not line:
                self._complaints.seek(0)
                said = self._complaints.read().decode(errors="replace")[-LAST_WORDS:]
                raise RuntimeError(f"{self.server.name} ended without an answer to request {id}; it said: {said}")
            message = orjson.loads(line)
            if "id" in message:
                self._early[message["id"]] = message
        return self._early.pop(id)["result"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def resident_mb(self) -> float:
        return resident_mb(self._process.pid)

    def _send(self, **message: Any) -> None:
        self._input.write(orjson.dumps({"jsonrpc": "2.0", **message}) + b"\n")
