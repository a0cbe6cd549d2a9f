"""Which sentences of a draft rest on which cells, and which go against a policy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtbox.domains.memory.cycle.meaning import Meaning, meaning, words
from thoughtbox.domains.memory.cycle.sentences import Sentence, sentences

FEWEST_WORDS = 3
"""Words that a statement has at the least, to be told from a mere subject."""
MOST_OF = 0.75
"""The share of a cell's words that a sentence has which repeats it."""
NEARLY_ALL = 0.8
"""The share of a sentence's words that a cell has which says it, among other things."""
FEWEST_OF_A_POLICY = 2

_NAMED = re.compile(r"\b(?:cell[ :#]*|th:)(\d{1,15})\b", re.IGNORECASE)


class Known(NamedTuple):
    """A cell as far as it is compared."""

    cell_id: int
    title: str
    body: str


class Resting(NamedTuple):
    """That a sentence rests on a cell, by its place among the sentences."""

    sentence: int
    cell_id: int


def resting(found: Sequence[Sentence], cells: Sequence[Known]) -> list[Resting]:
    """Which sentences say what cells say, or name them; in the order of sentences, then of cells."""
    statements = [(cell.cell_id, _statements(cell)) for cell in cells]
    return [
        Resting(number, cell_id)
        for number, sentence in enumerate(found)
        for cell_id, told in statements
        if _names(sentence.text, cell_id) or any(_repeats(sentence.text, statement) for statement in told)
    ]


def opposed(found: Sequence[Sentence], policies: Sequence[Known]) -> list[Resting]:
    """Which sentences go against which policies."""
    told = [(policy.cell_id, [statement.text for statement in sentences(policy.body)]) for policy in policies]
    return [
        Resting(number, cell_id)
        for number, sentence in enumerate(found)
        for cell_id, statements in told
        if any(_goes_against(meaning(sentence.text), meaning(statement)) for statement in statements)
    ]


def _statements(cell: Known) -> list[str]:
    """What a cell states: each sentence of its body, and its title unless that only names a subject."""
    told = dict.fromkeys([*(sentence.text for sentence in sentences(cell.body)), cell.title])
    return [text for text in told if len(meaning(text).stems) >= FEWEST_WORDS or _has_other_letters(text)]


def _has_other_letters(text: str) -> bool:
    """Whether it is written without spaces between words, as far as can be told: then it counts only as a whole."""
    return len(text) >= 4 and len(text.split()) == 1 and not text.isascii()


def _names(sentence: str, cell_id: int) -> bool:
    return any(int(found) == cell_id for found in _NAMED.findall(sentence))


def _repeats(sentence: str, statement: str) -> bool:
    if _has_other_letters(statement):
        return statement.rstrip("。！？.!?") in sentence
    said, known = meaning(sentence), meaning(statement)
    if said.is_question:
        return False
    shared = said.stems & known.stems
    is_whole = len(shared) >= MOST_OF * len(known.stems) and known.numbers <= said.stems
    is_part = (
        len(said.stems) > FEWEST_WORDS and len(shared) >= NEARLY_ALL * len(said.stems) and said.numbers <= known.stems
    )
    return (is_whole or is_part) and len(shared) >= FEWEST_WORDS and said.negates(shared) == known.negates(shared)


def _goes_against(said: Meaning, policy: Meaning) -> bool:
    """Whether a sentence affirms what a policy forbids, or the other way round."""
    if said.is_question:
        return False
    asserted = Meaning(tuple(clause for clause in said.clauses if not clause.condition), False)
    wanted = policy.stems
    if any(clause.leaves_out for clause in asserted.clauses):
        wanted -= words().light
    shared = asserted.stems & wanted
    if len(shared) < min(FEWEST_OF_A_POLICY, len(wanted)) or not shared or len(shared) < MOST_OF * len(wanted):
        return False
    return asserted.negates(shared) != policy.negates(policy.stems)
