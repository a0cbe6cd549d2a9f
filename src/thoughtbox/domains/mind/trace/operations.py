"""The verbs of traces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.entries import opened, shown
from thoughtbox.domains.mind.pages import PageShown, page_of, steps_in
from thoughtbox.domains.mind.paging import pages_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope, scope_of
from thoughtbox.domains.mind.trace.lint import lint
from thoughtbox.domains.mind.trace.models import (
    AppendSequentialStep,
    AppendStep,
    Hydrate,
    StepAppended,
    TraceValidated,
    ValidateTrace,
    shown_fault,
)
from thoughtbox.domains.mind.trace.steps import SEQUENTIAL_STEP, STEP
from thoughtbox.domains.mind.trace.validation import MOST_CHECKED, validate
from thoughtbox.domains.mind.view.documents import Documents, Narrowed
from thoughtbox.errors import UnknownId
from thoughtbox.ledger.record import present
from thoughtbox.operations import Example, Tx

_FIRST = {"thought": "Measure before guessing.", "thoughtNumber": 1, "totalThoughts": 3, "nextThoughtNeeded": True}


@room.operation(
    "trace_step",
    writes=True,
    title="Append a step to a trace",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"step": "Ran the load test twice.", "message": "Load test"}),
)
def trace_step(tx: Tx, call: AppendStep) -> StepAppended:
    """Append a step to the trace of a plan or task, or to a trace on a branch.

    With thoughtNumber, branchFromThought and the like in meta it takes its place in the sequential graph.
    """
    own = present(
        {
            "mode": call.mode,
            "supports": call.supports,
            "blocks": call.blocks,
            "base": call.base,
            "checkpoint_every": call.checkpoint_every,
        }
    )
    meta = {**(call.meta or {}), **own}
    tx.remarks += lint(meta)
    scope = scope_of(tx, target=call.target, branch=call.ref, trace=call.doc, named="ref")
    return _appended(tx, scope, call.step, STEP, call.message, meta)


@room.operation(
    "trace_sequential_step",
    writes=True,
    title="Append a numbered thought to a trace",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(_FIRST),
)
def trace_sequential_step(tx: Tx, call: AppendSequentialStep) -> StepAppended:
    """Append a numbered thought to a trace; it may revise an earlier one, or branch off one."""
    if call.total_thoughts < call.thought_number:
        raise invalid(
            f"`totalThoughts` is {call.total_thoughts}, and this is thought {call.thought_number}",
            recovery=f"Send totalThoughts={call.thought_number} or more.",
            field="totalThoughts",
        )
    if call.is_revision and call.revises_thought is None:
        raise invalid(
            "`isRevision` is true, and `revisesThought` does not say which thought is revised",
            recovery="Send revisesThought, or leave out isRevision.",
            field="revisesThought",
            hints=[{"kind": "missing_required", "field": "revisesThought"}],
        )
    meta = {**(call.meta or {}), **call.numbered()}
    scope = scope_of(tx, target=call.target, branch=call.ref, trace=call.doc, named="ref")
    return _appended(tx, scope, call.thought, SEQUENTIAL_STEP, call.message, meta)


@room.operation(
    "trace_hydrate",
    title="Read a trace to go on with it",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    pages=pages_of("entries"),
    example=Example({"limit": 10}, given=[("trace_sequential_step", _FIRST)]),
)
def trace_hydrate(tx: Tx, call: Hydrate) -> PageShown:
    """The newest entries of a trace, with the graph that their numbers make."""
    scope = scope_of(tx, target=call.target, branch=call.ref, trace=call.doc, named="ref")
    return page_of(tx, scope.branch, scope.trace, cursor=call.cursor, limit=call.limit)


@room.operation(
    "trace_validate",
    title="Check the numbers of a trace",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({}, given=[("trace_sequential_step", _FIRST)]),
)
def trace_validate(tx: Tx, call: ValidateTrace) -> TraceValidated:
    """Whether the newest numbered thoughts of a trace are complete and in order; what is not, and how to mend it."""
    scope = scope_of(tx, target=call.target, branch=call.ref, trace=call.doc, named="ref")
    found = tx.ask(Documents).entries(
        scope.branch, scope.trace, before=None, limit=MOST_CHECKED + 1, narrowed=Narrowed(format=SEQUENTIAL_STEP)
    )
    validation = validate(steps_in(opened(tx, found)))
    return TraceValidated(
        branch=scope.branch.name,
        doc=scope.trace,
        ok=validation.ok,
        checked=validation.checked,
        has_more=validation.has_more,
        errors=[shown_fault(fault, scope.trace) for fault in validation.errors],
    )


def _appended(
    tx: Tx, scope: Scope, content: str, format: str, title: str | None, meta: Mapping[str, Any]
) -> StepAppended:
    record = records.write_note(
        tx,
        scope.branch.id,
        scope.branch.name,
        scope.trace,
        content,
        doc_kind="trace",
        title=title,
        format=format,
        meta=meta,
    )
    entry = shown(record, scope.trace, {scope.branch.id: scope.branch.name})
    return StepAppended(entry=entry, trace_ref=f"{scope.trace}@{record.seq}")
