"""What stands outside the database: how far every workspace had come when its last call was answered.

The heads of the ledger stand in the same log as the records they describe, so that a log
that is damaged or gone takes both. The witness is a small file beside the database with
one entry per workspace, written in place behind every commit and before anybody is
answered. It is not synced, and costs next to nothing: it may lag behind what was
committed, and is never ahead of it, unless something is missing.

An entry is a line of text of a fixed size: checksum, number of the newest record, its
hash, mark, workspace. The mark says how much the entry binds. `synced`: the commit had
reached the disk. Otherwise it is the machine's boot: without a sync a power cut may
take the commit and leave the entry, so it binds for as long as the machine has not
been started again.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from thoughtbox.engine.protocol import Head, Sql

logger = logging.getLogger(__name__)

ENTRY = 512
"""Bytes of an entry: a sector, which disks write whole or not at all."""

_SAID = ENTRY - len("01234567 ") - 1
"""Bytes of what an entry says, between its checksum and the end of its line."""

TRIES = 3
TRY_AGAIN_SECONDS = 0.002
"""An entry that is being written just now looks torn; a moment later it does not."""

LOOK_AGAIN_SECONDS = 1.0
"""How long a witness that was moved away may go on being written to."""

SYNCED = "synced"


class Entries(NamedTuple):
    """A witness file as it was read: which entry is whose, what they say, and those that say nothing."""

    slots: dict[str, int]
    heads: dict[str, Head]
    """Of the entries that bind."""
    free: list[int]
    """Places of torn or blank entries."""
    torn: int


NOTHING = Entries({}, {}, [], 0)


class Missing(NamedTuple):
    """Records that were there when somebody was answered, and are not, or are others."""

    workspace: str
    first: int
    last: int
    rewritten: bool = False
    """The record is there, and is not the one that was written."""

    def __str__(self) -> str:
        if self.rewritten:
            return f"th:{self.last} of workspace {self.workspace} is not the record that was written"
        return f"th:{self.first} to th:{self.last} of workspace {self.workspace} are gone"


class Witness:
    """The witness of one database. It is written by whoever holds the turn, and read by anybody."""

    def __init__(self, database: Path, *, synced: bool) -> None:
        """`synced`: whether this process's commits reach the disk before they are answered."""
        self.path = witness_of(database)
        self.synced = synced
        self._mark = SYNCED if synced else boot()
        self._slots: dict[str, int] = {}
        self._free: list[int] = []
        self._known = 0
        self._descriptor = -1
        self._looked = 0.0
        self._is_failing = False

    def read(self) -> Entries:
        """What the file says now; nothing where there is none."""
        for _ in range(TRIES):
            try:
                found = parse(self.path.read_bytes(), boot())
            except (FileNotFoundError, NotADirectoryError):
                return NOTHING
            except OSError:
                return NOTHING._replace(torn=1)
            if not found.torn:
                break
            time.sleep(TRY_AGAIN_SECONDS)
        return found

    def write(self, heads: Mapping[str, Head]) -> None:
        """Note how far these workspaces have come. What was committed stands, whether this succeeds or not."""
        if not heads:
            return
        try:
            self._find_file()
            for workspace, head in heads.items():
                slot = self._slots.get(workspace)
                if slot is None:
                    slot = self._slot_for(workspace)
                os.pwrite(self._descriptor, line(workspace, head, self._mark), slot * ENTRY)
        except OSError as error:
            if not self._is_failing:
                logger.warning("the witness cannot be written; a loss may go unnoticed meanwhile: %s", error)
            self._is_failing = True
            self.close()
        else:
            self._is_failing = False

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def _find_file(self) -> None:
        """Have the file open that stands at the path, made anew if there is none."""
        now = time.monotonic()
        if self._descriptor >= 0 and now < self._looked + LOOK_AGAIN_SECONDS:
            return
        self._looked = now
        if self._descriptor >= 0 and self._is_in_place():
            return
        self.close()
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._slots, self._free, self._known = {}, [], 0

    def _is_in_place(self) -> bool:
        try:
            return os.path.samestat(self.path.stat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def _slot_for(self, workspace: str) -> int:
        """Where a workspace stands that this process has not written yet: another may have."""
        entries = os.fstat(self._descriptor).st_size // ENTRY
        if entries > self._known:
            self._learn(os.pread(self._descriptor, (entries - self._known) * ENTRY, self._known * ENTRY))
            self._known = entries
        if workspace not in self._slots:
            self._slots[workspace] = self._free_slot(entries)
        return self._slots[workspace]

    def _learn(self, content: bytes) -> None:
        """Take in entries that are new to this process."""
        found = parse(content, "")
        self._slots.update((workspace, self._known + slot) for workspace, slot in found.slots.items())
        self._free += [self._known + slot for slot in found.free]

    def _free_slot(self, entries: int) -> int:
        """The place of an entry that says nothing, if nobody else has taken it meanwhile, or one behind the last."""
        while self._free:
            slot = self._free.pop()
            if parse(os.pread(self._descriptor, ENTRY, slot * ENTRY), "").free:
                return slot
        return entries


def witness_of(database: Path) -> Path:
    """It stands beside the file itself, so that all who share it find it, through whichever link they came."""
    return Path(f"{os.path.realpath(database)}-witness")


def line(workspace: str, head: Head, mark: str) -> bytes:
    """An entry's bytes."""
    said = f"{head.seq} {head.hash.hex()} {mark} {workspace}".encode()
    return b"%08x %-*.*b\n" % (crc32(said), _SAID, _SAID, said)


def parse(content: bytes, this_boot: str) -> Entries:
    """The entries of a witness file; torn ones are counted, never believed."""
    slots: dict[str, int] = {}
    heads: dict[str, Head] = {}
    free: list[int] = []
    torn = 0
    for slot, place in enumerate(range(0, len(content), ENTRY)):
        entry = content[place : place + ENTRY]
        try:
            workspace, head, mark = _said(entry)
        except ValueError:
            free.append(slot)
            torn += entry.strip(b"\0") != b""
            continue
        slots[workspace] = slot
        if mark in (SYNCED, this_boot):
            heads[workspace] = head
    return Entries(slots, heads, free, torn)


def _said(entry: bytes) -> tuple[str, Head, str]:
    """What an entry says: workspace, head and mark. A torn one is a `ValueError`."""
    checksum, _, said = entry.rstrip(b" \n").partition(b" ")
    if len(entry) != ENTRY or checksum != b"%08x" % crc32(said):
        raise ValueError("torn")
    seq, linked, mark, workspace = said.decode().split(" ", 3)
    return workspace, Head(int(seq), bytes.fromhex(linked)), mark


def boot() -> str:
    """This start of the machine; where it has no name, nothing that was not synced binds."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return f"process-{os.getpid()}"


def missing(sql: Sql, heads: Mapping[str, Head]) -> list[Missing]:
    """What the database lacks of what was witnessed."""
    if not has_records(sql):
        return [Missing(workspace, 1, head.seq) for workspace, head in heads.items()]
    found = []
    for workspace, head in heads.items():
        row = sql.row("SELECT hash FROM records WHERE workspace = ? AND seq = ?", (workspace, head.seq))
        if row is None:
            last = sql.row("SELECT MAX(seq) FROM records WHERE workspace = ? AND seq < ?", (workspace, head.seq))
            found.append(Missing(workspace, (last[0] if last and last[0] else 0) + 1, head.seq))
        elif row[0] != head.hash:
            found.append(Missing(workspace, head.seq, head.seq, rewritten=True))
    return found


def is_all_there(sql: Sql, heads: Mapping[str, Head]) -> bool:
    """Whether every workspace ends just where the witness says."""
    ends = dict(sql.rows("SELECT workspace, last_seq FROM workspaces WHERE last_seq > 0")) if has_records(sql) else {}
    return ends == {workspace: head.seq for workspace, head in heads.items()}


def has_records(sql: Sql) -> bool:
    return sql.row("SELECT 1 FROM sqlite_schema WHERE name = 'records'") is not None
