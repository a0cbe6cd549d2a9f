"""The one spelling of a JSON value: RFC 8785 on the domain the ledger allows.

A record is stored and hashed as these bytes, so one value must never have two
spellings, and a value that some reader would take for another one is refused.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn, TypeAlias

import orjson

from thoughtbox.errors import NotCanonical

# `Any` inside the containers: `dict` and `list` are invariant, and a caller's `dict[str, str]` is welcome.
JsonValue: TypeAlias = bool | int | float | str | list[Any] | tuple[Any, ...] | dict[str, Any] | None

# The keys and indexes that lead to a value; as many as it is deep.
_Path: TypeAlias = tuple[str | int, ...]

MAX_DEPTH: Final = 200
MAX_INTEGER: Final = 2**53

_PLAIN: Final = frozenset({str, int, bool, type(None)})
_FAST: Final = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER

# From here upwards every shortest-digits writer agrees; below, each has its own idea of when to use an exponent.
_SMALLEST_SHARED_FLOAT: Final = 1e-4
_SMALLEST_WITHOUT_EXPONENT: Final = 1e-6

_LONGEST_KEY_SHOWN: Final = 60


def canonical(value: JsonValue) -> bytes:
    """The canonical bytes of a value, or `NotCanonical` with the path of what has none."""
    return (_written_fast(value) if _suits_orjson(value) else None) or _written_with_care(value)


def canonical_around(value: dict[str, Any], *parts: JsonValue) -> bytes:
    """The same, of an object that was made here, around `parts` of it that were not: only these are looked at.

    Its other members are texts, and lists and objects of texts, under ASCII keys.
    """
    for part in parts:
        if not _suits_orjson(part, 1):
            return _written_with_care(value)
    return _written_fast(value) or _written_with_care(value)


def _written_fast(value: JsonValue) -> bytes | None:
    """The bytes of a value that suits orjson; None when some text in it, or an integer, has no canonical form."""
    try:
        written = orjson.dumps(value, option=_FAST)
    except TypeError:
        return None  # a lone surrogate, or an integer of 2^53 and more: the careful way tells which, and where
    return written if b"\\u0000" not in written else None


def _written_with_care(value: JsonValue) -> bytes:
    _check(value, ())
    return orjson.dumps(_arrange(value))


def parse(data: bytes) -> Any:
    """Read JSON strictly. Of a repeated key the last value counts; `canonical(parse(data)) == data` tells."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise NotCanonical(f"This is not JSON: {error}.", details={"reason": "not JSON"}) from None


def _suits_orjson(value: Any, depth: int = 0) -> bool:
    """Whether orjson writes the canonical bytes or fails: left alone, it also writes NaN, enums, dates and more."""
    kind = type(value)
    if kind in _PLAIN:
        return True
    if kind is float:
        return _is_written_alike(value)
    if depth == MAX_DEPTH:
        return False
    if kind is dict:
        if not _has_ascii_keys(value):
            return False
        members = value.values()
    elif kind is list or kind is tuple:
        members = value
    else:
        return False
    # Most members are plain, and this is asked for every record: a loop costs less than `all` with a generator.
    for member in members:  # noqa: SIM110
        if type(member) not in _PLAIN and not _suits_orjson(member, depth + 1):
            return False
    return True


def _has_ascii_keys(value: dict[str, Any]) -> bool:
    """ASCII keys sort alike as bytes and as UTF-16. Joining is the cheapest look at all of them."""
    try:
        return "".join(value).isascii()
    except TypeError:
        return False


def _is_written_alike(number: float) -> bool:
    """Whether orjson writes a float as ECMAScript does; false for NaN, infinities and integral floats."""
    return abs(number) >= _SMALLEST_SHARED_FLOAT and number % 1 > 0


def _check(value: Any, path: _Path) -> None:
    """Refuse what has no canonical form, in the order of the document."""
    kind = type(value)
    if kind is str:
        _check_text(value, path, "text")
    elif kind is int:
        if abs(value) > MAX_INTEGER:
            _refuse(path, "is an integer beyond 2^53", "Send it as text.")
    elif kind is float:
        _check_float(value, path)
    elif kind is dict:
        _check_depth(path)
        for key, member in value.items():
            _check_key(key, path)
            _check(member, (*path, key))
    elif kind is list or kind is tuple:
        _check_depth(path)
        for index, member in enumerate(value):
            _check(member, (*path, index))
    elif kind not in _PLAIN:
        _refuse(path, f"is of type {kind.__name__}, which JSON does not have", "Send plain JSON values.")


def _check_key(key: Any, path: _Path) -> None:
    if type(key) is not str:
        _refuse(path, f"has a key of type {type(key).__name__}", "Send text as keys.")
    _check_text(key, (*path, key), "a key")


def _check_text(text: str, path: _Path, role: str) -> None:
    # PostgreSQL cannot hold a NUL in text, and both engines must give the same answer.
    if "\0" in text:
        _refuse(path, f"is {role} with a NUL character", "Leave the character out.")
    if not text.isascii() and _has_lone_surrogate(text):
        _refuse(path, f"is {role} with a lone surrogate", "Send whole Unicode characters.")


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _check_float(number: float, path: _Path) -> None:
    if math.isnan(number):
        _refuse(path, "is NaN, which JSON does not have", "Send null or text.")
    if math.isinf(number):
        _refuse(path, "is infinite, which JSON does not have", "Send null or text.")
    if abs(number) > MAX_INTEGER:
        _refuse(path, "is an integral number beyond 2^53", "Send it as text.")


def _check_depth(path: _Path) -> None:
    if len(path) == MAX_DEPTH:
        _refuse(path, f"is nested deeper than {MAX_DEPTH} levels", "Send a flatter value.")


def _refuse(path: _Path, reason: str, recovery: str) -> NoReturn:
    shown = _show(path)
    raise NotCanonical(
        f"{shown or 'The value'} {reason}.", recovery=recovery, details={"path": shown, "reason": reason}
    )


def _show(path: _Path) -> str:
    """A path as a reader writes it: `data.scores[3]`, `data["two words"]`."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        elif step.isascii() and step.isidentifier() and len(step) <= _LONGEST_KEY_SHOWN:
            shown += f".{step}"
        else:
            # Escaped to ASCII: the message must be writable even where the key is not.
            shortened = step if len(step) <= _LONGEST_KEY_SHOWN else step[:_LONGEST_KEY_SHOWN] + "…"
            shown += f"[{json.dumps(shortened)}]"
    return shown.removeprefix(".")


def _arrange(value: Any) -> Any:
    """A checked value rebuilt so that orjson, left to its own order, writes it by the letter of RFC 8785."""
    kind = type(value)
    if kind is dict:
        keys = sorted(value) if _has_ascii_keys(value) else sorted(value, key=_utf16)
        return {key: _arrange(value[key]) for key in keys}
    if kind is list or kind is tuple:
        return [_arrange(member) for member in value]
    if kind is not float or _is_written_alike(value):
        return value
    return int(value) if value.is_integer() else orjson.Fragment(_write_tiny(value))


def _utf16(key: str) -> bytes:
    """RFC 8785 orders keys by UTF-16 code units, so that U+1F600 comes before U+FB01."""
    return key.encode("utf-16-be")


def _write_tiny(number: float) -> str:
    """A number between -0.0001 and 0.0001 as ECMAScript prints it, with an exponent only from 1e-7 down."""
    sign = "-" if number < 0 else ""
    mantissa, _, exponent = repr(abs(number)).partition("e-")
    if abs(number) < _SMALLEST_WITHOUT_EXPONENT:
        return f"{sign}{mantissa}e-{int(exponent)}"
    return f"{sign}0.{'0' * (int(exponent) - 1)}{mantissa.replace('.', '')}"
