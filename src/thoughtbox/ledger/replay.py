"""Making views anew from the ledger, and letting tail views catch up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import NamedTuple

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import StorageError
from thoughtbox.ledger.ledger import Ledger, workspaces
from thoughtbox.ledger.view import View, Views, create, cursors, fingerprint

SLICE = 4096
"""Records that a tail view takes in between letting others write."""

Progress = Callable[[int, int], None]
"""Told how many records are done, of how many."""


class Lag(NamedTuple):
    """A view that follows the tail and has records of a workspace to take in."""

    kind: type[View]
    workspace: str
    reached: int
    newest: int


def ensure(sql: Sql, views: Views) -> None:
    """Give the store every view in its present shape; nothing to do on nearly every start."""
    _one_at_a_time(sql)
    for kind in views.outdated(sql):
        replay(sql, kind, views)


def replay(sql: Sql, kind: type[View], views: Views, progress: Progress | None = None) -> None:
    """Drop a view and make it again from the records of all workspaces, inside the transaction given."""
    _one_at_a_time(sql)
    create(sql, kind)
    sql.run("DELETE FROM view_cursors WHERE view = ?", (kind.name,))
    if kind.pace == "tail":
        return  # it starts over, and is let catch up
    total = record_count(sql)
    done = 0
    for workspace in workspaces(sql):
        view = kind(sql, workspace)
        for record in Ledger(sql, workspace, views).tail(0):
            if record.topic in kind.follows:
                view.apply(record)
            done += 1
            if progress and done % 1000 == 0:
                progress(done, total)
    if progress:
        progress(total, total)


def rebuild(engine: Engine, kind: type[View], views: Views, progress: Progress | None = None) -> bool:
    """Replay one view and let it catch up. Whether it equals what it was."""

    def anew(sql: Sql) -> tuple[str | None, str, dict[str, int]]:
        until = cursors(sql, kind)
        before = _fingerprint_if_readable(sql, kind, until)
        replay(sql, kind, views, progress)
        # Compared here, before anybody else can write.
        return before, fingerprint(sql, kind, until), until

    before, after, until = engine.write("", anew).result()
    if kind.pace == "tail":
        done, total = 0, sum(until.values())
        for workspace, seq in until.items():
            catch_up(engine, kind, workspace, seq)
            done += seq
            if progress:
                progress(done, total)
        after = engine.read(lambda sql: fingerprint(sql, kind, until)).result()
    return after == before


def _fingerprint_if_readable(sql: Sql, kind: type[View], until: Mapping[str, int]) -> str | None:
    """None of a view that is damaged: it is made anew all the same."""
    try:
        return fingerprint(sql, kind, until)
    except StorageError:
        if sql.dialect == "postgres":  # which does not go on with a transaction after an error
            raise
        return None


def catch_up(engine: Engine, kind: type[View], workspace: str, target: int) -> int:
    """Let a tail view come as near to record `target` as it can, a slice at a time; how far it is now."""
    reached = engine.read(lambda sql: cursor(sql, kind, workspace)).result()
    while reached < target:
        further = advance(engine, kind, workspace, target).result()
        if further == reached:
            break
        reached = further
    return reached


def catch_up_all(engine: Engine, views: Views, workspace: str) -> None:
    """Let every tail view take in all that the workspace has now."""
    for lag in engine.read(lambda sql: lagging(sql, views)).result():
        if lag.workspace == workspace:
            catch_up(engine, lag.kind, workspace, lag.newest)


def advance(engine: Engine, kind: type[View], workspace: str, target: int) -> Future[int]:
    """Let a tail view take in one slice of the records up to number `target`; how far it is then."""
    return engine.write(workspace, lambda sql: _advance(sql, kind, workspace, target))


def catch_up_within(sql: Sql, kinds: Iterable[type[View]], workspace: str, target: int) -> None:
    """Let tail views take in all up to number `target` inside the transaction given, its own records included."""
    for kind in kinds:
        reached = cursor(sql, kind, workspace)
        while reached < target and (further := _advance(sql, kind, workspace, target)) > reached:
            reached = further


def lagging(sql: Sql, views: Views) -> list[Lag]:
    """What the views that follow the tail could take in now."""
    return [
        Lag(kind, *row)
        for kind in views.kinds
        if kind.pace == "tail"
        for row in sql.rows(
            "SELECT w.workspace, COALESCE(c.seq, 0), w.last_seq FROM workspaces w"
            " LEFT JOIN view_cursors c ON c.workspace = w.workspace AND c.view = ?"
            " WHERE w.last_seq >= COALESCE(c.seq, 0) + ? ORDER BY w.workspace",
            (kind.name, kind.stride),
        )
    ]


def cursor(sql: Sql, kind: type[View], workspace: str) -> int:
    """The number of the last record that a tail view has taken in."""
    row = sql.row("SELECT seq FROM view_cursors WHERE workspace = ? AND view = ?", (workspace, kind.name))
    return row[0] if row else 0


def _advance(sql: Sql, kind: type[View], workspace: str, target: int) -> int:
    # Two servers may want to advance the same view: one at a time.
    sql.lock("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
    reached = cursor(sql, kind, workspace)
    if reached >= target:
        return reached
    # No further than asked: a view that is replayed has to stop where it was.
    further = kind(sql, workspace).advance(reached, min(SLICE, target - reached))
    if further > reached:
        sql.run(
            "INSERT INTO view_cursors (workspace, view, seq) VALUES (?, ?, ?)"
            " ON CONFLICT (workspace, view) DO UPDATE SET seq = excluded.seq",
            (workspace, kind.name, further),
        )
    return further


def _one_at_a_time(sql: Sql) -> None:
    """Servers that start together all want to make the views: the others wait, and find them made."""
    sql.lock("SELECT step FROM schema_steps WHERE step = 1")


def record_count(sql: Sql) -> int:
    row = sql.row("SELECT COALESCE(SUM(last_seq), 0) FROM workspaces")
    return int(row[0]) if row else 0
