"""Lines of ours in a TOML file of somebody else's: between two marks, at its end."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from typing import Any

BEGIN = "# >>> thoughtbox: `thoughtbox uninstall` takes these lines out"
END = "# <<< thoughtbox"


def parsed(text: str) -> dict[str, Any]:
    """What the file says; raises `ValueError` when it is no TOML."""
    return tomllib.loads(text)


def with_lines(text: str, lines: Sequence[str]) -> str:
    """The text with these lines at its end, in the place of those that were put there before."""
    kept = without_lines(text)
    line_end = "\r\n" if "\r\n" in kept else "\n"
    before = "" if not kept or kept.endswith("\n") else line_end
    return kept + before + "".join(line + line_end for line in (BEGIN, *lines, END))


def without_lines(text: str) -> str:
    """The text without what stands between the marks, and without the marks."""
    lines = text.splitlines(keepends=True)
    told = [line.rstrip("\r\n") for line in lines]
    if BEGIN not in told:
        return text
    first = told.index(BEGIN)
    last = told.index(END, first) if END in told[first:] else None
    if last is None:
        raise ValueError(f"`{BEGIN}` has no `{END}` behind it")
    return "".join(lines[:first] + lines[last + 1 :])


def string(text: str) -> str:
    """As a basic string, whose escapes are those of JSON; what JSON leaves as it is and TOML does not is escaped."""
    return json.dumps(text).replace("\x7f", "\\u007f")


def strings(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(string, texts))}]"
