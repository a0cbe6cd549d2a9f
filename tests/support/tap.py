"""Listens in on the wires of all tests: what a server sends is what the protocol's revision says it sends.

Every message is held against the SDK's own types for the revision that was negotiated: a result against the method it
answers, a request and a notification against those that servers of that revision may send. What does not fit is noted
in `FAULTS`, and fails the test that was running (see `tests/conftest.py`).

A `Tap` belongs to one connection, and is told what was sent and what came. `HttpTaps` does that for a server over
HTTP, where every session is a connection, and so is every request that belongs to none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import orjson
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse
from mcp_types import methods as sdk
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

FAULTS: list[str] = []
"""What was wrong since `assert_all_was_right` last looked."""

RESULTS: dict[tuple[str, str], Any] = {**sdk.SERVER_RESULTS}
REQUESTS: dict[tuple[str, str], Any] = {**sdk.SERVER_REQUESTS}
NOTIFICATIONS: dict[tuple[str, str], Any] = {**sdk.SERVER_NOTIFICATIONS}
"""By method and revision, the SDK's types. An extension that it has none for enters its own here."""

REVISION = "io.modelcontextprotocol/protocolVersion"
NEWEST, NEWEST_HANDSHAKE = MODERN_PROTOCOL_VERSIONS[-1], HANDSHAKE_PROTOCOL_VERSIONS[-1]
LONGEST_SHOWN = 600


class Wrong(Exception):
    """A message that no server of the revision sends. The text says why."""


class Asked(NamedTuple):
    """A request of the client: its method, and the revisions by which it may be answered."""

    method: str
    revisions: tuple[str, ...]


class Tap:
    """Both directions of one connection."""

    def __init__(self, revision: str | None = None) -> None:
        self._negotiated = revision
        self._asked: dict[object, list[Asked]] = {}
        self._ids: set[object] = set()
        """Those of all messages, also of such as are no requests: a refusal names them."""
        self._tokens: set[object] = set()
        self._sent_garbage = False
        self._is_stateless = False

    @property
    def revision(self) -> str | None:
        """What the handshake came to, if there was one."""
        return self._negotiated

    def sent(self, message: Any) -> None:
        """The client has sent this: a message, its bytes, or anything else."""
        if isinstance(message, bytes | str):
            try:
                message = _parsed(message)
            except ValueError:
                self._sent_garbage = True  # in which a server may find an id that we do not
        for one in message if isinstance(message, list) else [message]:
            if isinstance(one, dict):
                self._note(one)

    def came(self, line: bytes | bytearray | str) -> None:
        """The server has sent this. What is wrong with it is noted."""
        try:
            self.check(line)
        except Wrong as why:
            text = line if isinstance(line, str) else bytes(line).decode(errors="replace")
            FAULTS.append(f"{why}\n    in {text[:LONGEST_SHOWN]}")

    def check(self, line: bytes | bytearray | str) -> None:
        """Raises `Wrong` for what no server may send here."""
        try:
            message = json.loads(line)
        except ValueError as error:
            raise Wrong(f"this is no JSON: {error}") from None
        if not isinstance(message, dict):
            raise Wrong("a message is an object")
        if unknown := message.keys() - {"jsonrpc", "id", "method", "params", "result", "error"}:
            raise Wrong(f"a message has no {', '.join(sorted(unknown))}")
        if "method" in message:
            self._check_own(message)
        elif "result" in message:
            self._check_result(message)
        else:
            self._check_error(message)

    def _note(self, request: Mapping[str, Any]) -> None:
        if isinstance(id := request.get("id"), str | int):
            self._ids.add(id)
        if not isinstance(request.get("method"), str):
            return
        params = request.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        meta = meta if isinstance(meta, dict) else {}
        with suppress(TypeError):  # one that cannot be a token
            self._tokens.add(meta.get("progressToken"))
        revisions = (self._negotiated or NEWEST_HANDSHAKE,)
        if REVISION in meta:
            self._is_stateless = True
            stated = (meta[REVISION],) if meta[REVISION] in KNOWN_PROTOCOL_VERSIONS else ()
            revisions = (*stated, self._negotiated) if self._negotiated else stated or (NEWEST,)
        if isinstance(id, str | int):
            self._asked.setdefault(id, []).append(Asked(request["method"], revisions))

    def _check_result(self, message: Mapping[str, Any]) -> None:
        _fits(lambda: JSONRPCResponse.model_validate(message))
        asked = self._asked.get(message["id"])
        if not asked:
            raise Wrong("this answers nothing that was asked")
        result = message["result"]
        if any(one.method == "initialize" for one in asked) and "protocolVersion" in result:
            self._negotiated = result["protocolVersion"]
            asked = [Asked("initialize", (result["protocolVersion"],))]
        _any_fits([lambda one=one, at=at: _result(one.method, at, result) for one in asked for at in one.revisions])

    def _check_error(self, message: Mapping[str, Any]) -> None:
        _fits(lambda: JSONRPCError.model_validate(message, strict=True))
        if unknown := message["error"].keys() - {"code", "message", "data"}:
            raise Wrong(f"an error has no {', '.join(sorted(unknown))}")
        if message["id"] is not None and message["id"] not in self._ids and not self._sent_garbage:
            raise Wrong("this refuses nothing that was asked")

    def _check_own(self, message: Mapping[str, Any]) -> None:
        """A request or a notification of the server's own."""
        method, params = message["method"], message.get("params")
        stateless = (NEWEST,) if self._is_stateless or self._negotiated is None else ()
        revisions = (*stateless, *((self._negotiated,) if self._negotiated else ()))
        if "id" in message:
            _fits(lambda: JSONRPCRequest.model_validate(message))
            _any_fits([lambda at=at: _own(REQUESTS, method, at, message) for at in revisions])
            return
        _any_fits([lambda at=at: _own(NOTIFICATIONS, method, at, message) for at in revisions])
        if method == "notifications/progress" and (params or {}).get("progressToken") not in self._tokens:
            raise Wrong("this is the progress of nothing that was asked")


def _parsed(message: bytes | str) -> Any:
    try:
        return json.loads(message)
    except RecursionError:
        return orjson.loads(message)  # which goes as deep as a server does


def _result(method: str, revision: str, result: Mapping[str, Any]) -> None:
    """As the SDK would send it: whatever it would leave out has no place in that revision."""
    as_sent = sdk.serialize_server_result(method, revision, result, surface=RESULTS)
    if as_sent != result:
        raise ValueError(f"at {revision} the result of {method} has no {_differing(result, as_sent)}")


def _own(kinds: Mapping[tuple[str, str], Any], method: str, revision: str, message: Mapping[str, Any]) -> None:
    """The same for what a server sends of its own."""
    read = kinds[method, revision].model_validate(message, by_name=False)
    as_sent = read.model_dump(mode="json", by_alias=True, exclude_none=True)
    if as_sent != message:
        raise ValueError(f"at {revision} {method} has no {_differing(message, as_sent)}")


def _differing(result: Any, as_sent: Any, at: str = "") -> str:
    """Where two differ, as a path."""
    if isinstance(result, dict) and isinstance(as_sent, dict):
        for name, value in result.items():
            if name not in as_sent:
                return f"{at}/{name}"
            if as_sent[name] != value:
                return _differing(value, as_sent[name], f"{at}/{name}")
    elif isinstance(result, list) and isinstance(as_sent, list) and len(result) == len(as_sent):
        for number, (one, other) in enumerate(zip(result, as_sent, strict=True)):
            if one != other:
                return _differing(one, other, f"{at}/{number}")
    return f"{at} {str(result)[:100]}"


def _fits(look: Callable[[], object]) -> None:
    try:
        look()
    except KeyError as error:
        raise Wrong(f"there is no {error} in that revision") from None
    except ValueError as error:  # pydantic's is one
        raise Wrong(" ".join(str(error).split())) from None


def _any_fits(looks: list[Callable[[], object]]) -> None:
    faults: list[Wrong] = []
    for look in looks:
        try:
            _fits(look)
        except Wrong as why:
            faults.append(why)
        else:
            return
    raise faults[0] if faults else Wrong("nothing of this kind was asked")


class HttpTaps:
    """The connections of one server over HTTP."""

    def __init__(self) -> None:
        self._sessions: dict[str, Tap] = {}

    def exchange(self, method: str, path: str, headers: Mapping[str, str], body: object) -> Exchange:
        """A request that is about to be sent; what comes back is told to what this returns."""
        named = {name.lower(): value for name, value in headers.items()}
        stated = named.get("mcp-protocol-version")
        tap = self._sessions.get(named.get("mcp-session-id", "")) or Tap(
            stated if stated in HANDSHAKE_PROTOCOL_VERSIONS else None
        )
        tap.sent(body)
        return Exchange(self, tap, is_mcp=path.partition("?")[0] == "/mcp", is_post=method == "POST")

    def begin(self, handle: str, tap: Tap) -> None:
        self._sessions[handle] = tap


class Exchange:
    """One request over HTTP, and its answer as it comes in."""

    def __init__(self, taps: HttpTaps, tap: Tap, *, is_mcp: bool, is_post: bool) -> None:
        self._taps = taps
        self._tap = tap
        self._is_heard = is_mcp
        self._is_post = is_post
        self._is_stream = False
        self._status = 0
        self._handle = ""
        self._waiting = b""

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        named = {name.lower(): value for name, value in headers.items()}
        kind = named.get("content-type", "").partition(";")[0]
        self._status = status
        self._is_stream = kind == "text/event-stream"
        self._is_heard = self._is_heard and (self._is_stream or kind == "application/json")
        self._handle = named.get("mcp-session-id", "")

    def feed(self, data: bytes) -> None:
        if not self._is_heard:
            return
        self._waiting += data
        if self._is_stream:
            *events, self._waiting = self._waiting.replace(b"\r\n", b"\n").split(b"\n\n")
            for event in events:
                self._event(event)

    def end(self) -> None:
        """All of it has come."""
        if self._is_heard and not self._is_stream and self._waiting and not self._is_refusal():
            self._came(self._waiting)

    def _is_refusal(self) -> bool:
        """The gate refuses before anybody looks for a message, and so is no answer to one."""
        if self._status < 400:
            return False
        with suppress(ValueError):
            return "jsonrpc" not in json.loads(self._waiting)
        return True

    def _event(self, event: bytes) -> None:
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        if any(lines):
            self._came(b"\n".join(lines))

    def _came(self, message: bytes) -> None:
        self._tap.came(message)
        if self._handle and self._is_post:
            self._taps.begin(self._handle, self._tap)


def assert_all_was_right() -> None:
    """Fails with all that was wrong since the last time."""
    wrong = [FAULTS.pop(0) for _ in range(len(FAULTS))]
    assert not wrong, "\n".join(["the server sent what does not validate:", *wrong])
