"""What the parameters of each method look like, in both eras. What is not known here is let pass."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from thoughtbox.doors.mcp.jsonrpc import INVALID_PARAMS, Params, ProtocolError
from thoughtbox.doors.mcp.revisions import CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION

Check = Callable[[Any], bool]

LEVELS: Final = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
"""Of what a client may be told in its log, from the least to the most severe."""


def is_text(value: Any) -> bool:
    return type(value) is str


def is_switch(value: Any) -> bool:
    return type(value) is bool


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def is_whole(value: Any) -> bool:
    return type(value) is int


def is_object(value: Any) -> bool:
    return type(value) is dict


def is_handle(value: Any) -> bool:
    """What a progress token and an id are."""
    return type(value) in (str, int)


def one_of(*allowed: str) -> Check:
    return lambda value: type(value) is str and value in allowed


def either(*checks: Check) -> Check:
    return lambda value: any(check(value) for check in checks)


def list_of(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def map_of(check: Check) -> Check:
    return lambda value: type(value) is dict and all(map(check, value.values()))


def shape(needs: Mapping[str, Check] | None = None, **may: Check) -> Check:
    """An object with these fields: those it needs, and those it may have; `null` is as good as left out."""
    return _shape(needs or {}, may)


def _shape(needs: Mapping[str, Check], may: Mapping[str, Check]) -> Check:
    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, check in needs.items():
            if name not in value or not check(value[name]):
                return False
        # With every request: a loop costs less than `all` with a generator.
        for name, check in may.items():  # noqa: SIM110
            if (given := value.get(name)) is not None and not check(given):
                return False
        return True

    return fits


_ICON = _shape({"src": is_text}, {"mimeType": is_text, "sizes": list_of(is_text), "theme": one_of("light", "dark")})
_CLIENT_INFO = _shape(
    {"name": is_text, "version": is_text},
    {"description": is_text, "icons": list_of(_ICON), "title": is_text, "websiteUrl": is_text},
)
_ELICITATION = shape(form=is_object, url=is_object)
_SAMPLING = shape(context=is_object, tools=is_object)
_TASKS = _shape(
    {},
    {
        "cancel": is_object,
        "list": is_object,
        "requests": shape(elicitation=shape(create=is_object), sampling=shape(createMessage=is_object)),
    },
)
_HANDSHAKE_CAPABILITIES = shape(
    elicitation=_ELICITATION,
    experimental=map_of(is_object),
    roots=shape(listChanged=is_switch),
    sampling=_SAMPLING,
    tasks=_TASKS,
)
_STATELESS_CAPABILITIES = shape(
    elicitation=_ELICITATION,
    experimental=map_of(is_object),
    extensions=map_of(is_object),
    roots=is_object,
    sampling=_SAMPLING,
)


def _is_meta(value: Any) -> bool:
    """What a request with a handshake says beside its parameters: a progress token that is `null` is none."""
    return type(value) is dict and ("progressToken" not in value or is_handle(value["progressToken"]))


_ENVELOPE = _shape(
    {PROTOCOL_VERSION: is_text, CLIENT_CAPABILITIES: _STATELESS_CAPABILITIES},
    {CLIENT_INFO: _CLIENT_INFO, LOG_LEVEL: one_of(*LEVELS), "progressToken": is_handle},
)
"""What a request of the newest era says of its sender."""

_ANNOTATIONS = shape(
    audience=list_of(one_of("assistant", "user")),
    lastModified=is_text,
    priority=lambda value: is_number(value) and 0 <= value <= 1,
)
_TEXT = _shape({"type": one_of("text"), "text": is_text}, {"_meta": is_object, "annotations": _ANNOTATIONS})
_MEDIA = _shape(
    {"type": one_of("image", "audio"), "data": is_text, "mimeType": is_text},
    {"_meta": is_object, "annotations": _ANNOTATIONS},
)
_TOOL_USE = _shape(
    {"type": one_of("tool_use"), "id": is_text, "input": is_object, "name": is_text}, {"_meta": is_object}
)
_TOOL_RESULT = _shape(
    {"type": one_of("tool_result"), "toolUseId": is_text, "content": list_of(is_object)},
    {"_meta": is_object, "isError": is_switch},
)
_BLOCK = either(_TEXT, _MEDIA, _TOOL_USE, _TOOL_RESULT)

is_model_answer: Final = _shape(
    {"content": either(_BLOCK, list_of(_BLOCK)), "model": is_text, "role": one_of("assistant", "user")},
    {"_meta": is_object, "stopReason": is_text},
)
"""What a client's model has said."""

are_roots: Final = shape({"roots": list_of(_shape({"uri": is_text}, {"_meta": is_object, "name": is_text}))})
"""The directories that a client works in."""

_ELICITED = _shape({"action": one_of("accept", "cancel", "decline")}, {"content": is_object})

_ROUND: Final = {
    "inputResponses": map_of(either(is_model_answer, are_roots, _ELICITED)),
    "requestState": is_text,
}
"""What a call brings along that goes on with one that has asked its client something."""

_REFERENCE = either(
    _shape({"type": one_of("ref/prompt"), "name": is_text}, {"title": is_text}),
    _shape({"type": one_of("ref/resource"), "uri": is_text}, {}),
)
_ARGUMENTS = map_of(is_text)

_NEEDS: Final[Mapping[str, Mapping[str, Check]]] = {
    "tools/call": {"name": is_text},
    "resources/read": {"uri": is_text},
    "resources/subscribe": {"uri": is_text},
    "resources/unsubscribe": {"uri": is_text},
    "prompts/get": {"name": is_text},
    "completion/complete": {"argument": shape({"name": is_text, "value": is_text}), "ref": _REFERENCE},
    "logging/setLevel": {"level": one_of(*LEVELS)},
    "subscriptions/listen": {
        "notifications": shape(
            promptsListChanged=is_switch,
            resourceSubscriptions=list_of(is_text),
            resourcesListChanged=is_switch,
            taskIds=list_of(is_text),
            toolsListChanged=is_switch,
        )
    },
    "tasks/get": {"taskId": is_text},
    "tasks/update": {"taskId": is_text, "inputResponses": map_of(is_object)},
    "tasks/cancel": {"taskId": is_text},
    "initialize": {
        "protocolVersion": is_text,
        "capabilities": _HANDSHAKE_CAPABILITIES,
        "clientInfo": _CLIENT_INFO,
    },
}
_MAY: Final[Mapping[str, Mapping[str, Check]]] = {
    "tools/call": {"arguments": is_object},
    "prompts/get": {"arguments": _ARGUMENTS},
    "completion/complete": {"context": shape(arguments=_ARGUMENTS)},
    "tools/list": {"cursor": is_text},
    "resources/list": {"cursor": is_text},
    "resources/templates/list": {"cursor": is_text},
    "prompts/list": {"cursor": is_text},
}
_LISTS: Final = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
_TASK_METHODS: Final = ("tasks/get", "tasks/update", "tasks/cancel")
_SHARED: Final = (*_LISTS, "tools/call", "resources/read", "prompts/get", "completion/complete")

HANDSHAKE_METHODS: Final[Mapping[str, Check]] = {
    method: _shape(
        _NEEDS.get(method, {}),
        {
            "_meta": _is_meta,
            **_MAY.get(method, {}),
            **({"task": shape(ttl=is_whole)} if method == "tools/call" else {}),
        },
    )
    for method in (*_SHARED, "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe")
}
"""What a client with a handshake may ask for, and what the parameters are."""

STATELESS_METHODS: Final[Mapping[str, Check]] = {
    method: _shape(
        {"_meta": _ENVELOPE, **_NEEDS.get(method, {})},
        {
            **_MAY.get(method, {}),
            **(_ROUND if method in ("tools/call", "resources/read", "prompts/get") else {}),
        },
    )
    for method in (*_SHARED, "server/discover", "subscriptions/listen", *_TASK_METHODS)
}
"""The same of a client of the newest era."""


def must_fit(check: Check, params: Params | None) -> None:
    """Refuse parameters that are not what the protocol says they are."""
    if not check({} if params is None else params):
        raise invalid_params()


def invalid_params() -> ProtocolError:
    return ProtocolError(INVALID_PARAMS, "Invalid request parameters", "")
