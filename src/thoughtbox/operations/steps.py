"""Operations that work in slices: each is a transaction of its own, and others come in between.

An operation may be a generator. It yields what it wants read or written, is sent what came of it, and returns its
answer:

    @room.operation("notes_tidied", title="Tidy notes", writes=True, example=Example({}))
    def tidy(slices: Slices, call: Tidy) -> Steps[Tidied]:
        \"\"\"Fold old notes together.\"\"\"
        found = yield slices.read(lambda tx: tx.ask(Notes).old())
        for done, note in enumerate(found, 1):
            yield slices.write(lambda tx, note=note: fold(tx, note))
            slices.report(done, len(found))
        return Tidied(count=len(found))

What runs between two slices must be short: it runs in a thread of the store. A caller who gives up ends the
generator at its next slice; what was written stays, so that each slice must leave the workspace in order.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.steps import Steps
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.tx import Answer, Progress, Tx

__all__ = ["Slices", "Steps", "in_slices"]

T = TypeVar("T")


class Opened(Protocol):
    """Makes a transaction of the engine one of the operation."""

    def __call__(self, sql: Sql, *, writes: bool) -> Tx: ...


class Slices:
    """What an operation that works in slices may ask for, and how it says how far it has come."""

    def __init__(
        self,
        engine: Engine,
        keyring: Keyring,
        workspace: str,
        opened: Opened,
        progress: Progress | None,
        *,
        first_here: bool = False,
    ) -> None:
        """`first_here`: the first slice may be done in the thread that asks for it."""
        self._engine = engine
        self.keyring = keyring
        self.workspace = workspace
        self._opened = opened
        self._progress = progress
        self._may_be_here = first_here

    def read(self, work: Callable[[Tx], T], *, long: bool = False) -> Future[T]:
        """Ask something of a snapshot; `long` keeps it out of the way of those who ask little."""
        return self._engine.read(lambda sql: work(self._opened(sql, writes=False)), long=long, here=self._is_here())

    def scratch(self, work: Callable[[Tx], T]) -> Future[T]:
        """Ask something of a snapshot in which temporary tables may be made; they end with it."""
        return self._engine.scratch(lambda sql: work(self._opened(sql, writes=False)))

    def write(self, work: Callable[[Tx], T]) -> Future[T]:
        """Do something in a transaction; whoever else wants to write comes before the next one."""

        def written(sql: Sql) -> T:
            tx = self._opened(sql, writes=True)
            tx.hold()
            return work(tx)

        return self._engine.write(self.workspace, written, here=self._is_here())

    def report(self, done: int, total: int) -> None:
        """Say how many parts of how many are done."""
        if self._progress is not None:
            self._progress(done, total)

    def _is_here(self) -> bool:
        is_here, self._may_be_here = self._may_be_here, False
        return is_here


def in_slices(slices: Slices, operation: Operation, arguments: Input) -> Steps[Answer]:
    """Run an operation that works in slices; its guard looks at the call first, in a slice of its own."""
    guard = operation.guard
    hint: str | None = None
    if guard is not None:
        hint = yield slices.read(lambda tx: guard.check(tx, operation, arguments))
    answer: Answer = (yield from operation.function(slices, arguments)).answer()
    return answer if hint is None else {**answer, "hint": hint}
