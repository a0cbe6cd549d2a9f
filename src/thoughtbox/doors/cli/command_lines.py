"""Operations as lines to type."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import orjson

from thoughtbox.operations.registry import Operation


def command_line(name: str, given: Mapping[str, Any]) -> str:
    """The very line to type."""
    line = f"thoughtbox call {name}"
    return f"{line} --json {shlex.quote(orjson.dumps(dict(given)).decode())}" if given else line


def command_lines(operation: Operation) -> list[str]:
    """The example of an operation, with the calls that go before it."""
    return [
        *(command_line(name, given) for name, given in operation.example.given),
        command_line(operation.name, operation.example.arguments),
    ]
