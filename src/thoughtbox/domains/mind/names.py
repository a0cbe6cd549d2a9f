"""The one grammar of names: branches, documents, nodes, types, relations, tags."""

from __future__ import annotations

LONGEST = 256
LONGEST_TYPE = 128


def bad_name(text: str, longest: int = LONGEST) -> str | None:
    """What is wrong with a name; None when nothing is."""
    if not text.strip():
        return "it must not be empty"
    if text != text.strip():
        return "it must not begin or end with white space"
    if len(text) > longest:
        return f"it is longer than {longest} characters"
    if "|" in text:
        return "it must not contain `|`"
    if any(ord(character) < 32 or 127 <= ord(character) < 160 for character in text):
        return "it must not contain control characters"
    return None
