"""The words of a workspace: how frequent each is there, how it was written, and which are near to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.ledger.clauses import begins_with, rows_among
from thoughtbox.search.english import stem
from thoughtbox.search.match import Sought
from thoughtbox.search.query import Term
from thoughtbox.search.spelling import distance
from thoughtbox.search.words import Indexed

MOST_FORMS = 8
"""Forms of one word that are remembered."""

MOST_OTHERS = 50
"""Words that begin as they should, although their stems do not, that are looked for."""

MOST_COMPARED = 3_000
"""Words that one which is not known is compared with: the most frequent of those that could be near."""

NEAREST = 3
FARTHEST = 2
"""How many letters may differ between a word and one that is near to it; one letter, where the word is short."""

SHORT = 4

_SELECT = "SELECT word, entries, forms FROM text_words WHERE workspace = ?"
_STORE = (
    "INSERT INTO text_words (workspace, word, entries, forms) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (workspace, word) DO UPDATE SET entries = excluded.entries, forms = excluded.forms"
)


class Totals(NamedTuple):
    """How many entries there are, and how many words they have on average."""

    entries: int
    average: float


class Vocabulary:
    """The words of one workspace."""

    def __init__(self, sql: Sql, workspace: str) -> None:
        self._sql = sql
        self._workspace = workspace

    def add(self, texts: Sequence[Indexed]) -> None:
        """These texts can be found from now on."""
        forms: dict[str, dict[str, None]] = {}
        for text in texts:
            for word, written in text.forms.items():
                forms.setdefault(word, {}).update(dict.fromkeys(written))
        self._count((text.said for text in texts), 1, forms)

    def add_again(self, texts: Iterable[Sequence[str]]) -> None:
        """These words can be found again."""
        self._count(texts, 1, {})

    def remove(self, texts: Iterable[Sequence[str]]) -> None:
        """These words cannot be found any more. How they were written stays known: an earlier time may be asked for."""
        self._count(texts, -1, {})

    def _count(self, texts: Iterable[Sequence[str]], step: int, forms: Mapping[str, Mapping[str, None]]) -> None:
        counts: Counter[str] = Counter()
        entries = length = 0
        for words in texts:
            counts.update(set(words))
            entries += step
            length += step * len(words)
        if not entries:
            return
        known = {row[0]: row for row in self._rows(counts)}
        rows = []
        for word in sorted(counts):
            _, before, stored = known.get(word, (word, 0, ""))
            had = _forms(word, stored) if word in known else []
            if more := [form for form in forms.get(word, ()) if form not in had]:
                stored = _stored(word, [*had, *more])
            rows.append((self._workspace, word, before + step * counts[word], stored))
        self._sql.many(_STORE, rows)
        self._sql.run(
            "INSERT INTO text_totals (workspace, entries, length) VALUES (?, ?, ?)"
            " ON CONFLICT (workspace) DO UPDATE SET entries = text_totals.entries + excluded.entries,"
            " length = text_totals.length + excluded.length",
            (self._workspace, entries, length),
        )

    def totals(self) -> Totals:
        row = self._sql.row("SELECT entries, length FROM text_totals WHERE workspace = ?", (self._workspace,))
        entries, length = row or (0, 0)
        return Totals(entries, length / entries if entries else 1.0)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """In how many entries each of these stems is; not those that are in none."""
        return {word: entries for word, entries, _ in self._rows(words)}

    def sought(self, term: Term) -> Sought:
        """The term as the index has it: with the words that begin as they should, although their stems do not."""
        if not term.prefix:
            return Sought.of(term)
        beginning = term.words[-1]
        rows = self._sql.rows(
            f"{_SELECT} AND word >= ? AND word < ? AND forms LIKE ? ORDER BY word LIMIT ?",
            (self._workspace, *begins_with(beginning[:2]), f"% {beginning}%", MOST_OTHERS),
        )
        return Sought.of(term, tuple(row[0] for row in rows if not row[0].startswith(beginning)))

    def beginning_so(self, beginning: str) -> int:
        """In how many entries words with such stems are, those with two of them counted twice."""
        row = self._sql.row(
            "SELECT COALESCE(SUM(entries), 0) FROM text_words WHERE workspace = ? AND word >= ? AND word < ?",
            (self._workspace, *begins_with(beginning)),
        )
        return int(row[0]) if row else 0

    def near(self, word: str) -> Iterator[str]:
        """Words that are written nearly so, the nearest and of those the most frequent first."""
        farthest = FARTHEST if len(word) > SHORT else 1
        found: list[tuple[int, int, str]] = []
        for known, entries, forms in self._could_be_near(word, farthest):
            nearest = min((distance(word, form, farthest), form) for form in _forms(known, forms))
            if nearest[0] <= farthest:
                found.append((nearest[0], -entries, nearest[1]))
        yield from (form for _, _, form in sorted(found))

    def _could_be_near(self, word: str, farthest: int) -> list[Row]:
        """Words that begin with the same letter and are about as long: few mistakes are made in the first one."""
        length = len(stem(word))
        return self._sql.rows(
            f"{_SELECT} AND word >= ? AND word < ? AND LENGTH(word) BETWEEN ? AND ?"
            " ORDER BY entries DESC, word LIMIT ?",
            (self._workspace, *begins_with(word[0]), length - farthest - 1, length + farthest + 1, MOST_COMPARED),
        )

    def _rows(self, words: Iterable[str]) -> Iterator[Row]:
        """Of each word: itself, in how many entries it is, and its forms."""
        return rows_among(self._sql, f"{_SELECT} AND word IN (?*)", words, before=(self._workspace,))


def _forms(word: str, stored: str) -> list[str]:
    return stored.split() or [word]


def _stored(word: str, forms: list[str]) -> str:
    """Each form behind a blank; nothing when a word was only ever written as its stem."""
    return "" if forms in ([], [word]) else "".join(f" {form}" for form in forms[:MOST_FORMS])
