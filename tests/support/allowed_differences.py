"""What the door on the SDK and ours may answer differently, each with the reason. Nothing else may differ.

Each takes its difference away from what both said, and touches nothing else; what is left has to be equal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, HEADER_MISMATCH = -32602, -32020


@dataclass(frozen=True, slots=True)
class Said:
    """What one door answered to one request."""

    messages: list[Any]
    status: int | None = None
    """Over HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: what was sent, and over HTTP what stood around it."""

    sent: Any
    headers: Mapping[str, str | None] = field(default_factory=dict)
    path: str = ""

    @property
    def text(self) -> str:
        return self.sent.decode(errors="replace") if isinstance(self.sent, bytes) else json.dumps(self.sent)

    @property
    def message(self) -> dict[str, Any]:
        """The message, if it is one."""
        try:
            found = json.loads(self.sent) if isinstance(self.sent, bytes) else self.sent
        except (ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def meta(self) -> dict[str, Any]:
        params = self.message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        return meta if isinstance(meta, dict) else {}


Levelled = tuple[Said, Said]
Level = Callable[[Asked, Said, Said], Levelled]


@dataclass(frozen=True, slots=True)
class Allowed:
    """A difference that is meant."""

    reason: str
    level: Level
    """Of a request and what the SDK's door and ours said to it: both without the difference."""


def without(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    """What both said without all that may differ."""
    for allowed in ALLOWED:
        theirs, ours = allowed.level(asked, theirs, ours)
    return theirs, ours


def error_of(said: Said) -> dict[str, Any]:
    """The error that is the last word, if it is one of the protocol."""
    last = said.messages[-1] if said.messages else None
    if not isinstance(last, dict) or "jsonrpc" not in last or not isinstance(last.get("error"), dict):
        return {}
    return last["error"]


def _with_error(said: Said, **changed: Any) -> Said:
    last = {**said.messages[-1], "error": {**error_of(said), **changed}}
    return replace(said, messages=[*said.messages[:-1], last])


def _headers_without(said: Said, *names: str) -> Said:
    return replace(said, headers={name: value for name, value in said.headers.items() if name not in names})


def _not_utf8(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if not isinstance(asked.sent, bytes):
        return theirs, ours
    try:
        asked.sent.decode()
    except UnicodeDecodeError:
        if error_of(ours).get("code") == PARSE_ERROR and error_of(theirs):
            return ours, ours
    return theirs, ours


def _half_pairs(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    result = ours.messages[-1].get("result", {}) if ours.messages and isinstance(ours.messages[-1], dict) else {}
    if "\\ud8" in asked.text and error_of(theirs).get("code") == PARSE_ERROR and result.get("isError") is True:
        return ours, ours
    return theirs, ours


def _ids(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    """Whatever may be in the place of an id, a request it is."""
    id = asked.message.get("id", 0)
    is_id = isinstance(id, str | int) and not isinstance(id, bool)
    if theirs.status == 202 and not is_id and error_of(ours).get("code") == INVALID_REQUEST:
        return ours, ours
    return theirs, ours


def _no_messages(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if error_of(theirs).get("message", "").startswith("Validation error"):
        theirs = _with_error(theirs, code=INVALID_REQUEST)
    return theirs, ours


def _known_ids(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if error_of(theirs) and error_of(ours) and theirs.messages[-1]["id"] is None:
        last = ours.messages[-1]
        if last["id"] is not None and last["id"] == asked.message.get("id"):
            ours = replace(ours, messages=[*ours.messages[:-1], {**last, "id": None}])
    return theirs, ours


def _two_faults(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    data = error_of(theirs).get("data")
    is_unsealed = isinstance(data, dict) and data.get("reason") == "invalid_request_state"
    if is_unsealed and error_of(ours).get("code") == INVALID_PARAMS and not error_of(ours).get("data"):
        return ours, ours
    return theirs, ours


def _tokens(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if asked.meta.get("progressToken") is True and error_of(ours).get("code") == INVALID_PARAMS:
        return ours, ours
    return theirs, ours


def _words(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    return _without_words(theirs), _without_words(ours)


def _without_words(said: Said) -> Said:
    """Errors that carry no code of ours by their number, and by what a program reads in them."""
    error = error_of(said)
    data = error.get("data")
    if not error or (isinstance(data, dict) and ("code" in data or "reason" in data)):
        return said
    kept = {"code": error["code"], **({"data": data} if isinstance(data, dict) else {})}
    return replace(said, messages=[*said.messages[:-1], {**said.messages[-1], "error": kept}])


def _plain_answers(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if theirs.headers.get("content-type") == "application/json":
        theirs = _headers_without(theirs, "cache-control", "x-accel-buffering")
    return theirs, ours


def _nothing_has_a_type(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    if theirs.messages or ours.messages or theirs.headers.get("content-type") != "application/json":
        return theirs, ours
    return _headers_without(theirs, "content-type"), _headers_without(ours, "content-type")


def _sessions(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    is_ended = theirs.status == 200 and not theirs.messages and theirs.headers.get("content-type") == "application/json"
    is_not_begun = bool(error_of(theirs)) and "Mcp-Session-Id" not in asked.headers
    if (theirs.status or 0) >= 400 or is_ended or is_not_begun:
        theirs = _headers_without(theirs, "mcp-session-id")
    return theirs, ours


def _before_any_message(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    is_refused = theirs.status == ours.status and (ours.status or 0) >= 400
    if is_refused and not error_of(theirs) and "error" in (ours.messages[-1] if ours.messages else ()):
        return ours, ours
    return theirs, ours


def _slashes(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    return (ours, ours) if asked.path.endswith("/") and theirs.status == 307 else (theirs, ours)


def _media_types(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    kind = (asked.headers.get("Content-Type") or "").partition(";")[0].strip()
    if kind == "application/json":
        return theirs, ours
    is_refused_rightly = (ours.status == 415) is (kind.lower() != "application/json")
    return (ours, ours) if is_refused_rightly else (theirs, ours)


def _empty_names(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    is_empty = "" in (asked.headers.get("Mcp-Name"), asked.headers.get("Mcp-Method"))
    return (ours, ours) if is_empty and error_of(ours).get("code") == HEADER_MISMATCH else (theirs, ours)


def _tasks(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    method = asked.message.get("method")
    if method in ("tasks/get", "tasks/update", "tasks/cancel") and error_of(theirs).get("code") == METHOD_NOT_FOUND:
        return ours, ours
    last = ours.messages[-1] if ours.messages else None
    if method != "server/discover" or not isinstance(last, dict) or "result" not in last:
        return theirs, ours
    found = last["result"]
    capabilities = {name: value for name, value in found["capabilities"].items() if name != "extensions"}
    plain = {**last, "result": {**found, "capabilities": capabilities}}
    return theirs, replace(ours, messages=[*ours.messages[:-1], plain])


def _apps(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    method = asked.message.get("method")
    return _without_apps(method, theirs), _without_apps(method, ours)


def _without_apps(method: Any, said: Said) -> Said:
    last = said.messages[-1] if said.messages else None
    found = last.get("result") if isinstance(last, dict) else None
    if not isinstance(last, dict) or not isinstance(found, dict):
        return said
    if method == "tools/list":
        plain = {"tools": [{name: part for name, part in tool.items() if name != "_meta"} for tool in found["tools"]]}
    elif method == "resources/list":
        plain = {"resources": [each for each in found["resources"] if not each["uri"].startswith("ui://")]}
    else:
        return said
    return replace(said, messages=[*said.messages[:-1], {**last, "result": {**found, **plain}}])


def _breakdowns(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    return (ours, ours) if theirs.status == 500 and (ours.status or 500) < 500 else (theirs, ours)


_TOOK = re.compile(r'("durationMs"\s*:\s*|\\"durationMs\\":)\d+')


def _durations(asked: Asked, theirs: Said, ours: Said) -> Levelled:
    return _without_durations(theirs), _without_durations(ours)


def _without_durations(said: Said) -> Said:
    text = json.dumps(said.messages)
    if "durationMs" not in text:
        return said
    headers = {name: value for name, value in said.headers.items() if name != "content-length"}
    return replace(said, messages=json.loads(_TOOK.sub(r"\g<1>0", text)), headers=headers)


ALLOWED = [
    Allowed("How long a cell of a notebook took is another time at each door.", _durations),
    Allowed("A message is UTF-8. The SDK reads UTF-16 and lone surrogates, or looks for an id in them.", _not_utf8),
    Allowed(
        "A text with half of a surrogate pair is JSON. The SDK calls the whole message unreadable; we say which"
        " argument it is that cannot be stored.",
        _half_pairs,
    ),
    Allowed(
        "What has an id is no notification. Over HTTP the SDK accepts a request under an id that cannot be one, and"
        " never answers it.",
        _ids,
    ),
    Allowed("What is no message is an invalid request; the SDK speaks of invalid params over HTTP.", _no_messages),
    Allowed("A refusal has the id of what it refuses, where that can be read; the SDK leaves it out.", _known_ids),
    Allowed(
        "Of two faults in one request either may be named: the SDK opens a `requestState` before it looks at the other"
        " params, we open none for a request that is wrong anyway.",
        _two_faults,
    ),
    Allowed("`true` is no progress token; the SDK takes it for the number 1.", _tokens),
    Allowed(
        "Faults of the protocol may be said in our own words. Their numbers, and all that a program reads in `data`,"
        " are the SDK's.",
        _words,
    ),
    Allowed(
        "An answer in plain JSON has no headers of a stream; on the SDK it is one that was made plain.",
        _plain_answers,
    ),
    Allowed("A refusal, and the end of a session, name no session; the SDK names one that is of no use.", _sessions),
    Allowed("What has no body has no type.", _nothing_has_a_type),
    Allowed(
        "What is refused before any message is read is said as JSON, by the gate; the SDK says it in plain text or not"
        " at all. The status is the same.",
        _before_any_message,
    ),
    Allowed("A slash at the end is forgiven; the SDK sends the client elsewhere.", _slashes),
    Allowed(
        "What is not application/json, in whatever letters, is a 415; the SDK says 400 to some, and takes others.",
        _media_types,
    ),
    Allowed("An empty Mcp-Method or Mcp-Name is none.", _empty_names),
    Allowed("We have the tasks extension; the SDK has no server for it.", _tasks),
    Allowed("We have an app, which a tool leads to and a resource holds; the door on the SDK has none.", _apps),
    Allowed("Where the SDK breaks down, we need not.", _breakdowns),
]
