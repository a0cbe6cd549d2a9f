"""Pointers of documents, the moves they made, and tags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thoughtbox.domains.mind import records, refs
from thoughtbox.domains.mind.view.documents import Branch, Documents, Span
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, View
from thoughtbox.world import milliseconds

REFS = Versions("mind_refs", key=["branch", "doc"], values=["head"])
TAGS = Versions("mind_tags", key=["name"], values=["branch", "doc", "entry", "created_ms"])

_TAG = f"SELECT name, branch, doc, entry, created_ms FROM {TAGS.standing} AS t"


class Tag(NamedTuple):
    """A name that stands for an entry, as a branch shows it."""

    name: str
    branch: int
    doc: str
    entry: int
    created_ms: int


class Move(NamedTuple):
    """A move of a pointer."""

    seq: int
    before: int | None
    head: int


class Refs(View):
    """Pointers by branch and document, tags by name."""

    name = "mind_refs"
    follows = frozenset({refs.REF, refs.TAG, records.BRANCH})
    schema = "refs.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data, seq = record.data, record.seq
        match record.topic:
            case refs.REF:
                branch, doc, head = data["branch"], data["doc"], data["head"]
                REFS.put(self, seq, branch=branch, doc=doc, head=head)
                self.sql.run(
                    "INSERT INTO mind_moves (workspace, branch, doc, seq, change, before, head)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (self.workspace, branch, doc, seq, data["change"], data.get("before"), head),
                )
            case refs.TAG if data.get("entry") is not None:
                TAGS.put(
                    self,
                    seq,
                    name=data["name"],
                    branch=data["branch"],
                    doc=data["doc"],
                    entry=data["entry"],
                    created_ms=milliseconds(record.ts),
                )
            case refs.TAG:
                TAGS.end(self, seq, name=data["name"])
            case records.BRANCH if data["change"] == "deleted":
                self._end_tags(seq, data["branch"])

    def _end_tags(self, seq: int, branch: int) -> None:
        rows = self.sql.rows(f"{_TAG} WHERE branch = ?", (*standing_at(self), branch))
        for row in rows:
            TAGS.end(self, seq, name=row[0])

    def head(self, branch: Branch, doc: str) -> int | None:
        """The entry that the document's pointer stands at; None while it was never moved on this branch."""
        row = self.sql.row(
            f"SELECT head FROM {REFS.standing} AS r WHERE branch = ? AND doc = ?", (*standing_at(self), branch.id, doc)
        )
        return row[0] if row else None

    def moves(self, branch: Branch, doc: str, *, before: int | None, limit: int) -> list[Move]:
        """What the pointer did, the last first."""
        below = min(before if before is not None else FOREVER, self.as_of + 1)
        rows = self.sql.rows(
            "SELECT seq, before, head FROM mind_moves WHERE workspace = ? AND branch = ? AND doc = ? AND seq < ?"
            " ORDER BY seq DESC LIMIT ?",
            (self.workspace, branch.id, doc, below, limit),
        )
        return [Move(*row) for row in rows]

    def history(self, branch: Branch, doc: str, at: int) -> Iterator[Span]:
        """What leads up to an entry, the newest part first.

        A reset goes back to an earlier entry. What is written then comes behind that entry, and what was behind it
        before is not part of it.
        """
        segments = Documents(self.sql, self.workspace, self.as_of).segments(branch)
        if not segments:  # before the first branch
            return
        floors = [*(segment.high for segment in segments[1:]), 0]
        for (source, high), floor in zip(segments, floors, strict=True):
            at = min(at, high)
            while at > floor:
                back = self._last_reset(source, doc, at)
                yield Span(source, back.seq if back else floor, at)
                at = back.head if back else floor

    def _last_reset(self, branch: int, doc: str, at: int) -> Move | None:
        row = self.sql.row(
            "SELECT seq, before, head FROM mind_moves WHERE workspace = ? AND branch = ? AND doc = ?"
            " AND change = 'reset' AND seq <= ? ORDER BY seq DESC LIMIT 1",
            (self.workspace, branch, doc, min(at, self.as_of)),
        )
        return Move(*row) if row else None

    def tag(self, name: str) -> Tag | None:
        row = self.sql.row(f"{_TAG} WHERE name = ?", (*standing_at(self), name))
        return Tag(*row) if row else None

    def tags(self, limit: int, after: str = "") -> list[Tag]:
        """Tags by name."""
        rows = self.sql.rows(f"{_TAG} WHERE name > ? ORDER BY name LIMIT ?", (*standing_at(self), after, limit))
        return [Tag(*row) for row in rows]
