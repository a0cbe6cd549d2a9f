"""Plans, tasks and steps as they stand and as they stood, and the events that made them so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, STATUSES, required
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

TARGETS = Versions(
    "mind_targets",
    key=["target"],
    values=["kind", "number", "parent", "title", "status", "revision", "created_ms", "updated_ms", "details"],
)
STEPS = Versions(
    "mind_steps",
    key=["step"],
    values=[
        *("task", "parent", "ordinal", "path", "place", "title", "completed", "hindered", "confirmed"),
        *(f"lacks_{name}" for name in CHECKPOINTS),
        "details",
    ],
)

_TARGET = (
    "SELECT target, kind, number, parent, title, status, revision, created_ms, updated_ms, details, from_seq"
    f" FROM {TARGETS.standing} AS t"
)
_STEP = f"SELECT step, task, parent, ordinal, path, title, completed, confirmed, details FROM {STEPS.standing} AS s"
FIRST_NUMBER = 1


class Target(NamedTuple):
    """A plan or a task."""

    id: str
    kind: str
    number: int
    parent: str | None
    title: str
    status: str
    revision: int
    created_ms: int
    updated_ms: int
    details: dict[str, Any]
    last_seq: int
    """The number of its newest event."""


class Step(NamedTuple):
    """A step of a task."""

    id: str
    task: str
    parent: str | None
    ordinal: int
    path: str
    title: str
    completed: bool
    confirmed: frozenset[str]
    """The checkpoints that are."""
    details: dict[str, Any]


class StepCounts(NamedTuple):
    """How far a task has come. What is missing is counted among its open steps."""

    total: int
    completed: int
    missing: dict[str, int]

    @property
    def open(self) -> int:
        return self.total - self.completed


class Tasks(View):
    """Plans, tasks and steps by id, and their events in order."""

    name = "mind_tasks"
    follows = frozenset({records.EVENT})
    schema = "tasks.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        self.sql.run(
            "INSERT INTO mind_task_events (workspace, seq, target) VALUES (?, ?, ?)",
            (self.workspace, record.seq, record.data["task"]),
        )
        self._take_target(record)
        for change in record.data.get("steps", ()):
            self._take_step(record, change)

    def _take_target(self, record: Record) -> None:
        id, change, ts_ms = record.data["task"], record.data["state"], milliseconds(record.ts)
        before = self.target(id)
        TARGETS.put(
            self,
            record.seq,
            target=id,
            kind=before.kind if before else change["kind"],
            number=number_of(id),
            parent=before.parent if before else change.get("parent"),
            title=change.get("title", before.title if before else None),
            status=change.get("status", before.status if before else "TODO"),
            revision=change["revision"],
            created_ms=before.created_ms if before else ts_ms,
            updated_ms=ts_ms,
            details=_json(_merged(before.details if before else {}, change.get("details", {}))),
        )

    def _take_step(self, record: Record, change: Mapping[str, Any]) -> None:
        before = self.step(change["id"])
        path = before.path if before else change["path"]
        details = _merged(before.details if before else {}, change.get("details", {}))
        marks = {name: before is not None and name in before.confirmed for name in CHECKPOINTS}
        confirmed = [name for name, is_so in {**marks, **change.get("confirmed", {})}.items() if is_so]
        completed = change.get("completed", before.completed if before else False)
        lacking = set() if completed else set(required(details)) - set(confirmed)
        STEPS.put(
            self,
            record.seq,
            step=change["id"],
            task=record.data["task"],
            parent=before.parent if before else change.get("parent"),
            ordinal=before.ordinal if before else change["ordinal"],
            path=path,
            place=place_of(path),
            title=change.get("title", before.title if before else None),
            completed=int(completed),
            hindered=int(bool(details.get("blockers") or details.get("blocked"))),
            confirmed=" ".join(confirmed),
            details=_json(details),
            **{f"lacks_{name}": int(name in lacking) for name in CHECKPOINTS},
        )

    def target(self, id: str) -> Target | None:
        row = self.sql.row(f"{_TARGET} WHERE target = ?", (*standing_at(self), id))
        return _target(row) if row else None

    def last_changed(self, kinds: Sequence[str]) -> str | None:
        """The plan or task of one of these kinds that changed last."""
        row = self.sql.row(
            "SELECT target FROM mind_task_events WHERE workspace = ? AND seq <= ?"
            f" AND ({' OR '.join('target LIKE ?' for _ in kinds)}) ORDER BY seq DESC LIMIT 1",
            (self.workspace, self.as_of, *(f"{kind.upper()}-%" for kind in kinds)),
        )
        return row[0] if row else None

    def next_number(self, kind: str) -> int:
        """What the next plan or task is called by."""
        row = self.sql.row(
            f"SELECT number FROM {TARGETS.standing} AS t WHERE kind = ? ORDER BY number DESC LIMIT 1",
            (*standing_at(self), kind),
        )
        return row[0] + 1 if row else FIRST_NUMBER

    def next_step_number(self) -> int:
        row = self.sql.row(
            f"SELECT step FROM {STEPS.standing} AS s ORDER BY step DESC LIMIT 1",
            standing_at(self),
        )
        return int(row[0].removeprefix("STEP-"), 16) + 1 if row else FIRST_NUMBER

    def targets(
        self, kind: str, *, status: str | None = None, parent: str | None = None, after: int = 0, limit: int
    ) -> list[Target]:
        """Plans or tasks by number, behind a given one."""
        where, values = "", list[object]()
        for column, value in (("status", status), ("parent", parent)):
            if value is not None:
                where += f" AND {column} = ?"
                values.append(value)
        rows = self.sql.rows(
            f"{_TARGET} WHERE kind = ?{where} AND number > ? ORDER BY number LIMIT ?",
            (*standing_at(self), kind, *values, after, limit),
        )
        return [_target(row) for row in rows]

    def statuses(self, plan: str) -> dict[str, int]:
        """How many tasks of a plan have each status."""
        rows = self.sql.rows(
            f"SELECT status, COUNT(*) FROM {TARGETS.standing} AS t WHERE parent = ? GROUP BY status",
            (*standing_at(self), plan),
        )
        found = dict(rows)
        return {status: found.get(status, 0) for status in STATUSES}

    def stale(self, plan: str, before_ms: int) -> int:
        """How many active tasks of a plan have not changed since then."""
        row = self.sql.row(
            f"SELECT COUNT(*) FROM {TARGETS.standing} AS t WHERE parent = ? AND status = ? AND updated_ms < ?",
            (*standing_at(self), plan, "ACTIVE", before_ms),
        )
        return row[0] if row else 0

    def step(self, id: str) -> Step | None:
        row = self.sql.row(f"{_STEP} WHERE step = ?", (*standing_at(self), id))
        return _step(row) if row else None

    def step_at(self, task: str, path: str) -> Step | None:
        row = self.sql.row(f"{_STEP} WHERE task = ? AND place = ?", (*standing_at(self), task, place_of(path)))
        return _step(row) if row else None

    def first_open(self, task: str) -> Step | None:
        """The first step that is not completed, depth first."""
        return next(iter(self.open_steps(task, limit=1)), None)

    def open_steps(self, task: str, *, hindered: bool = False, limit: int) -> list[Step]:
        """Steps that are not completed, depth first; those that something hinders, or all."""
        where = " AND hindered = 1" if hindered else ""
        rows = self.sql.rows(
            f"{_STEP} WHERE task = ? AND completed = 0{where} ORDER BY place LIMIT ?",
            (*standing_at(self), task, limit),
        )
        return [_step(row) for row in rows]

    def steps(self, task: str, *, limit: int) -> list[Step]:
        """All steps, depth first."""
        rows = self.sql.rows(f"{_STEP} WHERE task = ? ORDER BY place LIMIT ?", (*standing_at(self), task, limit))
        return [_step(row) for row in rows]

    def next_ordinal(self, task: str, parent: Step | None) -> int:
        """Where a step goes that is added below another one, or at the top."""
        below, values = ("parent = ?", [parent.id]) if parent else ("parent IS NULL", [])
        row = self.sql.row(
            f"SELECT MAX(ordinal) FROM {STEPS.standing} AS s WHERE task = ? AND {below}",
            (*standing_at(self), task, *values),
        )
        return row[0] + 1 if row and row[0] is not None else 0

    def step_counts(self, task: str) -> StepCounts:
        missing = ", ".join(f"SUM(lacks_{name})" for name in CHECKPOINTS)
        row = self.sql.row(
            f"SELECT COUNT(*), SUM(completed), {missing} FROM {STEPS.standing} AS s WHERE task = ?",
            (*standing_at(self), task),
        )
        total, completed, *counts = (int(value or 0) for value in row or ())
        return StepCounts(total, completed, dict(zip(CHECKPOINTS, counts, strict=True)))

    def events(self, *, after: int, limit: int) -> list[int]:
        """The numbers of events of all plans and tasks behind a given one, the oldest first."""
        rows = self.sql.rows(
            "SELECT seq FROM mind_task_events WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (self.workspace, after, self.as_of, limit),
        )
        return [row[0] for row in rows]

    def is_event(self, seq: int) -> bool:
        row = self.sql.row(
            "SELECT 1 FROM mind_task_events WHERE workspace = ? AND seq = ? AND seq <= ?",
            (self.workspace, seq, self.as_of),
        )
        return row is not None

    def newest_events(self, target: str | None = None, *, limit: int) -> list[int]:
        """The numbers of the newest events, of one plan or task or of all, the newest first."""
        of, values = (" AND target = ?", [target]) if target is not None else ("", [])
        rows = self.sql.rows(
            f"SELECT seq FROM mind_task_events WHERE workspace = ?{of} AND seq <= ? ORDER BY seq DESC LIMIT ?",
            (self.workspace, *values, self.as_of, limit),
        )
        return [row[0] for row in rows]


def number_of(id: str) -> int:
    return int(id.partition("-")[2])


def place_of(path: str) -> str:
    """A path such as `s:0.s:12`, in an order of texts that is the order of steps."""
    return ".".join(f"{int(part.removeprefix('s:')):09d}" for part in path.split("."))


def _merged(before: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """What holds after a change; what became None is no longer there."""
    return {name: value for name, value in {**before, **change}.items() if value is not None}


def _json(details: Mapping[str, Any]) -> str:
    return orjson.dumps(details, option=orjson.OPT_SORT_KEYS).decode()


def _target(row: Sequence[Any]) -> Target:
    *head, details, seq = row
    return Target(*head, orjson.loads(details), seq)


def _step(row: Sequence[Any]) -> Step:
    *head, completed, confirmed, details = row
    return Step(*head, bool(completed), frozenset(confirmed.split()), orjson.loads(details))
