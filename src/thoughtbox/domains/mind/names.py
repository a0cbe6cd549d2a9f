"""What may be a name here: of a branch, a document, a node, a type, a relation, a tag."""

from __future__ import annotations

import unicodedata

LONGEST = 256
LONGEST_TYPE = 128
"""Of types and of relations."""

_NOT_IN_NAMES = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Control characters, the separators that break a line as they do, and halves of characters, which no store takes."""


def bad_name(text: str, longest: int = LONGEST) -> str | None:
    """What is wrong with a name, to be read after the name itself; nothing if it may be used."""
    if not text.strip():
        return "is blank"
    if len(text) > longest:
        return f"has {len(text)} characters, {longest} is the most"
    if text != text.strip():
        return "begins or ends with white space"
    if "|" in text:
        return "contains `|`, which separates the parts of an edge's key"
    wrong = next((character for character in text if unicodedata.category(character) in _NOT_IN_NAMES), None)
    return None if wrong is None else f"contains the control character U+{ord(wrong):04X}"
