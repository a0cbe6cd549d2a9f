"""A card as it was meant, whatever form it came in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TYPES = ("frame", "hypothesis", "question", "test", "evidence", "decision", "note", "update")
DEFAULT_TYPE = "note"
DEFAULT_STATUS = "open"


@dataclass(frozen=True, slots=True)
class ParsedCard:
    """One piece of thinking, in the one spelling that equal cards share."""

    id: str | None
    """Without one, the writer of the card gives it the next number."""

    type: str = DEFAULT_TYPE
    title: str | None = None
    text: str | None = None
    status: str = DEFAULT_STATUS
    tags: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)


class CardRefused(ValueError):
    """What was sent is no card: which field is wrong, how, and what to send instead."""

    def __init__(self, field: str, message: str, recovery: str) -> None:
        super().__init__(message)
        self.field = _sayable(field)
        self.message = _sayable(message)
        self.recovery = _sayable(recovery)


def known_type(given: str) -> str:
    """One of the eight types, however it was capitalised."""
    found = given.strip().lower()
    if found not in TYPES:
        raise CardRefused("type", f"there is no card type `{given.strip()[:60]}`", f"Send one of: {', '.join(TYPES)}.")
    return found


def _sayable(text: str) -> str:
    """What was sent is quoted, and may hold halves of characters, which cannot be sent back."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
