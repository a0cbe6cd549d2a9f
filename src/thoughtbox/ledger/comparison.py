"""Whether the views are what the ledger makes of them, found out without touching them.

The records are taken in once more, into temporary tables that hide the stored ones, so that a
view's own code makes them; then the two are compared. The ledger is verified by then: what the
records say is what was written.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import StorageError
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import SLICE, Progress, record_count
from thoughtbox.ledger.verdict import Problem, Verdict
from thoughtbox.ledger.verify import known_workspaces
from thoughtbox.ledger.view import NOW, View, Views, create_temporary, cursors, fingerprints


class Difference(NamedTuple):
    """A view that is not what a workspace's records come to."""

    workspace: str
    view: str
    why: str

    def problem(self) -> Problem:
        return Problem("view", f"the view `{self.view}` {self.why}")


@dataclass(frozen=True, slots=True)
class Comparison:
    """What comparing the views came to."""

    differences: tuple[Difference, ...]
    uncompared: tuple[str, ...]
    """Views that the store has in the shape of another release, or not at all: the next start makes them anew."""

    def of(self, workspace: str) -> Problem | None:
        """The first view that differs in a workspace."""
        return next((found.problem() for found in self.differences if found.workspace == workspace), None)


def compare(
    sql: Sql, views: Views, *, among: Collection[str] | None = None, progress: Progress | None = None
) -> Comparison:
    """Compare every view with the records, on a snapshot in which temporary tables may be made (`Engine.scratch`).

    With `among`, only what they hold of these workspaces.
    """
    outdated = [view.name for view in views.outdated(sql)]
    kinds = [kind for kind in views.kinds if kind.name not in outdated]
    workspaces = known_workspaces(sql)
    differences = _Comparing(sql, views, kinds, workspaces, among, progress).run()
    return Comparison(tuple(differences), tuple(outdated))


def with_views(verdict: Verdict, workspace: str, comparison: Comparison) -> Verdict:
    """The verdict on a workspace, now that its views were compared too."""
    problem = verdict.problem or comparison.of(workspace)
    return replace(verdict, problem=problem, views_checked=not comparison.uncompared)


class _Comparing:
    def __init__(
        self,
        sql: Sql,
        views: Views,
        kinds: Sequence[type[View]],
        workspaces: Collection[str],
        among: Collection[str] | None,
        progress: Progress | None,
    ) -> None:
        self._sql = sql
        self._views = views
        self._kinds = kinds
        self._workspaces = workspaces
        self._among = among
        self._progress = progress
        self._differences: dict[Difference, None] = {}

    def run(self) -> list[Difference]:
        stored = {kind: held for kind in self._kinds if (held := self._stored(kind)) is not None}
        for kind in stored:
            create_temporary(self._sql, kind)
        self._replay({kind for kind in stored if kind.pace == "now"})
        for kind, held in stored.items():
            if kind.pace == "tail":
                self._follow(kind)
            made = self._held(kind)
            for workspace in {*made, *held}:
                if made.get(workspace) != held.get(workspace):
                    self._differ(kind, "is not what the records come to", workspace)
        return sorted(self._differences)

    def _stored(self, kind: type[View]) -> dict[str, int] | None:
        """What the stored tables hold; None when that cannot be read, which must not end the transaction."""
        self._sql.run("SAVEPOINT looking")
        try:
            return self._held(kind)
        except StorageError as error:
            self._sql.run("ROLLBACK TO looking")
            for workspace in self._workspaces:
                self._differ(kind, f"cannot be read ({error.message})", workspace)
            return None
        finally:
            self._sql.run("RELEASE looking")

    def _held(self, kind: type[View]) -> dict[str, int]:
        # In place of cursors: in a snapshot nothing may stand behind them.
        everything = dict.fromkeys((*self._workspaces, *cursors(self._sql, kind)), NOW)
        return fingerprints(self._sql, kind, everything)

    def _differ(self, kind: type[View], why: str, workspace: str) -> None:
        if self._concerns(workspace):
            self._differences.setdefault(Difference(workspace, kind.name, why))

    def _concerns(self, workspace: str) -> bool:
        return self._among is None or workspace in self._among

    def _replay(self, kinds: Collection[type[View]]) -> None:
        """Take every record in once, for all views that take it in at once."""
        done, total = 0, record_count(self._sql)
        for workspace in filter(self._concerns, self._workspaces):
            for record in Ledger(self._sql, workspace, self._views).tail(0):
                for kind in self._views.following(record.topic):
                    if kind in kinds:
                        self._take_in(kind, record)
                done += 1
                if self._progress and done % 1000 == 0:
                    self._progress(done, total)

    def _take_in(self, kind: type[View], record: Record) -> None:
        try:
            kind(self._sql, record.workspace).apply(record)
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            self._differ(kind, f"cannot take {record.id} in ({error})", record.workspace)

    def _follow(self, kind: type[View]) -> None:
        """Let a view that follows the tail come as far as the stored one says it has."""
        for workspace, target in cursors(self._sql, kind).items():
            if not self._concerns(workspace):
                continue
            reached, view = 0, kind(self._sql, workspace)
            while reached < target:
                further = view.advance(reached, min(SLICE, target - reached))
                if further == reached:
                    break
                reached = further
            if reached != target:
                self._differ(kind, f"says that it has taken in {target} records", workspace)
