"""The one place where a call about transcripts is refused."""

from __future__ import annotations

from typing import Any

from thoughtbox.errors import InvalidPayload


def invalid(message: str, *, recovery: str, **details: Any) -> InvalidPayload:
    """The error to raise for arguments that fit their types, but not each other or the disk."""
    return InvalidPayload(message, recovery=recovery, details=details)
