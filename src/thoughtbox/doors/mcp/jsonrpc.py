"""JSON-RPC 2.0: messages as they come, and as they go.

The first of them are read and written by Python's own means, while what does it in a tenth of the time is being loaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from thoughtbox.doors.large_blocks import LARGE, return_large_blocks

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

CONNECTION_CLOSED = -32000
REQUEST_TIMEOUT = -32001
RESOURCE_NOT_FOUND = -32002
"""What revisions before 2026-07-28 call it; since then it is an invalid parameter."""
HEADER_MISMATCH = -32020
MISSING_REQUIRED_CLIENT_CAPABILITY = -32021
UNSUPPORTED_PROTOCOL_VERSION = -32022
REQUEST_CANCELLED = -32800

Id: TypeAlias = str | int
Params: TypeAlias = Mapping[str, Any]


class Incoming(NamedTuple):
    """A request; without an id, a notification."""

    id: Id | None
    method: str
    params: Params | None


class Reply(NamedTuple):
    """What a client says to something it was asked."""

    id: Id | None
    result: Mapping[str, Any] | None
    error: Mapping[str, Any] | None


class Malformed(NamedTuple):
    """What came is no message: the error to answer with, and under which id."""

    code: int
    reason: str
    id: Id | None = None


class ProtocolError(Exception):
    """A fault of the protocol: a request that cannot be answered with a result."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def _loaded_first(text: bytes) -> Any:
    return json.loads(text.decode())


def _dumped_first(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), default=_fragment).encode()


_loads: Callable[[bytes], Any] = _loaded_first
_dumps: Callable[[dict[str, Any]], bytes] = _dumped_first


def hasten() -> None:
    """Read and write faster from now on, which takes a while to load. In any thread."""
    global _loads, _dumps
    import orjson

    _loads, _dumps = orjson.loads, orjson.dumps


def read(text: bytes) -> Incoming | Reply | Malformed:
    """The message in a line or a body."""
    if len(text) >= LARGE:
        return_large_blocks()
    try:
        found = _loads(text)
    except (ValueError, RecursionError) as error:
        try:
            # Takes NaN, numbers of any size and halves of surrogate pairs: what is wrong with them is told in words.
            found = json.loads(text.decode())
        except (ValueError, RecursionError):
            return Malformed(PARSE_ERROR, f"this cannot be read as JSON: {error}")
    if type(found) is not dict:
        if type(found) is list:
            return Malformed(INVALID_REQUEST, "batches are not supported: send one message at a time")
        return _no_message(None)
    method = found.get("method")
    id = found.get("id")
    if type(id) is float:
        id = json.loads(text).get("id")  # it may be a whole number of more than 64 bits
    if found.get("jsonrpc") != "2.0":
        return _no_message(id)
    if type(method) is not str:
        return _no_message(id) if method is not None else _reply(found, id)
    params = found.get("params")
    if params is not None and type(params) is not dict:
        return _no_message(id)
    if type(id) is int or type(id) is str:
        return Incoming(id, method, params)
    if "id" in found:
        return Malformed(INVALID_REQUEST, "an id is a text or a whole number")
    return Incoming(None, method, params)


def result(id: Id, value: Any) -> bytes:
    """An answer, ready for the wire."""
    return _dumped({"jsonrpc": "2.0", "id": id, "result": value})


def error(id: Id | None, code: int, message: str, data: Any = None) -> bytes:
    told: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        told["data"] = data
    return _dumped({"jsonrpc": "2.0", "id": id, "error": told})


def notification(method: str, params: Any = None) -> bytes:
    said: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        said["params"] = params
    return _dumped(said)


def request(id: Id, method: str, params: Any = None) -> bytes:
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        asked["params"] = params
    return _dumped(asked)


def writable(value: Any) -> Any:
    """The value without halves of surrogate pairs, which no message can carry: an error repeats what was sent."""
    import orjson

    try:
        orjson.dumps(value)
    except TypeError:
        return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def same_id(id: Any) -> Any:
    """An id as the key of what it stands for: some clients send a number back as a text."""
    return int(id) if isinstance(id, str) and id.isascii() and id.isdigit() and len(id) < 19 else id


def _dumped(message: dict[str, Any]) -> bytes:
    try:
        return _dumps(message)
    except TypeError:  # a number of more than 64 bits, or half of a surrogate pair, in something that is sent back
        return _dumped_first(message)


def _fragment(value: Any) -> Any:
    import orjson

    if isinstance(value, orjson.Fragment):
        return orjson.loads(orjson.dumps(value))
    raise TypeError(type(value).__name__)


def _reply(found: dict[str, Any], id: Any) -> Reply | Malformed:
    result, told = found.get("result"), found.get("error")
    if id is not None and type(id) is not int and type(id) is not str:
        return _no_message(id)
    if type(result) is dict and id is not None:
        return Reply(id, result, None)
    if "id" in found and type(told) is dict and type(told.get("code")) is int and type(told.get("message")) is str:
        return Reply(id, None, told)
    return _no_message(id)


def _no_message(id: Any) -> Malformed:
    return Malformed(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message", _usable(id))


def _usable(id: Any) -> Id | None:
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None
