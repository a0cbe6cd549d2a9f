"""What a host's hooks wrote down, by the host's session."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.memory.compaction.records import NOTE
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View


class HostNote(NamedTuple):
    """A prompt, a cycle that was worked on, or that a compaction came."""

    id: int
    client: str
    host_session: str
    kind: str
    ts: str
    text: str
    cycle: int | None


_NOTE = f"SELECT {', '.join(HostNote._fields)} FROM memory_host_notes WHERE workspace = ? AND id <= ?"


class HostNotes(View):
    """Notes by host and kind, the newest first."""

    name = "memory_host_notes"
    follows = frozenset({NOTE})
    schema = "host_notes.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        note = HostNote(
            record.seq,
            data["client"],
            data["hostSession"],
            data["kind"],
            data["ts"],
            record.text,
            data.get("cycle"),
        )
        columns = ", ".join(("workspace", *HostNote._fields))
        self.sql.run(
            f"INSERT INTO memory_host_notes ({columns}) VALUES ({', '.join('?' * (len(note) + 1))})",
            (self.workspace, *note),
        )

    def newest(self, client: str, host_session: str, kind: str, limit: int) -> list[HostNote]:
        rows = self.sql.rows(
            f"{_NOTE} AND client = ? AND host_session = ? AND kind = ? ORDER BY id DESC LIMIT ?",
            (self.workspace, self.as_of, client, host_session, kind, limit),
        )
        return [HostNote(*row) for row in rows]

    def last(self) -> HostNote | None:
        """The newest of all: it tells which host was at work last."""
        row = self.sql.row(f"{_NOTE} ORDER BY id DESC LIMIT 1", (self.workspace, self.as_of))
        return HostNote(*row) if row else None
