"""Fitting what an agent should remember into so many characters. The call to go on with always has its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

LONGEST = 2_000
SHORTEST = 400
LONGEST_LINE = 300

HOW_TO_CALL = {
    "gateway": "Send each call to the tool `thoughtbox_gateway`.",
    "tools": "Each call is a tool of its own: `operation` names it, with _ for a dot, and the rest are its arguments.",
}
"""How an agent sends the calls that a text names, by what it is shown."""


class Section(NamedTuple):
    """Lines under a heading. A heading without a line is not shown."""

    heading: str
    lines: Sequence[str]


def spelled(call: Mapping[str, Any]) -> str:
    """A call as an agent sends it."""
    return json.dumps(call, ensure_ascii=False, separators=(",", ":"))


def packed(head: str, sections: Sequence[Section], go_on: str, longest: int = LONGEST) -> str:
    """The head, as many lines as fit, the more important sections first, and how to go on as the last line.

    Each section is sure of its first line before another one gets a second: the agent should know of everything a bit
    rather than of one thing all.
    """
    go_on, head = go_on[:longest], head[: max(longest - len(go_on) - 1, 0)]
    left = longest - len(head) - len(go_on) - 2
    shown: dict[int, list[str]] = {}
    for depth in range(max((len(section.lines) for section in sections), default=0)):
        for number, section in enumerate(sections):
            if depth >= len(section.lines) or (depth and len(shown.get(number, ())) < depth):
                continue
            line = section.lines[depth]
            line = line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…"
            cost = len(line) + 1 + (0 if depth else len(section.heading) + 1)
            if cost <= left:
                shown.setdefault(number, []).append(line)
                left -= cost
    parts = [line for number in sorted(shown) for line in (sections[number].heading, *shown[number])]
    return "\n".join(part for part in (head, *parts, go_on) if part)
