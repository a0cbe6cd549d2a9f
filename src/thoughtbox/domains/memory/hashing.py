"""How this room hashes and signs: canonical JSON as ECMAScript writes it, SHA-256, HMAC-SHA256.

The ledger has its own canonical form, and refuses what has none. This one is the specification's, for the chain of
invocations, receipts and tokens, whose hashes others compute as well: line ends are LF, what is no number is null.
"""

from __future__ import annotations

import hmac
import json
import math
import re
from hashlib import sha256
from typing import Any

DEEPEST = 200

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(value: Any) -> str:
    """The one spelling of a JSON value: keys sorted by UTF-16 code units, no spaces, numbers as ECMAScript has them."""
    return _written(value, 0)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal digits."""
    return sha256(canonical(value).encode()).hexdigest()


def sign(key: bytes, text: str) -> str:
    """HMAC-SHA256 of a text, in hexadecimal digits."""
    return hmac.new(key, text.encode(), sha256).hexdigest()


def is_signed(key: bytes, text: str, signature: object) -> bool:
    """Whether this is the text's signature, in constant time; whatever else is sent for one is not."""
    if not isinstance(signature, str):
        return False
    return hmac.compare_digest(sign(key, text).encode(), signature.encode(errors="surrogatepass"))


def _written(value: Any, depth: int) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int | float):
        return _number(value)
    if depth >= DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        members = sorted(value.items(), key=lambda member: member[0].encode("utf-16-be", errors="surrogatepass"))
        return "{" + ",".join(f"{_text(name)}:{_written(part, depth + 1)}" for name, part in members) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_written(part, depth + 1) for part in value) + "]"
    raise TypeError(f"{type(value).__name__} is nothing that JSON has")


def _text(text: str) -> str:
    quoted = json.dumps(text.replace("\r\n", "\n").replace("\r", "\n"), ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _number(number: int | float) -> str:
    """As ECMAScript's Number::toString: integers beyond 2^53 lose digits there, and so they do here."""
    if isinstance(number, int) and abs(number) <= 2**53:
        return str(number)
    try:
        value = float(number)
    except OverflowError:
        return "null"
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    sign, digits, exponent = _shortest(value)
    point = exponent + len(digits)
    if len(digits) <= point <= 21:
        body = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        body = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        body = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        body = f"{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + body


def _shortest(value: float) -> tuple[str, str, int]:
    """The sign, the shortest digits that are read back as this number, and the power of ten behind them."""
    mantissa, _, exponent = f"{value!r}e0".partition("e")
    power = int(exponent.partition("e")[0])
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    stripped = digits.rstrip("0")
    return sign, stripped, power - len(fraction) + len(digits) - len(stripped)
