"""The view that finds records by what they say. It follows the tail, so that no append waits for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from thoughtbox.engine.protocol import Dialect, Row, Sql
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.view import View, Views
from thoughtbox.search.indexes import INDEXES, MOST_MATCHES, Entry, Index, Scope
from thoughtbox.search.query import Query, parse
from thoughtbox.search.registry import SEARCHABLE, text_of
from thoughtbox.search.snippet import snippet
from thoughtbox.search.words import indexed

LARGEST_PAGE = 100
TOO_MANY = f"{MOST_MATCHES:,} records or more match; the newest {MOST_MATCHES:,} of them were ranked."

SLICE_RECORDS = 128
SLICE_BYTES = 128 << 10
"""Records, and bytes of them, that are taken in at once: others wait as long as that takes. One is never too large."""


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
    """What to tell whoever asked: that there was nothing to look for, or that not all was looked at."""


class FoundSessions(NamedTuple):
    """A page of sessions, in the order of their best hits."""

    sessions: list[SessionHit]
    has_more: bool = False
    note: str | None = None


class _Page(NamedTuple):
    rows: list[Row]
    has_more: bool
    note: str | None


_RECORDS = "SELECT seq, topic, session, rank, COUNT(*) OVER () FROM ({}) AS found"
_SESSIONS = (
    "SELECT seq, topic, session, rank, total, hits FROM (SELECT seq, topic, session, rank,"
    " COUNT(*) OVER () AS total, COUNT(*) OVER (PARTITION BY session) AS hits,"
    " ROW_NUMBER() OVER (PARTITION BY session ORDER BY rank DESC, seq DESC) AS place"
    " FROM ({}) AS found) AS placed WHERE place = 1"
)


class Texts(View):
    """Records by their words. See `registry.py` for which, and `query.py` for what may be asked."""

    name = "texts"
    follows = frozenset()
    """What rooms have said is searchable: see `advance`."""
    schema = "texts.sql"
    pace = "tail"

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
        page = self._page(asked, self._scope(topics, session), _RECORDS, limit, offset)
        return Found(hits=self._hits(asked, page.rows), has_more=page.has_more, note=page.note)

    def sessions(
        self,
        query: str,
        *,
        topics: Collection[str] | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> FoundSessions:
        """The sessions that have such records: of each, how many, and the best."""
        asked = parse(query)
        page = self._page(asked, self._scope(topics, None), _SESSIONS, limit, offset)
        sessions = [
            SessionHit(session=best.session, hits=row[5], best=best)
            for row, best in zip(page.rows, self._hits(asked, page.rows), strict=True)
        ]
        return FoundSessions(sessions=sessions, has_more=page.has_more, note=page.note)

    def advance(self, after: int, limit: int) -> int:
        """Take in the searchable ones of the next records; how far that went."""
        count = self._slice(after, limit)
        entries = []
        for record in self._ledger().tail(after, limit=count):
            words = indexed(text_of(record))
            if words.said:
                entries.append(Entry(record.seq, record.topic, record.session, words))
        if entries:
            self._index().add(entries)
        return after + count

    @classmethod
    def contents(cls, sql: Sql, cursors: Mapping[str, int]) -> Iterator[Row]:
        return INDEXES[sql.dialect].contents(sql, cursors)

    @classmethod
    def shape(cls, dialect: Dialect) -> str:
        """Changes also with what rooms say is searchable: the index is then made anew."""
        known = sorted((topic, found.version) for topic, found in SEARCHABLE.items())
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

    def _page(self, query: Query, scope: Scope, choice: str, limit: int, offset: int) -> _Page:
        """`choice` says what is made of the records that match, which stand at its `{}`."""
        if not query.wanted or scope.topics == []:
            return _Page([], False, query.note)
        limit = max(1, min(limit, LARGEST_PAGE))
        matches = self._index().question(query, scope)
        rows = self.sql.rows(
            f"{choice.format(matches.text)} ORDER BY rank DESC, seq DESC LIMIT ? OFFSET ?",
            [*matches.values, limit + 1, max(0, min(offset, MOST_MATCHES))],
        )
        are_too_many = bool(rows) and rows[0][4] == MOST_MATCHES
        return _Page(rows[:limit], len(rows) > limit, query.note or (TOO_MANY if are_too_many else None))

    def _hits(self, query: Query, rows: list[Row]) -> list[Hit]:
        records = {record.seq: record for record in self._ledger().records(row[0] for row in rows)}
        return [
            Hit(
                seq=seq,
                topic=topic,
                session=session,
                rank=rank,
                snippet=snippet(text_of(records[seq]), query.terms) if seq in records else "",
            )
            for seq, topic, session, rank, *_ in rows
        ]

    def _index(self) -> Index:
        return INDEXES[self.sql.dialect](self.sql, self.workspace)

    def _ledger(self) -> Ledger:
        return Ledger(self.sql, self.workspace, Views(()), as_of=self.as_of)
