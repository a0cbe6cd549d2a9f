"""Context keys: the words that say what an episode or a scene is about."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from thoughtbox.domains.memory.hashing import digest

ALIKE = 0.5
"""The overlap from which two sets of keys are about the same."""

MOST_KEYS = 64
LONGEST_KEY = 200
_IN_A_LABEL = 3
_DIGITS = 32


def normalised(keys: Iterable[str]) -> tuple[str, ...]:
    """Trimmed, in lower case, each once, in order; what exceeds the limits of a key or of a set is cut."""
    found = {" ".join(key.split()).lower()[:LONGEST_KEY].strip() for key in keys}
    return tuple(sorted(found - {""})[:MOST_KEYS])


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """How much two sets have in common, by the larger one; two empty ones are the same."""
    if not one and not other:
        return 1.0
    return len(set(one) & set(other)) / max(len(one), len(other))


def label(keys: Iterable[str]) -> str:
    """What a scene of these keys is called."""
    return ", ".join(list(keys)[:_IN_A_LABEL]) or "general"


def key_digest(keys: Iterable[str]) -> str:
    """A set of keys by a name of one length."""
    return digest(list(keys))[:_DIGITS]
