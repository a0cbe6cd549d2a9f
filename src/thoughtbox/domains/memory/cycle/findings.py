"""What is wrong with a draft by itself: claims without a source, guesses, promises, steps that are not numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from thoughtbox.domains.memory.cycle.sentences import Sentence, prose
from thoughtbox.domains.memory.governance.rules import rules

CITATION = re.compile(
    r"\[\d+\]|https?://\S|\bdoi:\s?\S|\barxiv:\s?\S|\bRFC\s?\d+|\bISBN\b|\bth:\d+|\bcell[ :#]*\d+", re.IGNORECASE
)
_NAMED_SOURCE = re.compile(r"\baccording to\s+(?:the\s+)?`[^`]+`", re.IGNORECASE)
_PRECISE_PERCENT = re.compile(r"\b\d+[.,]\d+\s?(?:%|percent\b)", re.IGNORECASE)
_NUMBERED = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]", re.MULTILINE)
_NEGATED = re.compile(r"(?:\b(?:not|never|no|nothing|cannot|neither|hardly)|n't)\b[^,;:.!?]{0,24}$", re.IGNORECASE)

_NEAR = 40
"""How far before a promise a word may stand that takes it back."""


class Finding(NamedTuple):
    """A rule that a draft does not keep, and the words that show it."""

    rule: str
    found: tuple[str, ...]


class Draft(NamedTuple):
    """A draft, its sentences, and its text without code."""

    text: str
    prose: str
    sentences: tuple[Sentence, ...]
    cited: frozenset[int]
    """The paragraphs and items of lists that name a source."""

    @classmethod
    def of(cls, text: str, sentences: Sequence[Sentence]) -> Draft:
        cited = frozenset(sentence.block for sentence in sentences if CITATION.search(sentence.text))
        return cls(text, prose(text), tuple(sentences), cited)

    def told(self, sentence: Sentence) -> str:
        return self.prose[sentence.start : sentence.end]

    def is_cited(self, sentence: Sentence) -> bool:
        return sentence.block in self.cited


def findings(draft: Draft) -> list[Finding]:
    """All that is found, in the order of the rules."""
    found = ((name, tuple(dict.fromkeys(look(draft)))) for name, look in _LOOKS.items())
    return [Finding(name, words) for name, words in found if words]


def _research(draft: Draft) -> list[str]:
    phrases = _phrases("no_implied_research")
    return [
        found.group()
        for sentence in draft.sentences
        if not draft.is_cited(sentence) and not _NAMED_SOURCE.search(sentence.text)
        for found in phrases.finditer(draft.told(sentence))
    ]


def _precision(draft: Draft) -> list[str]:
    return [
        found.group()
        for sentence in draft.sentences
        if not draft.is_cited(sentence)
        for pattern in (_PRECISE_PERCENT, _counts())
        for found in pattern.finditer(draft.told(sentence))
    ]


def _guesses(draft: Draft) -> list[str]:
    rule = rules()["no_guessing"]
    found = [
        found.group()
        for sentence in draft.sentences
        if not sentence.text.rstrip("\"'”’)] ").endswith("?")  # to ask is what the rule wants
        for found in _phrases(rule.name).finditer(draft.told(sentence))
    ]
    return found if len(found) > rule.settings["most"] else []


def _promises(draft: Draft) -> list[str]:
    measured = re.compile(rf"\s+(?:of\s+)?(?:{'|'.join(rules()['unsafe_assumption'].settings['measured'])})\b", re.I)
    promised = []
    for sentence in draft.sentences:
        told = draft.told(sentence)
        for found in _phrases("unsafe_assumption").finditer(told):
            is_figure = found.group().startswith("100") and measured.match(told, found.end())
            if not is_figure and not _NEGATED.search(told, max(0, found.start() - _NEAR), found.start()):
                promised.append(found.group())
    return promised


def _steps(draft: Draft) -> list[str]:
    rule = rules()["procedural_numbering"]
    if len(draft.prose.strip()) <= rule.settings["longer_than"] or _NUMBERED.search(draft.text):
        return []
    found = [match.group() for match in _phrases(rule.name).finditer(draft.prose)]
    return found if len(found) >= rule.settings["fewest"] else []


_LOOKS: dict[str, Callable[[Draft], list[str]]] = {
    "no_implied_research": _research,
    "no_false_precision": _precision,
    "no_guessing": _guesses,
    "unsafe_assumption": _promises,
    "procedural_numbering": _steps,
}


@cache
def _phrases(rule: str) -> re.Pattern[str]:
    told: list[str] = rules()[rule].settings["phrases"]
    longest_first = sorted(told, key=lambda phrase: (-len(phrase), phrase))
    spelled = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in longest_first)
    return re.compile(rf"(?<!\w)(?:{spelled})(?!\w)", re.IGNORECASE)


@cache
def _counts() -> re.Pattern[str]:
    counted = "|".join(rules()["no_false_precision"].settings["counted"])
    return re.compile(rf"\b(?:\d{{1,3}}(?:[, ]\d{{3}})+|\d{{4,}})\s+(?:{counted})\b", re.IGNORECASE)
