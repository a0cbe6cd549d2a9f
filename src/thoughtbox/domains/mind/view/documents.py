"""Branches, the documents on them, and where the workspace stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from thoughtbox.domains.mind import records
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at, until
from thoughtbox.ledger.view import FOREVER, NOW, View
from thoughtbox.world import milliseconds

MAIN = "main"

BRANCHES = Versions("mind_branches", key=["branch"], values=["name", "base", "base_seq", "created_ms", "canonical"])
PLACES = Versions("mind_places", key=["place"], values=["value"])

MOST_SPANS = 100
"""Parts of a document that one statement looks into: SQLite takes 500, and few branches have more than three."""

_BRANCH = f"SELECT branch, name, base, base_seq, created_ms, canonical FROM {BRANCHES.standing} AS b"


class Branch(NamedTuple):
    """A line of documents and graphs. Its id is the number of the record that made it; its name may change."""

    id: int
    name: str
    base: int | None
    base_seq: int
    created_ms: int
    canonical: str | None
    """The plan or task whose reasoning stands on it."""


class Segment(NamedTuple):
    """A part of what a branch shows: the records of one branch up to one number."""

    source: int
    high: int
    """The last record that counts; `FOREVER` where it goes on."""


class Span(NamedTuple):
    """Records of one branch: those behind `low`, up to `high`."""

    source: int
    low: int
    high: int


class Place(NamedTuple):
    """Where an entry stands."""

    seq: int
    branch: int
    doc: str


class Document(NamedTuple):
    """A document that a branch shows."""

    doc: str
    kind: str
    first: int
    """The record that began it."""
    source: int
    """The branch that it was last written on."""
    until: int
    """The last record of that branch that counts."""
    last: int | None
    """The last record of it; None when there are later ones that do not count, and it has to be looked for."""


class Narrowed(NamedTuple):
    """Which entries of a document are wanted."""

    kind: str | None = None
    format: str | None = None
    drafts: bool = True
    task: str | None = None
    path: str | None = None
    """Of a step of that task: notes about it, and events of it or of a step below it."""


ALL = Narrowed()


class Documents(View):
    """Branches by name, entries by document, documents by branch."""

    name = "mind_documents"
    follows = frozenset(
        {records.BRANCH, records.PLACE, records.NOTE, records.CARD, records.NODE, records.EDGE, records.EVENT}
    )
    schema = "documents.sql"
    generation = 2

    def apply(self, record: Record) -> None:
        match record.topic:
            case records.BRANCH:
                self._take_branch(record)
            case records.PLACE:
                self._take_place(record)
            case records.NODE | records.EDGE:
                self._take_document(record.data["branch"], record.data["doc"], "graph", record.seq)
            case _:
                self._take_entry(record)

    def _take_branch(self, record: Record) -> None:
        data, seq = record.data, record.seq
        match data["change"]:
            case "created":
                BRANCHES.put(
                    self,
                    seq,
                    branch=data["branch"],
                    name=data["name"],
                    base=data.get("base"),
                    base_seq=data.get("baseSeq", 0),
                    created_ms=milliseconds(record.ts),
                    canonical=data.get("canonical"),
                )
                self._take_segments(record)
            case "renamed":
                before = self.branch_of(data["branch"])
                assert before is not None
                BRANCHES.put(
                    self,
                    seq,
                    branch=before.id,
                    name=data["name"],
                    base=before.base,
                    base_seq=before.base_seq,
                    created_ms=before.created_ms,
                    canonical=before.canonical,
                )
            case "deleted":
                BRANCHES.end(self, seq, branch=data["branch"])

    def _take_segments(self, record: Record) -> None:
        data, rows = record.data, []
        if data.get("base") is not None:
            until = data["baseSeq"]
            rows = [(min(segment.high, until), segment.source) for segment in self._segments(data["base"])]
        own = (FOREVER, data["branch"])
        self.sql.many(
            "INSERT INTO mind_segments (workspace, branch, high, source, seq) VALUES (?, ?, ?, ?, ?)",
            [(self.workspace, data["branch"], high, source, record.seq) for high, source in (own, *rows)],
        )

    def _take_place(self, record: Record) -> None:
        place, value = record.data["place"], record.data.get("value")
        if value is None:
            PLACES.end(self, record.seq, place=place)
        else:
            PLACES.put(self, record.seq, place=place, value=str(value))

    def _take_entry(self, record: Record) -> None:
        entry = records.entry_row(record)
        self.sql.run(
            "INSERT INTO mind_entries (workspace, branch, doc, seq, kind, format, draft, task, path)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self.workspace, entry.branch, entry.doc, record.seq, *entry[2:7]),
        )
        self._take_document(entry.branch, entry.doc, entry.doc_kind, record.seq)
        if record.topic == records.CARD:
            self._take_document(entry.branch, record.data["graphDoc"], "graph", record.seq)
        if record.data.get("mergedFrom") is not None:
            self.sql.run(
                "INSERT INTO mind_merged_notes (workspace, branch, doc, source, seq) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (self.workspace, entry.branch, entry.doc, records.origin(record), record.seq),
            )

    def _take_document(self, branch: int, doc: str, kind: str, seq: int) -> None:
        self.sql.run(
            "INSERT INTO mind_documents (workspace, branch, doc, kind, seq, last_seq) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (workspace, branch, doc) DO UPDATE SET last_seq = excluded.last_seq",
            (self.workspace, branch, doc, kind, seq, seq),
        )

    def branch(self, name: str) -> Branch | None:
        row = self.sql.row(f"{_BRANCH} WHERE name = ?", (*standing_at(self), name))
        return Branch(*row) if row else None

    def branch_of(self, id: int) -> Branch | None:
        row = self.sql.row(f"{_BRANCH} WHERE branch = ?", (*standing_at(self), id))
        return Branch(*row) if row else None

    def canonical(self, target: str) -> Branch | None:
        """The branch that the reasoning of a plan or task stands on."""
        row = self.sql.row(f"{_BRANCH} WHERE canonical = ?", (*standing_at(self), target))
        return Branch(*row) if row else None

    def branches(self, limit: int, after: str = "") -> list[Branch]:
        """Branches by name."""
        rows = self.sql.rows(f"{_BRANCH} WHERE name > ? ORDER BY name LIMIT ?", (*standing_at(self), after, limit))
        return [Branch(*row) for row in rows]

    def names(self, ids: Iterable[int]) -> dict[int, str]:
        """What these branches are called; those that were deleted are not among them."""
        rows = rows_among(
            self.sql,
            f"SELECT branch, name FROM {BRANCHES.standing} AS b WHERE branch IN (?*)",
            ids,
            before=standing_at(self),
        )
        return {row[0]: row[1] for row in rows}

    def called(self, ids: Iterable[int]) -> dict[int, str]:
        """What these branches are called, or were called last."""
        rows = rows_among(
            self.sql,
            f"SELECT branch, name FROM {BRANCHES.ever} AS b WHERE branch IN (?*) ORDER BY branch, from_seq",
            ids,
            before=until(self),
        )
        return {row[0]: row[1] for row in rows}

    def children(self, id: int) -> list[str]:
        """The names of branches that were made from this one."""
        rows = self.sql.rows(
            f"SELECT name FROM {BRANCHES.standing} AS b WHERE base = ? ORDER BY name", (*standing_at(self), id)
        )
        return [row[0] for row in rows]

    def segments(self, branch: Branch) -> list[Segment]:
        """What the branch shows, the newest part first."""
        return self._segments(branch.id)

    def _segments(self, id: int) -> list[Segment]:
        rows = self.sql.rows(
            "SELECT source, high FROM mind_segments WHERE workspace = ? AND branch = ? AND seq <= ? ORDER BY high DESC",
            (self.workspace, id, self.as_of),
        )
        return [Segment(*row) for row in rows]

    def _segments_with(self, id: int, doc: str) -> list[Segment]:
        """Those of its segments in which there is anything of a document: of a deep branch, often few."""
        rows = self.sql.rows(
            "SELECT s.source, s.high FROM mind_segments AS s WHERE s.workspace = ? AND s.branch = ? AND s.seq <= ?"
            " AND EXISTS (SELECT 1 FROM mind_documents AS d WHERE d.workspace = s.workspace AND d.branch = s.source"
            " AND d.doc = ? AND d.seq <= s.high) ORDER BY s.high DESC",
            (self.workspace, id, self.as_of, doc),
        )
        return [Segment(*row) for row in rows]

    def checkout(self) -> Branch | None:
        value = self.place("checkout")
        return self.branch_of(int(value)) if value is not None else None

    def place(self, place: str) -> str | None:
        """What is remembered under that name: `checkout`, `focus`."""
        row = self.sql.row(f"SELECT value FROM {PLACES.standing} AS p WHERE place = ?", (*standing_at(self), place))
        return row[0] if row else None

    def entries(
        self, branch: Branch, doc: str, *, before: int | None, limit: int, narrowed: Narrowed = ALL
    ) -> list[Place]:
        """Entries of a document as the branch shows it, the newest first: those before a number, so many at most."""
        spans = [Span(source, 0, high) for source, high in self._segments_with(branch.id, doc)]
        return self.among(spans, doc, before=before, limit=limit, narrowed=narrowed)

    def difference(
        self,
        lacks: Branch,
        has: Branch,
        doc: str,
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int,
        forward: bool = False,
    ) -> list[Place]:
        """Entries of a document that one branch shows and another does not: the newest first, or `forward`."""
        known = {segment.source: segment.high for segment in self.segments(lacks)}
        spans = [Span(source, known.get(source, 0), high) for source, high in self.segments(has)]
        wanted = [span for span in spans if span.low < span.high]
        return self.among(
            reversed(wanted) if forward else wanted, doc, before=before, after=after, limit=limit, forward=forward
        )

    def among(
        self,
        spans: Iterable[Span],
        doc: str,
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int,
        narrowed: Narrowed = ALL,
        forward: bool = False,
    ) -> list[Place]:
        """Entries of a document within spans, which come in the order wanted: each is as a whole before the next."""
        where, values = _conditions(narrowed)
        above = min(after if after is not None else 0, NOW)
        below = min(before if before is not None else FOREVER, self.as_of + 1)
        order = "ASC" if forward else "DESC"
        part = (
            "SELECT * FROM (SELECT e.seq, e.branch FROM mind_entries AS e WHERE e.workspace = ? AND e.branch = ?"
            f" AND e.doc = ? AND e.seq > ? AND e.seq < ?{where} ORDER BY e.seq {order} LIMIT ?) AS part"
        )
        found, waiting = list[Place](), iter(spans)
        while len(found) < limit and (some := list(islice(waiting, MOST_SPANS))):
            rest = limit - len(found)
            parameters = [
                value
                for span in some
                for value in (
                    *(self.workspace, span.source, doc),
                    *(max(above, span.low), min(below, span.high + 1), *values, rest),
                )
            ]
            rows = self.sql.rows(
                f"{' UNION ALL '.join([part] * len(some))} ORDER BY 1 {order} LIMIT ?", (*parameters, rest)
            )
            found += (Place(seq, source, doc) for seq, source in rows)
        return found

    def shows(self, branch: Branch, doc: str, seqs: Iterable[int]) -> dict[int, str]:
        """Those of these entries that the branch shows in the document, and of what kind each is."""
        rows = self._within(branch, doc, "SELECT branch, seq, seq, kind FROM mind_entries", "seq", seqs)
        return dict(rows)

    def merged(self, into: Branch, doc: str, origins: Iterable[int]) -> set[int]:
        """Those of these notes that the branch shows a copy of in the document."""
        rows = self._within(into, doc, "SELECT branch, seq, source, NULL FROM mind_merged_notes", "source", origins)
        return {origin for origin, _ in rows}

    def _within(
        self, branch: Branch, doc: str, select: str, column: str, values: Iterable[int]
    ) -> Iterator[tuple[Any, Any]]:
        """Rows about a document, by the values of a column, that the branch shows: what is asked for of each."""
        wanted, segments = sorted(set(values)), self.segments(branch)
        for start in range(0, len(segments), MOST_SPANS):
            some = segments[start : start + MOST_SPANS]
            high = {segment.source: min(segment.high, self.as_of) for segment in some}
            rows = rows_among(
                self.sql,
                f"{select} WHERE workspace = ? AND branch IN ({', '.join('?' * len(high))}) AND doc = ?"
                f" AND {column} IN (?*)",
                wanted,
                before=(self.workspace, *high, doc),
            )
            yield from ((value, told) for source, seq, value, told in rows if seq <= high[source])

    def documents(self, branch: Branch, *, after: str, limit: int) -> list[Document]:
        """The documents that the branch shows, by name."""
        found: dict[str, Document] = {}
        for source, high in self.segments(branch):
            counts = min(high, self.as_of)
            rows = self.sql.rows(
                "SELECT doc, kind, seq, last_seq FROM mind_documents WHERE workspace = ? AND branch = ? AND doc > ?"
                " AND seq <= ? ORDER BY doc LIMIT ?",
                (self.workspace, source, after, counts, limit),
            )
            for doc, kind, first, last in rows:
                if doc in found:
                    found[doc] = found[doc]._replace(kind=kind, first=first)
                else:
                    found[doc] = Document(doc, kind, first, source, counts, last if last <= counts else None)
        return [found[doc] for doc in sorted(found)[:limit]]

    def last_entry(self, document: Document) -> int | None:
        """The last entry of a document, where it was last written."""
        span = Span(document.source, 0, document.until)
        places = self.among([span], document.doc, limit=1)
        return places[0].seq if places else None

    def newest_entry(self) -> Place | None:
        """The newest entry of all that stand on a branch that is still there."""
        row = self.sql.row(
            "SELECT e.seq, e.branch, e.doc FROM mind_entries AS e WHERE e.workspace = ? AND e.seq <= ?"
            f" AND EXISTS (SELECT 1 FROM {BRANCHES.standing} AS b WHERE b.branch = e.branch)"
            " ORDER BY e.seq DESC LIMIT 1",
            (self.workspace, self.as_of, *standing_at(self)),
        )
        return Place(*row) if row else None


def _conditions(narrowed: Narrowed) -> tuple[str, list[object]]:
    clauses, values = "", list[object]()
    if narrowed.kind is not None:
        clauses += " AND e.kind = ?"
        values.append(narrowed.kind)
    if narrowed.format is not None:
        clauses += " AND e.format = ?"
        values.append(narrowed.format)
    if not narrowed.drafts:
        clauses += " AND e.draft = 0"
    if narrowed.task is not None:
        clauses += " AND e.task = ?"
        values.append(narrowed.task)
    if narrowed.path is not None:  # s:0 is above s:0.s:1, and not above s:01
        clauses += " AND (e.path = ? OR (e.kind = 'event' AND e.path >= ? AND e.path < ?))"
        values += [narrowed.path, f"{narrowed.path}.", f"{narrowed.path}/"]
    return clauses, values
