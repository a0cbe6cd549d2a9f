"""Server processes, as tests start them, and the plain wires to talk to them."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TextIO

from tests.support.fork_server import SDK_DOOR
from tests.support.forks import PATIENCE, Start, forked
from tests.support.tap import HttpTaps, Tap

SERVE_STDIO = ["-m", "thoughtbox", "serve", "--stdio"]
COMMAND = [sys.executable, *SERVE_STDIO]
"""What clients start."""

SERVE = [str(Path(__file__).with_name("serve.py"))]
SERVE_ON_THE_SDK = ["-m", SDK_DOOR]
"""The door that ours is held against."""

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"
ENVELOPE: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": HANDSHAKE,
    "capabilities": {},
    "clientInfo": {"name": "tester", "version": "1"},
}


def environment(directory: Path, **settings: str) -> dict[str, str]:
    """What a server process is told. Nothing of the tester's own settings gets in."""
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "LANG") if name in os.environ}
    return {
        **kept,
        "THOUGHTBOX_DATA_DIR": str(directory),
        # Not this checkout, around which a server would find itself.
        "THOUGHTBOX_PROJECT_ROOT": f"{directory}-project",
        "THOUGHTBOX_DURABILITY": "normal",
        "THOUGHTBOX_CHECKPOINT_EVERY": "0",
        "THOUGHTBOX_PORT": "0",
        **settings,
    }


def soon(holds: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Wait until this holds, and return what it said."""
    until = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < until, f"waited {seconds} s in vain"
        time.sleep(0.01)
    return found


def children(pid: int) -> list[int]:
    """Processes that this one started and that are still there."""
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*") for child in _words(task / "children")]


def is_running(pid: int) -> bool:
    """Whether a process has not ended; one that has may still be waited for."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(") ")[2][0] not in "ZX"


def states(process: int) -> set[str]:
    """What the threads of a process are doing."""
    found = set[str]()
    for thread in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(OSError):
            found.add(thread.read_text(encoding="utf-8").rpartition(") ")[2][0])
    return found


def pause(process: int) -> None:
    """Stop a process, and wait until none of its threads computes any more: some may go on for a while."""
    os.kill(process, signal.SIGSTOP)
    soon(lambda: states(process) <= {"T", "Z", "X"})


def command(pid: int) -> str:
    """What a process was started with; nothing when it has ended, or is just becoming another program."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Process:
    """A server process that is gone when the test is. `start` is how it comes about: `forked`, or truly `spawned`."""

    def __init__(
        self, words: list[str], environment: dict[str, str], stderr: int | TextIO | None, start: Start
    ) -> None:
        self.reading: threading.Thread | None = None
        self.popen = start(words, environment, stderr)

    @property
    def pid(self) -> int:
        return self.popen.pid

    def ends_within(self, seconds: float) -> int:
        """Its exit code; it is an error to live longer."""
        return self.popen.wait(seconds)

    def children(self) -> list[int]:
        return children(self.pid)

    def resident_mb(self) -> float:
        pages = int(_words(Path(f"/proc/{self.pid}/statm"))[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def stop(self) -> None:
        if self.popen.poll() is None:
            with suppress(ProcessLookupError):  # it may be ending just now
                os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait(PATIENCE)
        if self.reading is not None:
            self.reading.join(PATIENCE)
        for pipe in (self.popen.stdin, self.popen.stdout, self.popen.stderr):
            if pipe is not None:
                pipe.close()


class StdioServer(Process):
    """A server on pipes: lines in, lines out, nothing between the test and the bytes."""

    def __init__(
        self,
        environment: dict[str, str],
        *,
        prelude: str = "",
        stderr: int | TextIO | None = None,
        start: Start = forked,
        serve: list[str] = SERVE,
    ) -> None:
        plain = serve is SERVE and not prelude
        super().__init__(SERVE_STDIO if plain else [*serve, "stdio", prelude], environment, stderr, start)
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        self.envelope: dict[str, Any] = {}
        """Goes with every request; `ENVELOPE` makes them stateless ones of the newest revision."""
        self._ids = 0
        self._tap = Tap()
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def send(self, message: dict[str, Any] | list[Any] | bytes) -> None:
        assert self.popen.stdin
        self._tap.sent(message)
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        rest = memoryview(line + b"\n")
        while rest:
            rest = rest[self.popen.stdin.write(rest) or 0 :]

    def receive(self, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next message from the server, whatever it is about."""
        line = self.lines.get(timeout=seconds)
        assert line is not None, "the server has closed its output"
        return json.loads(line)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return the answer to it; notifications on the way are passed over."""
        id = self.request(method, params)
        while (message := self.receive()).get("id") != id:
            pass
        return message

    def answers(self, ids: set[Any]) -> list[dict[str, Any]]:
        """The answers to these requests, in the order they come; one each."""
        found: dict[Any, dict[str, Any]] = {}
        while len(found) < len(ids):
            message = self.receive()
            if message.get("id") in ids:
                assert message["id"] not in found, "answered twice"
                found[message["id"]] = message
        return list(found.values())

    def request(self, method: str, params: dict[str, Any] | None = None, *, token: Any = None) -> str:
        """Send a request and return its id. With a token, progress is reported under it."""
        self._ids += 1
        meta = {**self.envelope, **({} if token is None else {"progressToken": token})}
        params = {**(params or {}), **({"_meta": meta} if meta else {})}
        self.send({"jsonrpc": "2.0", "id": f"ask-{self._ids}", "method": method, "params": params})
        return f"ask-{self._ids}"

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def initialize(self) -> dict[str, Any]:
        answer = self.ask("initialize", INITIALIZE)
        self.notify("notifications/initialized")
        return answer["result"]

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["structuredContent"]

    def close_stdin(self) -> None:
        assert self.popen.stdin
        self.popen.stdin.close()

    def rest(self) -> list[dict[str, Any]]:
        """All that still comes until the server closes its output."""
        return [json.loads(line) for line in iter(lambda: self.lines.get(timeout=PATIENCE), None)]

    def _read(self) -> None:
        assert self.popen.stdout
        waiting = bytearray()
        while chunk := self.popen.stdout.read(1 << 16):
            waiting += chunk
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                self._tap.came(line)
                self.lines.put(bytes(line))
        self.lines.put(None)


class HttpServer(Process):
    """A server on a port of its own."""

    def __init__(
        self,
        environment: dict[str, str],
        *,
        prelude: str = "",
        stderr: int | TextIO | None = None,
        start: Start = forked,
        serve: list[str] = SERVE,
    ) -> None:
        super().__init__([*serve, "http", prelude], environment, stderr, start)
        assert self.popen.stdout
        self.url = self.popen.stdout.readline().decode().strip()
        """Empty when the server refused to start."""
        self.taps = HttpTaps()

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].partition("/")[0])

    def request(
        self,
        method: str = "POST",
        path: str = "/mcp",
        body: Any = None,
        headers: dict[str, str] | None = None,
        host: str = "127.0.0.1",
        **options: Any,
    ) -> Response:
        """One request with exactly these headers, and the usual ones of a client."""
        connection = HTTPConnection(host, self.port, timeout=PATIENCE)
        usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        content = json.dumps(body).encode() if isinstance(body, dict | list) else body
        exchange = self.taps.exchange(method, path, headers or {}, body)
        try:
            connection.request(method, path, content, {**usual, **(headers or {})}, **options)
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            exchange.answered(answer.status, named)
            content = answer.read()
            exchange.feed(content)
            exchange.end()
            return Response(answer.status, named, content)
        finally:
            connection.close()

    def ask(
        self, method: str, params: dict[str, Any] | None = None, headers: dict[str, str] | None = None, id: Any = 1
    ) -> Response:
        """One stateless request of the newest revision."""
        params = params or {}
        name = {"Mcp-Name": params["name"]} if "name" in params else {}
        return self.request(
            body={
                "jsonrpc": "2.0",
                "id": id,
                "method": method,
                "params": {**params, "_meta": {**ENVELOPE, **params.get("_meta", {})}},
            },
            headers={"MCP-Protocol-Version": STATELESS, "Mcp-Method": method, **name, **(headers or {})},
        )

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}).json()["result"]["structuredContent"]


class Response:
    """What came back."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except (FileNotFoundError, ProcessLookupError):  # a thread that has just ended
        return []
