"""What this room keeps of knowledge: patterns and notes, as they stand."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.ledger.clauses import begins_with
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View

PATTERN = "knowledge.pattern"
NOTE = "knowledge.note"

Kind = Literal["pattern", "note"]

ENTRIES = Versions("knowledge_entries", key=["kind", "id"], values=["created_seq", "title", "tags"])

_SORTS = {"createdAt": "created_seq", "updatedAt": "seq", "title": "title"}


class Entry(NamedTuple):
    """A pattern or a note: the record that says what it is, and the one that created it."""

    id: str
    seq: int
    created_seq: int
    title: str
    tags: tuple[str, ...]


class Knowledge(View):
    """Patterns and notes by id, by tag, in order."""

    name = "knowledge"
    follows = frozenset({PATTERN, NOTE})
    schema = "knowledge.sql"
    generation = 3

    def apply(self, record: Record) -> None:
        data = record.data
        kind: Kind = "pattern" if record.topic == PATTERN else "note"
        if data.get("deleted"):
            ENTRIES.end(self, record.seq, kind=kind, id=data["id"])
            return
        before = self.entry(kind, data["id"]) or self._replaced(record, kind)
        ENTRIES.put(
            self,
            record.seq,
            kind=kind,
            id=data["id"],
            created_seq=before.created_seq if before is not None else record.seq,
            title=data["title"],
            tags=json.dumps(data.get("tags", []), ensure_ascii=False),
        )

    def _replaced(self, record: Record, kind: Kind) -> Entry | None:
        """The version that a record brings back, after it was deleted."""
        replaced = seq_of(record.attrs.get("replacesId", ""))
        return Knowledge(self.sql, self.workspace, replaced).entry(kind, record.data["id"]) if replaced else None

    def entry(self, kind: Kind, id: str) -> Entry | None:
        """The pattern or note; None when there is none, or when it was deleted."""
        row = self.sql.row(
            f"SELECT id, from_seq, created_seq, title, tags FROM {ENTRIES.standing} AS e WHERE kind = ? AND id = ?",
            (*standing_at(self), kind, id),
        )
        return _entry(row) if row else None

    def entries(
        self,
        kind: Kind,
        *,
        tags: Collection[str] = (),
        among: Collection[int] | None = None,
        sort_by: str | None = None,
        descending: bool = True,
    ) -> list[Entry]:
        """Those that have all these tags; `among` these records only, if given, and then in their order."""
        rows = self.sql.rows(
            f"SELECT id, from_seq, created_seq, title, tags FROM {ENTRIES.standing} AS e WHERE kind = ?",
            (*standing_at(self), kind),
        )
        found = map(_entry, rows)
        wanted = [entry for entry in found if set(tags) <= set(entry.tags) and (among is None or entry.seq in among)]
        if among is not None and sort_by is None:
            places = {seq: place for place, seq in enumerate(among)}
            return sorted(wanted, key=lambda entry: places[entry.seq], reverse=not descending)
        by = _SORTS[sort_by or "updatedAt"]
        return sorted(wanted, key=lambda entry: (getattr(entry, by), entry.id), reverse=descending)

    def ids(self, kind: Kind, prefix: str, limit: int) -> list[str]:
        """Ids that begin so, in order."""
        rows = self.sql.rows(
            f"SELECT id FROM {ENTRIES.standing} AS e WHERE kind = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?",
            (*standing_at(self), kind, *begins_with(prefix), limit),
        )
        return [row[0] for row in rows]


def _entry(row: Sequence[Any]) -> Entry:
    return Entry(row[0], row[1], row[2], row[3], tuple(json.loads(row[4])))
