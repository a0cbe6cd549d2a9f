"""What an answer says beside its result."""

from __future__ import annotations

from typing import NamedTuple


class Notice(NamedTuple):
    """A warning: what its reader should know, and what can be done about it."""

    code: str
    message: str
    recovery: str
