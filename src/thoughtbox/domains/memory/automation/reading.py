"""What a file of experiences holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from thoughtbox.errors import FileMissing, ValidationFailed

LARGEST = 64 << 20
"""Bytes of a file that are taken in at the most."""


def experiences_in(path: Path, given: str) -> list[Any]:
    """The rows of `{"experiences": […]}`; whatever else a file is, is refused."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise FileMissing(
            f"there is no file `{given}` in the project",
            recovery="Name a JSON file inside the project's folder.",
            details={"fields": ["source_file"]},
        ) from None
    except OSError as error:
        raise _no_export(given, error.strerror or str(error)) from None
    if len(text) > LARGEST:
        raise _no_export(given, f"it has more than {LARGEST} bytes")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise _no_export(given, "it is no JSON") from None
    rows = found.get("experiences") if isinstance(found, dict) else None
    if not isinstance(rows, list):
        raise _no_export(given, "it has no list `experiences`")
    return rows


def _no_export(given: str, why: str) -> ValidationFailed:
    return ValidationFailed(
        f"`{given}` cannot be imported: {why}",
        recovery='Send a file that says {"experiences": […]}; for a plain list there is import_experiences.',
        details={"fields": ["source_file"]},
    )
