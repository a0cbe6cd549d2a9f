"""Arguments as they come, made into an operation's input or refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.models import Input
from thoughtbox.operations.registry import Operation


def bind(operation: Operation, arguments: Mapping[str, Any]) -> Input:
    """The operation's input; refuses what is unknown, missing, or of the wrong kind, and changes nothing.

    `null` for an optional argument means that it was left out.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    if any(_may_hold_nul(value) for value in given.values()) and (path := _path_of_nul(given)) is not None:
        raise operation.invalid(
            f"`{path}` contains a NUL character (U+0000), which cannot be stored",
            recovery="Send the text without it.",
            details={"field": path},
        )
    try:
        return operation.input.model_validate(given, by_alias=True, by_name=False)
    except ValidationError as error:
        raise _refusal(operation, error.errors(include_url=False)) from None


def argument_names(model: type[Input]) -> list[str]:
    """The names of a model's arguments, as the wire spells them."""
    return [wire_name(model, name) for name in model.model_fields]


def wire_name(model: type[Input], name: str) -> str:
    info = model.model_fields.get(name)
    return info.alias if info is not None and info.alias else name


def _refusal(operation: Operation, faults: list[ErrorDetails]) -> ThoughtboxError:
    """All that is wrong with the arguments, in one error; the first fault gives the way out."""
    known = argument_names(operation.input)
    sentences = [_sentence(fault, known) for fault in faults]
    message = f"{operation.name}: " + "; ".join(sentence for sentence, _ in sentences)
    recovery = next((way_out for _, way_out in sentences if way_out), None)
    return operation.invalid(
        message,
        recovery=recovery or f"It takes {', '.join(known)}.",
        details={"fields": [_path(fault["loc"]) for fault in faults]},
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
    return ".".join(map(str, location))


def _may_hold_nul(value: Any) -> bool:
    """A quick look that lets nearly every call pass."""
    return "\0" in value if isinstance(value, str) else isinstance(value, dict | list)


def _path_of_nul(value: Any, path: str = "") -> str | None:
    """Where a text holds a NUL character; None when none does."""
    match value:
        case str():
            return path if "\0" in value else None
        case dict():
            parts = [(f"{path}.{name}" if path else str(name), [str(name), part]) for name, part in value.items()]
        case list():
            parts = [(f"{path}[{index}]", [part]) for index, part in enumerate(value)]
        case _:
            return None
    return next((found for here, texts in parts for text in texts if (found := _path_of_nul(text, here))), None)
