"""What an operation may touch: one transaction on one workspace."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, Source
from thoughtbox.ledger.view import NOW, View, Views
from thoughtbox.operations.answered import Answered
from thoughtbox.operations.caller import Caller, Focus, Root
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.reach import Workspaces
from thoughtbox.operations.tallies import Tallies
from thoughtbox.world import World

V = TypeVar("V", bound=View)
Answer = dict[str, Any]

FORGETFUL = Focus("none")


class Progress(Protocol):
    """Is told how many parts of how many are done, and perhaps what has come of it since it was told last."""

    def __call__(self, done: int, total: int, said: str | None = None, /) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all transactions of a dispatcher have around them."""

    views: Views
    world: World
    keyring: Keyring
    settings: Mapping[str, Any]
    """What the rooms were told, by the name of the setting."""
    data_dir: Path | None
    """Where the server keeps its files; None when it keeps none."""
    project_root: Path | None
    """The folder of the project that the server was started for; None when it was started outside of any."""
    workspaces: Workspaces
    """Which workspaces calls may go to."""
    tallies: Tallies
    answered: Answered
    """What callers were answered lately."""
    lasting: Lasting
    """What rooms keep for as long as the process serves."""
    run: Callable[[Tx, str, Mapping[str, Any]], Within]
    """Runs an operation inside a transaction: what `Tx.call` does."""


class Within(NamedTuple):
    """What a call inside a transaction came to: the answer itself, and as it goes to whoever calls from outside."""

    answer: Answer
    enveloped: Callable[[], Answer]
    shaped: Callable[[], Answer]
    """The same, within the budget that was asked for, or that every answer has."""


class Task(NamedTuple):
    """What a transaction is for: an operation of a room, and the operations that called it, the outermost first."""

    room: str
    operation: str
    via: tuple[str, ...] = ()
    fresh: tuple[type[View], ...] = ()
    """Views that follow the tail and have caught up for it."""


class Tx:
    """The ledger and the views as this call sees them. Reads are as of `as_of`, which is usually now."""

    def __init__(
        self,
        sql: Sql,
        around: Surroundings,
        task: Task,
        *,
        workspace: str,
        caller: Caller,
        writes: bool,
        as_of: int = NOW,
        progress: Progress | None = None,
        focus: Focus = FORGETFUL,
        roots: Sequence[Root] | None = None,
    ) -> None:
        self.sql = sql
        self.workspace = workspace
        self.caller = caller
        self.writes = writes
        self.as_of = as_of
        self.progress = progress
        self.focus = focus
        self.roots = roots
        """The client's root directories; None when it does not tell."""
        self.task = task
        self.remarks: list[Any] = []
        """What the operation says beside its answer; where its room has an envelope, they go into that."""
        self._around = around
        self._are_together = False
        self._has_failed = False
        self.ledger = Ledger(sql, workspace, around.views, as_of=as_of)

    @property
    def now_ms(self) -> int:
        return self._around.world.now_ms()

    @property
    def views(self) -> Views:
        return self._around.views

    @property
    def keyring(self) -> Keyring:
        return self._around.keyring

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._around.settings

    @property
    def data_dir(self) -> Path | None:
        """Where the server keeps its files; None when it keeps none."""
        return self._around.data_dir

    @property
    def project_root(self) -> Path | None:
        """The folder of the project that the server was started for."""
        return self._around.project_root

    @property
    def workspaces(self) -> Workspaces:
        """Which workspaces calls may go to."""
        return self._around.workspaces

    @property
    def answered(self) -> Answered:
        """What callers were answered lately."""
        return self._around.answered

    @property
    def lasting(self) -> Lasting:
        """What rooms keep for as long as the process serves; nothing that is answered may depend on it."""
        return self._around.lasting

    def random_bytes(self, count: int) -> bytes:
        return self._around.world.random_bytes(count)

    def hold(self) -> None:
        """Let nobody else write to the workspace until this is over: what is read now holds when it is written."""
        self.ledger.last_seq_held()

    def append(self, draft: Draft, *, stream: str) -> Record:
        """Write one record; the views that follow it know of it at once."""
        caller, task = self.caller, self.task
        source = Source(caller.agent, task.room, task.operation, caller.transport, caller.model, task.via)
        return self.ledger.append(draft, stream=stream, source=source, world=self._around.world)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> Answer:
        """Run another operation, of any room, inside this transaction: its answer whole, or its error.

        One that fails leaves nothing behind, and whoever called it may go on.
        """
        return self._around.run(self, operation, arguments).answer

    def call_enveloped(self, operation: str, arguments: Mapping[str, Any]) -> Answer:
        """The same, for an answer that goes to the caller as it would have come by itself."""
        return self._around.run(self, operation, arguments).enveloped()

    def call_shaped(self, operation: str, arguments: Mapping[str, Any]) -> Answer:
        """The same, just as it would have come by itself: within its budget, too."""
        return self._around.run(self, operation, arguments).shaped()

    def tally(self, name: str, key: int) -> None:
        """Count that something was looked at. It is written down later, apart from this, or never."""
        self._around.tallies.count(self.workspace, name, key)

    @contextmanager
    def together(self) -> Generator[None]:
        """Calls made in here leave all that they wrote, or nothing: when one fails, nobody goes on inside.

        A savepoint of its own costs a call nearly as much as what it writes.
        """
        with self.sql.nested():
            self._are_together, self._has_failed = True, False
            try:
                yield
            finally:
                self._are_together = False
            if self._has_failed:
                raise RuntimeError("a call failed among those that stand or fall together, and was passed over")

    @contextmanager
    def part(self) -> Generator[None]:
        """Where a call inside this transaction writes: undone by itself when it fails, or together with others."""
        if not self._are_together:
            with self.sql.nested():
                yield
            return
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise

    def focus_on(self, value: object) -> None:
        """Remember this of the caller, in the place of the value of its type; it counts once the call is answered."""
        self.focus = self.focus.on(value)

    def at(self, seq: int) -> Tx:
        """The same, but reads are as of that record: a long answer that is given in pieces stays one answer."""
        earlier = copy(self)
        earlier.as_of = min(seq, self.as_of)
        earlier.ledger = Ledger(self.sql, self.workspace, self._around.views, as_of=earlier.as_of)
        return earlier

    def doing(self, task: Task) -> Tx:
        """The same transaction, on behalf of another operation."""
        inner = copy(self)
        inner.task = task
        inner.remarks = []
        inner._are_together = False
        return inner

    def ask(self, kind: type[V]) -> V:
        """The view, ready to answer questions about this workspace."""
        return kind(self.sql, self.workspace, self.as_of)
