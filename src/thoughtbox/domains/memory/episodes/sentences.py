"""Sentences: where one ends, and what kind of knowledge it holds, if any."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from thoughtbox.domains.memory.episodes.cell import CellType
from thoughtbox.domains.memory.episodes.words import words

SHORTEST = 5
LONGEST_FACT = 200

POLICY_KEYS = ("behavioral_violation", "governance", "policy")
"""Parts of keys that say that an episode is about what is allowed."""
POLICY_SOURCES = ("user", "system")
"""Whose episodes make policies: an agent does not give itself laws."""

_ITEM = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d{1,3}[.)])\s)")
_MARKER = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_CODE = re.compile(r"`[^`\n]*`")
_END = re.compile(r"(?P<word>\S*?)(?P<stop>[.!?]+|…)(?P<close>[\"'”’)\]]*)(?=\s|$)")
_ABBREVIATIONS = words("sentences", "abbreviations")
_SOMETIMES = words("sentences", "sometimes")
_OPENING = "\"'“‘([{<*_"

_RULE = re.compile(r"\b(?:always|never|must|should)\b|\b(?:must|should)n['’]t\b", re.IGNORECASE)
_NO_RULE = re.compile(
    r"\bnever ?mind\b"
    r"|\bmust(?:n['’]t| not)?(?: \w+)? have (?:been|had|gone|come|got|failed|broken|crashed|changed)\b"
    r"|\bshould(?:n['’]t| not)? have (?:been|had|gone|come|got|done|\w+ed|\w+en)\b"
    r"|\bmust-have\b"
    r"|\b(?:it|this|that|they|everything|things)(?: all)? should\b",
    re.IGNORECASE,
)
"""Words of a rule that are none: what must have been is a guess, and that it should work now is a hope."""
_OWN_HABIT = re.compile(r"^I(?:['’]ve|['’]ll)? (?:almost )?(?:always|never|must|should)\b", re.IGNORECASE)
_WISH = re.compile(
    r"\bprefer(?:s|red)?\b|\bI(?: \w+){0,2} (?:want|need|like)\b|\bI['’]d like\b|\bI would like\b", re.IGNORECASE
)
_FACT = re.compile(r"(?P<subject>[\w)`'\"”’.-]+) (?:is|are) [\w`'\"“‘(/.+-]", re.IGNORECASE)
_NO_SUBJECT = words("sentences", "no_subject")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line. Items of a list are sentences of their own."""
    found: list[str] = []
    for item in _ITEM.split("\n" + text.replace("\r\n", "\n")):
        flat = " ".join(_MARKER.sub("", item.strip("\n")).split())
        found += [sentence for sentence in _split(flat) if len(sentence) >= SHORTEST]
    return found


def _split(line: str) -> Iterator[str]:
    code = [found.span() for found in _CODE.finditer(line)]
    begin = 0
    for found in _END.finditer(line):
        if any(start < found.start("stop") < end - 1 for start, end in code):
            continue
        if found["stop"] == "." and not _ends_there(found["word"], line[found.end() :].lstrip()):
            continue
        yield line[begin : found.end()].strip()
        begin = found.end()
    if rest := line[begin:].strip():
        yield rest


def _ends_there(word: str, rest: str) -> bool:
    plain = word.lstrip(_OPENING)
    bare = plain.lower()
    is_initial = len(plain) == 1 and plain.isupper() and plain != "I"
    is_numbered = bare in ("no", "nos") and rest[:1].isdigit()
    if bare in _ABBREVIATIONS or (is_initial and rest) or is_numbered:
        return False
    return bare not in _SOMETIMES or not rest or rest.lstrip(_OPENING)[:1].isupper()


def kind_of(sentence: str, *, source: str, keys: Collection[str]) -> CellType | None:
    """What a sentence is for whoever remembers it; None for nothing: a question, a hope, a story."""
    if sentence.rstrip("\"'”’)] ").endswith("?"):
        return None
    if source in POLICY_SOURCES and any(part in key for key in keys for part in POLICY_KEYS):
        return "policy"
    if source == "user" and (_OWN_HABIT.search(sentence) or (_WISH.search(sentence) and not _RULE.search(sentence))):
        return "preference"
    if _RULE.search(_NO_RULE.sub("", sentence)) and not _OWN_HABIT.search(sentence):
        return "rule"
    if len(sentence) < LONGEST_FACT and not _RULE.search(sentence):
        found = _FACT.search(sentence)
        if found is not None and found["subject"].lower().strip("`'\"”’().") not in _NO_SUBJECT:
            return "fact"
    return None
