"""What the index knows of English: which words say nothing by themselves, and what a word comes down to.

`stem` takes the endings off a word that inflection and derivation have put there: `caches`, `cached` and `caching`
are one word, and so are `migrate` and `migration`. What it leaves is not always a word (`cach`); it only has to be
the same for all of them. Words of other scripts and words with digits stay as they are, and short ones do.
"""

from __future__ import annotations

import re
from functools import lru_cache

SHORTEST = 4
"""Letters of the shortest word that has an ending to lose."""

REMEMBERED = 1 << 16
"""Stems that are not worked out again."""

_STOP_WORDS = """
a about after again all already also although am an and any anybody anyone anything are aren as at be because been
before being both but by can cannot could couldn d did didn do does doesn doing don done during each either else ever
every for from further get gets getting give given go goes going got had hadn has hasn have haven having he her here
hers herself him himself his how however i if in instead into is isn it its itself just let ll m may me might mine more
most much must my myself no nor not of off on once one only onto or other our ours ourselves over own re really s same
shall she should shouldn since so some somebody someone something still such t than that the their theirs them
themselves then there these they this those though through to too under until up upon us use used using ve very was
wasn we were weren what whatever when where whether which while who whom whose why will with within without won would
wouldn yet you your yours yourself yourselves
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that a question is put together with. They are in the index, and looked for when nothing else is."""

_IRREGULAR = {
    form: base
    for base, forms in {
        "analyze": "analysis analyses analyse analysed analysing",
        "appendix": "appendices",
        "assume": "assumption assumptions",
        "bad": "worse worst",
        "become": "became",
        "begin": "began begun",
        "believe": "belief beliefs",
        "bind": "bound",
        "break": "broke broken",
        "bring": "brought",
        "build": "built",
        "buy": "bought",
        "catch": "caught",
        "child": "children",
        "choose": "chose chosen choice choices",
        "come": "came",
        "conclude": "conclusion conclusions",
        "criterion": "criteria",
        "decide": "decision decisions",
        "describe": "description descriptions",
        "divide": "division divisions",
        "draw": "drew drawn",
        "drive": "drove driven",
        "exclude": "exclusion exclusions",
        "expand": "expansion expansions",
        "extend": "extension extensions",
        "fail": "failure failures",
        "fall": "fell fallen",
        "feel": "felt",
        "find": "found",
        "forget": "forgot forgotten",
        "freeze": "froze frozen",
        "grow": "grew grown growth",
        "hide": "hid hidden",
        "hold": "held",
        "include": "inclusion",
        "index": "indices",
        "keep": "kept",
        "know": "knew known",
        "lead": "led",
        "leave": "left",
        "lose": "lost loss losses",
        "make": "made",
        "man": "men",
        "mean": "meant",
        "meet": "met",
        "mouse": "mice",
        "pay": "paid",
        "person": "people persons",
        "prove": "proof proofs proven",
        "query": "queries",
        "respond": "response responses",
        "rise": "rose risen",
        "run": "ran",
        "say": "said",
        "see": "saw seen",
        "seek": "sought",
        "sell": "sold",
        "send": "sent",
        "shake": "shook shaken",
        "show": "shown",
        "shrink": "shrank shrunk",
        "speak": "spoke spoken",
        "spend": "spent",
        "stand": "stood",
        "stick": "stuck",
        "subscribe": "subscription subscriptions",
        "suspend": "suspension",
        "swear": "swore sworn",
        "take": "took taken",
        "teach": "taught",
        "tear": "tore torn",
        "tell": "told",
        "throw": "threw thrown",
        "transmit": "transmission transmissions",
        "understand": "understood",
        "wake": "woke woken",
        "wear": "wore worn",
        "win": "won",
        "write": "wrote written",
    }.items()
    for form in forms.split()
}

_SINGULAR = "news series species status always process access address basis bias canvas"
_ONE_WORD = frozenset(_SINGULAR.split())
"""Words that end like a plural, and are none."""

# A vowel is a letter of these, and `y` behind a consonant.
_SHAPE = str.maketrans("aeioubcdfghjklmnpqrstvwxz", "vvvvv" + "c" * 20)

_SECOND = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "abli": "able",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "bli": "ble",
    "logi": "log",
    "fulli": "ful",
    "lessli": "less",
}
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "", "less": ""}
_LAST = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("ion", "al", "er", "or", "ic"),
)
_BEFORE_LI = frozenset("cdeghkmnrtw")
_LONGEST_SUFFIX = max(map(len, _SECOND))


def is_stop_word(word: str) -> bool:
    return word in STOP_WORDS


@lru_cache(maxsize=REMEMBERED)
def stem(word: str) -> str:
    """What a word comes down to; a word that is none of ours stays as it is."""
    if (len(word) < SHORTEST and word not in _IRREGULAR) or not (word.isascii() and word.isalpha()):
        return word
    word = _IRREGULAR.get(word, word)
    for step in (_without_plural, _without_tense, _with_i, _without_second, _without_third, _without_last, _without_e):
        word = step(word)
    return word


def _shape(word: str) -> str:
    """The word with `v` for its vowels and `c` for its consonants."""
    shape = ""
    for letter in word:
        kind = letter.translate(_SHAPE)
        shape += ("v" if shape.endswith("c") else "c") if kind == "y" else kind
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: about how many syllables are closed."""
    return len(re.findall("v+c+", _shape(word)))


def _is_short(word: str) -> bool:
    """Whether it ends as `hop` does, which is then written with an `e`: hoping, hope."""
    return _shape(word)[-3:] == "cvc" and word[-1] not in "wxy"


def _without_plural(word: str) -> str:
    if word in _ONE_WORD or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and "v" in _shape(word[:-2]):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and "v" in _shape(rest):
            return _whole(rest)
    return word


def _whole(rest: str) -> str:
    """The verb that has lost its ending: `cach` of caching was cache, `stopp` was stop."""
    if rest.endswith(("at", "bl", "iz", "yz")):
        return f"{rest}e"
    if rest[-2:-1] == rest[-1] and _shape(rest)[-1] == "c" and rest[-1] not in "lsz":
        return rest[:-1]
    return f"{rest}e" if _measure(rest) == 1 and _is_short(rest) else rest


def _with_i(word: str) -> str:
    """`retry` and `retries` are the same: with an i."""
    return f"{word[:-1]}i" if word[-1] == "y" and len(word) > 2 and _shape(word)[-2] == "c" else word


def _without_second(word: str) -> str:
    for length in range(_LONGEST_SUFFIX, 2, -1):
        ending = _SECOND.get(word[-length:])
        if ending is not None:
            return word[:-length] + ending if _measure(word[:-length]) else word
    if word.endswith("li") and word[-3:-2] in _BEFORE_LI and _measure(word[:-2]):
        return word[:-2]
    return word


def _without_third(word: str) -> str:
    for suffix, ending in _THIRD.items():
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            return rest + ending if _measure(rest) else word
    return word


def _without_last(word: str) -> str:
    for suffix in _LAST:
        if word.endswith(suffix):
            rest = word.removesuffix(suffix)
            if suffix == "ion" and not rest.endswith(("s", "t")):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _without_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _is_short(rest)):
            return rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
