"""Echoes: thoughts that other sessions have put into nearly the same words."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.findings import Statement
from thoughtbox.domains.thoughts.sessions.words import jaccard, words_of

ALIKE = 0.5
"""From this overlap on, two texts say the same."""

_FEWEST_SHARED = 3
"""Words that two texts must share besides: short texts overlap by chance."""

_REPEATABLE = frozenset({"decision", "claim", "revision"})
"""Kinds that are compared across sessions: what was decided, and what was held to be the cause."""


def echoes(
    session: Session, thoughts: Sequence[Thought], words: Mapping[int, set[str]], earlier: Sequence[Statement]
) -> dict[int, list[Statement]]:
    """By thought: what other sessions said in nearly the same words. `words` are those of each thought."""
    statements = [said for said in earlier if said.session_id != session.id and said.kind in _REPEATABLE]
    their_words = [words_of(statement.text) for statement in statements]
    using: defaultdict[str, list[int]] = defaultdict(list)
    for place, said in enumerate(their_words):
        for word in said:
            using[word].append(place)
    found: dict[int, list[Statement]] = {}
    for thought in thoughts:
        if thought.kind not in _REPEATABLE:
            continue
        own = words[thought.seq]
        shared = Counter(place for word in own for place in using.get(word, ()))
        alike = [
            statements[place]
            for place, count in sorted(shared.items())
            if count >= _FEWEST_SHARED and jaccard(count, len(own), len(their_words[place])) >= ALIKE
        ]
        if alike:
            found[thought.seq] = alike
    return found
