"""What becomes of an answer before it goes out: its budget, its room's envelope, its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from thoughtbox.operations.arguments import wire_name
from thoughtbox.operations.budget import SMALLEST, Fitted, fit, is_whole
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.forms import JSON, Form, beyond, in_form
from thoughtbox.operations.models import Input, has_field
from thoughtbox.operations.operation import Operation, Outside
from thoughtbox.operations.tx import Answer
from thoughtbox.world import World


class Shaping:
    """Shapes the answers of one dispatcher."""

    def __init__(self, world: World) -> None:
        self._world = world

    def shaped(
        self,
        operation: Operation,
        arguments: Input,
        answer: Answer,
        remarks: Sequence[Any],
        caller: Caller,
        form: Form,
    ) -> Answer:
        """The answer as it goes out: within its budget, in its room's envelope, and in the form that was asked for."""
        # Not by `getattr`: of a model without it, that takes as long as all of the rest.
        max_chars: int | None = arguments.__dict__.get("max_chars")
        if form == JSON:
            return self._plain(operation, arguments, answer, remarks, caller, max_chars)
        plain = partial(self._plain, operation, arguments, answer, remarks, caller)
        message = in_form(plain(max_chars), form)
        if max_chars is None or operation.envelope is not None or (over := beyond(message, max_chars)) <= 0:
            return message
        return in_form(plain(max(max_chars - over, SMALLEST)), form)

    def enveloped(
        self,
        operation: Operation,
        answer: Answer,
        remarks: Sequence[Any],
        warnings: Sequence[Mapping[str, str]],
        caller: Caller,
    ) -> Answer:
        """The answer in its room's envelope, where it has one."""
        envelope = operation.envelope
        if envelope is None:
            return answer
        outside = Outside(self._world.now_ms(), caller.toolset)
        return envelope.answered(operation, answer, remarks, warnings, outside)

    def _plain(
        self,
        operation: Operation,
        arguments: Input,
        answer: Answer,
        remarks: Sequence[Any],
        caller: Caller,
        max_chars: int | None,
    ) -> Answer:
        is_short = max_chars is None and is_whole(answer, operation.shape.ceiling)
        fitted, warnings = (answer, []) if is_short else _within_budget(answer, max_chars, arguments, operation)
        if operation.envelope is not None:
            return self.enveloped(operation, fitted, remarks, warnings, caller)
        return {**fitted, "budget": {**fitted["budget"], "warnings": warnings}} if warnings else fitted


def _within_budget(answer: Answer, max_chars: int | None, arguments: Input, operation: Operation) -> Fitted:
    """The answer cut to its budget, and what there is to say of that; the `budget` block does not count."""
    shape = operation.shape
    fitted, warnings = fit(
        answer,
        max_chars,
        ceiling=shape.ceiling,
        keep=shape.keep,
        newest_first=shape.newest_first,
        pages=[pages._replace(begin=getattr(arguments, pages.argument, None)) for pages in shape.pages],
    )
    if not warnings:
        return Fitted(fitted, warnings)
    if has_field(operation.input, "max_chars"):
        # A way out that can be sent as it stands: under the name that the argument has on this room's wire.
        spelled = getattr(arguments, "budget_name", None) or wire_name(operation.input, "max_chars")
        warnings = [{name: text.replace("max_chars", spelled) for name, text in one.items()} for one in warnings]
    else:
        warnings = [{**one, "recovery": "Read it in parts, from one of the ids that are shown."} for one in warnings]
    return Fitted(fitted, warnings)
