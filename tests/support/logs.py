"""What SQLite's log still holds, seen from aside."""

from __future__ import annotations

from pathlib import Path

import apsw


def is_folded(database: Path) -> bool:
    """Whether the database file has all that its log has. Somebody else must have the store open."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        (_, frames, folded) = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()[0]
    finally:
        connection.close()
    return frames == folded
