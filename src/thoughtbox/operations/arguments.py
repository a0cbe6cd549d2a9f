"""Arguments as they come, made into an operation's input or refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from thoughtbox.errors import InvalidInput, ThoughtboxError, shown
from thoughtbox.operations.forms import FORMAT, JSON, Form, what_is_wrong
from thoughtbox.operations.meant import as_meant, located
from thoughtbox.operations.misspelt import nearest
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.storable import unstorable
from thoughtbox.operations.table import Table

MOST_FAULTS = 20
"""Told of in one error. An answer must not be longer than what it refuses."""

MOST_LOOKS = 4
"""A list that came as text may hold objects with numbers that did, too; no argument nests deeper than that."""


class Bound(NamedTuple):
    """An operation's input, and its arguments as they would have been sent if all had come in its own form."""

    input: Input
    arguments: Mapping[str, Any]
    form: Form = JSON
    """The form that its answer is to have."""


def bind(table: Table, operation: Operation, arguments: Mapping[str, Any]) -> Bound:
    """The operation's input; refuses what is unknown, missing, or of the wrong kind, and changes nothing.

    `null` for an optional argument means that it was left out. What came as text is taken as what it means.
    """
    if operation.lists and FORMAT in arguments:
        return _bind_in_form(table, operation, arguments)
    return Bound(*_bound(table, operation, arguments, []))


def _bind_in_form(table: Table, operation: Operation, arguments: Mapping[str, Any]) -> Bound:
    """The same, for arguments that say what form the answer is to have."""
    form = arguments[FORMAT]
    wrong = what_is_wrong(form)
    rest = {name: value for name, value in arguments.items() if name != FORMAT}
    found, rest = _bound(table, operation, rest, [] if wrong is None else [wrong])
    return Bound(found, rest, form or JSON)


def _bound(
    table: Table, operation: Operation, arguments: Mapping[str, Any], wrong: list[ErrorDetails]
) -> tuple[Input, Mapping[str, Any]]:
    """The input, and the arguments that it was made of; `wrong` is what is wrong with the call already."""
    validator = operation.input.__pydantic_validator__
    for _ in range(MOST_LOOKS):
        given = {name: value for name, value in arguments.items() if value is not None}
        if not _are_plain_texts(given) and not all(map(_is_storable, given, given.values())):
            _refuse_unstorable(operation, given)
        try:
            found = validator.validate_python(given, by_alias=True, by_name=False)
        except ValidationError as error:
            faults = [located(fault, given) for fault in error.errors(include_url=False)]
        else:
            if not wrong:
                return found, arguments
            faults = []
        if (meant := as_meant(arguments, faults)) is None:
            break
        arguments = meant
    raise _refusal(table, operation, [*wrong, *faults])


def read_as_far(operation: Operation, arguments: Mapping[str, Any]) -> Input:
    """The texts of arguments that as a whole were refused: enough to see what they are about."""
    model = operation.input
    named = {name: arguments.get(wire_name(model, name)) for name in model.model_fields}
    texts = {name: value for name, value in named.items() if isinstance(value, str) and unstorable(value) is None}
    return model.model_construct(**texts)


def wire_name(model: type[Input], name: str) -> str:
    info = model.model_fields.get(name)
    return info.alias if info is not None and info.alias else name


def _refuse_unstorable(operation: Operation, given: Mapping[str, Any]) -> None:
    if (found := _place_of_unstorable(given)) is not None:
        path, what = found
        raise operation.invalid(
            f"`{path}` contains {what}, which cannot be stored",
            recovery="Send the text without it.",
            details={"field": path},
        )


def _refusal(table: Table, operation: Operation, faults: list[ErrorDetails]) -> ThoughtboxError:
    """All that is wrong with the arguments, in one error; the first fault gives the way out."""
    told = faults[:MOST_FAULTS]
    message = "; ".join(_sentences(told))
    if len(faults) > len(told):
        message += f"; and {len(faults) - len(told)} more"
    return operation.invalid(
        message,
        recovery=_way_out(told, operation.arguments) or _names(operation, told) or table.guidance(operation.name),
        details={
            "fields": list(dict.fromkeys(_path(fault["loc"]) for fault in told)),
            **({"hints": list(map(_hint, told))} if issubclass(operation.invalid, InvalidInput) else {}),
        },
    )


def _hint(fault: ErrorDetails) -> dict[str, Any]:
    """A fault as a program reads it."""
    field, kind, about = _path(fault["loc"]), fault["type"], fault.get("ctx", {})
    if kind == "missing":
        return {"kind": "missing_required", "field": field}
    if kind in ("string_too_long", "too_long"):
        return {"kind": "length", "subject": field, "max_chars": about["max_length"]}
    if kind == "value_error" and "empty" in str(about.get("error", "")):
        return {"kind": "non_empty", "field": field}
    if kind == "extra_forbidden":
        return {"kind": "unknown", "field": field}
    wanted = about["expected"] if kind == "literal_error" else _WANTED[kind].format(**about) if kind in _WANTED else ""
    return {"kind": "type", "field": field, "expected": wanted or _sentence(fault).partition("`: ")[2]}


def _way_out(faults: list[ErrorDetails], known: tuple[str, ...]) -> str | None:
    unknown = (_path(fault["loc"]) for fault in faults if fault["type"] == "extra_forbidden")
    near = next(filter(None, (nearest(name, known) for name in unknown)), None)
    if near is not None:
        return f"Did you mean `{near}`?"
    return "Send one of these." if all(fault["type"] == "literal_error" for fault in faults) else None


def _names(operation: Operation, faults: list[ErrorDetails]) -> str | None:
    """What can be sent in place of an unknown argument, where the client may not be shown what describes operations."""
    if operation.envelope is None or any(fault["type"] != "extra_forbidden" for fault in faults):
        return None
    return f"It takes {', '.join(operation.arguments)}."


def _sentences(faults: list[ErrorDetails]) -> list[str]:
    """What is wrong, once for each argument: of one that may be several things, what it may be."""
    said: dict[str, str] = {}
    for fault in faults:
        name, sentence = _path(fault["loc"]), _sentence(fault)
        said[name] = f"{said[name]}, or {sentence.removeprefix(f'`{name}` must be ')}" if name in said else sentence
    return list(said.values())


def _sentence(fault: ErrorDetails) -> str:
    name, about = _path(fault["loc"]), fault.get("ctx", {})
    match fault["type"]:
        case "extra_forbidden":
            return f"unknown argument `{name}`"
        case "missing":
            return f"`{name}` is missing"
        case "value_error":
            return f"`{name}`: {about['error']}"
        case "string_too_long" | "too_long":
            return f"`{name}` is too long: {about['max_length']} at most"
        case "literal_error":
            return f"`{name}` must be {about['expected']}"
        case kind if kind in _WANTED:
            return f"`{name}` must be {_WANTED[kind].format(**about)}"
        case _:
            text = fault["msg"]
            return f"`{name}`: {text[:1].lower()}{text[1:]}"


_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a text",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
}
"""What an argument must be, by what is wrong with it."""


def _path(location: tuple[int | str, ...]) -> str:
    return shown(".".join(map(str, location)))


def _are_plain_texts(given: Mapping[str, Any]) -> bool:
    """Whether all is ASCII: so it is in most calls, and joining is the cheapest look at all of it."""
    try:
        joined = "".join((*given, *given.values()))
    except TypeError:
        return False
    return joined.isascii() and "\0" not in joined


def _is_storable(name: str, value: Any) -> bool:
    """A quick look that lets nearly every call pass: what it does not know is looked at with care."""
    if not name.isascii():
        return False
    if isinstance(value, str):
        return "\0" not in value and (value.isascii() or unstorable(value) is None)
    return not isinstance(value, dict | list)


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
