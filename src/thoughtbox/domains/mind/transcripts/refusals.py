"""The one place where a call about transcripts is refused."""

from __future__ import annotations

from typing import Any

from thoughtbox.errors import InvalidInput


def invalid(message: str, *, recovery: str, **details: Any) -> InvalidInput:
    """The error to raise for arguments that fit their types, but not each other or the disk."""
    return InvalidInput(message, recovery=recovery, details=details)
