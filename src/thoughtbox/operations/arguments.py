"""Arguments as they come, made into an operation's input or refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from thoughtbox.errors import ThoughtboxError, shown
from thoughtbox.operations.models import Input, wire_names
from thoughtbox.operations.registry import Operation

MOST_FAULTS = 20
"""Told of in one error. An answer must not be longer than what it refuses."""


def bind(operation: Operation, arguments: Mapping[str, Any]) -> Input:
    """The operation's input; refuses what is unknown, missing, or of the wrong kind, and changes nothing.

    `null` for an optional argument means that it was left out.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    if any(map(_may_be_unstorable, given, given.values())) and (found := _place_of_unstorable(given)) is not None:
        path, what = found
        raise operation.invalid(
            f"`{path}` contains {what}, which cannot be stored",
            recovery="Send the text without it.",
            details={"field": path},
        )
    try:
        return operation.input.model_validate(given, by_alias=True, by_name=False)
    except ValidationError as error:
        raise _refusal(operation, error.errors(include_url=False)) from None


def wire_name(model: type[Input], name: str) -> str:
    info = model.model_fields.get(name)
    return info.alias if info is not None and info.alias else name


def _refusal(operation: Operation, faults: list[ErrorDetails]) -> ThoughtboxError:
    """All that is wrong with the arguments, in one error; the first fault gives the way out."""
    known = list(wire_names(operation.input))
    told = faults[:MOST_FAULTS]
    sentences = [_sentence(fault, known) for fault in told]
    message = f"{operation.name}: " + "; ".join(sentence for sentence, _ in sentences)
    if len(faults) > len(told):
        message += f"; and {len(faults) - len(told)} more"
    recovery = next((way_out for _, way_out in sentences if way_out), None)
    return operation.invalid(
        message,
        recovery=recovery or f"It takes {', '.join(known)}.",
        details={"fields": [_path(fault["loc"]) for fault in told]},
    )


def _sentence(fault: ErrorDetails, known: list[str]) -> tuple[str, str | None]:
    name = _path(fault["loc"])
    match fault["type"]:
        case "extra_forbidden":
            near = get_close_matches(name, known, n=1, cutoff=0.4)
            return f"unknown argument `{name}`", f"Did you mean `{near[0]}`?" if near else None
        case "missing":
            return f"`{name}` is missing", None
        case "value_error":
            return f"`{name}` is refused: {fault['ctx']['error']}", None
        case _:
            text = fault["msg"]
            return f"`{name}`: {text[:1].lower()}{text[1:]}", None


def _path(location: tuple[int | str, ...]) -> str:
    return shown(".".join(map(str, location)))


def unstorable(text: str) -> str | None:
    """What is in a text that no engine can store; None when nothing is."""
    if "\0" in text:
        return "a NUL character (U+0000)"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair (U+D800 to U+DFFF)"
    return None


def _may_be_unstorable(name: str, value: Any) -> bool:
    """A quick look that lets nearly every call pass."""
    if isinstance(value, dict | list) or not name.isascii():
        return True
    return isinstance(value, str) and unstorable(value) is not None


def _place_of_unstorable(given: Mapping[str, Any]) -> tuple[str, str] | None:
    """Where a text cannot be stored, and why; None when all can. However deep the arguments nest."""
    waiting: list[tuple[str, Any]] = [("", given)]
    while waiting:
        path, value = waiting.pop()
        match value:
            case str():
                if (what := unstorable(value)) is not None:
                    return shown(path.encode("utf-8", "replace").decode()), what
            case dict():
                for name, part in value.items():
                    here = f"{path}.{name}" if path else str(name)
                    waiting += ((here, part), (here, str(name)))
            case list():
                waiting += ((f"{path}[{index}]", part) for index, part in enumerate(value))
    return None
