"""What an engine is. `tests/conformance` is the contract; both engines pass all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Dialect = Literal["sqlite", "postgres"]
DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
Unwatch = Callable[[], None]

CONSTRAINT = "constraint"
"""The `reason` in the details of a `StorageError` when a row breaks a rule of its table: two of one key, say."""


class Head(NamedTuple):
    """How far a workspace has come: the number of its newest record, and that record's hash."""

    seq: int
    hash: bytes


class Standing(NamedTuple):
    """What to know of the store before it is used."""

    epoch: int
    """Another one than before: its views may be others now."""
    imports: int
    """Workspaces that records are being brought into; not all of what they hold is to be shown yet."""


class Sql(Protocol):
    """One open transaction: the only way to read and write rows.

    Statements are written once for all engines, with `?` for parameters.
    """

    dialect: Dialect

    memo: dict[Any, Any]
    """What the calls sharing this transaction have learnt. Restored when a call in it
    fails, forgotten when the transaction ends. Values are replaced, never changed in place."""

    learnt: dict[Any, Any]
    """What earlier transactions of this connection have learnt. Forgotten when one fails, or a call or part of it."""

    learnt_holds: bool
    """Whether nobody else has written since then: it is forgotten as soon as somebody has. Otherwise check."""

    before_commit: dict[str, Callable[[Sql], None]]
    """Run once, in order of entry, before the transaction commits."""

    witness: dict[str, Head]
    """How far this transaction takes each workspace: noted outside the store once it is durable, where the
    engine keeps such notes. In a long read: what was noted before its snapshot was taken."""

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]: ...

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None: ...

    def run(self, statement: str, parameters: Sequence[Any] = ()) -> None: ...

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None: ...

    def put(self, statement: str, row: tuple[Any, ...]) -> None:
        """Insert a row, now or together with others: before the next statement, or the commit, at the latest."""
        ...

    def scan(self, statement: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """Rows one by one, in bounded memory however many there are."""
        ...

    def lock(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        """Read one row and keep others from changing it until this transaction ends."""
        ...

    def nested(self) -> AbstractContextManager[None]:
        """A part of the transaction that leaves all it wrote, or nothing if it raises; as deep as needed."""
        ...

    def hold(self, *, patient: bool = False) -> None:
        """Keep everybody else from the store until this transaction ends; snapshots that need no lock go on.

        Who is not `patient` gets `StorageBusy` soon, when somebody is in the middle of something long: others
        wait behind whoever waits here.
        """
        ...

    def standing(self) -> Standing:
        """How the store stands, as this transaction sees it."""
        ...


def seldom() -> bool:
    """Nobody waits for what others commit."""
    return False


class Engine(Protocol):
    """A store that runs work in transactions."""

    dialect: Dialect

    def write(self, lane: str, work: Callable[[Sql], T], *, here: bool = False) -> Future[T]:
        """Run `work` in a transaction; the future resolves once it is durable.

        Work in one lane (a workspace) runs in the order given. Waiting calls share a
        commit, each in its own savepoint: one that raises leaves nothing behind.
        A future that has not begun can be cancelled, and then never runs.

        `here`: where nobody writes or waits to, the calling thread may do the work itself, and the future is done
        when it is returned. Nobody waits for that: if anything is under way, the work queues as ever.
        """
        ...

    def read(self, work: Callable[[Sql], T], *, long: bool = False, here: bool = False) -> Future[T]:
        """Run `work` on a snapshot that no write changes while it runs.

        A `long` read waits for others of its kind, and holds up nobody else. `here`: where a connection is free, the
        calling thread may do a read that is not long itself, and the future is done when it is returned.
        """
        ...

    def witnessed(self) -> dict[str, Head]:
        """How far each workspace is known to have come, by what is kept outside the store; empty where nothing is.

        A snapshot taken afterwards lacks none of it, unless the store has lost something.
        """
        ...

    def scratch(self, work: Callable[[Sql], T]) -> Future[T]:
        """Run `work` on a snapshot in which it may make temporary tables, and nothing else.

        A temporary table hides a stored one of its name. It is gone afterwards, and nobody
        who writes waits for it. One such work runs at a time.
        """
        ...

    def alone(self, *, patient: bool = True) -> AbstractContextManager[bool]:
        """Be the only one, of all processes on the store, that is inside here: for work of many transactions.

        Says whether that is so: who is not `patient` does not wait for the others. It ends with the process.
        """
        ...

    def watch(self, notice: Callable[[], object], *, closely: Callable[[], bool] = seldom) -> Unwatch:
        """Call `notice` soon after any commit, by this process or another.

        It carries no data and may come too often, never too seldom: whoever follows
        keeps a cursor and reads on from there. While `closely` says so, somebody looks on: also after a long
        quiet, what others commit is told within tens of milliseconds.
        """
        ...

    def keep(self) -> None:
        """Get ready to be written to for long: what makes commits cheaper may be done in the background."""
        ...

    def close(self) -> None:
        """Finish what was accepted, then let go of everything."""
        ...
