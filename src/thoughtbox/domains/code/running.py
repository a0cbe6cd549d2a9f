"""A snippet from its first line to its records: all of them in one transaction, or none.

It begins without one. What it reads is read as of one moment, and records of its builders are only queued, so nobody
waits while it computes. The transaction begins with the first operation that writes, or that must see what was queued,
and at the latest when the snippet has ended. If something else was written to the workspace since the moment that was
read, nothing is written, and the snippet is run again; the last time it holds the workspace from its start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from thoughtbox.domains.code import asked, records
from thoughtbox.domains.code.authoring import MODELS, append
from thoughtbox.domains.code.snippets import tell_more
from thoughtbox.domains.code.standing import pinned, session_for, session_of, unpinned
from thoughtbox.errors import (
    CallError,
    LedgerError,
    LimitExceeded,
    RecordedRefusal,
    SnippetError,
    SnippetFailed,
    StorageError,
    ThoughtboxError,
)
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Answered, Focus, Slices, Tx
from thoughtbox.sandbox.exceeded import exceeded
from thoughtbox.sandbox.protocol import BASE, Asked, Built, Ended, Limits, Reply, Run, Snippet
from thoughtbox.sandbox.sandboxes import Sandboxes

FREE_ATTEMPTS: Final = 2
"""How often a snippet is run without holding the workspace; it then is run once more, and holds it."""

Answer = dict[str, Any]


class Changed(Exception):
    """Something was written behind what the snippet has read."""


class Written(NamedTuple):
    """What a snippet has come to, and the records that it wrote."""

    ended: Ended
    records: list[Record]
    session: str


class Execution:
    """One snippet's way. It is run in a thread of its own, and may be stopped from any other."""

    def __init__(
        self,
        slices: Slices,
        sandboxes: Sandboxes,
        snippet: Snippet,
        limits: Limits,
        *,
        session: str | None,
        answer_of: Callable[[Written], Answer],
    ) -> None:
        """`answer_of` makes the answer of what was written."""
        self._answer_of = answer_of
        self._slices = slices
        self._sandboxes = sandboxes
        self._snippet = snippet
        self._limits = limits
        self._session = session
        self._run: Run | None = None
        self._waits_for: Future[Answered] | None = None
        """An operation that has not answered yet."""
        self._until: float | None = None
        """When its time is up; None before it has begun."""
        self._is_stopped = False
        self._raised: list[ThoughtboxError] = []
        """What operations have refused, for the one that the snippet did not catch."""
        self._refusals: list[RecordedRefusal] = []
        self._reported = 0

    def run(self) -> Answer:
        """Run it to its end; what goes wrong is written down, and raised."""
        answered = self._slices.repeated().result() or self._noted()
        self._slices.focus = answered.focus
        return answered.answer

    def stop(self) -> None:
        """End it: nobody waits for it any more."""
        self._is_stopped = True
        if (run := self._run) is not None:
            run.close()
        if (waits_for := self._waits_for) is not None:
            waits_for.cancel()

    def _noted(self) -> Answered:
        """What it has come to; if that is an error, it stands in the ledger."""
        try:
            return self._attempted()
        except StorageError:
            raise
        except Exception as error:
            if self._is_stopped:
                meant = _given_up()
            elif isinstance(error, ThoughtboxError):
                meant = self._meant(error)
            else:
                raise
            self._slices.write(lambda tx: self._note(tx, meant), here=True).result()
            tell_more(meant, self._run.logs if self._run is not None else ())
            raise meant from error

    def _attempted(self) -> Answered:
        for _ in range(FREE_ATTEMPTS):
            try:
                return self._free()
            except Changed:
                continue
        with closing(self._begun()) as run:
            return self._finished(lambda tx: self._held(tx, run))

    def _begun(self) -> Run:
        """A run from the beginning: nothing of an earlier one counts."""
        self._must_have_time()
        self._raised, self._refusals = [], []
        run = self._run = self._sandboxes.run(self._snippet, self._limits)
        if self._until is None:  # the wait for a sandbox is not its time
            self._until = time.monotonic() + self._limits.wall_ms / 1000
        run.end_by(self._until, exceeded("wall", self._limits))
        if self._is_stopped:
            run.close()
        return run

    def _free(self) -> Answered:
        """Run it as far as it goes without the workspace, and write what it has come to."""
        moment = _Moment(self._slices, self._session)
        queued: list[Built] = []
        with closing(self._begun()) as run:
            step = run.start(moment.base)
            while isinstance(step, Asked):
                queued += step.queued
                if step.name != BASE and (queued or asked.must_be_written(step.name, step.arguments)):
                    return self._finished(
                        partial(self._go_on, run=run, step=step._replace(queued=queued), moment=moment), moment.focus
                    )
                reply = Reply(base=moment.base + len(queued)) if step.name == BASE else self._read(step, moment)
                step = run.resume(reply)
            last = step._replace(queued=[*queued, *step.queued])
            return self._finished(partial(self._go_on, run=run, step=last, moment=moment), moment.focus)

    def _finished(self, work: Callable[[Tx], Written], focus: Focus | None = None) -> Answered:
        """Do what it writes, once, from where its reads have left the caller."""

        def finish(tx: Tx) -> Answer:
            tx.focus = focus or tx.focus
            return self._answer_of(work(tx))

        return self._slices.finish(finish, here=True).result()

    def _held(self, tx: Tx, run: Run) -> Written:
        return self._within(tx, run, run.start)

    def _go_on(self, tx: Tx, run: Run, step: Asked | Ended, moment: _Moment) -> Written:
        before = tx.ledger.last_seq_held() - self._slices.calling.key_records
        if (moment.was_read or step.queued) and moment.seq_now() != before:
            raise Changed
        return self._within(tx, run, lambda _: step)

    def _within(self, tx: Tx, run: Run, first: Callable[[int], Asked | Ended]) -> Written:
        """All that the snippet writes, between the records of its call and of its end; `first` is given the base."""
        run.end_by(time.monotonic() + self._limits.held_ms / 1000, exceeded("held", self._limits))
        is_new = session_of(tx.focus, self._session) is None
        session = session_for(tx, self._session)
        tx.focus = pinned(tx.focus, session, is_new=is_new)
        call = tx.append(
            records.called(session, self._snippet.code, self._snippet.language), stream=records.stream_of(session)
        )
        written: list[Record] = []
        step = first(tx.ledger.last_seq_held() + 1)
        while isinstance(step, Asked):
            self._write(tx, step.queued, written)
            reply = self._answered(tx, step, written) if step.name != BASE else Reply()
            step = run.resume(reply._replace(base=tx.ledger.last_seq_held() + 1))
        self._write(tx, step.queued, written)
        tx.append(
            records.ended(session, call, said=_counted(written), records=len(written)),
            stream=records.stream_of(session),
        )
        tx.focus = unpinned(tx.focus)
        return Written(step, written, session)

    def _write(self, tx: Tx, queued: Sequence[Built], written: list[Record]) -> None:
        """Write what builders have queued; the records say the same of their source as if they had been asked for."""
        session = session_for(tx, self._session)
        around = (*tx.task.via, tx.task.operation)
        kinds = {kind for kind, _, _ in queued}
        builders = {kind: tx.doing(tx.task._replace(operation=kind, via=around)) for kind in kinds}
        for kind, text, options in queued:
            try:
                call = MODELS[kind].model_validate({"text": text, **options}, by_alias=True, by_name=False)
            except ValidationError:
                raise _tampered(kind) from None
            written.append(append(builders[kind], call, call.session or session))

    def _answered(self, tx: Tx, step: Asked, written: list[Record]) -> Reply:
        """What an operation answers inside the transaction; what it refuses, the snippet may catch."""
        before = tx.ledger.last_seq_held()
        try:
            answer = tx.call_shaped(asked.done_within(step.name, step.arguments), step.arguments)
        except RecordedRefusal as refusal:
            self._refusals.append(refusal)
            refusal.leaves(tx)
            return self._refused(refusal)
        except (CallError, LedgerError) as error:
            return self._refused(error)
        finally:
            if (last := tx.ledger.last_seq_held()) > before:
                written += tx.ledger.records(range(before + 1, last + 1))
        return Reply(answer)

    def _read(self, step: Asked, moment: _Moment) -> Reply:
        """What an operation answers that only reads, as of the moment of the first one."""
        try:
            moment.was_read = True
            seq, focus = moment.seq_now(), moment.focus
            name = asked.read_alone(step.name, step.arguments)
            answered = self._awaited(
                self._slices.calling.call(name, step.arguments, as_of=seq, focus=focus, progress=self._progress())
            )
        except LimitExceeded:
            raise
        except (CallError, LedgerError) as error:
            return self._refused(error)._replace(base=moment.base)
        moment.focus = answered.focus
        return Reply(answered.answer, base=moment.base)

    def _awaited(self, answer: Future[Answered]) -> Answered:
        """What an operation answers, as long as there is time; one that is not waited for any longer is taken back."""
        self._waits_for = answer
        if self._is_stopped:
            answer.cancel()
        try:
            return answer.result(self._seconds_left())
        except TimeoutError:
            if answer.done():  # that was its own
                raise
            answer.cancel()
            raise exceeded("wall", self._limits) from None
        finally:
            self._waits_for = None

    def _must_have_time(self) -> None:
        if self._seconds_left() <= 0:
            raise exceeded("wall", self._limits)

    def _seconds_left(self) -> float:
        if self._until is None:
            return self._limits.wall_ms / 1000
        return max(0.0, self._until - time.monotonic())

    def _progress(self) -> Any:
        """Passes on how far an operation has come that the snippet waits for, behind those before it."""
        before = self._reported

        def report(done: int, total: int) -> None:
            self._must_have_time()
            if before + done > self._reported:
                self._reported = before + done
                self._slices.report(before + done, before + total)

        return report

    def _refused(self, error: ThoughtboxError) -> Reply:
        self._raised.append(error)
        return Reply(error=error.payload())

    def _meant(self, error: ThoughtboxError) -> ThoughtboxError:
        """An error of the snippet as its caller is told of it: of one that an operation raised, that operation's."""
        if not isinstance(error, SnippetError):
            return error
        raised = error.details.get("error") if isinstance(error, SnippetFailed) else None
        found = next((each for each in reversed(self._raised) if each.payload() == raised), None)
        if found is None:
            return error
        line = error.details.get("line")
        where = f" (line {line} of the snippet)" if line is not None else ""
        found.message = f"{found.message.rstrip('.')}{where}; nothing of the snippet was written"
        if line is not None:
            found.details = {**found.details, "line": line}
        return found

    def _note(self, tx: Tx, error: ThoughtboxError) -> None:
        """Write down that a snippet was run, and why nothing came of it."""
        session = session_for(tx, self._session)
        stream = records.stream_of(session)
        call = tx.append(records.called(session, self._snippet.code, self._snippet.language), stream=stream)
        for refusal in self._refusals:
            refusal.leaves(tx)
        said = {"code": error.code, "message": error.message}
        tx.append(records.ended(session, call, said=str(error), error=said), stream=stream)


class _Moment:
    """What a snippet reads as of, and where its caller stands by then."""

    def __init__(self, slices: Slices, session: str | None) -> None:
        self._slices = slices
        self._seq: int | None = None
        """The newest record then; None while nobody has asked for it."""
        self.was_read = False
        """Whether anything was read as of it."""
        self.focus = pinned(slices.focus, session_of(slices.focus, session))

    def seq_now(self) -> int:
        if self._seq is None:
            self._seq = self._slices.read(lambda tx: tx.ledger.last_seq(), here=True).result()
        return self._seq

    @property
    def base(self) -> int:
        """The number of the first record that a builder writes: behind the key's, and that of the call."""
        return self.seq_now() + self._slices.calling.key_records + 2


def _counted(written: Sequence[Record]) -> str:
    kinds: dict[str, int] = {}
    for record in written:
        kinds[record.kind] = kinds.get(record.kind, 0) + 1
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "nothing written"


def _tampered(kind: str) -> SnippetFailed:
    """What is queued was plainly right inside the sandbox, unless somebody has changed what that means."""
    return SnippetFailed(
        f"tb.{kind} was given what it does not take, and did not say so",
        recovery="Leave the functions below tb and those of the language as they are.",
    )


def _given_up() -> SnippetFailed:
    return SnippetFailed("whoever sent the snippet has given it up before its end; nothing of it was written")
