"""Where the last statement of a snippet may begin.

A snippet that returns somewhere is run as a function, and a function has no value of its own: so its last expression is
returned, as it is the result of every other snippet. There is no parser here but the engine's, which is asked: a
statement begins where all before it can be read by itself, and it is an expression if `return` can stand before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MOST: Final = 8
"""Places that the engine is asked about."""

_LINE: Final = re.compile(r"^([ \t]*)(?=[^\s])", re.MULTILINE)
_WITHIN_A_LINE: Final = re.compile(r"[;}][ \t]*(?=[^\s;}])")
_GOES_ON: Final = re.compile(r"[.?:*%&|^,=<>+\-/)\]}]|(?:instanceof|in|of|as|satisfies|else|catch|finally)\b")
"""With these, a line goes on with what another has begun; or there is nothing in it but a comment."""
_DECLARES: Final = re.compile(r"(?:async\s+)?function\b|class\b")
"""With `return` before it, nobody would find it any more."""


def starts(code: str) -> Iterator[int]:
    """The last places first. What stands further in than the outermost lines is part of something."""
    lines = [line for line in _LINE.finditer(code) if not _GOES_ON.match(code, line.end())]
    outermost = min((len(line[1]) for line in lines), default=0)
    left = MOST
    end = len(code)
    for line in reversed(lines):
        if len(line[1]) > outermost:
            continue
        within = [found.end() for found in _WITHIN_A_LINE.finditer(code, line.end(), end)]
        for start in (*reversed(within), line.end()):
            if _GOES_ON.match(code, start):
                continue
            if left == 0 or _DECLARES.match(code, start):
                return
            left -= 1
            yield start
        end = line.start()
