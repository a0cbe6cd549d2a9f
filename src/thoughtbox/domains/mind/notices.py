"""What a call has to say beside its result."""

from __future__ import annotations

from typing import NamedTuple


class Notice(NamedTuple):
    """A warning: the call succeeded, and this is what to know of it."""

    code: str
    message: str
    recovery: str
