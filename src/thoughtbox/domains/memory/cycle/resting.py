"""Which sentences of a draft rest on which cells, and which go against a policy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
FEWEST_LETTERS = 4

_ENDS = "。！？.!?"
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


class _Statement(NamedTuple):
    """A statement of a cell."""

    cell_id: int
    text: str
    meaning: Meaning


class _Statements:
    """The statements of some cells, by the words in them: a sentence is compared with those it shares words with."""

    def __init__(self, statements: Iterable[_Statement]) -> None:
        self._all = list(statements)
        self._by_stem: dict[str, list[int]] = {}
        for number, statement in enumerate(self._all):
            for stem in statement.meaning.stems:
                self._by_stem.setdefault(stem, []).append(number)

    def sharing(self, said: Meaning) -> list[_Statement]:
        """Those that have two words of a sentence, or all they have, in order."""
        shared = Counter(number for stem in said.stems for number in self._by_stem.get(stem, ()))
        return [
            self._all[number]
            for number in sorted(shared)
            if shared[number] >= min(FEWEST_OF_A_POLICY, len(self._all[number].meaning.stems))
        ]


def resting(found: Sequence[Sentence], cells: Sequence[Known]) -> list[Resting]:
    """Which sentences say what cells say, or name them; in the order of sentences, then of cells."""
    told = [statement for cell in cells for statement in _told(cell)]
    spelled = [statement for statement in told if _is_one_word(statement.text)]
    statements = _Statements(statement for statement in told if len(statement.meaning.stems) >= FEWEST_WORDS)
    places = {cell.cell_id: place for place, cell in enumerate(cells)}
    rests = []
    for number, sentence in enumerate(found):
        said = meaning(sentence.text)
        on = {statement.cell_id for statement in statements.sharing(said) if _repeats(said, statement.meaning)}
        on |= {statement.cell_id for statement in spelled if statement.text.rstrip(_ENDS) in sentence.text}
        on |= {int(id) for id in _NAMED.findall(sentence.text)} & places.keys()
        rests += [Resting(number, cell_id) for cell_id in sorted(on, key=places.__getitem__)]
    return rests


def opposed(found: Sequence[Sentence], policies: Sequence[Known]) -> list[Resting]:
    """Which sentences go against which policies."""
    statements = _Statements(statement for policy in policies for statement in _told(policy, with_title=False))
    against: dict[Resting, None] = {}
    for number, sentence in enumerate(found):
        said = meaning(sentence.text)
        for policy in statements.sharing(said):
            if _goes_against(said, policy.meaning):
                against[Resting(number, policy.cell_id)] = None
    return list(against)


def _told(cell: Known, *, with_title: bool = True) -> list[_Statement]:
    """What a cell states: each sentence of its body, and its title unless that only names a subject."""
    told = dict.fromkeys([*(sentence.text for sentence in sentences(cell.body)), *([cell.title] if with_title else [])])
    return [_Statement(cell.cell_id, text, meaning(text)) for text in told]


def _is_one_word(text: str) -> bool:
    """Whether it is written without spaces between words, as far as can be told: then it counts only as a whole."""
    return len(text) >= FEWEST_LETTERS and len(text.split()) == 1 and not text.isascii()


def _repeats(said: Meaning, known: Meaning) -> bool:
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
    asserted = said.asserted
    wanted = policy.stems
    if any(clause.leaves_out for clause in asserted.clauses):
        wanted -= words().light
    shared = asserted.stems & wanted
    if not shared or len(shared) < max(MOST_OF * len(wanted), min(FEWEST_OF_A_POLICY, len(wanted))):
        return False
    return asserted.negates(shared) != policy.negates(policy.stems)
