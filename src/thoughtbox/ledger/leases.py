"""Leases: who is at work on something, for as long as they keep saying so.

They stand beside the ledger, and nothing is made of them but that: a lease that is lost, or was not renewed in time,
says that nobody is at it any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from thoughtbox.engine.protocol import Sql

LASTS_MS: Final = 15_000
"""How long one is good for without being renewed. Clocks of several machines may lie apart by less than that."""

_PUT: Final = (
    "INSERT INTO leases (workspace, subject, holder, until_ms, note) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (workspace, subject) DO UPDATE SET until_ms = excluded.until_ms, note = excluded.note"
)


class Lease(NamedTuple):
    """That somebody is at work on something."""

    workspace: str
    subject: str
    """What it is: a stream of the ledger."""
    holder: str
    """Whose work it is: of each only so much is done at once."""
    note: str = ""
    """How far it has come."""


def renew(sql: Sql, leases: Iterable[Lease], now_ms: int) -> None:
    """Take them, or go on holding them."""
    sql.many(_PUT, [(one.workspace, one.subject, one.holder, now_ms + LASTS_MS, one.note) for one in leases])


def release(sql: Sql, workspace: str, subject: str) -> None:
    sql.run("DELETE FROM leases WHERE workspace = ? AND subject = ?", (workspace, subject))


def held(sql: Sql, workspace: str, subject: str, now_ms: int) -> Lease | None:
    """The lease on something; None when nobody is at it."""
    row = sql.row(
        "SELECT workspace, subject, holder, note FROM leases WHERE workspace = ? AND subject = ? AND until_ms > ?",
        (workspace, subject, now_ms),
    )
    return Lease(*row) if row else None


def count(sql: Sql, workspace: str, holder: str, now_ms: int) -> int:
    """How many somebody holds in a workspace. What has expired there goes."""
    sql.run("DELETE FROM leases WHERE workspace = ? AND until_ms <= ?", (workspace, now_ms))
    row = sql.row("SELECT COUNT(*) FROM leases WHERE workspace = ? AND holder = ?", (workspace, holder))
    return row[0] if row else 0
