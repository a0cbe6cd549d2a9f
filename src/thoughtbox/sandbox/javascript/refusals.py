"""What a model is told when its snippet was ended, and what it can do about it."""

from __future__ import annotations

from typing import Any

from thoughtbox.errors import LimitExceeded, SnippetError, SnippetFailed, SnippetInvalid
from thoughtbox.sandbox.exceeded import exceeded
from thoughtbox.sandbox.protocol import Limits

DEEPEST_CALLS = 2_000
"""Calls of a plain function, one inside the other, that the machine's stack has room for, about."""
DEEPEST_JSON = 200

_MISSING = {
    "require": "modules",
    "process": "a process",
    "Deno": "a host",
    "fetch": "a network",
    "XMLHttpRequest": "a network",
    "setTimeout": "timers",
    "setInterval": "timers",
    "setImmediate": "timers",
    "window": "a browser",
    "document": "a browser",
    "Buffer": "Node",
}


def not_scheduled(limits: Limits, seconds: float) -> LimitExceeded:
    """The machine was so busy that the snippet did not get the time it may have."""
    return LimitExceeded(
        f"the snippet did not get to compute its {limits.cpu_ms} ms within {seconds:g} s, because the machine is busy",
        recovery="Send it again.",
        details={"limit": "wall", "allowed": int(seconds * 1000)},
    )


def too_deep() -> LimitExceeded:
    return LimitExceeded(
        f"a value that the snippet returned or passed on is nested more than {DEEPEST_JSON} levels deep",
        recovery="Return a flatter value.",
        details={"limit": "recursion", "allowed": DEEPEST_JSON},
    )


def failure(about: dict[str, Any], limits: Limits, code: str) -> SnippetError:
    """The error for what a worker says went wrong."""
    if "limit" in about:
        limit = about["limit"]
        return exceeded(limit, limits, DEEPEST_CALLS if limit == "recursion" else None)
    place = {key: about[key] for key in ("line", "column") if about.get(key) is not None}
    if "refused" in about:
        return SnippetInvalid(
            _placed(f"the snippet cannot be read: {about['refused']}", place),
            recovery=_recovery_from_syntax(about["refused"], _line(code, place.get("line"))),
            details=place,
        )
    if about.get("error") is not None:
        return _refused_operation(about, place)
    said = f"{about['name']}: {about['message']}" if about["name"] else f"{about['message']}"
    details = {**place, "name": about["name"]} if about["name"] else place
    return SnippetFailed(_placed(said, place), recovery=_recovery(about), details=details)


def _refused_operation(about: dict[str, Any], place: dict[str, int]) -> SnippetFailed:
    error = about["error"]
    message = _placed(f"{error.get('code', 'tb.Error')}: {error.get('message', '')}", place)
    return SnippetFailed(message, recovery=error.get("recovery"), details={"error": error, **place})


def _placed(message: str, place: dict[str, int]) -> str:
    return f"{message.rstrip('.')} (line {place['line']})" if "line" in place else message


def _recovery(about: dict[str, Any]) -> str | None:
    name, _, rest = about["message"].partition(" ")
    if about["name"] == "ReferenceError" and rest == "is not defined" and name in _MISSING:
        return (
            f"There is no `{name}` here, nor {_MISSING[name]}: only `tb` (or `catalog`) and what JavaScript itself has."
        )
    return None


def _recovery_from_syntax(message: str, line: str) -> str | None:
    if line.startswith(("import ", "export ")):
        return "There are no modules here: `tb` (or `catalog`) is already there."
    if message == "expecting ';'":
        return "If that was meant to be an object, put it in brackets, ({...}), or return it."
    return None


def _line(code: str, number: int | None) -> str:
    lines = code.split("\n")
    return lines[number - 1].strip() if number is not None and 0 < number <= len(lines) else ""
