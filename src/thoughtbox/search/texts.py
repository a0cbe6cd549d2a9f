"""The view that finds records by what they say. It follows the tail, so that no append waits for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from thoughtbox.engine.protocol import Dialect, Row, Sql
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record, record_id
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, View, Views
from thoughtbox.search.candidates import Search
from thoughtbox.search.indexes import INDEXES, Entry, Index, Scope, part_of
from thoughtbox.search.query import Query, parse
from thoughtbox.search.ranking import of_session
from thoughtbox.search.registry import Part, parts_of, restores, versions, withdraws
from thoughtbox.search.snippet import Snippets
from thoughtbox.search.telling import telling
from thoughtbox.search.vocabulary import Vocabulary
from thoughtbox.search.words import indexed

LARGEST_PAGE = 100

MANY = 512
"""Entries of a workspace from which on it matters what the planner knows of them."""

SLICE_RECORDS = 128
SLICE_BYTES = 128 << 10
"""Records, and bytes of them, that are taken in at once: others wait as long as that takes. One is never too large."""

BLOCK = 48
"""Entries that are read and rated together where the best are read as far as they are asked for."""

MOST_COMPARED = 300
"""Entries with all words, or with the rarest one, that are compared with each other in such a search."""

MOST_ALIKE = 100
"""Entries that share something telling with a text, and are listed."""

T = TypeVar("T")
Arranging = Callable[[Sequence[str]], Sequence[str]]
"""Given sessions, the best first: those that are wanted, in the order wanted."""

ABSENCES = Versions("text_absences", key=["session"])


class Hit(NamedTuple):
    """A record that was found."""

    seq: int
    topic: str
    session: str
    rank: float
    """How well it fits: more is better. Only to be compared within one answer."""
    snippet: str
    """The words around the first match, with matches in «marks»."""

    @property
    def id(self) -> str:
        return record_id(self.seq)


class SessionHit(NamedTuple):
    """A session in which something was found."""

    session: str
    hits: int
    best: Hit


class Found(NamedTuple):
    """A page of what was found, the best first; of what fits equally well, the newest."""

    hits: list[Hit]
    has_more: bool = False
    note: str | None = None
    """What to tell whoever asked: that there was nothing to look for, or nothing to find, or too much."""


class FoundSessions(NamedTuple):
    """A page of sessions, the best first: all that was found in a session counts."""

    sessions: list[SessionHit]
    has_more: bool = False
    note: str | None = None


class _Ranked(NamedTuple):
    """An entry that was found, before anything is read of it."""

    number: int
    seq: int
    topic: str
    session: str
    name: str
    rank: float


class Best:
    """What was found, the best first: whoever goes through it reads no more than that."""

    def __init__(self, search: Search, query: Query) -> None:
        self._search = search
        self._query = query

    def blocks(self) -> Iterator[list[tuple[int, float]]]:
        """Numbers of records, and how well each fits, a block at a time."""
        if self._query.terms:
            for block in self._search.in_blocks(BLOCK, MOST_COMPARED):
                yield [(row[1], rank) for row, rank in block]

    def note(self, found: bool) -> str | None:
        """What to tell whoever asked, who has found something or has not."""
        if self._query.note is not None or found:
            return self._query.note
        return self._search.nothing()


class Texts(View):
    """Records by their words. See `registry.py` for which, and `query.py` for what may be asked."""

    name = "texts"
    follows = frozenset()
    """What rooms have said is searchable: see `advance`."""
    schema = "texts.sql"
    pace = "tail"
    generation = 6

    def find(
        self,
        query: str,
        *,
        topics: Collection[str] | None = None,
        session: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> Found:
        """The records that the query asks for; of these topics and this session only, if given."""
        asked = parse(query)
        ranked, note = self._ranked(asked, self._scope(topics, session))
        page, has_more = _page(_best_of_each(ranked), limit, offset)
        return Found(hits=self._hits(asked, page), has_more=has_more, note=note)

    def sessions(
        self,
        query: str,
        *,
        topics: Collection[str] | None = None,
        limit: int = 20,
        offset: int = 0,
        arranged: Arranging | None = None,
    ) -> FoundSessions:
        """The sessions that have such records: of each, how many, and the best. `arranged` may choose and sort them."""
        asked = parse(query)
        ranked, note = self._ranked(asked, self._scope(topics, None))
        found: dict[str, list[_Ranked]] = {}
        for entry in ranked:
            found.setdefault(entry.session, []).append(entry)
        in_order: Sequence[str] = sorted(found, key=lambda session: _place_of_session(found[session]))
        page, has_more = _page(arranged(in_order) if arranged else in_order, limit, offset)
        best = self._hits(asked, [_telling(found[session]) for session in page])
        sessions = [SessionHit(hit.session, len(_best_of_each(found[hit.session])), hit) for hit in best]
        return FoundSessions(sessions=sessions, has_more=has_more, note=note)

    def best(
        self,
        query: Query,
        *,
        marks: Collection[str],
        ended: bool = False,
    ) -> Best:
        """The records that the query asks for, the best first, and read only as far as they are asked for.

        Only those with all of the marks; with `ended`, also what others have taken the place of.
        """
        scope = self._scope(None, None)._replace(marks=sorted(marks), ended=ended)
        return Best(Search(query, scope, self.index(), self.vocabulary(), self._standing), query)

    def alike(self, text: str, *, marks: Collection[str]) -> list[int]:
        """Numbers of records that have rare words of a text, or rare combinations of its words: the most of them first.

        Only those with all of the marks. What says nearly the same is among them, however much else there is.
        """
        scope = self._scope(None, None)._replace(marks=sorted(marks))
        shares: Counter[int] = Counter()
        for match in telling(indexed(text).said, self.vocabulary()):
            shares.update(self.index().newest(match, scope, MOST_ALIKE))
        best = sorted(shares, key=lambda number: (-shares[number], -number))[:MOST_ALIKE]
        stand = {row[0]: row[1] for row in self._standing(best, scope)} if best else {}
        return [stand[number] for number in best if number in stand]

    def advance(self, after: int, limit: int) -> int:
        """Take in the searchable ones of the next records; how far that went."""
        count = self._slice(after, limit)
        taking = _Taking(self)
        for record in self._ledger().tail(after, limit=count):
            taking.take(record)
        taking.settle()
        return after + count

    @classmethod
    def contents(cls, sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        yield from INDEXES[sql.dialect].contents(sql)
        for table in ("text_absences", "text_words", "text_totals"):
            for row in sql.scan(f"SELECT * FROM {table}"):
                yield row[0], table, *row[1:]

    @classmethod
    def shape(cls, dialect: Dialect) -> str:
        """Changes also with what rooms say is searchable: the index is then made anew."""
        known = sorted(versions().items())
        return sha256(f"{super().shape(dialect)}\n{known}".encode()).hexdigest()[:16]

    def _slice(self, after: int, limit: int) -> int:
        """How many of the next records to take in at once."""
        sizes = self.sql.rows(
            "SELECT LENGTH(content) FROM records WHERE workspace = ? AND seq > ? ORDER BY seq LIMIT ?",
            (self.workspace, after, min(limit, SLICE_RECORDS)),
        )
        room = SLICE_BYTES
        for count, (size,) in enumerate(sizes):
            room -= size
            if room < 0:
                return max(count, 1)
        return len(sizes)

    def _scope(self, topics: Collection[str] | None, session: str | None) -> Scope:
        return Scope(self.as_of, None if topics is None else sorted(topics), session)

    def _ranked(self, query: Query, scope: Scope) -> tuple[list[_Ranked], str | None]:
        """What was found, the best first, and what to tell whoever asked."""
        if not query.terms or scope.topics == []:
            return [], query.note
        search = Search(query, scope, self.index(), self.vocabulary(), self._standing)
        ranked = [_Ranked(row[0], row[1], row[2], row[3], row[5], rank) for row, rank in search.found()]
        return ranked, query.note or search.note

    def _standing(self, numbers: Sequence[int], scope: Scope) -> list[Row]:
        """Those of the entries that stood then: `number, seq, topic, session, words, name`."""
        condition, values = scope.condition()
        return self.sql.rows(
            "SELECT number, seq, topic, session, words, name FROM texts"
            f" WHERE workspace = ? AND number IN ({', '.join('?' * len(numbers))}) AND until_seq > ?{condition}"
            f" AND session NOT IN (SELECT session FROM {ABSENCES.standing} AS a)",
            [self.workspace, *numbers, 0 if scope.ended else self.as_of, *values, *standing_at(self)],
        )

    def _hits(self, query: Query, ranked: Sequence[_Ranked]) -> list[Hit]:
        records = {record.seq: record for record in self._ledger().records(entry.seq for entry in ranked)}
        snippets = Snippets(query.terms)
        return [
            Hit(
                seq=entry.seq,
                topic=entry.topic,
                session=entry.session,
                rank=entry.rank,
                snippet=snippets.of(_text(records.get(entry.seq), entry.number)),
            )
            for entry in ranked
        ]

    def index(self) -> Index:
        return INDEXES[self.sql.dialect](self.sql, self.workspace)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.sql, self.workspace)

    def _ledger(self) -> Ledger:
        return Ledger(self.sql, self.workspace, Views(()), as_of=self.as_of)


class _Taking:
    """Records on their way into the index: those that only add to it are added together."""

    def __init__(self, view: Texts) -> None:
        self._view = view
        self._entries: list[Entry] = []
        self._named: set[tuple[str, str]] = set()
        """The names among them: those of their sessions."""

    def take(self, record: Record) -> None:
        for place, part in enumerate(parts_of(record)):
            if part.name:
                self._end(record, part)
            words = indexed(part.text)
            if words.said:
                self._entries.append(
                    Entry(record.seq, place, record.topic, record.session, part.name, words, part.marks)
                )
                self._named.add((record.session, part.name))
        if withdraws(record):
            self._withdraw(record)
        elif restores(record):
            self._restore(record)

    def settle(self) -> None:
        """Add what is waiting."""
        if not self._entries:
            return
        view, entries = self._view, self._entries
        self._entries, self._named = [], set()
        view.index().add(entries)
        before = view.vocabulary().totals().entries
        if before + len(entries) >= MANY and before.bit_length() < (before + len(entries)).bit_length():
            view.index().grown()
        absent = {session for session in {entry.session for entry in entries} if self._is_absent(session)}
        view.vocabulary().add([entry.words for entry in entries if entry.session not in absent])

    def _end(self, record: Record, part: Part) -> None:
        """What the session said under this name stands no more."""
        if (record.session, part.name) in self._named:
            self.settle()
        found = self._standing(record.session, "name = ?", part.name)
        if not found:
            return
        if not self._is_absent(record.session):
            self._view.vocabulary().remove(found.values())
        self._view.sql.many(
            "UPDATE texts SET until_seq = ? WHERE workspace = ? AND number = ?",
            [(record.seq, self._view.workspace, number) for number in found],
        )

    def _withdraw(self, record: Record) -> None:
        self.settle()
        if not self._is_absent(record.session):
            self._view.vocabulary().remove(self._standing(record.session).values())
            ABSENCES.put(self._view, record.seq, session=record.session)

    def _restore(self, record: Record) -> None:
        self.settle()
        if self._is_absent(record.session):
            ABSENCES.end(self._view, record.seq, session=record.session)
            self._view.vocabulary().add_again(self._standing(record.session).values())

    def _is_absent(self, session: str) -> bool:
        view = self._view
        statement = f"SELECT 1 FROM {ABSENCES.standing} AS a WHERE session = ?"
        return view.sql.row(statement, (*standing_at(view), session)) is not None

    def _standing(self, session: str, condition: str = "1 = 1", *values: Any) -> dict[int, list[str]]:
        """By number: the words of a session's entries that stand.

        Their numbers are asked for by themselves, which the index of sessions alone can answer: in one statement
        with their words SQLite would rather walk through the whole workspace.
        """
        sql, workspace = self._view.sql, self._view.workspace
        numbers = sql.rows(
            f"SELECT number FROM texts WHERE workspace = ? AND session = ? AND {condition} AND until_seq = ?",
            (workspace, session, *values, FOREVER),
        )
        rows = rows_among(
            sql,
            "SELECT number, words FROM texts WHERE workspace = ? AND number IN (?*)",
            (row[0] for row in numbers),
            before=(workspace,),
        )
        return {row[0]: row[1].split(" ") for row in rows}


def _text(record: Record | None, number: int) -> str:
    parts = parts_of(record) if record is not None else []
    return parts[part_of(number)].text if part_of(number) < len(parts) else ""


def _best_of_each(ranked: Iterable[_Ranked]) -> list[_Ranked]:
    """Of each record the part that fits best."""
    best: dict[int, _Ranked] = {}
    for entry in ranked:
        best.setdefault(entry.seq, entry)
    return list(best.values())


def _telling(ranked: Sequence[_Ranked]) -> _Ranked:
    """Of what a session was found by, the best that it says; what it is called or tagged, if it says nothing of it."""
    return next((entry for entry in ranked if not entry.name), ranked[0])


def _place_of_session(entries: Sequence[_Ranked]) -> tuple[float, int]:
    return -of_session(entry.rank for entry in entries), -max(entry.seq for entry in entries)


def _page(found: Sequence[T], limit: int, offset: int) -> tuple[Sequence[T], bool]:
    start = max(0, min(offset, len(found)))
    end = start + max(1, min(limit, LARGEST_PAGE))
    return found[start:end], end < len(found)
