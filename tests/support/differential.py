"""The same requests to two doors: the one on the SDK, and the product's own. What they answer is compared.

Both serve a new store of their own, in a world in which no time passes and chance is the same for both, so that ids,
times and hashes are equal as well. `StdioPair` sends lines, `HttpPair` sends requests; each gives both answers, without
what has to differ. What else may differ stands in `allowed_differences.py`, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any

from tests.support.allowed_differences import Asked, Said, without
from tests.support.forks import PATIENCE
from tests.support.servers import SERVE, SERVE_ON_THE_SDK, HttpServer, StdioServer, environment

STANDSTILL = """
from hashlib import sha256
from itertools import count

import thoughtbox.app
from thoughtbox.world import World

ids = count(1)

def chance(length):
    return bytes(range(length)) if length == 32 else sha256(b"%d" % next(ids)).digest()[:length]

thoughtbox.app.World = lambda: World(now_ms=lambda: 1_750_000_000_000, random_bytes=chance)
"""
"""Run first by both: no time passes, and chance is the same."""

IN_VAIN = PATIENCE / 3
"""Seconds without an answer after which there is none."""

ENDLESS = "subscriptions/listen"
ASIDE = frozenset(
    {
        "notifications/progress",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/resources/updated",
        "notifications/tools/list_changed",
    }
)
"""Notifications that come when they come, several changes in one: stories of their own are about them."""

TELLING = ("allow", "cache-control", "content-type", "mcp-session-id", "www-authenticate", "x-accel-buffering")
"""Headers of an answer that a client may go by."""

Message = dict[str, Any]
Answers = list[Any]


def differs(asked: Any, theirs: Said, ours: Said) -> str | None:
    """How the answers to a request differ, if they do and may not."""
    request = asked if isinstance(asked, Asked) else Asked(asked)
    first, second = without(request, theirs, ours)
    if first == second:
        return None
    return f"sent       {request.text[:2_000]} {dict(request.headers)}\non the SDK {theirs}\nours       {ours}"


class StdioPair:
    """Both doors on pipes."""

    def __init__(self, directory: Path, *, theirs: str = "", ours: str = "", **settings: str) -> None:
        """`theirs` and `ours` are code that either door runs first, beside what both do."""
        self._numbers = count(1)
        self._states: list[str] = []
        self.places = [f"{directory / name}" for name in ("one", "two")]
        self._servers = [
            StdioServer(environment(Path(place), **settings), prelude=STANDSTILL + more, serve=serve)
            for place, serve, more in zip(self.places, (SERVE_ON_THE_SDK, SERVE), (theirs, ours), strict=True)
        ]

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    def ask(self, message: Message | bytes, aside: Collection[str] = ASIDE) -> tuple[Said, Said]:
        """What each says to a message: all up to its answer, or up to that of a `ping` behind it.

        Notifications of the methods that are put `aside` are left out.
        """
        wanted = _awaited(message)
        sentinel = f"sentinel-{next(self._numbers)}" if wanted is None else None
        for server in self._servers:
            server.send(message)
            if sentinel is not None:
                server.send({"jsonrpc": "2.0", "id": sentinel, "method": "ping"})
        until = wanted if sentinel is None else sentinel
        theirs, ours = (self._heard(server, until, aside) for server in self._servers)
        self._states = [_state(theirs), _state(ours)]
        return self._said(theirs, ours)

    def ask_again(self, message: Message, *, theirs_is_ours: bool = False) -> tuple[Said, Said]:
        """The same call once more, with the `requestState` that each door has given its own last answer.

        With `theirs_is_ours`, each gets what the other one has sealed.
        """
        states = self._states[::-1] if theirs_is_ours else self._states
        for server, state in zip(self._servers, states, strict=True):
            server.send({**message, "params": {**message["params"], "requestState": state}})
        theirs, ours = (self._heard(server, message["id"]) for server in self._servers)
        return self._said(theirs, ours)

    def told(self, answer: Message) -> tuple[Said, Said]:
        """Answer the request that each door has sent to its client, and hear what it says to the call then."""
        theirs, ours = (self._after(server, answer) for server in self._servers)
        return self._said(theirs, ours)

    def send(self, message: Message) -> None:
        for server in self._servers:
            server.send(message)

    def next(self, method: str) -> tuple[Said, Said]:
        """The next message of each with that method."""
        found = []
        for server in self._servers:
            while (message := server.receive()).get("method") != method:
                pass
            found.append(Said([message]))
        return found[0], found[1]

    def _said(self, theirs: Answers, ours: Answers) -> tuple[Said, Said]:
        first, second = self.places
        return Said(_placeless(theirs, first)), Said(_placeless(ours, second))

    def _after(self, server: StdioServer, answer: Message) -> Answers:
        while "id" not in (asked := server.receive()):
            pass
        if "method" in asked:
            server.send({"jsonrpc": "2.0", "id": asked["id"], **answer})
        while "id" not in (done := server.receive()):
            pass
        return [{**asked, "id": "its own"}, done]

    def _heard(self, server: StdioServer, until: Any, aside: Collection[str] = ASIDE) -> Answers:
        heard: Answers = []
        while True:
            try:
                message = server.receive(IN_VAIN)
            except (Empty, AssertionError):
                return [*heard, "and then nothing more"]
            if message.get("method") in aside:
                continue
            is_last = "method" not in message and message.get("id") == until
            if not (is_last and isinstance(until, str) and until.startswith("sentinel-")):
                heard.append(message)
            if is_last:
                return heard


def _state(answers: Answers) -> str:
    """The `requestState` in the last answer, if there is one."""
    last = answers[-1] if answers else None
    return last.get("result", {}).get("requestState", "") if isinstance(last, dict) else ""


class HttpPair:
    """Both doors on ports."""

    def __init__(self, directory: Path, *, theirs: str = "", ours: str = "", **settings: str) -> None:
        self.places = [f"{directory / name}" for name in ("one", "two")]
        self._servers = [
            HttpServer(environment(Path(place), **settings), prelude=STANDSTILL + more, serve=serve)
            for place, serve, more in zip(self.places, (SERVE_ON_THE_SDK, SERVE), (theirs, ours), strict=True)
        ]
        self._sessions: list[dict[str, str]] = [{}, {}]
        self._connections: dict[HttpServer, HTTPConnection] = {}
        self._streams: list[HTTPConnection] = []

    def stop(self) -> None:
        for connection in (*self._streams, *self._connections.values()):
            connection.close()
        for server in self._servers:
            server.stop()

    def ask(
        self,
        body: Any,
        headers: Mapping[str, str | None] | None = None,
        method: str = "POST",
        path: str = "/mcp",
        aside: Collection[str] = ASIDE,
    ) -> tuple[Said, Said]:
        """What each says to a request. `{name}` in a header is the session that was begun under that name;
        `None` takes one of the usual headers away."""
        theirs, ours = (
            self._said(server, place, sessions, body, headers or {}, method, path, aside)
            for server, place, sessions in zip(self._servers, self.places, self._sessions, strict=True)
        )
        return theirs, ours

    def begin(self, name: str, initialize: Message, headers: Mapping[str, str] | None = None) -> None:
        """Shake hands with both, and call the sessions by this name from then on."""
        initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        for server, sessions in zip(self._servers, self._sessions, strict=True):
            opened = server.request(body=initialize, headers=dict(headers or {}))
            sessions[name] = opened.headers["mcp-session-id"]
            server.request(body=initialized, headers={"Mcp-Session-Id": sessions[name]})

    def _said(
        self,
        server: HttpServer,
        place: str,
        sessions: Mapping[str, str],
        body: Any,
        headers: Mapping[str, str | None],
        method: str,
        path: str,
        aside: Collection[str],
    ) -> Said:
        usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        named = {
            name: value.format_map(sessions) if "{" in value else value
            for name, value in {**usual, **headers}.items()
            if value is not None
        }
        content = json.dumps(body).encode() if isinstance(body, dict | list) else body
        exchange = server.taps.exchange(method, path, named, body)
        connection = self._connections.pop(server, None) or HTTPConnection("127.0.0.1", server.port, timeout=IN_VAIN)
        connection.request(method, path, content, named)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        exchange.answered(answer.status, told)
        kept = {name: told[name] for name in TELLING if name in told}
        if "mcp-session-id" in kept:
            kept["mcp-session-id"] = "present"
        if kept.get("content-type", "").startswith("text/event-stream"):
            self._streams.append(connection)
            messages = [] if method == "GET" else _events(answer, _awaited(body), exchange.feed, aside)
        else:
            text = answer.read()
            exchange.feed(text)
            exchange.end()
            messages = _parsed(text)
            self._connections[server] = connection
        return Said([_placeless(message, place) for message in messages], answer.status, kept)


def _awaited(message: Any) -> Any:
    """The id under which an answer has to come; None when there is none, or only at the end of everything."""
    if isinstance(message, bytes):
        try:
            message = json.loads(message.decode())
        except (ValueError, RecursionError):
            return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or message.get("method") == ENDLESS:
        return None
    id, params = message.get("id"), message.get("params")
    is_request = isinstance(message.get("method"), str) and isinstance(params, dict | None)
    return id if is_request and isinstance(id, str | int) and not isinstance(id, bool) else None


def _events(answer: HTTPResponse, until: Any, feed: Callable[[bytes], None], aside: Collection[str]) -> Answers:
    """What comes on a stream: up to the answer that is waited for, or the first message where none will come."""
    found: Answers = []
    while line := answer.readline():
        feed(line)
        if line.startswith(b"data:") and line[5:].strip():
            message = json.loads(line[5:])
            if message.get("method") in aside:
                continue
            found.append(message)
            if until is None or message.get("id") == until:
                break
    return found


def _parsed(text: bytes) -> Answers:
    try:
        return [json.loads(text)] if text else []
    except ValueError:
        return [text.decode(errors="replace")]


def _placeless(message: Any, place: str) -> Any:
    """Without what is the door's own: the folder of its store, and what it has sealed."""
    if isinstance(message, dict):
        return {
            name: "sealed" if name == "requestState" else _placeless(value, place) for name, value in message.items()
        }
    if isinstance(message, list):
        return list(map(partial(_placeless, place=place), message))
    return message.replace(place, "STORE") if isinstance(message, str) else message
