"""The tables that answer questions about experiences."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.memory.knowledge import records
from thoughtbox.domains.memory.knowledge.experience import TEXTS, Experience
from thoughtbox.domains.memory.knowledge.likeness import fingerprint, identity, normalized
from thoughtbox.engine.protocol import Row
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

_SHOWN = (
    *("type", "domain", *TEXTS, "confidence", "tags", "scope", "created_at", "original_id", "revision_of"),
    *("revision_reason", "updated_at", "archived_at", "archive_reason", "trust", "source", "context"),
)
EXPERIENCES = Versions("experiences", key=("id",), values=(*_SHOWN, "seq", "line", "fingerprint", "identity", "length"))
ACCESSES = Versions("experience_accesses", key=("id",), values=("access_count", "last_accessed_at"))

_COLUMNS = ", ".join(f"e.{name}" for name in ("id", *_SHOWN))
_SELECT = f"SELECT {_COLUMNS} FROM {EXPERIENCES.standing} AS e"


class Outline(NamedTuple):
    """What is looked at before an experience is shown."""

    id: int
    seq: int
    line: int
    confidence: float | None
    archived_at: int | None


class Version(NamedTuple):
    """One of a line."""

    id: int
    revision_of: int | None
    created_at: int
    reason: str | None


class Experiences(View):
    """One row per state of an experience."""

    name = "memory_experiences"
    follows = frozenset({records.EXPERIENCE, records.TAGGED, records.ACCESSED})
    schema = "experiences.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        if record.topic == records.ACCESSED:
            self._take_accesses(record)
        else:
            EXPERIENCES.put(self, record.seq, **_row(record))

    def _take_accesses(self, record: Record) -> None:
        counts = {access["id"]: access["count"] for access in record.data["experiences"]}
        before = self._accesses(counts)
        at = milliseconds(record.ts)
        for id, count in counts.items():
            had, _ = before.get(id, (0, None))
            ACCESSES.put(self, record.seq, id=id, access_count=had + count, last_accessed_at=at)

    def experience(self, id: int) -> Experience | None:
        return self.experiences([id]).get(id)

    def experiences(self, ids: Collection[int]) -> dict[int, Experience]:
        """By id: those that there are."""
        rows = list(rows_among(self.sql, f"{_SELECT} WHERE e.id IN (?*)", ids, before=standing_at(self)))
        accesses = self._accesses(ids)
        return {row[0]: _experience(row, accesses) for row in rows}

    def outlines(self, seqs: Collection[int]) -> dict[int, Outline]:
        """By the number of the record that said it: experiences that still say so."""
        rows = rows_among(
            self.sql,
            f"SELECT e.id, e.seq, e.line, e.confidence, e.archived_at FROM {EXPERIENCES.standing} AS e"
            " WHERE e.seq IN (?*)",
            seqs,
            before=standing_at(self),
        )
        return {row[1]: Outline(*row) for row in rows}

    def saying(self, fingerprint: str, scopes: Sequence[str], *, outside: int | None) -> int | None:
        """The first experience that says just that, whether it still counts or not; not one of a line, if given."""
        row = self.sql.row(
            f"SELECT e.id FROM {EXPERIENCES.standing} AS e WHERE e.fingerprint = ? AND e.line <> ?"
            f" AND e.scope IN ({', '.join('?' * len(scopes))}) ORDER BY e.id LIMIT 1",
            (*standing_at(self), fingerprint, outside or 0, *scopes),
        )
        return row[0] if row else None

    def copy_of(self, identity: str) -> int | None:
        """The entry that this is a copy of."""
        row = self.sql.row(
            f"SELECT e.id FROM {EXPERIENCES.standing} AS e WHERE e.identity = ? ORDER BY e.id LIMIT 1",
            (*standing_at(self), identity),
        )
        return row[0] if row else None

    def same_in_line(self, line: int, fingerprint: str, confidence: float | None) -> int | None:
        """The version of a line that says just that, and as surely."""
        rows = self.sql.rows(
            f"SELECT e.id, e.confidence FROM {EXPERIENCES.standing} AS e WHERE e.line = ? AND e.fingerprint = ?"
            " ORDER BY e.id LIMIT 100",
            (*standing_at(self), line, fingerprint),
        )
        return next((row[0] for row in rows if row[1] == confidence), None)

    def texts_of(self, seqs: Collection[int], lengths: tuple[int, int], scopes: Sequence[str]) -> list[Row]:
        """Of those that these records say, as long as the text is about that long: `seq, id, line`, four texts."""
        return list(
            rows_among(
                self.sql,
                f"SELECT e.seq, e.id, e.line, {', '.join(f'e.{name}' for name in TEXTS)}"
                f" FROM {EXPERIENCES.standing} AS e WHERE e.seq IN (?*) AND e.length BETWEEN ? AND ?"
                f" AND e.scope IN ({', '.join('?' * len(scopes))})",
                seqs,
                before=standing_at(self),
                after=(*lengths, *scopes),
            )
        )

    def newest_of(self, line: int) -> int | None:
        """The newest version of a line."""
        row = self.sql.row(
            f"SELECT e.id FROM {EXPERIENCES.standing} AS e WHERE e.line = ? ORDER BY e.id DESC LIMIT 1",
            (*standing_at(self), line),
        )
        return row[0] if row else None

    def versions(self, line: int, limit: int) -> list[Version]:
        """The versions of a line, the newest first."""
        rows = self.sql.rows(
            f"SELECT e.id, e.revision_of, e.created_at, e.revision_reason FROM {EXPERIENCES.standing} AS e"
            " WHERE e.line = ? ORDER BY e.id DESC LIMIT ?",
            (*standing_at(self), line, limit),
        )
        return [Version(*row) for row in rows]

    def all(self, *, type: str | None = None, domain: str | None = None) -> Iterator[Experience]:
        """Every experience, the newest first, superseded ones as well."""
        wanted = {"type": type, "domain": domain}
        given = {name: value for name, value in wanted.items() if value is not None}
        condition = " AND ".join([f"e.{name} = ?" for name in given] or ["1 = 1"])
        ids = self.sql.rows(
            f"SELECT e.id FROM {EXPERIENCES.standing} AS e WHERE {condition} ORDER BY e.created_at DESC, e.id DESC",
            (*standing_at(self), *given.values()),
        )
        for start in range(0, len(ids), _AT_ONCE):
            some = [row[0] for row in ids[start : start + _AT_ONCE]]
            found = self.experiences(some)
            yield from (found[id] for id in some)

    def newest(self) -> int | None:
        """The experience that was written last."""
        row = self.sql.row(f"SELECT id FROM {EXPERIENCES.standing} AS e ORDER BY id DESC LIMIT 1", standing_at(self))
        return row[0] if row else None

    def count(self) -> int:
        row = self.sql.row(f"SELECT COUNT(*) FROM {EXPERIENCES.standing} AS e", standing_at(self))
        return row[0] if row else 0

    def _accesses(self, ids: Iterable[int]) -> dict[int, tuple[int, int | None]]:
        rows = rows_among(
            self.sql,
            f"SELECT a.id, a.access_count, a.last_accessed_at FROM {ACCESSES.standing} AS a WHERE a.id IN (?*)",
            ids,
            before=standing_at(self),
        )
        return {row[0]: (row[1], row[2]) for row in rows}


_AT_ONCE = 500


def _row(record: Record) -> dict[str, Any]:
    data = record.data
    id = data.get("id") or record.seq
    at = milliseconds(record.ts)
    created_at = data.get("createdAt", at)
    confidence = data.get("confidence")
    texts = (record.text, data["approach"], data["outcome"], data["reasoning"])
    text = normalized(texts)
    return {
        "id": id,
        "type": data["type"],
        "domain": data["domain"],
        **dict(zip(TEXTS, texts, strict=True)),
        "confidence": None if confidence is None else float(confidence),
        "tags": json.dumps(data["tags"], ensure_ascii=False),
        "scope": data["scope"],
        "created_at": created_at,
        "original_id": data.get("originalId"),
        "revision_of": data.get("revisionOf"),
        "revision_reason": data.get("reason"),
        "updated_at": at,
        "archived_at": data.get("archivedAt"),
        "archive_reason": data.get("archiveReason"),
        "trust": data["trust"],
        "source": data["source"],
        "context": json.dumps(data["context"], ensure_ascii=False, sort_keys=True) if data.get("context") else None,
        "seq": record.seq,
        "line": data.get("originalId") or id,
        "fingerprint": fingerprint(data["type"], data["domain"], text),
        "identity": identity(data["type"], data["domain"], texts, confidence, created_at),
        "length": len(text),
    }


def _experience(row: Row, accesses: dict[int, tuple[int, int | None]]) -> Experience:
    values = dict(zip(("id", *_SHOWN), row, strict=True))
    values["tags"] = tuple(json.loads(values["tags"]))
    values["context"] = json.loads(values["context"]) if values["context"] else None
    count, last = accesses.get(row[0], (0, None))
    return Experience(**values, access_count=count, last_accessed_at=last)
