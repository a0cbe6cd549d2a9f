"""The name that was meant, where one was misspelt: none is better than a wrong one.

Names are compared word by word, however they are joined: `list_session`, `sessionList` and `session.get` have two
words each. A word may be misspelt a little; or a name may lack its first words (`list_notes` of `knowledge.list_notes`)
or its last ones (`session.extract` of `session.extract_learnings`), as long as that leaves one name only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thoughtbox.search.spelling import distance

LONGEST = 100
"""Characters of a name that is worth comparing."""

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_INCOMPLETE = 3
"""A name that lacks words is farther off than any that is only misspelt."""


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The one of these names that is meant; None when none is near, or several are as near as each other."""
    if len(name) > LONGEST:
        return None
    given = _words(name)
    found = [(cost, other) for other in names if (cost := _cost(given, _words(other))) is not None]
    least = min((cost for cost, _ in found), default=0)
    best = [other for cost, other in found if cost == least]
    return best[0] if len(best) == 1 else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _cost(given: list[str], other: list[str]) -> int | None:
    """How far apart two names are; None when one is not meant by the other."""
    if "".join(given) == "".join(other):
        return 0
    if not given or len(given) > len(other):
        return None
    if len(given) == len(other):
        return _edits(given, other)
    begins, ends = other[: len(given)] == given, other[-len(given) :] == given
    return _INCOMPLETE if begins or ends else None


def _edits(given: list[str], other: list[str]) -> int | None:
    edits = 0
    for word, meant in zip(given, other, strict=True):
        tolerated = _tolerated(word, meant)
        if (apart := distance(word, meant, tolerated)) > tolerated:
            return None
        edits += apart
    return edits


def _tolerated(word: str, meant: str) -> int:
    """Slips that a word still is itself after. `get` and `set` are two words, `plan` and `plam` are one."""
    shorter = min(len(word), len(meant))
    if shorter <= 3:
        return 1 if len(word) != len(meant) or sorted(word) == sorted(meant) else 0
    return 1 if shorter < 8 else 2
