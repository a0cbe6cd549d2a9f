"""Cards written as lines of `key: value`.

A value goes on in the lines below it that are indented, blank lines among them included; the indentation that they
share is not part of it. So this is a card of four fields:

    type: hypothesis
    title: The cache is cold after a deploy
    tags: a:cache, assumption
    text:
      Every deploy drops the cache.

      Reads fall back to the database for ten minutes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection

from thoughtbox.domains.mind.cards.card import CardRefused

_KEY = re.compile(r"([^\W\d][\w.-]*)[ \t]*:(?!//)(.*)", re.DOTALL)


def read_lines(text: str, known: Collection[str]) -> list[tuple[str, str]] | None:
    """The keys and values in the order they stand, or nothing if this is plain text.

    Plain is what does not begin with a key, and what has no known key at all.
    """
    lines = [line.removesuffix("\r") for line in textwrap.dedent(text).split("\n")]
    keys = [_key_of(line, known) for line in lines]
    first = next((found for line, found in zip(lines, keys, strict=True) if line.strip()), None)
    if first is None or not any(found and found[0].lower() in known for found in keys):
        return None
    pairs: list[tuple[str, list[str]]] = []
    for number, (line, found) in enumerate(zip(lines, keys, strict=True), 1):
        if found:
            pairs.append((found[0], [found[1]]))
        elif line[:1].isspace() or not line:
            if pairs:
                pairs[-1][1].append(line)
        else:
            raise _belongs_nowhere(number, line, pairs[-1][0])
    return [(key, _value(parts)) for key, parts in pairs]


def _key_of(line: str, known: Collection[str]) -> tuple[str, str] | None:
    """A key and the rest of its line. Only a known key may do without a blank behind its colon: `a:cache` is a name."""
    found = _KEY.fullmatch(line)
    if found is None:
        return None
    key, rest = found.groups()
    return (key, rest) if not rest or rest[0].isspace() or key.lower() in known else None


def _value(parts: list[str]) -> str:
    begun, *more = parts
    rest = textwrap.dedent("\n".join(line if line.strip() else "" for line in more)).strip("\n")
    return "\n".join(part for part in (begun.strip(), rest) if part)


def _belongs_nowhere(number: int, line: str, key: str) -> CardRefused:
    return CardRefused(
        "card",
        f"line {number} of the card is neither `key: value` nor indented: `{line.strip()[:60]}`",
        f"Indent it by two blanks to continue `{key}`, or send the card as an object: "
        '{"type": "note", "text": "all of the text"}.',
    )
