"""The heart: append a draft to a stream, read records back.

A `Ledger` lives as long as one transaction. Appending reads the heads of the
workspace and of the stream, seals the draft behind them, and moves them on. Calls
that share a transaction share the heads too, which are stored once, at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.errors import LedgerBroken
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import canonical, parse
from thoughtbox.ledger.record import Draft, Record, Source, envelope
from thoughtbox.ledger.view import NOW, Views
from thoughtbox.world import World, iso

COLUMNS = "seq, stream, stream_index, content, content_hash, hash"
_INSERT = f"INSERT INTO records (workspace, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
CHUNK = 500
"""How many records one statement asks for by number."""


class StreamHead(NamedTuple):
    """Where a stream stands: how many records, the hash of the last, and its number."""

    length: int
    hash: bytes
    last_seq: int


class _WorkspaceKey(NamedTuple):
    workspace: str


class _StreamKey(NamedTuple):
    workspace: str
    stream: str


class Ledger:
    """One workspace's records, within one transaction."""

    def __init__(self, sql: Sql, workspace: str, views: Views, *, as_of: int = NOW) -> None:
        """With `as_of`, reads show the ledger as it was when that record was the newest."""
        self._sql = sql
        self.workspace = workspace
        self._views = views
        self._as_of = as_of

    def append(self, draft: Draft, *, stream: str, source: Source, world: World) -> Record:
        """Seal the draft as the next record of the workspace and of its stream."""
        workspace = self.workspace
        seq = self.last_seq_held() + 1
        head = self._stream_to_append_to(stream)
        found = envelope(draft, source, seq=seq, ts=iso(world.now_ms()))
        content = canonical(found)
        content_hash = chain.content_hash(content)
        linked = chain.link(head.hash, content_hash)
        record = Record(
            workspace=workspace,
            seq=seq,
            stream=stream,
            stream_index=head.length,
            content_hash=content_hash,
            hash=linked,
            envelope=found,
        )
        self.keep(record, content)
        return record

    def keep(self, record: Record, content: bytes) -> None:
        """Store a sealed record behind the heads, move them on, and show it to the views."""
        sql = self._sql
        sql.run(
            _INSERT,
            (
                record.workspace,
                record.seq,
                record.stream,
                record.stream_index,
                content,
                record.content_hash,
                record.hash,
            ),
        )
        sql.memo[_WorkspaceKey(record.workspace)] = record.seq
        sql.memo[_StreamKey(record.workspace, record.stream)] = StreamHead(
            record.stream_index + 1, record.hash, record.seq
        )
        sql.before_commit["heads"] = store_heads
        self._views.apply(sql, record)

    def last_seq(self) -> int:
        """The number of the newest record; 0 when there is none."""
        known = self._sql.memo.get(_WorkspaceKey(self.workspace))
        if known is not None:
            return known
        row = self._sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.workspace,))
        return min(row[0], self._as_of) if row else 0

    def stream_head(self, stream: str) -> StreamHead | None:
        """Where the stream stands; None when nothing was ever written to it."""
        if self._as_of != NOW:
            return self._earlier_stream_head(stream)
        known = self._sql.memo.get(_StreamKey(self.workspace, stream))
        if known is not None:
            return known
        row = self._sql.row(
            "SELECT length, head_hash, last_seq FROM streams WHERE workspace = ? AND stream = ?",
            (self.workspace, stream),
        )
        return StreamHead(*row) if row else None

    def _earlier_stream_head(self, stream: str) -> StreamHead | None:
        row = self._sql.row(
            "SELECT stream_index + 1, hash, seq FROM records"
            " WHERE workspace = ? AND stream = ? AND seq <= ? ORDER BY stream_index DESC LIMIT 1",
            (self.workspace, stream, self._as_of),
        )
        return StreamHead(*row) if row else None

    def streams(self, prefix: str, *, after: str = "", limit: int) -> list[tuple[str, StreamHead]]:
        """Streams whose name begins so, by name: a page at a time."""
        rows = self._sql.rows(
            "SELECT stream, length, head_hash, last_seq FROM streams"
            " WHERE workspace = ? AND stream > ? AND stream >= ? AND stream < ? ORDER BY stream LIMIT ?",
            (self.workspace, after, prefix, prefix + "\U0010ffff", limit),
        )
        return [(row[0], StreamHead(*row[1:])) for row in rows]

    def stream_count(self) -> int:
        row = self._sql.row("SELECT COUNT(*) FROM streams WHERE workspace = ?", (self.workspace,))
        return row[0] if row else 0

    def record(self, seq: int) -> Record | None:
        if seq > self._as_of:
            return None
        row = self._sql.row(f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq = ?", (self.workspace, seq))
        return self._open(row) if row else None

    def hash_before(self, record: Record) -> bytes:
        """What a record is linked to: the hash before it in its stream, or the stream's beginning."""
        row = self._sql.row(
            "SELECT hash FROM records WHERE workspace = ? AND stream = ? AND stream_index = ?",
            (self.workspace, record.stream, record.stream_index - 1),
        )
        return row[0] if row else chain.genesis(self.workspace, record.stream)

    def records(self, seqs: Iterable[int]) -> list[Record]:
        """The records of these numbers that exist, in the order of their numbers."""
        wanted = sorted(seq for seq in set(seqs) if seq <= self._as_of)
        found: list[Record] = []
        for start in range(0, len(wanted), CHUNK):
            chunk = wanted[start : start + CHUNK]
            marks = ", ".join("?" * len(chunk))
            rows = self._sql.rows(
                f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq IN ({marks}) ORDER BY seq",
                (self.workspace, *chunk),
            )
            found += map(self._open, rows)
        return found

    def stream(self, stream: str, *, after: int = -1) -> Iterator[Record]:
        """A stream's records in order, from the one behind index `after`."""
        for row in self._sql.scan(
            f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND stream = ? AND stream_index > ?"
            " ORDER BY stream_index",
            (self.workspace, stream, after),
        ):
            if row[0] > self._as_of:
                return
            yield self._open(row)

    def tail(self, after: int, *, limit: int = NOW) -> Iterator[Record]:
        """The workspace's records in order, from the one behind number `after`."""
        for row in self._sql.scan(
            f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (self.workspace, after, self._as_of, limit),
        ):
            yield self._open(row)

    def _open(self, row: Row) -> Record:
        """A stored row as a record; one whose bytes changed is never shown as if it were whole."""
        seq, stream, stream_index, content, content_hash, linked = row
        if chain.content_hash(content) != content_hash:
            raise LedgerBroken(
                f"record th:{seq} is not what was written: its bytes do not match its hash",
                recovery="Run `thoughtbox verify`, and restore from an export.",
                details={"seq": seq, "stream": stream},
            )
        return Record(
            workspace=self.workspace,
            seq=seq,
            stream=stream,
            stream_index=stream_index,
            content_hash=content_hash,
            hash=linked,
            envelope=parse(content),
        )

    def last_seq_held(self) -> int:
        """The workspace's last number, held until the transaction ends, so that seq order is commit order."""
        known = self._sql.memo.get(_WorkspaceKey(self.workspace))
        if known is not None:
            return known
        locked = self._sql.lock("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.workspace,))
        if locked is None:
            self._sql.run(
                "INSERT INTO workspaces (workspace, last_seq) VALUES (?, 0) ON CONFLICT DO NOTHING", (self.workspace,)
            )
            locked = self._sql.lock("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.workspace,))
        assert locked is not None
        return locked[0]

    def _stream_to_append_to(self, stream: str) -> StreamHead:
        return self.stream_head(stream) or StreamHead(0, chain.genesis(self.workspace, stream), 0)


def store_heads(sql: Sql) -> None:
    """Write down how far this transaction has moved the heads it touched."""
    moved = [(head, *key) for key, head in sql.memo.items() if isinstance(key, _WorkspaceKey)]
    sql.many("UPDATE workspaces SET last_seq = ? WHERE workspace = ?", moved)
    sql.many(
        "INSERT INTO streams (workspace, stream, length, head_hash, last_seq) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (workspace, stream) DO UPDATE SET"
        " length = excluded.length, head_hash = excluded.head_hash, last_seq = excluded.last_seq",
        [(*key, *head) for key, head in sql.memo.items() if isinstance(key, _StreamKey)],
    )


def workspaces(sql: Sql) -> list[str]:
    """Every workspace that has a record, by name."""
    return [row[0] for row in sql.rows("SELECT workspace FROM workspaces ORDER BY workspace")]
