"""Thoughts named and quoted, so that nothing in them can break out of its quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.learnings.findings import MOST_QUOTED

LONGEST_EXCERPT = 500
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def quoted(text: str) -> str:
    """A text as a quotation that it cannot break out of."""
    shown = text if len(text) <= LONGEST_EXCERPT else text[: LONGEST_EXCERPT - 1] + "…"
    return "\n".join(f"> {_harmless(line)}" for line in shown.splitlines() or [""])


def _harmless(line: str) -> str:
    """A quoted line that changes nothing around it."""
    # Even inside a quotation, `[S4]: address` would make a link of every [S4] of ours, and `<!--` hide what follows.
    return _TAG.sub(r"\\<", _CONTROL.sub("", line).replace("]:", r"]\:"))


def inline(text: str) -> str:
    return f"`{_CONTROL.sub('', text).replace('`', '')}`"


def name_of(thought: Thought) -> str:
    return (
        f"[S{thought.number}]" if thought.branch_id is None else f"[S{thought.number}] on {inline(thought.branch_id)}"
    )


def names_of(thoughts: Sequence[Thought]) -> str:
    names = ", ".join(map(name_of, thoughts[:MOST_QUOTED]))
    return names if len(thoughts) <= MOST_QUOTED else f"{names} and {len(thoughts) - MOST_QUOTED} more"


def count_of(thoughts: Sequence[Thought], linked: bool) -> str:
    if not thoughts:
        return "no other thought"
    how = "linked" if linked else "unlinked"
    return f"{plural(len(thoughts), f'{how} thought')} ({names_of(thoughts)})"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
