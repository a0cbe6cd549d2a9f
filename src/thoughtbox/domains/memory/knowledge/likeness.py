"""When two experiences say the same: exactly, or nearly, by the Dice coefficient of their bigrams as multisets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

from thoughtbox.domains.memory.hashing import digest

THRESHOLD = 0.90
"""From here on two texts count as the same."""

_SPACES = re.compile(r"\s+")


def normalized(texts: Sequence[str]) -> str:
    """Texts as they are compared: one behind the other, in small letters, each run of blanks one blank."""
    return _SPACES.sub(" ", " ".join(texts).lower()).strip()


def fingerprint(type: str, domain: str, text: str) -> str:
    """The same for all that say exactly the same, given their normalized text."""
    return sha256(f"{type}\n{domain}\n{text}".encode()).hexdigest()[:32]


def identity(
    type: str, domain: str, texts: Sequence[str], confidence: float | None, created_at: int | str | None
) -> str:
    """The same for copies of one entry only: to the letter, and of the same moment."""
    said: list[Any] = [type, domain, *texts, confidence, created_at]
    return digest(said)[:32]


class Bigrams:
    """The character bigrams of a normalized text, with how often each comes up."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.count = max(len(text) - 1, 0)
        self._counts = Counter(pairwise(text))

    def likeness(self, other: Bigrams) -> float:
        """0 where no bigram is shared, 1 where all are, as often."""
        if self.text == other.text:
            return 1.0
        if not self.count or not other.count:
            return 0.0
        few, many = sorted((self._counts, other._counts), key=len)
        shared = sum(min(count, many[pair]) for pair, count in few.items() if pair in many)
        return 2 * shared / (self.count + other.count)


def lengths_alike(length: int) -> tuple[int, int]:
    """Lengths of normalized texts that may come up to the threshold with one of this length."""
    bigrams = max(length - 1, 0)
    least = THRESHOLD / (2 - THRESHOLD)
    return int(bigrams * least), int(bigrams / least) + 2
