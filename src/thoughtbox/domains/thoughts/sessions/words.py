"""The words of a text that carry meaning, and how much two texts say the same."""

from __future__ import annotations

import re

from thoughtbox.domains.thoughts.cipher.notation import Step, parse

LONGEST_READ = 10_000
"""Characters of a thought that are searched for words."""

_COMMON = """
    a about after all also an and any are as at be because been but by can could did do does for from had has have if
    in into is it its just may more most must of on only or our over should so some such than that the their them then
    there these they this those to too under up us use used using very was we were what when where which while who why
    will with would you your
"""
STOP_WORDS = frozenset(_COMMON.split())
WORD = re.compile(r"\w+(?:[./:-]\w+)*")

_FIGURE = re.compile(r"(?<![\w.,])(\d[\d,.]*)\s?(%|[^\W\d_]{1,20}+(?:/[^\W\d_]{1,10}+)?)")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("s", ""))
_SHORTEST_STEM = 3
_IRREGULAR = {
    "built": "build",
    "rebuilt": "rebuild",
    "sent": "send",
    "made": "make",
    "taken": "take",
    "written": "write",
    "rewritten": "rewrite",
    "given": "give",
    "kept": "keep",
    "bought": "buy",
    "chosen": "choose",
}


def overlap(one: str, other: str) -> float:
    """How much two texts say the same: the words they share, over all words of both (0 to 1)."""
    own, others = words_of(one), words_of(other)
    return jaccard(len(own & others), len(own), len(others))


def said_in(text: str) -> str:
    """A text without the numbers, markers and references of the cipher; the beginning of it, when it is very long."""
    lines = parse(text[:LONGEST_READ]).lines
    return "\n".join(line.statement if isinstance(line, Step) else line.source.strip() for line in lines)


def words_of(text: str) -> set[str]:
    """The words of a text that carry meaning, in lower case."""
    return {word.casefold() for word in WORD.findall(said_in(text))} - STOP_WORDS


def figures_in(text: str) -> set[str]:
    """The figures of a text, with their unit or the word behind them: `12 ms`, `26,000 rows`."""
    return {f"{number.rstrip('.,')} {unit}" for number, unit in _FIGURE.findall(said_in(text))}


def jaccard(shared: int, one: int, other: int) -> float:
    together = one + other - shared
    return shared / together if together else 0.0


def stems_of(text: str) -> set[str]:
    """What is left of the words of a text without their endings. The text is one that `said_in` gave."""
    return {stem(word) for word in WORD.findall(text) if word.casefold() not in STOP_WORDS}


def stem(word: str) -> str:
    """A word without its ending: `shipped`, `ships` and `shipping` are `ship`."""
    folded = word.casefold()
    folded = _IRREGULAR.get(folded, folded)
    for ending, instead in _ENDINGS:
        if folded.endswith(ending) and not folded.endswith("ss") and len(folded) - len(ending) >= _SHORTEST_STEM:
            folded = folded[: -len(ending)] + instead
            break
    else:
        return folded.removesuffix("e")
    if len(folded) > _SHORTEST_STEM and folded[-1] == folded[-2] and folded[-1] not in "aeiouls":
        folded = folded[:-1]
    return folded.removesuffix("e")
