"""What a worker says, read and checked: it has run a stranger's code, and is believed in nothing."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from thoughtbox.sandbox.javascript.refusals import DEEPEST_JSON, too_deep
from thoughtbox.sandbox.protocol import Asked, Built


class Nonsense(Exception):
    """No worker of ours says such a thing."""


def parsed(text: bytes) -> Any:
    """JSON of a worker; `LimitExceeded` when it is nested too deeply to be passed on."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        value = _leniently(text)
    if text.count(b"[") + text.count(b"{") > DEEPEST_JSON and _is_deeper(value, DEEPEST_JSON):
        raise too_deep()
    return value


def asked(text: bytes, builders: Mapping[str, Collection[str]]) -> Asked:
    match parsed(text):
        case {"name": str(name), "arguments": dict(arguments), "queued": list(records)}:
            return Asked(name, arguments, built(records, builders))
        case _:
            raise Nonsense


def built(records: Any, builders: Mapping[str, Collection[str]]) -> tuple[Built, ...]:
    return tuple([_built(record, builders) for record in records])


def _built(record: Any, builders: Mapping[str, Collection[str]]) -> Built:
    try:
        made = Built(record["kind"], record["text"], record["options"])
        is_sound = made.kind in builders and type(made.text) is str and type(made.options) is dict
    except (KeyError, TypeError):
        raise Nonsense from None
    if not is_sound:
        raise Nonsense
    return made


def _leniently(text: bytes) -> Any:
    """Strings may hold halves of characters, which whoever is asked refuses in better words than we could."""
    try:
        return json.loads(text)
    except RecursionError:
        raise too_deep() from None
    except ValueError:
        raise Nonsense from None


def _is_deeper(value: Any, levels: int) -> bool:
    layer = [value]
    for _ in range(levels):
        layer = [inner for each in layer for inner in _inside(each)]
        if not layer:
            return False
    return True


def _inside(value: Any) -> Collection[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
