"""Times as records have them, `2026-03-12T14:02:00.000Z`, and as milliseconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")
_LENGTH = 24
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def milliseconds(text: str) -> int | None:
    """The time that a text says in exactly this form; None when it is anything else."""
    if len(text) != _LENGTH or not _FORM.fullmatch(text):
        return None
    try:
        return (datetime.fromisoformat(text) - _EPOCH) // _MILLISECOND
    except ValueError:
        return None


def time(ms: int) -> str | None:
    """The other way round; None where no year of four digits is meant."""
    try:
        found = _EPOCH + ms * _MILLISECOND
    except OverflowError:
        return None
    # Not by `strftime`, which leaves the zeros of early years out.
    return found.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
