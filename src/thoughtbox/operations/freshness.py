"""Reading your own writes: a read of a view that follows the tail first lets it catch up.

It costs one look at two numbers when nothing lags. Nobody waits in a thread meanwhile:
each step begins where the one before it ended. What cannot be caught up within the bound
is left out, and the answer says so.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, NamedTuple, TypeVar

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.steps import Steps, in_steps
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.replay import advance, cursor
from thoughtbox.ledger.view import View

logger = logging.getLogger(__name__)

T = TypeVar("T")
Answer = dict[str, Any]

LONGEST_SECONDS = 2.0
"""How long a read waits for views to catch up."""


class _Behind(NamedTuple):
    """Views that have not come as far as the read wants to see."""

    newest: int
    reached: dict[type[View], int]


def fresh_read(
    engine: Engine,
    kinds: Sequence[type[View]],
    workspace: str,
    as_of: int | None,
    read: Callable[[Sql], Answer],
    *,
    here: bool = False,
) -> Future[Answer]:
    """Read once these views have seen all that was committed before the call (up to `as_of`, if it is given).

    `here`: the look at them, with the read where nothing lags, may be done in the calling thread.
    """
    return in_steps(_fresh_read(engine, kinds, workspace, as_of, read, here=here))


def _fresh_read(
    engine: Engine,
    kinds: Sequence[type[View]],
    workspace: str,
    as_of: int | None,
    read: Callable[[Sql], Answer],
    *,
    here: bool,
) -> Steps[Answer]:
    def read_if_fresh(sql: Sql) -> Answer | _Behind:
        return _behind(sql, kinds, workspace, _newest(sql, workspace, as_of)) or read(sql)

    found: Answer | _Behind = yield engine.read(read_if_fresh, here=here)
    if not isinstance(found, _Behind):
        return found
    with _Deadline(LONGEST_SECONDS) as deadline:
        for kind, reached in found.reached.items():
            yield from _catch_up(engine, kind, workspace, reached, found.newest, deadline)

    def read_anyway(sql: Sql) -> Answer:
        still = _behind(sql, kinds, workspace, found.newest)
        return {**read(sql), "notice": _notice(still)} if still is not None else read(sql)

    answer: Answer = yield engine.read(read_anyway)
    return answer


def _catch_up(
    engine: Engine, kind: type[View], workspace: str, reached: int, newest: int, deadline: _Deadline
) -> Steps[None]:
    while reached < newest and not deadline.has_passed():
        try:
            further: int = yield deadline.over(advance(engine, kind, workspace, newest))
        except CancelledError:
            return
        except Exception as error:
            # What there is can still be read: the disk may be full, or a record damaged.
            logger.warning("the %s of %s did not catch up: %s", kind.name, workspace, error)
            return
        if further == reached:
            return
        reached = further


class _Deadline:
    """Takes back a step that has not begun in time, because others hold the store."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds
        self._step: Future[Any] | None = None
        self._timer = threading.Timer(seconds, self._take_back)
        self._timer.daemon = True

    def __enter__(self) -> _Deadline:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def has_passed(self) -> bool:
        return time.monotonic() >= self._until

    def over(self, step: Future[T]) -> Future[T]:
        self._step = step
        if self.has_passed():
            step.cancel()
        return step

    def _take_back(self) -> None:
        if self._step is not None:
            self._step.cancel()


def _newest(sql: Sql, workspace: str, as_of: int | None) -> int:
    row = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (workspace,))
    last_seq: int = row[0] if row else 0
    return last_seq if as_of is None else min(last_seq, as_of)


def _behind(sql: Sql, kinds: Sequence[type[View]], workspace: str, newest: int) -> _Behind | None:
    reached = {kind: cursor(sql, kind, workspace) for kind in kinds}
    lagging = {kind: seq for kind, seq in reached.items() if seq < newest}
    return _Behind(newest, lagging) if lagging else None


def _notice(behind: _Behind) -> dict[str, str]:
    reached = min(behind.reached.values())
    return {
        "code": "BEHIND",
        "message": f"The index has come to {record_id(reached)} of {record_id(behind.newest)}:"
        " what was written behind that may be missing here.",
        "recovery": "Send the call again in a moment.",
    }
