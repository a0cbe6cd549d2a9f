"""What this room keeps of knowledge: every version of patterns and notes, and the newest of each."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import NOW, View

PATTERN = "knowledge.pattern"
NOTE = "knowledge.note"

Kind = Literal["pattern", "note"]

_SORTS = {"createdAt": "created_seq", "updatedAt": "seq", "title": "title"}


class Head(NamedTuple):
    """The newest version of a pattern or note, and its first."""

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

    def apply(self, record: Record) -> None:
        data = record.data
        kind = record.topic.removeprefix("knowledge.")
        key = (self.workspace, kind, data["id"])
        deleted = bool(data.get("deleted"))
        self.sql.run(
            "INSERT INTO knowledge_versions (workspace, kind, id, seq, deleted) VALUES (?, ?, ?, ?, ?)",
            (*key, record.seq, int(deleted)),
        )
        if deleted:
            self.sql.run("DELETE FROM knowledge_heads WHERE workspace = ? AND kind = ? AND id = ?", key)
            return
        self.sql.run(
            "INSERT INTO knowledge_heads (workspace, kind, id, seq, created_seq, title, tags)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (workspace, kind, id) DO UPDATE SET"
            " seq = excluded.seq, title = excluded.title, tags = excluded.tags",
            (*key, record.seq, record.seq, data["title"], json.dumps(data.get("tags", []), ensure_ascii=False)),
        )

    def head(self, kind: Kind, id: str) -> Head | None:
        if self.as_of != NOW:
            return next((head for head in self._earlier(kind) if head.id == id), None)
        row = self.sql.row(
            "SELECT id, seq, created_seq, title, tags FROM knowledge_heads WHERE workspace = ? AND kind = ? AND id = ?",
            (self.workspace, kind, id),
        )
        return _head(row) if row else None

    def heads(
        self,
        kind: Kind,
        *,
        tags: Collection[str] = (),
        among: Collection[int] | None = None,
        sort_by: str = "updatedAt",
        descending: bool = True,
    ) -> list[Head]:
        """The newest versions that have all these tags; `among` these records only, if given."""
        found = self._earlier(kind) if self.as_of != NOW else self._now(kind)
        wanted = [head for head in found if set(tags) <= set(head.tags) and (among is None or head.seq in among)]
        return sorted(wanted, key=lambda head: (getattr(head, _SORTS[sort_by]), head.id), reverse=descending)

    def ids(self, kind: Kind, prefix: str, limit: int) -> list[str]:
        rows = self.sql.rows(
            "SELECT id FROM knowledge_heads WHERE workspace = ? AND kind = ? AND id >= ? AND id < ?"
            " ORDER BY id LIMIT ?",
            (self.workspace, kind, prefix, prefix + "\U0010ffff", limit),
        )
        return [row[0] for row in rows]

    def _now(self, kind: Kind) -> list[Head]:
        rows = self.sql.rows(
            "SELECT id, seq, created_seq, title, tags FROM knowledge_heads WHERE workspace = ? AND kind = ?",
            (self.workspace, kind),
        )
        return [_head(row) for row in rows]

    def _earlier(self, kind: Kind) -> list[Head]:
        """As of the record that counts as the newest: a version counts until the next, and a deleted one not at all."""
        rows = self.sql.rows(
            "SELECT v.id, v.seq, v.deleted, r.content FROM knowledge_versions v"
            " JOIN records r ON r.workspace = v.workspace AND r.seq = v.seq"
            " WHERE v.workspace = ? AND v.kind = ? AND v.seq <= ? ORDER BY v.seq",
            (self.workspace, kind, self.as_of),
        )
        heads: dict[str, Head] = {}
        for id, seq, deleted, content in rows:
            if deleted:
                heads.pop(id, None)
                continue
            data = json.loads(content)["data"]
            created = heads[id].created_seq if id in heads else seq
            heads[id] = Head(id, seq, created, data["title"], tuple(data.get("tags", ())))
        return list(heads.values())


def _head(row: Sequence[Any]) -> Head:
    return Head(row[0], row[1], row[2], row[3], tuple(json.loads(row[4])))
