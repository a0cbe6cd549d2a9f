"""`decode`: a TBX-C1 message as plain JSON. It may stand alone, in the result of a tool, or somewhere in a text."""

from __future__ import annotations

import json
import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thoughtbox.doors.cli.output import Output, UsageError
from thoughtbox.errors import NotTbx
from thoughtbox.ledger.record import check_attrs
from thoughtbox.tbx import decode as decoded
from thoughtbox.tbx import is_tbx

_BEGINNING = re.compile(r'\{\s*"v"\s*:\s*"tbx-')
"""How a message begins in a text that is not JSON as a whole."""


def decode(args: Namespace) -> int:
    """Print what a message says."""
    Output(args).pretty_json(decoded(_message(_text(args.file)), check=check_attrs))
    return 0


def _text(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotTbx(f"it is not UTF-8: byte {error.start} belongs to no character") from None


def _message(text: str) -> Any:
    """The one message in a text."""
    try:
        whole = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        found = list(_embedded(text, error))
    else:
        found = list(_within(whole)) or [whole]
    if len(found) > 1:
        raise NotTbx(f"there are {len(found)} messages in it", recovery="Give one at a time.")
    return found[0]


def _within(value: Any) -> Iterator[Any]:
    """The messages in a tool's result, or in the response that carries it; a result says the same twice."""
    if is_tbx(value):
        yield value
        return
    if not isinstance(value, dict):
        return
    if isinstance(value.get("result"), dict) and "jsonrpc" in value:
        value = value["result"]
    if is_tbx(value.get("structuredContent")):
        yield value["structuredContent"]
        return
    content = value.get("content")
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and isinstance(part.get("text"), str) and _BEGINNING.search(part["text"]):
            yield _message(part["text"])


def _embedded(text: str, error: Exception) -> Iterator[Any]:
    """The messages in a text that is not JSON itself, as the error says."""
    begin = _BEGINNING.search(text)
    if begin is None:
        why = error if isinstance(error, ValueError) else "it nests too deeply"
        raise NotTbx(f"there is no TBX-C1 in it, and it is not JSON: {why}")
    while begin is not None:
        try:
            value, end = _DECODER.raw_decode(text, begin.start())
        except (ValueError, RecursionError) as broken:
            why = broken if isinstance(broken, ValueError) else "it nests too deeply"
            raise NotTbx(f"the message at character {begin.start() + 1} is not whole: {why}") from None
        yield value
        begin = _BEGINNING.search(text, end)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has a field twice")
    return made


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)
"""Whole numbers of any length come through, as they do not with the one that is used elsewhere."""
