"""Thoughts named and quoted, so that nothing in them can break out of its quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.findings import MOST_QUOTED
from thoughtbox.domains.thoughts.sessions.words import said_in

LONGEST_EXCERPT = 500
LONGEST_SENTENCE = 100
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_SAYS_SO = re.compile(r"\s*(?:∴\s*|decision\s*:\s*)", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def quoted(text: str) -> str:
    """A text as a quotation that it cannot break out of."""
    shown = text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"
    return "\n".join(f"> {_harmless(line)}" for line in shown.splitlines() or [""])


def sentence_of(text: str) -> str:
    """What a text says in its first sentence, on one line, cut between words; without what only says what it is."""
    said = " ".join(_SAYS_SO.sub("", said_in(text[: 10 * LONGEST_SENTENCE]), count=1).split())
    said = _SENTENCE_END.split(said, maxsplit=1)[0]
    if len(said) <= LONGEST_SENTENCE:
        return said
    return f"{said[:LONGEST_SENTENCE].rpartition(' ')[0] or said[: LONGEST_SENTENCE - 1]}…"


def _harmless(line: str) -> str:
    """A quoted line that changes nothing around it."""
    # Even inside a quotation, `[S4]: address` would make a link of every [S4] of ours, and `<!--` hide what follows.
    return _TAG.sub(r"\\<", _CONTROL.sub("", line).replace("]:", r"]\:"))


def inline(text: str) -> str:
    return f"`{_CONTROL.sub('', text).replace('`', '')}`"


def name_of(thought: Thought) -> str:
    """As a reference to it is written: `[S4]`, `[alt:S4]`."""
    return f"[S{thought.number}]" if thought.branch_id is None else f"[{thought.branch_id}:S{thought.number}]"


def names_of(thoughts: Sequence[Thought]) -> str:
    return listed([name_of(thought) for thought in thoughts])


def listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_QUOTED])
    return shown if len(names) <= MOST_QUOTED else f"{shown} and {len(names) - MOST_QUOTED} more"
