"""Branches, the documents on them, and where the workspace stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thoughtbox.domains.mind import records
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, View
from thoughtbox.world import milliseconds

MAIN = "main"

BRANCHES = Versions("mind_branches", key=["branch"], values=["name", "base", "base_seq", "created_ms", "canonical"])
PLACES = Versions("mind_places", key=["place"], values=["value"])

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


class Place(NamedTuple):
    """Where an entry stands."""

    seq: int
    branch: int
    doc: str


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
    generation = 1

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
        if (merged := record.data.get("mergedFrom")) is not None:
            self.sql.run(
                "INSERT INTO mind_merged_notes (workspace, branch, doc, source, seq) VALUES (?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (self.workspace, entry.branch, entry.doc, merged["seq"], record.seq),
            )

    def _take_document(self, branch: int, doc: str, kind: str, seq: int) -> None:
        self.sql.run(
            "INSERT INTO mind_documents (workspace, branch, doc, kind, seq) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (self.workspace, branch, doc, kind, seq),
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
        segments = self.segments(branch)
        where, values = _conditions(narrowed)
        below = min(before if before is not None else FOREVER, self.as_of + 1)
        parts, parameters = [], []
        for segment in segments:
            parts.append(
                "SELECT * FROM (SELECT e.seq, e.branch FROM mind_entries AS e WHERE e.workspace = ? AND e.branch = ?"
                f" AND e.doc = ? AND e.seq < ?{where} ORDER BY e.seq DESC LIMIT ?) AS part"
            )
            parameters += [self.workspace, segment.source, doc, min(below, segment.high + 1), *values, limit]
        if not parts:
            return []
        rows = self.sql.rows(f"{' UNION ALL '.join(parts)} ORDER BY 1 DESC LIMIT ?", (*parameters, limit))
        return [Place(seq, source, doc) for seq, source in rows]

    def documents(self, branch: Branch) -> list[tuple[str, str, int, int]]:
        """Name, kind, first and last record of each document that the branch shows, by name."""
        found: dict[str, tuple[str, str, int, int]] = {}
        for segment in self.segments(branch):
            high = min(segment.high, self.as_of)
            rows = self.sql.rows(
                "SELECT doc, kind, seq FROM mind_documents WHERE workspace = ? AND branch = ? AND seq <= ?",
                (self.workspace, segment.source, high),
            )
            for doc, kind, seq in rows:
                known = found.get(doc)
                last = known[3] if known else seq
                found[doc] = (doc, kind, min(seq, known[2]) if known else seq, last)
        return [found[doc] for doc in sorted(found)]

    def merged(self, into: Branch, doc: str, sources: Sequence[int]) -> set[int]:
        """Those of these entries that were merged into the document before."""
        rows = rows_among(
            self.sql,
            "SELECT source FROM mind_merged_notes WHERE workspace = ? AND branch = ? AND doc = ? AND source IN (?*)"
            " AND seq <= ?",
            sources,
            before=(self.workspace, into.id, doc),
            after=(self.as_of,),
        )
        return {row[0] for row in rows}

    def newest_entry(self) -> int | None:
        """The number of the newest entry of all."""
        row = self.sql.row(
            "SELECT MAX(seq) FROM mind_entries WHERE workspace = ? AND seq <= ?", (self.workspace, self.as_of)
        )
        return row[0] if row else None


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
