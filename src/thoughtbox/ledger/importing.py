"""Taking exports in: all of every file, or nothing, and others write meanwhile.

A file is verified whole before the store is touched. Then its records are written in
slices, behind the head of their workspace, where nobody looks: who reads sees the
workspace as of its head, who writes to it is refused until the import is over. The last
step, a short one, moves the heads of all workspaces at once. What an import has written
that died before that is taken back by the next one, or when the store is next opened.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import randbits
from typing import NamedTuple

from thoughtbox.engine.protocol import CONSTRAINT, Engine, Sql
from thoughtbox.errors import ImportRefused, InvalidRecord, StorageBusy, StorageError
from thoughtbox.ledger.canonical import parse
from thoughtbox.ledger.export import Signed, Verified, opened, refusal, verified
from thoughtbox.ledger.ledger import Ledger, StreamHead, forget_heads, hold_workspace, put_record, store_stream_heads
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import remake
from thoughtbox.ledger.view import Views

logger = logging.getLogger(__name__)

Lines = Callable[[], Iterable[bytes]]
"""A file, as often as it is asked for: its lines from the first one on."""

SLICE_SECONDS = 0.1
"""How long records are written before others get their turn."""

AHEAD_RECORDS = 2000
AHEAD_BYTES = 4 << 20
"""How much of a file is read before a slice begins: nobody waits because its disk is slow."""

Check = Callable[[Record, Ledger], object]
"""Looks at a record that is about to be taken in, with the ledger as it is before it; raises `InvalidRecord`."""

_UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What a view meets in a record that no room has written."""

DELETED_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    workspace: str
    records: int
    added: int
    signers: tuple[Signed, ...] = ()
    """Who signed checkpoints of it. Whether they are to be trusted is not for an import to say."""


def import_files(engine: Engine, views: Views, files: Sequence[Lines], *, check: Check | None = None) -> list[Imported]:
    """Take exports in; refuse all of them with the line that is wrong.

    A workspace that already holds the beginning of a file gets the rest of it; one
    that holds all of it stays as it is; one that holds anything else refuses the file.
    `check` is asked about each record that is new here.
    """
    found = [verified(lines()) for lines in files]
    with engine.alone():
        undo(engine, views)
        return _Import(engine, views, check).run(list(zip(files, found, strict=True)))


def import_lines(engine: Engine, views: Views, lines: Sequence[bytes], *, check: Check | None = None) -> Imported:
    """Take one export in whose lines are at hand."""
    return import_files(engine, views, [lambda: lines], check=check)[0]


@dataclass(slots=True)
class _Target:
    """A workspace that records are brought into, and how far that has come."""

    workspace: str
    seq: int
    """The newest record that is there, seen or not."""
    last_seq: int
    """The newest one that is seen."""
    heads: dict[str, StreamHead] = field(default_factory=dict)
    firsts: dict[str, int] = field(default_factory=dict)
    """By stream that begins here: the number of its first record."""

    def take(self, record: Record) -> None:
        self.seq = record.seq
        if record.stream_index == 0:
            self.firsts[record.stream] = record.seq
        self.heads[record.stream] = StreamHead(record.stream_index + 1, record.hash, record.seq)


class _Incoming(NamedTuple):
    """A record as it is to be written."""

    record: Record
    content: bytes
    prev_seq: int


class _Import:
    def __init__(self, engine: Engine, views: Views, check: Check | None) -> None:
        self._engine = engine
        self._views = views
        self._check = check
        self._token = randbits(62) | 1
        self._targets: dict[str, _Target] = {}

    def run(self, files: Sequence[tuple[Lines, Verified]]) -> list[Imported]:
        for _, found in files:
            self._targets.setdefault(found.workspace, self._looked_up(found.workspace))
        if all(found.records <= self._targets[found.workspace].last_seq for _, found in files):
            return [self._take(lines, found) for lines, found in files]  # compared, and nothing to write
        try:
            self._engine.write("", self._begin).result()
            done = [self._take(lines, found) for lines, found in files]
            self._engine.write("", self._end).result()
        except BaseException:
            self._take_back()
            raise
        return done

    def _take_back(self) -> None:
        try:
            undo(self._engine, self._views)
        except StorageError as error:
            logger.warning("what was imported so far is taken back when the store is next opened: %s", error)

    def _looked_up(self, workspace: str) -> _Target:
        row = self._engine.read(
            lambda sql: sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
        ).result()
        return _Target(workspace, row[0] if row else 0, row[0] if row else 0)

    def _begin(self, sql: Sql) -> None:
        """Keep everybody from writing to the workspaces. From here on their heads stand still."""
        forget_heads(sql)
        for workspace in sorted(self._targets):
            held = hold_workspace(sql, workspace)
            self._views.recognise(sql, held.epoch)
            sql.run("UPDATE workspaces SET importing = ? WHERE workspace = ?", (self._token, workspace))
            target = self._targets[workspace]
            target.last_seq = target.seq = held.last_seq
        sql.run("UPDATE store SET imports = ?", (len(self._targets),))

    def _end(self, sql: Sql) -> None:
        """All of it is there: move the heads, and let everybody in again."""
        for target in self._targets.values():
            self._must_still_be_ours(sql, target.workspace)
            store_stream_heads(sql, target.workspace, target.heads, target.firsts)
            sql.run(
                "UPDATE workspaces SET last_seq = ?, importing = 0 WHERE workspace = ?",
                (target.seq, target.workspace),
            )
        sql.run("UPDATE store SET imports = 0")

    def _must_still_be_ours(self, sql: Sql, workspace: str) -> None:
        """Whoever was cut off from the store for long may find that others took the import for dead."""
        held = hold_workspace(sql, workspace)
        self._views.recognise(sql, held.epoch)
        if held.importing != self._token:
            raise StorageBusy(
                f"another process has ended the import into workspace {workspace}",
                recovery="Import again; nothing was imported.",
            )

    def _take(self, lines: Lines, found: Verified) -> Imported:
        """One file: what is here already is compared, what is not is written."""
        target = self._targets[found.workspace]
        present = min(target.seq, found.records)
        reading = _Records(lines(), found)
        if present:
            self._compare(reading, found.workspace, present)
        while reading.look_ahead():
            self._engine.write(found.workspace, lambda sql: self._write(sql, target, reading)).result()
        reading.must_have_stayed_the_same()
        return Imported(found.workspace, found.records, found.records - present, found.signers)

    def _compare(self, reading: _Records, workspace: str, present: int) -> None:
        def compare(sql: Sql) -> None:
            hashes = sql.scan(
                "SELECT hash FROM records WHERE workspace = ? AND seq <= ? ORDER BY seq", (workspace, present)
            )
            for _ in range(present):
                record = reading.next().record
                held = next(hashes, None)
                if held is None or held[0] != record.hash:
                    raise refusal(
                        record.seq + 1,
                        f"workspace {workspace} already has another {record.id}",
                        recovery="Import into an empty store, or set THOUGHTBOX_DATA_DIR to another directory.",
                    )

        self._engine.read(compare).result()

    def _write(self, sql: Sql, target: _Target, reading: _Records) -> None:
        """One slice."""
        self._must_still_be_ours(sql, target.workspace)
        ledger = _LedgerBehindTheHead(sql, target, self._views)
        until = time.monotonic() + SLICE_SECONDS
        while (incoming := reading.at_hand()) is not None:
            record, content, prev_seq = incoming
            try:
                if self._check is not None:
                    self._check(record, ledger)
                put_record(sql, record, content, prev_seq)
                target.take(record)
                self._views.apply(sql, record)
            except InvalidRecord as error:
                why = f"{record.id}, a {record.topic}, could not be read afterwards: {error.message}"
                raise refusal(record.seq + 1, why) from None
            except StorageError as error:
                if error.details.get("reason") != CONSTRAINT:
                    raise
                why = f"{record.id}, a {record.topic}, does not fit the records before it"
                raise refusal(record.seq + 1, why) from None
            except _UNREADABLE:
                why = f"{record.id} has not the data that its topic {record.topic} promises"
                raise refusal(record.seq + 1, why) from None
            if time.monotonic() > until:
                return


class _LedgerBehindTheHead(Ledger):
    """The workspace with what was imported so far."""

    def __init__(self, sql: Sql, target: _Target, views: Views) -> None:
        super().__init__(sql, target.workspace, views)
        self._target = target

    def last_seq(self) -> int:
        return self._target.seq

    def stream_head(self, stream: str) -> StreamHead | None:
        return self._target.heads.get(stream) or super().stream_head(stream)


class _Records:
    """A file that was verified, read once more; by now only what it says matters."""

    def __init__(self, lines: Iterable[bytes], found: Verified) -> None:
        self._found = found
        self._lines = iter(lines)
        self._digest = sha256()
        self._last: dict[str, int] = {}
        self._count = 0
        self._ahead: deque[bytes] = deque()
        self._line()  # the header

    def look_ahead(self) -> bool:
        """Read on in the file; whether there is anything left to write."""
        room = AHEAD_BYTES - sum(map(len, self._ahead))
        while room > 0 and len(self._ahead) < AHEAD_RECORDS and self._count < self._found.records:
            line = self._line()
            self._count += 1
            self._ahead.append(line)
            room -= len(line)
        return bool(self._ahead)

    def at_hand(self) -> _Incoming | None:
        """The next of the records that were read ahead."""
        return self.next() if self._ahead else None

    def next(self) -> _Incoming:
        if not self._ahead:
            self.look_ahead()
        line = self._ahead.popleft()
        place, content = opened(line)
        stream, seq = place["stream"], place["seq"]
        prev_seq = self._last.get(stream, 0)
        self._last[stream] = seq
        record = Record(
            workspace=self._found.workspace,
            seq=seq,
            stream=stream,
            stream_index=place["index"],
            content_hash=bytes.fromhex(place["contentHash"]),
            hash=bytes.fromhex(place["hash"]),
            envelope=parse(content),
        )
        return _Incoming(record, content, prev_seq)

    def must_have_stayed_the_same(self) -> None:
        while self._line():
            pass
        if self._digest.digest() != self._found.digest:
            raise ImportRefused(
                "the file has changed while it was read; nothing was imported",
                recovery="Import it again when nobody writes to it.",
            )

    def _line(self) -> bytes:
        line = next(self._lines, b"")
        if line:
            self._digest.update(line if line.endswith(b"\n") else line + b"\n")
        return line.rstrip(b"\n")


def undo(engine: Engine, views: Views) -> None:
    """Take back what an import has left that did not come to its end. To be done alone.

    Views cannot unlearn a record: they are made anew, from the records before the heads.
    """
    if not engine.read(lambda sql: sql.standing().imports).result():
        return
    token = randbits(62) | 1
    # Whoever still thinks that they import here is told, at their next slice, that they do not.
    engine.write("", lambda sql: sql.run("UPDATE workspaces SET importing = ? WHERE importing <> 0", (token,))).result()
    left = engine.read(_left).result()
    if any(left.values()):
        remake(engine, [kind for kind in views.kinds if kind.pace == "now"])
        for workspace, records in left.items():
            for _ in range(0, records, DELETED_AT_ONCE):
                engine.write(workspace, lambda sql, workspace=workspace: _delete_some(sql, workspace)).result()

    def let_everybody_in(sql: Sql) -> None:
        sql.run("UPDATE workspaces SET importing = 0 WHERE importing <> 0")
        sql.run("UPDATE store SET imports = 0")

    engine.write("", let_everybody_in).result()


def undo_if_left(engine: Engine, views: Views) -> None:
    """The same, unless the import is still under way."""
    if engine.read(lambda sql: sql.standing().imports).result():
        with engine.alone(patient=False) as is_alone:
            if is_alone:
                undo(engine, views)


def _left(sql: Sql) -> dict[str, int]:
    """By workspace that is imported into: how many records stand behind its head."""
    return dict(
        sql.rows(
            "SELECT w.workspace, COUNT(r.seq) FROM workspaces w LEFT JOIN records r"
            " ON r.workspace = w.workspace AND r.seq > w.last_seq WHERE w.importing <> 0 GROUP BY w.workspace"
        )
    )


def _delete_some(sql: Sql, workspace: str) -> None:
    """The last ones first: what is left still follows without a gap."""
    sql.run(
        "DELETE FROM records WHERE workspace = ? AND seq > (SELECT last_seq FROM workspaces WHERE workspace = ?)"
        " AND seq > (SELECT MAX(seq) FROM records WHERE workspace = ?) - ?",
        (workspace, workspace, workspace, DELETED_AT_ONCE),
    )
