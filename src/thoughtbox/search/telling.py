"""Which of its words tell a text from all others: so that what says nearly the same is found without comparing all.

Two texts that are nearly the same share nearly all their words. So they share the rarest ones, unless just those
differ; and if some differ, they share others. Several groups of words are therefore asked for, the rarest first,
each of as many words as it takes to be rare together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from thoughtbox.search.match import Match, Sought
from thoughtbox.search.vocabulary import Vocabulary

GROUPS = 8
"""Groups that are asked for: as long as fewer differ, one of them is shared as a whole."""

FEW = 16.0
"""Entries that a group may be expected in; it takes in another word while it is more."""

LARGEST_GROUP = 4


def telling(said: Sequence[str], vocabulary: Vocabulary) -> Iterator[Match]:
    """What to ask for, given the words of a text: the rarest words that others have, by themselves or together."""
    entries = vocabulary.frequencies(said)
    known = sorted((count, word) for word, count in entries.items() if count > 0)
    total = max(vocabulary.totals().entries, 1)
    place = 0
    for _ in range(GROUPS):
        group: list[str] = []
        expected = float(total)
        while place < len(known) and len(group) < LARGEST_GROUP and (expected > FEW or not group):
            count, word = known[place]
            expected *= count / total
            group.append(word)
            place += 1
        if not group:
            return
        yield Match(tuple((Sought((word,)),) for word in group))
