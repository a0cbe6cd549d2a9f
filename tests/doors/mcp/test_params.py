"""Parameters are what the official types say they are, of every method in every revision."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types.methods import SPEC_CLIENT_METHODS, validate_client_request
from pydantic import ValidationError

from thoughtbox.doors.mcp.params import HANDSHAKE_METHODS, STATELESS_METHODS
from thoughtbox.doors.mcp.revisions import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    HANDSHAKE,
    LOG_LEVEL,
    PROTOCOL_VERSION,
    STATELESS,
)

CLIENT = {
    "name": "tester",
    "version": "1",
    "title": "T",
    "icons": [{"src": "data:,", "mimeType": "image/png", "sizes": ["1x1"], "theme": "dark"}],
    "websiteUrl": "https://example.com",
    "description": "d",
}
CAPABILITIES = {
    "elicitation": {"form": {}, "url": {}},
    "experimental": {"x": {"y": 1}},
    "sampling": {"context": {}, "tools": {}},
}
META = {"progressToken": 7, "x/y": [1]}
ENVELOPE = {
    **META,
    PROTOCOL_VERSION: STATELESS[-1],
    CLIENT_INFO: CLIENT,
    CLIENT_CAPABILITIES: {**CAPABILITIES, "roots": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
    LOG_LEVEL: "info",
}
SAID = {
    "role": "assistant",
    "model": "m",
    "stopReason": "endTurn",
    "content": [
        {"type": "text", "text": "t", "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2025"}},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "tool_use", "id": "1", "name": "n", "input": {}},
        {"type": "tool_result", "toolUseId": "1", "content": [], "isError": False},
    ],
}
ROUND = {
    "requestState": "s",
    "inputResponses": {
        "said": SAID,
        "roots": {"roots": [{"uri": "file:///x", "name": "x"}]},
        "asked": {"action": "accept", "content": {"a": 1}},
    },
}
OWN: dict[str, dict[str, Any]] = {
    "initialize": {
        "protocolVersion": "2025-11-25",
        "clientInfo": CLIENT,
        "capabilities": {
            **CAPABILITIES,
            "roots": {"listChanged": True},
            "tasks": {"cancel": {}, "list": {}, "requests": {"sampling": {"createMessage": {}}}},
        },
    },
    "tools/call": {"name": "thought", "arguments": {"a": [1, {"b": None}]}},
    "resources/read": {"uri": "thoughtbox://init"},
    "resources/subscribe": {"uri": "thoughtbox://init"},
    "resources/unsubscribe": {"uri": "thoughtbox://init"},
    "prompts/get": {"name": "p", "arguments": {"a": "b"}},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "p", "title": "P"},
        "argument": {"name": "a", "value": "b"},
        "context": {"arguments": {"c": "d"}},
    },
    "logging/setLevel": {"level": "info"},
    "subscriptions/listen": {
        "notifications": {
            "toolsListChanged": True,
            "promptsListChanged": False,
            "resourcesListChanged": True,
            "resourceSubscriptions": ["thoughtbox://init"],
        }
    },
    **{f"{kind}/list": {"cursor": "c"} for kind in ("tools", "prompts", "resources", "resources/templates")},
}
ODD = [None, True, 0, -1, 3.5, "", "text", [], ["a"], {}, {"a": 1}, {"a": "b"}, [{}], "info", "ref/resource"]


def whole(method: str, version: str) -> dict[str, Any]:
    """Parameters with all there can be in them."""
    params: dict[str, Any] = {"_meta": META, **OWN.get(method, {})}
    if version in STATELESS:
        params["_meta"] = ENVELOPE
        if method in ("tools/call", "resources/read", "prompts/get"):
            params.update(ROUND)
    elif method == "tools/call":
        params["task"] = {"ttl": 5}
    return deepcopy(params)


def accepted_by_sdk(method: str, version: str, params: dict[str, Any]) -> bool:
    try:
        validate_client_request(method, version, params)
    except ValidationError:
        return False
    return True


def accepted(method: str, version: str, params: dict[str, Any]) -> bool:
    return (STATELESS_METHODS if version in STATELESS else HANDSHAKE_METHODS)[method](params)


CASES = [
    (method, version)
    for version in (*HANDSHAKE, *STATELESS)
    for method in (STATELESS_METHODS if version in STATELESS else HANDSHAKE_METHODS)
    if method in SPEC_CLIENT_METHODS
]


@pytest.mark.parametrize(("method", "version"), CASES)
def test_parameters_that_have_all_there_can_be_are_taken(method: str, version: str):
    assert accepted_by_sdk(method, version, whole(method, version))
    assert accepted(method, version, whole(method, version))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to every part of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in inner for found in [(*path, key), *places(part, (*path, key))]]


COERCED = ("listChanged", "ListChanged", "progressToken", "ttl", "priority", "isError")
"""The SDK takes 0 for false, "1" for true and 3.0 for 3 there; here a number is a number."""

LOOSE = ("content",)
"""What a client's model has called, and what came of it, is of no use here, and not looked into."""


@settings(max_examples=50)
@given(st.data())
def test_what_the_official_types_refuse_is_refused_and_nothing_else(data: st.DataObject):
    method, version = data.draw(st.sampled_from(CASES))
    params = whole(method, version)
    changed: list[tuple[Any, ...]] = []
    for _ in range(data.draw(st.integers(1, 2))):
        ways = places(params)
        path = data.draw(st.sampled_from(ways)) if ways else ()
        if not path:
            break
        holder: Any = params
        for key in path[:-1]:
            holder = holder[key]
        changed.append(path)
        if data.draw(st.booleans()) or isinstance(holder, list):
            holder[path[-1]] = deepcopy(data.draw(st.sampled_from(ODD)))
        else:
            del holder[path[-1]]
    if any(str(key).endswith(COERCED) for path in changed for key in path):
        return
    if any(path[-1] in LOOSE or LOOSE[0] in path for path in changed):
        return

    assert accepted(method, version, params) == accepted_by_sdk(method, version, params), (method, version, params)


def test_methods_are_those_of_the_revisions():
    for method in SPEC_CLIENT_METHODS:
        for version, methods in ((HANDSHAKE[-1], HANDSHAKE_METHODS), (STATELESS[-1], STATELESS_METHODS)):
            try:
                validate_client_request(method, version, whole(method, version))
                is_known = True
            except KeyError:
                is_known = False
            assert (method in methods) is is_known, (method, version)
