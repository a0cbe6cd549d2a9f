"""Making views anew from the ledger, and letting tail views catch up.

A view is made beside the one in use, a slice at a time, while others go on writing. Only
the last step holds the store: it takes in what was written meanwhile and puts the new
tables in the place of the old ones. Whoever dies before that has changed nothing; what
they leave behind is cleared away by the next one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import closing
from itertools import count
from secrets import token_hex
from typing import NamedTuple

from thoughtbox.engine.migrations import raise_epoch
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import StorageBusy, StorageError
from thoughtbox.ledger.ledger import Ledger, settle_heads
from thoughtbox.ledger.shadow import MARK_BYTES, Shadow, left_behind
from thoughtbox.ledger.view import AnyView, View, Views, create, cursors, fingerprint, kind_of, must_be_made

logger = logging.getLogger(__name__)

SLICE = 4096
"""Records that a tail view takes in between letting others write."""

SLICE_SECONDS = 0.05
"""How long records are taken in before others get their turn."""

FEW = 200
"""Records that the last step may still take in while everybody waits."""

MOST_ROUNDS = 20
"""After so many tries to keep up with those who write, the last step takes in whatever is left."""

LONGEST_WAIT_SECONDS = 600.0
PAUSE_SECONDS = 0.2
"""How long to wait for reads that are in the way of the last step, and between two tries."""

Progress = Callable[[int, int], None]
"""Told how many records are done, of how many."""


class Lag(NamedTuple):
    """A view that follows the tail and has records of a workspace to take in."""

    kind: type[View]
    workspace: str
    reached: int
    newest: int


def ensure(engine: Engine, views: Views) -> None:
    """Give the store every view in its present shape; nothing to do on nearly every start.

    Servers that start together wait for each other: one makes the views, the others find them made.
    """
    with engine.alone():
        engine.read(views.refuse_newer).result()
        if outdated := engine.read(views.outdated).result():
            remake(engine, outdated)


def remake(engine: Engine, kinds: Iterable[AnyView], progress: Progress | None = None) -> None:
    """Make views anew; those that follow the tail start over, and are let catch up. To be done alone."""
    with _Making(engine, [kind for kind in kinds if kind.pace == "now"], progress) as making:
        making.take_in(engine.read(heads).result())
        making.finish([kind for kind in kinds if kind.pace == "tail"])


def rebuild(engine: Engine, kind: type[View], progress: Progress | None = None) -> bool:
    """Make one view anew, as far as it has come. Whether it equals what it was."""

    def as_it_was(sql: Sql) -> tuple[str | None, dict[str, int]]:
        until = heads(sql) if kind.pace == "now" else cursors(sql, kind)
        return _fingerprint_if_readable(sql, kind, until), until

    with engine.alone(), _Making(engine, [kind], progress) as making:
        making.make_shadows()
        before, until = engine.read(as_it_was).result()
        making.take_in(until)
        # Nobody else knows the tables yet: they hold what the old ones held then, whatever is written meanwhile.
        after = engine.read(lambda sql: fingerprint(making.sql(sql, kind), kind, until)).result()
        making.finish()
    return after == before


def _fingerprint_if_readable(sql: Sql, kind: type[View], until: Mapping[str, int]) -> str | None:
    """None of a view that is damaged or not there: it is made anew all the same."""
    try:
        return fingerprint(sql, kind, until)
    except StorageError:
        return None


class _Making:
    """Views on their way from nothing to what the ledger makes of them."""

    def __init__(self, engine: Engine, kinds: Iterable[AnyView], progress: Progress | None) -> None:
        self._engine = engine
        self._progress = progress
        self._kinds = tuple(kinds)
        self._shadows: dict[AnyView, Shadow] = {}
        self._reached: dict[str, int] = {}

    def __enter__(self) -> _Making:
        _clear_away(self._engine)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is not None:
            _try_to_clear_away(self._engine)

    def sql(self, sql: Sql, kind: AnyView) -> Sql:
        """The transaction with the new tables of a view in the place of the old."""
        shadow = self._shadows.get(kind)
        return shadow.sql(sql) if shadow is not None else sql

    def take_in(self, until: Mapping[str, int]) -> None:
        """Take in each workspace's records up to these, and let others write in between."""
        total = sum(until.values())
        if total and not self._shadows:  # without any record, the last step makes the tables where they belong
            self.make_shadows()
        for workspace, target in until.items():
            while (reached := self._reached.get(workspace, 0)) < target:
                further = self._engine.write(
                    "", lambda sql, workspace=workspace, target=target: self._slice(sql, workspace, target)
                ).result()
                if further == reached:
                    break  # a view that moves in blocks goes no further
                self._reached[workspace] = further
                if self._progress:
                    self._progress(min(total, sum(self._reached.values())), total)

    def make_shadows(self) -> None:
        """Make the tables beside those in use, empty."""
        mark = token_hex(MARK_BYTES)
        self._shadows = {kind: Shadow(kind_of(kind), self._engine.dialect, mark) for kind in self._kinds}
        for shadow in self._shadows.values():
            self._engine.write("", shadow.create).result()

    def finish(self, empty: Iterable[AnyView] = ()) -> None:
        """Put the views in their place; those of `empty` without anything in them."""
        until = time.monotonic() + LONGEST_WAIT_SECONDS
        for rounds in count():
            self.take_in(self._engine.read(self._targets).result())
            try:
                if self._engine.write("", lambda sql, rounds=rounds: self._last_step(sql, empty, rounds)).result():
                    return
            except StorageBusy:
                # A long read is in the way, and others wait behind us: let them go first.
                if time.monotonic() > until:
                    raise
                time.sleep(PAUSE_SECONDS)

    def _slice(self, sql: Sql, workspace: str, target: int, *, whole: bool = False) -> int:
        """Take in what can be taken in before others get their turn, or all; how far that went."""
        reached = self._reached.get(workspace, 0)
        views = [kind_of(kind)(self.sql(sql, kind), workspace, target) for kind in self._kinds]
        for view in views:
            if view.pace == "tail":  # which is then alone
                return view.advance(reached, min(SLICE, target - reached))
        until = time.monotonic() + SLICE_SECONDS
        with closing(Ledger(sql, workspace, Views(()), as_of=target).tail(reached)) as records:
            for record in records:
                for view in views:
                    if record.topic in view.follows:
                        view.apply(record)
                reached = record.seq
                if not whole and time.monotonic() > until:
                    break
        return reached

    def _targets(self, sql: Sql) -> dict[str, int]:
        tails = [kind for kind in self._kinds if kind.pace == "tail"]
        return cursors(sql, tails[0]) if tails else heads(sql)

    def _last_step(self, sql: Sql, empty: Iterable[AnyView], rounds: int) -> bool:
        """Whether all is in its place. Nothing has changed when too much was written meanwhile to take it in now."""
        sql.hold()
        settle_heads(sql)  # what shares this transaction was shown to the tables that now go
        targets = self._targets(sql)
        left = sum(target - self._reached.get(workspace, 0) for workspace, target in targets.items())
        if left > FEW and rounds < MOST_ROUNDS:
            return False
        for kind in [*empty, *(kind for kind in self._kinds if kind not in self._shadows)]:
            create(sql, kind)
            sql.run("DELETE FROM view_cursors WHERE view = ?", (kind.name,))
        reached = dict(self._reached)
        if not any(kind.pace == "tail" for kind in self._kinds):
            for workspace, target in targets.items():
                if reached.get(workspace, 0) < target:
                    reached[workspace] = self._slice(sql, workspace, target, whole=True)
        for kind, shadow in self._shadows.items():
            shadow.take_place(sql)
            if kind.pace == "tail":
                sql.run("DELETE FROM view_cursors WHERE view = ?", (kind.name,))
                sql.many(
                    "INSERT INTO view_cursors (workspace, view, seq) VALUES (?, ?, ?)",
                    [(workspace, kind.name, seq) for workspace, seq in reached.items()],
                )
        raise_epoch(sql)
        return True


def _clear_away(engine: Engine) -> None:
    """Drop what those who died while they made views have left behind, one table at a time."""
    for table in engine.read(left_behind).result():
        engine.write("", lambda sql, table=table: sql.run(f"DROP TABLE IF EXISTS {table}")).result()


def _try_to_clear_away(engine: Engine) -> None:
    """The same, if it can be done: what is left behind takes up space, and does no other harm."""
    try:
        _clear_away(engine)
    except StorageError as trouble:
        logger.debug("what was made of views is left behind: %s", trouble)


def clear_if_left(engine: Engine) -> None:
    """Drop what was left behind, unless somebody is making views just now: it is theirs then."""
    with engine.alone(patient=False) as is_alone:
        if is_alone:
            _try_to_clear_away(engine)


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
    settle_heads(sql)  # a view looks no further than the head
    for kind in kinds:
        reached = cursor(sql, kind, workspace)
        while reached < target and (further := _advance(sql, kind, workspace, target)) > reached:
            reached = further


def lagging(sql: Sql, views: Views) -> list[Lag]:
    """What the views that follow the tail could take in now."""
    return [
        Lag(kind_of(view), *row)
        for view in views.tails
        for row in sql.rows(
            "SELECT w.workspace, COALESCE(c.seq, 0), w.last_seq FROM workspaces w"
            " LEFT JOIN view_cursors c ON c.workspace = w.workspace AND c.view = ?"
            " WHERE w.last_seq >= COALESCE(c.seq, 0) + ? ORDER BY w.workspace",
            (view.name, view.stride),
        )
    ]


def cursor(sql: Sql, kind: type[View], workspace: str) -> int:
    """The number of the last record that a tail view has taken in."""
    row = sql.row("SELECT seq FROM view_cursors WHERE workspace = ? AND view = ?", (workspace, kind.name))
    return row[0] if row else 0


def _advance(sql: Sql, kind: type[View], workspace: str, target: int) -> int:
    # Two servers may want to advance the same view: one at a time.
    row = sql.lock("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
    must_be_made(sql, kind)
    reached = cursor(sql, kind, workspace)
    if reached >= target:
        return reached
    # No further than asked, and never behind the newest record: what is being imported may stand there.
    further = kind(sql, workspace, row[0] if row else 0).advance(reached, min(SLICE, target - reached))
    if further > reached:
        sql.run(
            "INSERT INTO view_cursors (workspace, view, seq) VALUES (?, ?, ?)"
            " ON CONFLICT (workspace, view) DO UPDATE SET seq = excluded.seq",
            (workspace, kind.name, further),
        )
    return further


def heads(sql: Sql) -> dict[str, int]:
    """By workspace: the number of its newest record."""
    return dict(sql.rows("SELECT workspace, last_seq FROM workspaces WHERE last_seq > 0 ORDER BY workspace"))


def record_count(sql: Sql) -> int:
    row = sql.row("SELECT COALESCE(SUM(last_seq), 0) FROM workspaces")
    return int(row[0]) if row else 0
