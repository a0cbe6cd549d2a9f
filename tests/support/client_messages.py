"""Requests of every method that a client can send: right ones, and each with something wrong at every place."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from tests.support.servers import ENVELOPE, INITIALIZE

Params = dict[str, Any]

THOUGHT = {"sessionId": "s1", "thoughtType": "note", "content": "Where it all begins."}
FILTER = {"toolsListChanged": True, "resourcesListChanged": True, "resourceSubscriptions": ["thoughtbox://trail/s1"]}

BOTH: list[tuple[str, Params | None]] = [
    ("tools/call", {"name": "thought_record", "arguments": THOUGHT}),
    ("tools/call", {"name": "thoughtbox_gateway", "arguments": {"operation": "describe", "args": {"name": "thought"}}}),
    ("tools/call", {"name": "thought_tree", "arguments": {"sessionId": "nobody's"}}),
    ("tools/call", {"name": "no_such_tool", "arguments": {}}),
    ("tools/call", {"name": "ledger_status"}),
    ("tools/list", None),
    ("tools/list", {}),
    ("tools/list", {"toolset": "trail"}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("resources/read", {"uri": "thoughtbox://ledger/status"}),
    ("resources/read", {"uri": "thoughtbox://trail/s1"}),
    ("resources/read", {"uri": "thoughtbox://nowhere"}),
    ("prompts/list", {}),
    ("prompts/get", {"name": "think_in_the_open", "arguments": {"task": "Count."}}),
    ("prompts/get", {"name": "explain_action", "arguments": {"actionId": "a1"}}),
    ("prompts/get", {"name": "no_such_prompt"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/resource", "uri": "thoughtbox://trail/{sessionId}"},
            "argument": {"name": "sessionId", "value": "s"},
        },
    ),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "explain_action"},
            "argument": {"name": "actionId", "value": ""},
            "context": {"arguments": {"sessionId": "s1"}},
        },
    ),
    ("no/such/method", {}),
    ("sampling/createMessage", {"messages": [], "maxTokens": 1}),
    ("tasks/result", {"taskId": "t"}),
    ("notifications/initialized", {}),
]
"""Methods of both eras, and of none."""

HANDSHAKE_ONLY: list[tuple[str, Params | None]] = [
    ("ping", None),
    ("ping", {}),
    ("logging/setLevel", {"level": "warning"}),
    ("resources/subscribe", {"uri": "thoughtbox://trail/s1"}),
    ("resources/unsubscribe", {"uri": "thoughtbox://trail/s1"}),
    ("initialize", INITIALIZE),
]
STATELESS_ONLY: list[tuple[str, Params | None]] = [
    ("server/discover", {}),
    ("subscriptions/listen", {"notifications": FILTER}),
]

NOTIFICATIONS: list[tuple[str, Params | None]] = [
    ("notifications/initialized", None),
    ("notifications/cancelled", {"requestId": 999, "reason": "no longer wanted"}),
    ("notifications/progress", {"progressToken": 1, "progress": 0.5, "total": 1}),
    ("notifications/roots/list_changed", None),
    ("notifications/no_such", {"a": 1}),
    ("tools/list", {}),
]

INSTEAD: tuple[Any, ...] = (None, 5, -1.5, True, "x", "", [], ["x"], {}, {"x": 1})
"""What is put in the place of a value, one of every type."""


def requests(era: str) -> list[tuple[str, Params | None]]:
    """Every method, also those of the other era, which are to be refused."""
    return (
        [*HANDSHAKE_ONLY, *BOTH, *STATELESS_ONLY] if era == "handshake" else [*STATELESS_ONLY, *BOTH, *HANDSHAKE_ONLY]
    )


def in_era(era: str, params: Params | None) -> Params | None:
    """The params as a client of that era sends them."""
    if era == "handshake":
        return deepcopy(params)
    return {**deepcopy(params or {}), "_meta": deepcopy(ENVELOPE)}


def wrong(params: Params | None, *, within: str | None = None) -> Iterator[Any]:
    """The params with one thing wrong: left out, another type, another name, one too many, at every place.

    What is in `_meta` is the same for all methods, and left alone unless it is named as the part to look `within`.
    """
    yield {**(params or {}), "extra": 1}
    if not params:
        return
    for path in places(params):
        if (path[0] == "_meta") is not (within == "_meta"):
            continue
        *above, name = path
        for value in (*INSTEAD, [at(params, path)]):
            if type(value) is type(at(params, path)) and value:
                continue
            changed = deepcopy(params)
            at(changed, above)[name] = value
            yield changed
        changed = deepcopy(params)
        at(changed, above)[f"{name}s"] = at(changed, above).pop(name)
        yield changed
        changed = deepcopy(params)
        del at(changed, above)[name]
        yield changed


def places(value: Mapping[str, Any], deep: int = 3) -> Iterator[tuple[str, ...]]:
    """Paths to all that stands in an object, down to a depth."""
    for name, inner in value.items():
        yield (name,)
        if isinstance(inner, dict) and deep > 1:
            yield from ((name, *rest) for rest in places(inner, deep - 1))


def at(value: Any, path: list[str] | tuple[str, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def framed(id: Any, method: str, params: Any = None) -> dict[str, Any]:
    """A request; with no id, a notification."""
    return {
        "jsonrpc": "2.0",
        **({} if id is None else {"id": id}),
        "method": method,
        **({} if params is None else {"params": params}),
    }


def doubled(message: dict[str, Any], name: str, value: Any) -> bytes:
    """The message with a field in it twice: this value first, then its own."""
    return b"{" + json.dumps({name: value})[1:-1].encode() + b"," + json.dumps(message)[1:].encode()
