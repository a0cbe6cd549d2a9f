"""What a text must not hold, so that every engine can store it."""

from __future__ import annotations


def unstorable(text: str) -> str | None:
    """What is in a text that no engine can store; None when nothing is."""
    if "\0" in text:
        return "a NUL character (U+0000)"
    if text.isascii():
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return "half of a surrogate pair (U+D800 to U+DFFF)"
    return None
