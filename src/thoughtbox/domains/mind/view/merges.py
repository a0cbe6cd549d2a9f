"""Merges of graphs: what branches have changed, what of it was merged, and where both sides differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.view.documents import BRANCHES, Branch, Documents
from thoughtbox.domains.mind.view.graph import SMALLEST_CHUNK, Graph, GraphDoc
from thoughtbox.domains.mind.view.versions import Key, Version, key_of, version_of
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

MERGED = Versions("mind_merged", key=["source", "doc", "kind", "name"], values=["theirs"])
CONFLICTS = Versions(
    "mind_conflicts",
    key=["conflict"],
    values=[
        *("source", "target", "doc", "kind", "name", "base", "theirs", "ours"),
        *("status", "resolution", "created_seq", "created_ms", "changed_ms"),
    ],
)

_CONFLICT = (
    "SELECT c.conflict, c.source, c.target, c.doc, c.kind, c.name, c.base, c.theirs, c.ours, c.status, c.resolution,"
    f" c.created_seq, c.created_ms, c.changed_ms FROM {CONFLICTS.standing} AS c"
)
# Of a branch that is gone, nothing is shown.
_HAS_SOURCE = f"EXISTS (SELECT 1 FROM {BRANCHES.standing} AS b WHERE b.branch = c.source)"


class Conflict(NamedTuple):
    """A node or an edge that a branch and its base have changed, each in its own way."""

    id: str
    source: int
    """The branch that is merged, and below the one that it is merged into."""
    target: int
    doc: str
    kind: str
    name: str
    base: int | None
    """The records of the three versions; None for one that never was."""
    theirs: int
    ours: int | None
    status: str
    resolution: str | None
    created_seq: int
    created_ms: int
    changed_ms: int

    @property
    def key(self) -> Key:
        return Key(self.kind, self.name)


class Merges(View):
    """Changes by branch, merged versions by key, conflicts by id."""

    name = "mind_merges"
    follows = frozenset({records.CARD, records.NODE, records.EDGE, records.CONFLICT})
    schema = "merges.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        if record.topic == records.CONFLICT:
            self._take_conflict(record)
            return
        version = version_of(record)
        key = key_of(version)
        self.sql.run(
            "INSERT INTO mind_changes (workspace, branch, doc, seq, kind, name) VALUES (?, ?, ?, ?, ?, ?)",
            (self.workspace, version.branch, version.doc, record.seq, *key),
        )
        if (merged := record.data.get("mergedFrom")) is not None:
            MERGED.put(
                self,
                record.seq,
                source=merged["branch"],
                doc=version.doc,
                kind=key.kind,
                name=key.name,
                theirs=merged["seq"],
            )

    def _take_conflict(self, record: Record) -> None:
        data, now = record.data, milliseconds(record.ts)
        row = self.sql.row(f"{_CONFLICT} WHERE c.conflict = ?", (*standing_at(self), data["conflict"]))
        known = Conflict(*row) if row else None
        CONFLICTS.put(
            self,
            record.seq,
            conflict=data["conflict"],
            source=data["source"],
            target=data["branch"],
            doc=data["doc"],
            kind=data["kind"],
            name=data["name"],
            base=data.get("base"),
            theirs=data["theirs"],
            ours=data.get("ours"),
            status=data["status"],
            resolution=data.get("resolution"),
            created_seq=known.created_seq if known else record.seq,
            created_ms=known.created_ms if known else now,
            changed_ms=now,
        )

    def written_on(self, branch: Branch, doc: str, *, before: int | None, limit: int) -> list[Version]:
        """The newest version of each node and edge that was written on a branch itself, deleted ones included.

        The newest come first: those before a number, so many at most.
        """
        own = self._graph().of_source(branch.id, doc)
        found, below = list[Version](), before if before is not None else self.as_of + 1
        chunk = max(limit, SMALLEST_CHUNK)
        while len(found) < limit:
            rows = self.sql.rows(
                "SELECT seq, kind, name FROM mind_changes WHERE workspace = ? AND branch = ? AND doc = ? AND seq < ?"
                " AND seq <= ? ORDER BY seq DESC LIMIT ?",
                (self.workspace, branch.id, doc, below, self.as_of, chunk),
            )
            changed = [(seq, Key(kind, name)) for seq, kind, name in rows]
            newest = own.versions(key for _, key in changed)
            found += [newest[key] for seq, key in changed if newest[key].last_seq == seq]
            if len(rows) < chunk:
                break
            below = rows[-1][0]
        return found[:limit]

    def first_written(self, branch: Branch) -> str | None:
        """The first by name of the documents that something was written to on a branch itself."""
        found = self.sql.row(
            "SELECT doc FROM mind_changes WHERE workspace = ? AND branch = ? AND seq <= ? ORDER BY doc LIMIT 1",
            (self.workspace, branch.id, self.as_of),
        )
        return found[0] if found is not None else None

    def beyond(self, graph: GraphDoc, other: GraphDoc) -> dict[Key, int]:
        """What one graph shows of records that the other does not look at: each key, and its newest such record."""
        found: dict[Key, int] = {}
        for source, low, high in graph.beyond(other):
            rows = self.sql.rows(
                "SELECT kind, name, MAX(seq) FROM mind_changes WHERE workspace = ? AND branch = ? AND doc = ?"
                " AND seq > ? AND seq <= ? GROUP BY kind, name",
                (self.workspace, source, graph.doc, low, high),
            )
            for kind, name, seq in rows:
                found.setdefault(Key(kind, name), seq)
        return found

    def merged(self, source: Branch, doc: str, keys: Iterable[Key]) -> dict[Key, int]:
        """The record of the version of each key that was last merged from a branch into its base."""
        found: dict[Key, int] = {}
        for kind, names in _by_kind(keys):
            rows = rows_among(
                self.sql,
                f"SELECT name, theirs FROM {MERGED.standing} AS m WHERE source = ? AND doc = ? AND kind = ?"
                " AND name IN (?*)",
                names,
                before=(*standing_at(self), source.id, doc, kind),
            )
            found |= {Key(kind, name): theirs for name, theirs in rows}
        return found

    def conflicts_about(self, source: Branch, doc: str, keys: Iterable[Key]) -> dict[Key, list[Conflict]]:
        """All conflicts that merging a branch has ever found about these keys."""
        found: dict[Key, list[Conflict]] = {}
        for kind, names in _by_kind(keys):
            rows = rows_among(
                self.sql,
                f"{_CONFLICT} WHERE c.source = ? AND c.doc = ? AND c.kind = ? AND c.name IN (?*)",
                names,
                before=(*standing_at(self), source.id, doc, kind),
            )
            for conflict in map(Conflict._make, rows):
                found.setdefault(conflict.key, []).append(conflict)
        return found

    def conflict(self, id: str) -> Conflict | None:
        row = self.sql.row(
            f"{_CONFLICT} WHERE c.conflict = ? AND {_HAS_SOURCE}", (*standing_at(self), id, *standing_at(self))
        )
        return Conflict(*row) if row else None

    def conflicts(self, into: Branch, doc: str, status: str, *, before: int | None, limit: int) -> list[Conflict]:
        """Conflicts of a status, the newest first."""
        rows = self.sql.rows(
            f"{_CONFLICT} WHERE c.target = ? AND c.doc = ? AND c.status = ? AND c.created_seq < ? AND {_HAS_SOURCE}"
            " ORDER BY c.created_seq DESC LIMIT ?",
            (
                *(*standing_at(self), into.id, doc, status, before if before is not None else self.as_of + 1),
                *(*standing_at(self), limit),
            ),
        )
        return [Conflict(*row) for row in rows]

    def branch_names(self, conflict: Conflict) -> tuple[str, str]:
        """What the two branches of a conflict are called: the one merged, and the one merged into."""
        names = Documents(self.sql, self.workspace, self.as_of).names([conflict.source, conflict.target])
        return names[conflict.source], names[conflict.target]

    def _graph(self) -> Graph:
        return Graph(self.sql, self.workspace, self.as_of)


def _by_kind(keys: Iterable[Key]) -> Iterator[tuple[str, Sequence[str]]]:
    wanted = set(keys)
    for kind in ("node", "edge"):
        if names := [key.name for key in wanted if key.kind == kind]:
            yield kind, names
