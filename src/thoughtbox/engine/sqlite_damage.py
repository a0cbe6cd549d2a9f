"""What a SQLite store has lost: looked for before anything is written to it."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.wal import Log, examine
from thoughtbox.engine.witness import Entries, Missing, has_records, is_all_there, missing, witness_of
from thoughtbox.errors import StorageBusy, StorageDamaged

logger = logging.getLogger(__name__)

_SHOWN_TABLES = 3

FOREIGN_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
    f" AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_steps') LIMIT {_SHOWN_TABLES + 1}"
)
"""Tables of a database that Thoughtbox has never written to; none where it has."""


def log_of(database: Path) -> Path:
    """SQLite keeps the log beside the file that a link leads to."""
    return Path(f"{os.path.realpath(database)}-wal")


def refuse_lone_log(database: Path) -> None:
    """Refuse a log whose database file is empty or gone: SQLite would start anew, and throw the log away."""
    log = log_of(database)
    if log.exists() and log.stat().st_size and not _has_content(database):
        raise StorageDamaged(
            f"{database.name} is empty or missing, but its log {log.name} is not",
            recovery=f"Put {database.name} back from a copy or an export; to start anew, move {log.name} away.",
        )


def refuse_lone_witness(database: Path, entries: Entries) -> None:
    """Refuse to begin anew where something has been: nothing of it is left to be looked at."""
    if entries.heads and not _has_content(database):
        raise total_loss(database, entries).error()


def total_loss(database: Path, entries: Entries) -> Damage:
    gone = [Missing(workspace, 1, head.seq) for workspace, head in entries.heads.items()]
    return Damage(database, Log(log_of(database).name), gone, is_total=True)


def refuse_foreign(database: Path, tables: Sequence[str]) -> None:
    """Refuse a database that somebody else's `FOREIGN_TABLES` are in: it is not ours to add to."""
    if tables:
        named = ", ".join([*tables[:_SHOWN_TABLES], *("…" for _ in tables[_SHOWN_TABLES:])])
        raise StorageDamaged(
            f"{database} is a database of another program (with {named}), and not a Thoughtbox store",
            recovery="Move it away, or set THOUGHTBOX_DATA_DIR or --data-dir to another directory.",
        )


class Damage(NamedTuple):
    """What is missing or damaged, in words."""

    database: Path
    log: Log
    missing: list[Missing]
    is_total: bool = False
    """Nothing is left that could be looked at."""

    def error(self) -> StorageDamaged:
        log, witness = log_of(self.database), witness_of(self.database)
        steps = [f"run `truncate -s {self.log.end} {log}`"] if self.log.is_damaged else []
        steps += [f"move {witness} away"] if self.missing else []
        return StorageDamaged(
            str(self),
            recovery=f"Put {self.database.name} and {log.name} back from a copy, or restore an export into an empty"
            f" directory; to go on without what is lost, {' and '.join(steps)}.",
            details={"missing": [one._asdict() for one in self.missing]},
        )

    def __str__(self) -> str:
        tails = f"missing tail: {'; '.join(map(str, self.missing))}" if self.missing else ""
        return "; ".join(filter(None, (tails, str(self.log) if self.log.is_damaged else "")))


def find_damage(sql: Sql, database: Path, entries: Entries, *, synced: bool) -> Damage | None:
    """Records that were answered and are gone, and whole frames of the log that SQLite cannot take.

    `entries` must have been read before the snapshot of `sql` was taken. Where commits are not `synced`, a
    power cut may have left holes in the log.
    """
    log = examine(log_of(database), taken=_frames_taken(sql))
    gone = missing(sql, entries.heads)
    if gone:
        is_total = not has_records(sql) or sql.row("SELECT 1 FROM records LIMIT 1") is None
        return Damage(database, log, gone, is_total)
    if not log.is_damaged:
        return None
    if not synced or is_all_there(sql, entries.heads):
        logger.warning("%s; no record that was answered is known to be missing", log)
        return None
    return Damage(database, log, [])


def _frames_taken(sql: Sql) -> int:
    """How many frames of the log SQLite has found to be whole. Inside a transaction it does not say."""
    try:
        row = sql.row("PRAGMA wal_checkpoint(NOOP)")
    except StorageBusy:
        return 0
    return max(row[1], 0) if row else 0


def _has_content(database: Path) -> bool:
    # One byte counts as none for SQLite.
    return database.exists() and database.stat().st_size > 1
