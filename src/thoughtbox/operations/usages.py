"""How operations are used, in JSON: for whoever reads about them and has no need of their code."""

from __future__ import annotations

from typing import Any

import orjson

from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.operation import Operation


def usage_of(operation: Operation) -> bytes:
    """Its example, the calls before that, what it refuses with, and where in its answer the answer itself is."""
    example, refusal = operation.example, operation.example.fails_with
    usage: dict[str, Any] = {
        "arguments": example.arguments,
        "before": [{"operation": name, "arguments": arguments} for name, arguments in example.given],
        "refused": refusal.code if refusal is not None else None,
        "errors": _codes(operation.errors),
        "part": operation.envelope.part if operation.envelope is not None else None,
    }
    return orjson.dumps({name: value for name, value in usage.items() if value is not None})


def _codes(errors: tuple[type[ThoughtboxError], ...]) -> list[str]:
    """Each once. A class of errors that has no code of its own stands for others, which are not known here."""
    return list(dict.fromkeys(error.code for error in errors if error.code != ThoughtboxError.code))
