"""How an operation that works in slices calls others, and is itself called once under its key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from thoughtbox.operations.caller import Focus, Landing
from thoughtbox.operations.forms import JSON
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.repetition import RECORDS_BEFORE, answer_once, repeated
from thoughtbox.operations.steps import Answered
from thoughtbox.operations.table import Table
from thoughtbox.operations.tx import Answer, Progress, Tx

if TYPE_CHECKING:
    from thoughtbox.operations.dispatch import Call


class CallsOfOne:
    """The calls that one call makes: in its workspace, on behalf of its caller."""

    def __init__(
        self,
        submit: Callable[[Call], Future[Answer]],
        table: Table,
        settings: Mapping[str, Any],
        lasting: Lasting,
        call: Call,
        given: Mapping[str, Any],
    ) -> None:
        """`given` are the arguments of the call itself."""
        self._submit = submit
        self._table = table
        self._of = call
        self._given = given
        self.settings = settings
        self.lasting = lasting
        self.key_records = RECORDS_BEFORE if call.key is not None else 0
        self.is_patient = call.is_patient
        self.form = call.form

    def call(
        self, name: str, arguments: Mapping[str, Any], *, as_of: int, focus: Focus, progress: Progress | None
    ) -> Future[Answered]:
        landing = Landing()
        called = self._of._replace(
            operation=name,
            arguments=arguments,
            key=None,
            as_of=as_of,
            progress=progress,
            focus=focus,
            landing=landing,
            form=JSON,  # unless its own arguments say otherwise
        )
        told: Future[Answered] = Future()
        submitted = self._submit(called)

        def tell(done: Future[Answer]) -> None:
            if done.cancelled():
                told.cancel()
            elif not told.set_running_or_notify_cancel():
                return
            elif (error := done.exception()) is not None:
                told.set_exception(error)
            else:
                told.set_result(Answered(done.result(), landing.focus or focus))

        told.add_done_callback(lambda _: submitted.cancel())
        submitted.add_done_callback(tell)
        return told

    def repeated(self, tx: Tx) -> Answer | None:
        key = self._of.key
        return repeated(tx, self._table, key, self._given) if key is not None else None

    def once(self, tx: Tx, work: Callable[[Tx], Answer]) -> Answer:
        key = self._of.key
        return work(tx) if key is None else answer_once(tx, self._table, key, self._given, work)
