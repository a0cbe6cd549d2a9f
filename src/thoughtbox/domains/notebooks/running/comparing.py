"""Whether two runs have shown the same. Pure logic."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks.cell import Outcome
from thoughtbox.domains.notebooks.pieces import BINARY, Content, Piece

LONGEST_EXCERPT: Final = 300
TIMES: Final = ("wall", "cpu")
"""Limits of time: what goes beyond them is a time-out."""
_PLAIN: Final = "text/plain"

Texts = dict[str, str]


class Difference(NamedTuple):
    """Where two runs differ first."""

    what: str
    before: str
    after: str


def outcome_of(exit_code: Any, breach: Any) -> Outcome:
    """How a run has ended that was not interrupted."""
    if breach in TIMES:
        return "timeout"
    return "completed" if exit_code == 0 and breach is None else "failed"


def texts_of(pieces: Sequence[Piece], outcome: Outcome) -> Texts:
    """What a run has shown, by what it is: streams put together, results in order, pictures by their hashes.

    Of an error its name and its sentence count, not the lines that it came by: they number cells by when they ran.
    """
    found: Texts = {"end": outcome}
    for name in ("stdout", "stderr"):
        found[name] = "".join(piece.data.get(_PLAIN, "") for piece in pieces if piece.name == name)
    if outcome != "completed" and any(piece.kind == "error" for piece in pieces):
        found["stderr"] = found["stderr"].rstrip()
    shown = [piece for piece in pieces if piece.kind in ("display", "result")]
    for number, piece in enumerate(shown, 1):
        for mime, content in piece.data.items():
            is_binary = mime.startswith(BINARY)
            found[f"output {number} ({mime})"] = Content(mime, content).sha256 if is_binary else content
    for piece in pieces:
        if piece.kind == "error":
            found["error"] = piece.data.get(_PLAIN, "").partition("\n")[0]
    return found


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> Difference | None:
    """The first thing in which they differ; None when they are the same."""
    for what in dict.fromkeys([*before, *after]):
        was, now = before.get(what, ""), after.get(what, "")
        if was != now:
            return Difference(what, *_around(was, now))
    return None


def _around(was: str, now: str) -> tuple[str, str]:
    """The first lines that differ."""
    matcher = difflib.SequenceMatcher(None, old := was.splitlines()[:2_000], new := now.splitlines()[:2_000], False)
    for tag, low, high, start, end in matcher.get_opcodes():
        if tag != "equal":
            return _cut("\n".join(old[low:high])), _cut("\n".join(new[start:end]))
    return _cut(was), _cut(now)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"


MASKING: Final = """
import json, re, sys
with open("masked.json", encoding="utf-8") as file:
    given = json.load(file)
patterns = [re.compile(pattern) for pattern in given["patterns"]]
def masked(text):
    for pattern in patterns:
        text = pattern.sub("*", text)
    return text
json.dump([{what: masked(text) for what, text in texts.items()} for texts in given["texts"]], sys.stdout)
"""
"""Puts a star in the place of whatever a pattern finds. Run in a box: some patterns take for ever."""


def asked_to_mask(patterns: Sequence[str], texts: Sequence[Texts]) -> dict[str, Any]:
    return {"patterns": list(patterns), "texts": list(texts)}
