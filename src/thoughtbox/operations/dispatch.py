"""The one way to run an operation: look up, check, run in a transaction, shape the answer."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Never, TypeVar

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.engine.steps import in_steps
from thoughtbox.errors import InternalError, InvalidOperation, InvalidPayload, RecordedRefusal, ThoughtboxError
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import readable_until
from thoughtbox.ledger.replay import catch_up_within
from thoughtbox.ledger.view import NOW, View, Views
from thoughtbox.operations.answered import Answered
from thoughtbox.operations.arguments import bind, read_as_far
from thoughtbox.operations.caller import ANONYMOUS, Caller, Focus, Landing, Root
from thoughtbox.operations.calling import CallsOfOne
from thoughtbox.operations.forms import JSON, Form, in_form
from thoughtbox.operations.freshness import fresh_read
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.reach import ANY, Workspaces
from thoughtbox.operations.repetition import LONGEST_KEY, answer_once
from thoughtbox.operations.shaping import Shaping
from thoughtbox.operations.steps import Slices, Steps, in_slices
from thoughtbox.operations.table import TABLE, Table
from thoughtbox.operations.tallies import Tallies
from thoughtbox.operations.tx import FORGETFUL, Answer, Progress, Surroundings, Task, Tx, Within
from thoughtbox.operations.workspaces import must_be_for
from thoughtbox.world import World

logger = logging.getLogger(__name__)

T = TypeVar("T")

COUNTER = Caller(agent="thoughtbox", transport="background")
"""Who writes down what reads have counted."""

DEEPEST = 32
"""How deep operations may call each other."""


class Call(NamedTuple):
    """One call, as a door hands it over."""

    operation: str | Operation
    """Its name, or what a door has found under it."""
    workspace: str
    arguments: Mapping[str, Any] = MappingProxyType({})
    caller: Caller = ANONYMOUS
    key: str | None = None
    """Idempotency key: the same key of the same caller again returns the first answer."""
    as_of: int | None = None
    """Read as if the record of this number were the newest."""
    progress: Progress | None = None
    focus: Focus = FORGETFUL
    """What is remembered of the caller."""
    landing: Landing | None = None
    """Where the call leaves the focus it came to."""
    roots: Sequence[Root] | None = None
    """The client's root directories, for an operation that needs them; none when it does not tell."""
    is_patient: bool = False
    """Whether whoever waits for the answer can do so for long: it comes as a task."""
    form: Form = JSON
    """The form that its answer is to have: what its arguments say of that, once they were looked at."""


class Dispatcher:
    """Runs calls against one engine."""

    def __init__(
        self,
        engine: Engine,
        views: Views,
        *,
        world: World,
        keyring: Keyring,
        table: Table = TABLE,
        settings: Mapping[str, Any] | None = None,
        workspaces: Workspaces = ANY,
        data_dir: Path | None = None,
        project_root: Path | None = None,
        lasting: Lasting | None = None,
    ) -> None:
        """`settings` are those of the rooms, by name; `workspaces` are those that calls may go to."""
        self._engine = engine
        self._workspaces = workspaces
        self.table = table
        self.lasting = lasting or Lasting()
        self._shaping = Shaping(world)
        self.tallies = Tallies(
            table.tallies, lambda workspace, work, what: self.do(workspace, COUNTER, work, what=what)
        )
        self._around = Surroundings(
            views=views,
            world=world,
            keyring=keyring,
            settings=settings or {},
            data_dir=data_dir,
            project_root=project_root,
            workspaces=workspaces,
            tallies=self.tallies,
            answered=Answered(),
            lasting=self.lasting,
            run=self._run_within,
        )

    @property
    def answered(self) -> Answered:
        """What callers were answered lately."""
        return self._around.answered

    def submit(self, call: Call, *, here: bool = False) -> Future[Answer]:
        """Run the call. One that is not well formed is refused before anything is touched.

        `here`: where nothing else is under way, the calling thread may do it itself, as far as the first step of a
        call that takes several; what is returned may then be done already.
        """
        operation, given = self._resolved(call)
        self._workspaces.must_be_open(call.workspace)
        try:
            arguments, given, form = bind(self.table, operation, given)
        except ThoughtboxError as refused:
            if operation.guard is None:
                raise
            return self._engine.read(partial(self._refuse, operation, given, call, refused), here=here)
        _check_options(operation, call)
        must_be_for(operation, arguments, call.workspace)
        if form != JSON:
            call = call._replace(form=form)
        if operation.works_in_steps:
            return in_steps(self._in_steps(operation, given, arguments, call, here=here))
        if operation.writes:
            write = partial(self._write, operation, given, arguments, call)
            if operation.records_refusals:
                return in_steps(self._recording_refusals(operation, call, write, here=here))
            return self._engine.write(call.workspace, write, here=here)
        read = partial(self._read, operation, arguments, call)
        if operation.fresh:
            return fresh_read(self._engine, operation.fresh, call.workspace, call.as_of, read, here=here)
        return self._engine.read(read, long=operation.long, here=here)

    def call(self, call: Call) -> Answer:
        """Run the call and wait for its answer."""
        return self.submit(call, here=True).result()

    def must_be_well_formed(self, call: Call) -> None:
        """Refuse what `submit` would refuse before anything is touched."""
        operation, given = self._resolved(call)
        self._workspaces.must_be_open(call.workspace)
        arguments, _, _ = bind(self.table, operation, given)
        _check_options(operation, call)
        must_be_for(operation, arguments, call.workspace)

    def ask(
        self,
        workspace: str,
        caller: Caller,
        question: Callable[[Tx], T],
        *,
        as_of: int | None = None,
        long: bool = False,
        here: bool = False,
    ) -> Future[T]:
        """Put a question to the store that no operation asks, such as which names begin with a prefix.

        `as_of`, `long` and `here` are as for calls and reads.
        """
        return self._engine.read(partial(self._asked, workspace, caller, question, as_of), long=long, here=here)

    def ask_fresh(
        self,
        workspace: str,
        caller: Caller,
        question: Callable[[Tx], Answer],
        *,
        fresh: Sequence[type[View]],
        as_of: int | None = None,
    ) -> Future[Answer]:
        """The same, once views that follow the tail have seen all that was written before."""
        return fresh_read(
            self._engine, fresh, workspace, as_of, partial(self._asked, workspace, caller, question, as_of)
        )

    def _asked(self, workspace: str, caller: Caller, question: Callable[[Tx], T], as_of: int | None, sql: Sql) -> T:
        tx = self._shown(self._own_tx(sql, Task("door", "ask"), workspace, caller, writes=False))
        return question(tx if as_of is None else tx.at(as_of))

    def must_be_open(self, workspace: str) -> None:
        """Refuse a workspace that this server does not work in."""
        self._workspaces.must_be_open(workspace)

    def do(self, workspace: str, caller: Caller, work: Callable[[Tx], T], *, what: str) -> Future[T]:
        """Do something in a transaction that no operation does, such as an import; `what` names it in its records."""

        def done(sql: Sql) -> T:
            tx = self._own_tx(sql, Task("door", what), workspace, caller, writes=True)
            tx.hold()
            return work(tx)

        return self._engine.write(workspace, done)

    def work(
        self,
        workspace: str,
        caller: Caller,
        steps: Callable[[Slices], Steps[T]],
        *,
        what: str,
        progress: Progress | None = None,
    ) -> Future[T]:
        """Do something in slices that no operation does, such as an import of a file that a person has named."""
        task = Task("door", what)

        def opened(sql: Sql, *, writes: bool) -> Tx:
            tx = self._own_tx(sql, task, workspace, caller, writes=writes)
            return tx if writes else self._shown(tx)

        return in_steps(steps(Slices(self._engine, self._around.keyring, workspace, opened, progress)))

    def _resolved(self, call: Call) -> tuple[Operation, Mapping[str, Any]]:
        if isinstance(call.operation, Operation):
            return call.operation, call.arguments
        return self.table.resolve(call.operation, call.arguments)

    def _own_tx(self, sql: Sql, task: Task, workspace: str, caller: Caller, *, writes: bool) -> Tx:
        return Tx(sql, self._around, task, workspace=workspace, caller=caller, writes=writes)

    def _tx(self, sql: Sql, operation: Operation, call: Call, *, writes: bool) -> Tx:
        return Tx(
            sql,
            self._around,
            operation.task,
            workspace=call.workspace,
            caller=call.caller,
            writes=writes,
            as_of=NOW if call.as_of is None else call.as_of,
            progress=call.progress,
            focus=call.focus,
            roots=call.roots,
        )

    def _shown(self, tx: Tx) -> Tx:
        """The transaction of a read, with nothing in sight that is still on its way in."""
        until = readable_until(tx.sql, tx.workspace, tx.views)
        return tx if until >= tx.as_of else tx.at(until)

    def _read(self, operation: Operation, arguments: Input, call: Call, sql: Sql) -> Answer:
        tx = self._shown(self._tx(sql, operation, call, writes=False))
        answer = _answer(tx, operation, arguments)
        self._note(tx, operation, None)
        return _landed(call, tx, self._shaping.shaped(operation, arguments, answer, tx.remarks, call.caller, call.form))

    def _note(self, tx: Tx, operation: Operation, before: int | None) -> None:
        """Keep in mind that the caller is answered; `before` is the last record before a write."""
        last = None if before is None else tx.ledger.last_seq_held()
        self._around.answered.note(tx.workspace, tx.caller.agent, operation.name, None if last == before else last)

    def _refuse(
        self, operation: Operation, given: Mapping[str, Any], call: Call, refused: ThoughtboxError, sql: Sql
    ) -> Never:
        """Refuse arguments. Who could not have made the call anyway is told of that first: it is the first to mend."""
        guard = operation.guard
        assert guard is not None
        try:
            guard.check(
                self._shown(self._tx(sql, operation, call, writes=False)), operation, read_as_far(operation, given)
            )
        except guard.errors as first:
            raise first from None
        except ThoughtboxError:
            raise refused from None
        raise refused

    def _write(self, operation: Operation, given: Mapping[str, Any], arguments: Input, call: Call, sql: Sql) -> Answer:
        tx = self._tx(sql, operation, call, writes=True)
        before = tx.ledger.last_seq_held()
        if call.key is None:
            answer = self._shaped_answer(operation, arguments, call, tx)
        else:
            run = partial(self._shaped_answer, operation, arguments, call)
            answer = answer_once(tx, self.table, call.key, given, run)
        self._note(tx, operation, before)
        return _landed(call, tx, answer)

    def _shaped_answer(self, operation: Operation, arguments: Input, call: Call, tx: Tx) -> Answer:
        return self._shaping.shaped(
            operation, arguments, _answer(tx, operation, arguments), tx.remarks, call.caller, call.form
        )

    def _recording_refusals(
        self, operation: Operation, call: Call, write: Callable[[Sql], Answer], *, here: bool
    ) -> Steps[Answer]:
        """Run a write; where it is refused with something to be kept, keep that once the call is undone."""

        def left(sql: Sql, refusal: RecordedRefusal) -> None:
            tx = self._tx(sql, operation, call, writes=True)
            tx.hold()
            refusal.leaves(tx)

        try:
            return (yield self._engine.write(call.workspace, write, here=here))
        except RecordedRefusal as refusal:
            yield self._engine.write(call.workspace, partial(left, refusal=refusal))
            raise

    def _in_steps(
        self, operation: Operation, given: Mapping[str, Any], arguments: Input, call: Call, *, here: bool
    ) -> Steps[Answer]:
        remarks: list[Any] = []

        def opened(sql: Sql, *, writes: bool) -> Tx:
            tx = self._tx(sql, operation, call._replace(focus=slices.focus), writes=writes)
            tx.remarks = remarks
            return tx if writes else self._shown(tx)

        place = operation.reserve(self.lasting, call.workspace, arguments) if operation.reserve is not None else None
        here_too = partial(self.submit, here=True)
        calling = CallsOfOne(here_too, self.table, self._around.settings, self.lasting, call, given)
        slices = Slices(
            *(self._engine, self._around.keyring, call.workspace, opened, call.progress),
            first_here=here,
            calling=calling,
            focus=call.focus,
            place=place,
        )
        try:
            answer = yield from in_slices(slices, operation, arguments)
        finally:
            if place is not None:
                place.release()
        if call.landing is not None:
            call.landing.focus = slices.focus
        self._around.answered.note(call.workspace, call.caller.agent, operation.name, None)
        return self._shaping.shaped(operation, arguments, answer, remarks, call.caller, call.form)

    def _run_within(self, tx: Tx, name: str, arguments: Mapping[str, Any]) -> Within:
        """Run an operation inside the transaction of another one; what fails leaves nothing."""
        operation, given = self.table.resolve(name, arguments)
        bound, _, form = bind(self.table, operation, given)
        must_be_for(operation, bound, tx.workspace)
        _check_part(tx, operation)
        outer = tx.task
        inner = tx.doing(Task(operation.room, operation.name, (*outer.via, outer.operation), operation.fresh))
        if not operation.writes:
            if tx.writes:
                catch_up_within(tx.sql, operation.fresh, tx.workspace, tx.ledger.last_seq())
            answer = _answer(inner, operation, bound)
            self._note(inner, operation, None)
        else:
            before = tx.ledger.last_seq_held()
            with tx.part():
                answer = _answer(inner, operation, bound)
            self._note(inner, operation, before)
        tx.focus = inner.focus
        return Within(
            in_form(answer, form),
            lambda: in_form(self._shaping.enveloped(operation, answer, inner.remarks, (), tx.caller), form),
            lambda: self._shaping.shaped(operation, bound, answer, inner.remarks, tx.caller, form),
        )


def _answer(tx: Tx, operation: Operation, arguments: Input) -> Answer:
    """What the operation answers, whole; its guard may refuse the call, or have a hint to go with the answer."""
    guard = operation.guard
    hint = guard.check(tx, operation, arguments) if guard is not None else None
    answer = operation.function(tx, arguments).answer()
    return answer if hint is None else {**answer, "hint": hint}


def _landed(call: Call, tx: Tx, answer: Answer) -> Answer:
    """Leave the focus where whoever waits for the answer finds it: a call that fails later has moved nothing."""
    if call.landing is not None:
        call.landing.focus = tx.focus
    return answer


def fault(error: BaseException) -> ThoughtboxError:
    """Any failure as the one error type; what is not ours to tell goes to the log under an id."""
    if isinstance(error, ThoughtboxError):
        return error
    incident = secrets.token_hex(6)
    logger.error("incident %s", incident, exc_info=error)
    return InternalError(
        "something went wrong inside Thoughtbox; nothing was written",
        recovery=f"Look for incident {incident} in the server's log.",
        details={"incident": incident},
    )


def _check_options(operation: Operation, call: Call) -> None:
    if call.as_of is not None:
        if operation.writes:
            raise InvalidOperation(f"{operation.name} writes; only reads can be made as of an earlier record")
        if call.as_of < 0:
            raise InvalidPayload(
                "as-of must be the number of a record, 0 or more", recovery="Send the number of a record, such as 17."
            )
    if call.key is not None and operation.works_in_steps and not operation.finishes:
        raise InvalidOperation(
            f"{operation.name} works in steps of its own, and takes no idempotency key",
            recovery="Send it without one.",
        )
    if call.key is not None and not 1 <= len(call.key) <= LONGEST_KEY:
        raise InvalidPayload(f"an idempotency key has 1 to {LONGEST_KEY} characters")


def _check_part(tx: Tx, operation: Operation) -> None:
    """Refuse what cannot be done inside another operation's transaction."""
    if operation.works_in_steps:
        raise InvalidOperation(
            f"{operation.name} works in steps of its own, and cannot be part of another call",
            recovery="Send it by itself.",
        )
    if operation.writes and not tx.writes:
        raise InvalidOperation(f"{tx.task.operation} only reads, and cannot call {operation.name}, which writes")
    if not tx.writes and not set(operation.fresh) <= set(tx.task.fresh):
        raise InvalidOperation(f"{operation.name} reads views that have not caught up for {tx.task.operation}")
    if len(tx.task.via) >= DEEPEST:
        raise InvalidOperation(f"operations call each other more than {DEEPEST} levels deep")
