r"""A session as text in cipher: how its lines are spelled. `cipher_writing.py` writes it, `cipher_reading.py` reads it.

    # The title
    # Tags: one, another
    S1|O|A line of cipher is a thought
    So is a line of prose
      and what is indented below it belongs to it
    # Branch alt from S1
    S2|H|S1|From here on the thoughts stand on this branch
    # Branch alt rejected: Why it is
    # Main line
    \# A thought that begins like none of its own

Before a thought may stand what its text does not say: `# Thought 7`, its number; `# Revises S2`; `# Action deploy-7`,
what it leads to; and `# Reading {…}`, how it was read, where reading it again would give something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thoughtbox.domains.thoughts.arguments import HIGHEST_NUMBER
from thoughtbox.domains.thoughts.cipher.notation import parse

INDENT = "  "
MAIN_LINE = "# Main line"
TAGS = "# Tags:"

_BRANCH = r"[a-z0-9-]{1,64}"
NAME = re.compile(rf"(?:({_BRANCH}):)?S([0-9]{{1,10}})")
"""`S4`, or `alt:S4`."""
FORK = re.compile(rf"# Branch ({_BRANCH}) from (\S+)")
SETTLED = re.compile(rf"# Branch ({_BRANCH}) (adopted|rejected)(?:: (.*))?", re.DOTALL)
GO_ON = re.compile(rf"# Branch ({_BRANCH})")
NUMBER = re.compile(r"# Thought ([0-9]{1,10})")
REVISES = re.compile(r"# Revises (\S+)")
ACTION = re.compile(r"# Action (.{1,256})")
READING = re.compile(r"# Reading (\{.*\})")
NOWHERE = "nothing"
"""In the place of a fork point that nobody knows."""

_NEEDS_ESCAPING = re.compile(r"[#\\ \t]|\s*\Z")


def written(text: str) -> str:
    """A thought's text as lines that are read as one thought, and give the same text."""
    first, *more = text.split("\n")
    escaped = "\\" if _NEEDS_ESCAPING.match(first) else ""
    return "\n".join([escaped + first, *(INDENT + line for line in more)]) + "\n"


def unescaped(first_line: str) -> str:
    return first_line.removeprefix("\\")


def number_for(text: str, highest: int, taken: Iterable[int]) -> int:
    """The number of a thought that nothing else is said of: that of its line of cipher if it is free, else the next."""
    step = next(iter(parse(text).steps), None)
    if step is not None and step.number <= HIGHEST_NUMBER and step.number not in taken:
        return step.number
    return highest + 1
