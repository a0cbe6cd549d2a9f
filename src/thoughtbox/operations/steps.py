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

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol, TypeVar

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.settled import Settled
from thoughtbox.engine.steps import Steps
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.forms import Form
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation, Place
from thoughtbox.operations.tx import FORGETFUL, Answer, Progress, Tx

__all__ = ["Calling", "Slices", "Steps", "in_slices"]

T = TypeVar("T")


class Opened(Protocol):
    """Makes a transaction of the engine one of the operation."""

    def __call__(self, sql: Sql, *, writes: bool) -> Tx: ...


class Answered(NamedTuple):
    """What an operation has answered, and where it has left its caller."""

    answer: Answer
    focus: Focus


class Calling(Protocol):
    """How an operation that works in slices calls others, and what goes with the call that it is itself."""

    settings: Mapping[str, Any]
    lasting: Lasting
    key_records: int
    """Records that the call's idempotency key puts before all that is written."""
    is_patient: bool
    """Whether whoever waits for the answer can do so for long."""
    form: Form
    """The form that the answer goes out in."""

    def call(
        self, name: str, arguments: Mapping[str, Any], *, as_of: int, focus: Focus, progress: Progress | None
    ) -> Future[Answered]:
        """Run an operation that only reads, as if it had been called by itself."""
        ...

    def repeated(self, tx: Tx) -> Answer | None:
        """What was answered to the same call with the same key; None when it is the first."""
        ...

    def once(self, tx: Tx, work: Callable[[Tx], Answer]) -> Answer:
        """Do what the key allows to be done once."""
        ...


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
        calling: Calling | None = None,
        focus: Focus = FORGETFUL,
        place: Place | None = None,
    ) -> None:
        """`first_here`: the first slice may be done in the thread that asks for it."""
        self._engine = engine
        self.keyring = keyring
        self.workspace = workspace
        self._opened = opened
        self._progress = progress
        self._may_be_here = first_here
        self._calling = calling
        self._place = place
        self.focus = focus
        """Where the caller stands, and in the end where the call leaves it."""

    @property
    def calling(self) -> Calling:
        """How other operations are called; only an operation has it."""
        assert self._calling is not None
        return self._calling

    @property
    def place(self) -> Place:
        """The place in a queue that was taken when the call came in; only an operation that reserves one has it."""
        assert self._place is not None
        return self._place

    def read(self, work: Callable[[Tx], T], *, long: bool = False, here: bool = False) -> Future[T]:
        """Ask something of a snapshot; `long` keeps it out of the way of those who ask little.

        `here`: in the calling thread, where nothing else is under way.
        """
        is_here = self._is_here() or here
        return self._engine.read(lambda sql: work(self._opened(sql, writes=False)), long=long, here=is_here)

    def scratch(self, work: Callable[[Tx], T]) -> Future[T]:
        """Ask something of a snapshot in which temporary tables may be made; they end with it."""
        return self._engine.scratch(lambda sql: work(self._opened(sql, writes=False)))

    def write(self, work: Callable[[Tx], T], *, here: bool = False) -> Future[T]:
        """Do something in a transaction; whoever else wants to write comes before the next one.

        `here`: in the calling thread, where nothing else is under way.
        """

        def written(sql: Sql) -> T:
            tx = self._opened(sql, writes=True)
            tx.hold()
            return work(tx)

        return self._engine.write(self.workspace, written, here=self._is_here() or here)

    def repeated(self) -> Future[Answered | None]:
        """What was answered to the same call with the same idempotency key; None when it is the first."""
        if not self.calling.key_records:
            return Settled(None)
        return self.read(lambda tx: _answered(self.calling.repeated(tx), tx))

    def finish(self, work: Callable[[Tx], Answer], *, here: bool = False) -> Future[Answered]:
        """Do all that the operation writes, in one transaction, and under the call's idempotency key, if it has one."""
        return self.write(lambda tx: Answered(self.calling.once(tx, work), tx.focus), here=here)

    def report(self, done: int, total: int, said: str | None = None) -> None:
        """Say how many parts of how many are done, or also what has come of it, in words."""
        if self._progress is not None:
            self._progress(done, total) if said is None else self._progress(done, total, said)

    def _is_here(self) -> bool:
        is_here, self._may_be_here = self._may_be_here, False
        return is_here


def _answered(answer: Answer | None, tx: Tx) -> Answered | None:
    return Answered(answer, tx.focus) if answer is not None else None


def in_slices(slices: Slices, operation: Operation, arguments: Input) -> Steps[Answer]:
    """Run an operation that works in slices; its guard looks at the call first, in a slice of its own."""
    guard = operation.guard
    hint: str | None = None
    if guard is not None:
        hint = yield slices.read(lambda tx: guard.check(tx, operation, arguments))
    answer: Answer = (yield from operation.function(slices, arguments)).answer()
    return answer if hint is None else {**answer, "hint": hint}
