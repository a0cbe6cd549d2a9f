"""The same requests to two doors: the one on the SDK, and the product's own. What they answer is compared.

Both serve a new store of their own, in a world in which no time passes and chance is the same for both, so that ids,
times and hashes are equal as well. `StdioPair` sends lines, `HttpPair` sends requests; each gives both answers, without
what has to differ. What else may differ stands in `ALLOWED`, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Said:
    """What one door answered to one request."""

    messages: Answers
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Allowed:
    """A difference that is meant."""

    reason: str
    equal: Callable[[Any, Said, Said], bool]
    """Of a request and what the SDK's door and ours said to it: whether this difference is all there is."""


def _only_the_words_of_the_sdk_differ(request: Any, theirs: Said, ours: Said) -> bool:
    return _without_words(theirs) == _without_words(ours)


def _without_words(said: Said) -> Said:
    """Errors that are not ours, and so carry no code of ours, by their number and what a program reads."""

    def bare(message: Any) -> Any:
        error = message.get("error") if isinstance(message, dict) else None
        if not isinstance(error, dict) or "jsonrpc" not in message:
            return message
        data = error.get("data")
        if not isinstance(data, dict):
            return {**message, "error": {"code": error.get("code")}}
        if "code" in data or "reason" in data:
            return message
        return {**message, "error": {"code": error.get("code"), "data": data}}

    return Said([bare(message) for message in said.messages], said.status, said.headers)


ALLOWED: list[Allowed] = [
    Allowed(
        "Faults of the protocol are said in our own words: which method, which field, what to send instead. Their"
        " numbers, and all that a program reads in `data`, are the SDK's.",
        _only_the_words_of_the_sdk_differ,
    ),
]


def differs(request: Any, theirs: Said, ours: Said) -> str | None:
    """How the answers to a request differ, if they do and may not."""
    if theirs == ours or any(allowed.equal(request, theirs, ours) for allowed in ALLOWED):
        return None
    sent = request.decode(errors="replace") if isinstance(request, bytes) else json.dumps(request)
    return f"sent      {sent[:2_000]}\non the SDK {theirs}\nours      {ours}"


class StdioPair:
    """Both doors on pipes."""

    def __init__(self, directory: Path, *, ours: str = "", **settings: str) -> None:
        """`ours` is code that the product's own door runs first, beside what both do."""
        self._numbers = count(1)
        self._states: list[str] = []
        self.places = [f"{directory / name}" for name in ("one", "two")]
        self._servers = [
            StdioServer(environment(Path(place), **settings), prelude=STANDSTILL + more, serve=serve)
            for place, serve, more in zip(self.places, (SERVE_ON_THE_SDK, SERVE), ("", ours), strict=True)
        ]

    def stop(self) -> None:
        for server in self._servers:
            server.stop()

    def ask(self, message: Message | bytes) -> tuple[Said, Said]:
        """What each says to a message: all up to its answer, or up to that of a `ping` behind it."""
        wanted = _awaited(message)
        sentinel = f"sentinel-{next(self._numbers)}" if wanted is None else None
        for server in self._servers:
            server.send(message)
            if sentinel is not None:
                server.send({"jsonrpc": "2.0", "id": sentinel, "method": "ping"})
        theirs, ours = (self._heard(server, wanted if sentinel is None else sentinel) for server in self._servers)
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

    def _heard(self, server: StdioServer, until: Any) -> Answers:
        heard: Answers = []
        while True:
            try:
                message = server.receive(IN_VAIN)
            except (Empty, AssertionError):
                return [*heard, "and then nothing more"]
            if message.get("method") in ASIDE:
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

    def __init__(self, directory: Path, *, ours: str = "", **settings: str) -> None:
        self.places = [f"{directory / name}" for name in ("one", "two")]
        self._servers = [
            HttpServer(environment(Path(place), **settings), prelude=STANDSTILL + more, serve=serve)
            for place, serve, more in zip(self.places, (SERVE_ON_THE_SDK, SERVE), ("", ours), strict=True)
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
        self, body: Any, headers: Mapping[str, str | None] | None = None, method: str = "POST", path: str = "/mcp"
    ) -> tuple[Said, Said]:
        """What each says to a request. `{name}` in a header is the session that was begun under that name;
        `None` takes one of the usual headers away."""
        theirs, ours = (
            self._said(server, place, sessions, body, headers or {}, method, path)
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
            messages = _events(answer, _awaited(body), exchange.feed, endless=method == "GET")
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
            message = json.loads(message)
        except (ValueError, RecursionError):
            return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or message.get("method") == ENDLESS:
        return None
    id, params = message.get("id"), message.get("params")
    is_request = isinstance(message.get("method"), str) and isinstance(params, dict | None)
    return id if is_request and isinstance(id, str | int) and not isinstance(id, bool) else None


def _events(answer: HTTPResponse, until: Any, feed: Callable[[bytes], None], *, endless: bool) -> Answers:
    """What comes on a stream: up to the answer that is waited for, or the first message where none will come."""
    found: Answers = []
    while not endless:
        line = answer.readline()
        feed(line)
        if not line:
            break
        if line.startswith(b"data:") and line[5:].strip():
            message = json.loads(line[5:])
            if message.get("method") in ASIDE:
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
