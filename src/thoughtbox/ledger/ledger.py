"""The heart: append a draft to a stream, read records back.

A `Ledger` lives as long as one transaction. Appending reads the heads of the
workspace and of the stream, seals the draft behind them, and moves them on. Calls
that share a transaction share the heads too, which are stored once, at its end.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from thoughtbox.engine.protocol import Head, Row, Sql
from thoughtbox.errors import LedgerBroken, StorageBusy
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import canonical_around, parse
from thoughtbox.ledger.clauses import begins_with, rows_among
from thoughtbox.ledger.record import Draft, Record, Source, envelope
from thoughtbox.ledger.view import NOW, View, Views
from thoughtbox.world import World, iso

V = TypeVar("V", bound=View)

COLUMNS = "seq, stream, stream_index, content, content_hash, hash"
_INSERT = f"INSERT INTO records (workspace, {COLUMNS}, prev_seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_BACKWARD = """
WITH RECURSIVE backward (seq, prev_seq) AS (
  SELECT seq, prev_seq FROM records WHERE workspace = ? AND seq = ?
  UNION ALL
  SELECT before.seq, before.prev_seq FROM backward
  JOIN records AS before ON before.workspace = ? AND before.seq = backward.prev_seq AND before.seq < backward.seq
)"""
"""The numbers of a stream's records, from the one given back to its first."""

_BACKWARD_UNTIL = f"{_BACKWARD[:-2]} AND +backward.prev_seq > ?\n)"
"""The same, no further than to the first behind a number. Without the plus, SQLite would take that for a range of
`before`, begin the join with it, and look at all records for every one."""

_STORE_HEAD = (
    "INSERT INTO streams (workspace, stream, length, head_hash, last_seq, first_seq) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (workspace, stream) DO UPDATE SET"
    " length = excluded.length, head_hash = excluded.head_hash, last_seq = excluded.last_seq"
)
_STORE_LAST = "UPDATE workspaces SET last_seq = ? WHERE workspace = ?"
_HOLD = "SELECT last_seq, epoch, importing FROM workspaces WHERE workspace = ?"

_EPOCH = object()
"""In what was learnt: the epoch in which the workspaces were last looked at."""

MOST_HEADS_LEARNT = 1_000
"""Stream heads of a workspace that a connection keeps in mind from one transaction to the next."""


class StreamHead(NamedTuple):
    """Where a stream stands: how many records, the hash of the last, and its number."""

    length: int
    hash: bytes
    last_seq: int


class _Learnt(NamedTuple):
    """Stream heads as the last transaction left them; they hold while the workspace has not moved on."""

    last_seq: int
    heads: dict[str, StreamHead]


class _WorkspaceKey(NamedTuple):
    workspace: str


class _StreamKey(NamedTuple):
    workspace: str
    stream: str


class _FirstKey(NamedTuple):
    """Of a stream that this transaction has begun: the number of its first record."""

    workspace: str
    stream: str
    what: str = "first"
    """Tuples of equal parts are one key, whatever they are called."""


class Ledger:
    """One workspace's records, within one transaction."""

    def __init__(self, sql: Sql, workspace: str, views: Views, *, as_of: int = NOW) -> None:
        """With `as_of`, reads show the ledger as it was when that record was the newest."""
        self._sql = sql
        self.workspace = workspace
        self._key = _WorkspaceKey(workspace)
        self._views = views
        self._as_of = min(as_of, NOW)

    def append(self, draft: Draft, *, stream: str, source: Source, world: World) -> Record:
        """Seal the draft as the next record of the workspace and of its stream."""
        workspace = self.workspace
        seq = self.last_seq_held() + 1
        head = self._newest_stream_head(stream) or beginning(workspace, stream)
        found = envelope(draft, source, seq=seq, ts=iso(world.now_ms()))
        body = found["body"]
        said = body["text"] if len(body) == 1 else body
        content = canonical_around(found, said, found["attrs"], found["data"], draft.confidence)
        content_hash = chain.content_hash(content)
        linked = chain.link(head.hash, content_hash)
        record = Record(workspace, seq, stream, head.length, content_hash, linked, found)
        self.keep(record, content, prev_seq=head.last_seq)
        return record

    def keep(self, record: Record, content: bytes, *, prev_seq: int) -> None:
        """Store a sealed record behind the heads, move them on, and show it to the views."""
        sql, memo = self._sql, self._sql.memo
        put_record(sql, record, content, prev_seq)
        workspace, seq, stream, stream_index, _, linked, _ = record
        memo[self._key] = seq
        memo[_StreamKey(workspace, stream)] = StreamHead(stream_index + 1, linked, seq)
        if stream_index == 0:
            memo[_FirstKey(workspace, stream)] = seq
        sql.before_commit["heads"] = store_heads
        self._views.apply(sql, record)

    def last_seq(self) -> int:
        """The number of the newest record; 0 when there is none."""
        known = self._sql.memo.get(self._key)
        if known is None:
            row = self._sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.workspace,))
            known = row[0] if row else 0
        return min(known, self._as_of)

    def stream_head(self, stream: str) -> StreamHead | None:
        """Where the stream stands; None when nothing was ever written to it."""
        if self._as_of != NOW:
            return self._earlier_stream_head(stream)
        return self._newest_stream_head(stream)

    def _newest_stream_head(self, stream: str) -> StreamHead | None:
        sql = self._sql
        known = sql.memo.get(_StreamKey(self.workspace, stream))
        if known is not None:
            return known
        # Whether a head from an earlier transaction still holds is known once this one holds the workspace.
        if self._key in sql.memo and (learnt := sql.learnt.get(self.workspace)) is not None:
            head = learnt.heads.get(stream)
            if head is not None:
                return head
        row = self._sql.row(
            "SELECT length, head_hash, last_seq FROM streams WHERE workspace = ? AND stream = ?",
            (self.workspace, stream),
        )
        return StreamHead(*row) if row else None

    def _earlier_stream_head(self, stream: str) -> StreamHead | None:
        newest = self._newest_stream_head(stream)
        if newest is None or newest.last_seq <= self._as_of:
            return newest
        row = self._sql.row(
            f"{_BACKWARD} SELECT stream_index + 1, hash, seq FROM records WHERE workspace = ?"
            " AND seq = (SELECT seq FROM backward WHERE seq <= ? LIMIT 1)",
            (self.workspace, newest.last_seq, self.workspace, self.workspace, self._as_of),
        )
        return StreamHead(*row) if row else None

    def streams(self, prefix: str, *, after: str = "", limit: int) -> list[str]:
        """Names of streams that begin so, in order: a page at a time."""
        rows = self._sql.rows(
            "SELECT stream FROM streams WHERE workspace = ? AND stream > ? AND stream >= ? AND stream < ?"
            " AND first_seq <= ? ORDER BY stream LIMIT ?",
            (self.workspace, after, *begins_with(prefix), self._as_of, limit),
        )
        return [row[0] for row in rows]

    def stream_count(self) -> int:
        """How many streams there are."""
        row = self._sql.row(
            "SELECT COUNT(*) FROM streams WHERE workspace = ? AND first_seq <= ?", (self.workspace, self._as_of)
        )
        return row[0] if row else 0

    def record(self, seq: int) -> Record | None:
        if seq > self._as_of:
            return None
        row = self._sql.row(f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq = ?", (self.workspace, seq))
        return self._open(row) if row else None

    def hash_before(self, record: Record) -> bytes:
        """What a record is linked to: the hash before it in its stream, or the stream's beginning."""
        row = self._sql.row(
            "SELECT hash FROM records WHERE workspace = ?"
            " AND seq = (SELECT prev_seq FROM records WHERE workspace = ? AND seq = ?)",
            (self.workspace, self.workspace, record.seq),
        )
        return row[0] if row else chain.genesis(self.workspace, record.stream)

    def records(self, seqs: Iterable[int]) -> list[Record]:
        """The records of these numbers that exist, in the order of their numbers."""
        rows = rows_among(
            self._sql,
            f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq IN (?*) ORDER BY seq",
            (seq for seq in seqs if seq <= self._as_of),
            before=(self.workspace,),
        )
        return list(map(self._open, rows))

    def stream(self, stream: str) -> Iterator[Record]:
        """A stream's records in order."""
        head = self.stream_head(stream)
        if head is not None:
            for row in walk_back(self._sql, self.workspace, head, COLUMNS):
                yield self._open(row)

    def newest(self, stream: str, count: int) -> list[Record]:
        """The last records of a stream, in order: however long it is, only these are read."""
        head = self.stream_head(stream)
        if head is None:
            return []
        rows = self._sql.rows(
            f"{_BACKWARD} SELECT seq FROM backward LIMIT ?", (self.workspace, head.last_seq, self.workspace, count)
        )
        return self.records(row[0] for row in rows)

    def stream_page(
        self, stream: str, begin: int, *, limit: int, backward: bool = False, head: Record | None = None
    ) -> list[Record]:
        """Records of a stream behind a number, or before it, from there on; `head` is one to walk back from."""
        last = head.seq if head is not None else (found.last_seq if (found := self.stream_head(stream)) else None)
        if last is None:
            return []
        if backward:
            rows = self._sql.rows(
                f"{_BACKWARD} SELECT seq FROM backward WHERE seq < ? LIMIT ?",
                (self.workspace, last, self.workspace, begin, limit),
            )
        else:
            rows = self._sql.rows(
                f"{_BACKWARD_UNTIL} SELECT seq FROM backward WHERE seq > ? ORDER BY seq LIMIT ?",
                (self.workspace, last, self.workspace, begin, begin, limit),
            )
        page = self.records(row[0] for row in rows)
        return page[::-1] if backward else page

    def stream_rows(self, stream: str, columns: str, *, after: int, limit: int) -> list[Row]:
        """Rows of a stream behind a number, in order: as they are stored, opened by nobody."""
        head = self.stream_head(stream)
        if head is None:
            return []
        return self._sql.rows(
            f"{_BACKWARD_UNTIL} SELECT {columns} FROM records WHERE workspace = ? AND seq > ?"
            " AND seq IN (SELECT seq FROM backward) ORDER BY seq LIMIT ?",
            (self.workspace, head.last_seq, self.workspace, after, self.workspace, after, limit),
        )

    def before(self, seq: int, *, limit: int) -> Generator[Record]:
        """The workspace's records before a number, the newest first."""
        for row in self._sql.scan(
            f"SELECT {COLUMNS} FROM records WHERE workspace = ? AND seq < ? AND seq <= ? ORDER BY seq DESC LIMIT ?",
            (self.workspace, seq, self._as_of, limit),
        ):
            yield self._open(row)

    def tail(self, after: int, *, limit: int = NOW) -> Generator[Record]:
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
        return Record(self.workspace, seq, stream, stream_index, content_hash, linked, parse(content))

    def ask(self, kind: type[V]) -> V:
        """A view of this workspace, in this transaction."""
        return kind(self._sql, self.workspace, self._as_of)

    def last_seq_held(self) -> int:
        """The workspace's last number, held until the transaction ends, so that seq order is commit order."""
        sql = self._sql
        known = sql.memo.get(self._key)
        if known is not None:
            return known
        learnt: _Learnt | None = sql.learnt.get(self.workspace)
        if learnt is not None and sql.learnt_holds and sql.learnt.get(_EPOCH) == self._views.epoch:
            sql.memo[self._key] = learnt.last_seq
            return learnt.last_seq
        last_seq, epoch, importing = hold_workspace(sql, self.workspace)
        if epoch != self._views.epoch:
            self._views.recognise(sql, epoch)
        if importing:
            raise being_imported(self.workspace)
        sql.memo[self._key] = last_seq
        sql.learnt[_EPOCH] = epoch
        if learnt is not None and learnt.last_seq != last_seq:
            del sql.learnt[self.workspace]  # somebody else has written
        return last_seq


class _Held(NamedTuple):
    last_seq: int
    epoch: int
    importing: int


def hold_workspace(sql: Sql, workspace: str) -> _Held:
    """Lock the row of a workspace, made if there is none yet, until the transaction ends."""
    row = sql.lock(_HOLD, (workspace,))
    if row is None:
        sql.run(
            "INSERT INTO workspaces (workspace, last_seq, epoch) VALUES (?, 0, 0) ON CONFLICT DO NOTHING", (workspace,)
        )
        # In a statement behind the one that may have waited, which saw the store as it was before.
        sql.run("UPDATE workspaces SET epoch = (SELECT epoch FROM store) WHERE workspace = ?", (workspace,))
        row = sql.lock(_HOLD, (workspace,))
    assert row is not None
    return _Held(*row)


def readable_until(sql: Sql, workspace: str, views: Views) -> int:
    """The newest record that whoever reads may see; raises when the store is no longer theirs to read."""
    standing = sql.standing()
    if standing.epoch != views.epoch:
        views.recognise(sql, standing.epoch)
    return shown_until(sql, workspace) if standing.imports else NOW


def shown_until(sql: Sql, workspace: str) -> int:
    """The last record of a workspace; of one that records are being imported into, the last before those."""
    row = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ? AND importing <> 0", (workspace,))
    return row[0] if row else NOW


def being_imported(workspace: str) -> StorageBusy:
    return StorageBusy(
        f"records are being imported into workspace {workspace}; until that is done it can be read, but not written to",
        recovery="Send the call again when the import has ended.",
    )


def beginning(workspace: str, stream: str) -> StreamHead:
    """The head of a stream that nothing was written to: its chain starts from its own name."""
    return StreamHead(0, chain.genesis(workspace, stream), 0)


def walk_back(sql: Sql, workspace: str, head: StreamHead, columns: str) -> Iterator[Row]:
    """The rows that the back links lead to from a stream's head, the first one first."""
    return sql.scan(
        f"{_BACKWARD} SELECT {columns} FROM records WHERE workspace = ? AND seq IN (SELECT seq FROM backward)"
        " ORDER BY seq",
        (workspace, head.last_seq, workspace, workspace),
    )


def put_record(sql: Sql, record: Record, content: bytes, prev_seq: int) -> None:
    """Write the row of a sealed record, and nothing else."""
    workspace, seq, stream, stream_index, content_hash, linked, _ = record
    sql.put(_INSERT, (workspace, seq, stream, stream_index, content, content_hash, linked, prev_seq))


def store_stream_heads(sql: Sql, workspace: str, heads: Mapping[str, StreamHead], firsts: Mapping[str, int]) -> None:
    """Write down where these streams of a workspace stand, and where those begin that are new."""
    sql.many(_STORE_HEAD, [(workspace, stream, *head, firsts.get(stream, 0)) for stream, head in heads.items()])
    for head in heads.values():
        known = sql.witness.get(workspace)
        if known is None or head.last_seq > known.seq:
            sql.witness[workspace] = Head(head.last_seq, head.hash)


def store_heads(sql: Sql) -> None:
    """Write down how far this transaction has moved the heads it touched, and keep them in mind."""
    last_seqs: dict[str, int] = {}
    heads: list[tuple[str, str, StreamHead]] = []
    firsts: dict[tuple[str, str], int] = {}
    for key, value in sql.memo.items():
        kind = type(key)
        if kind is _StreamKey:
            heads.append((*key, value))
        elif kind is _WorkspaceKey:
            last_seqs[key.workspace] = value
        elif kind is _FirstKey:
            firsts[key.workspace, key.stream] = value
    sql.many(_STORE_LAST, [(seq, workspace) for workspace, seq in last_seqs.items()])
    sql.many(
        _STORE_HEAD,
        [(workspace, stream, *head, firsts.get((workspace, stream), 0)) for workspace, stream, head in heads],
    )
    learnt = sql.learnt
    for workspace, seq in last_seqs.items():
        known = learnt.get(workspace)
        kept = known.heads if known is not None and len(known.heads) < MOST_HEADS_LEARNT else {}
        learnt[workspace] = _Learnt(seq, kept)
    for workspace, stream, head in heads:
        learnt[workspace].heads[stream] = head
        if head.last_seq == last_seqs[workspace]:
            sql.witness[workspace] = Head(head.last_seq, head.hash)


def forget_heads(sql: Sql) -> None:
    """Write them down, and have calls behind this one look at them anew: they may no longer be theirs to move."""
    settle_heads(sql)
    for key in [key for key in sql.memo if isinstance(key, _WorkspaceKey | _StreamKey | _FirstKey)]:
        del sql.memo[key]
    sql.learnt.clear()


def settle_heads(sql: Sql) -> None:
    """Write down the heads that calls before this one in the transaction have moved, for who reads them as rows."""
    if (store := sql.before_commit.get("heads")) is not None:
        store(sql)


def workspaces(sql: Sql) -> list[str]:
    """Every workspace that has a record, by name."""
    return [row[0] for row in sql.rows("SELECT workspace FROM workspaces WHERE last_seq > 0 ORDER BY workspace")]
