"""What must hold of a sequential trace: every step says its number, the total and whether it goes on, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind.trace.steps import SEQUENTIAL_STEP, TraceStep, is_sequential, positive

MOST_CHECKED = 200
"""The newest sequential steps. Give one more, and it is known that there are more."""

_WRITE_AGAIN = "Append the thought again with trace_sequential_step, which asks for every field."


class TraceFault(NamedTuple):
    """An entry that breaks a rule."""

    code: str
    seq: int
    message: str
    recovery: str


class Validation(NamedTuple):
    """What was found among the entries that were looked at."""

    ok: bool
    checked: int
    has_more: bool
    errors: list[TraceFault]


def validate(entries: Sequence[TraceStep]) -> Validation:
    """Check the newest sequential steps among these entries, which may be in any order; errors in that of the trace."""
    steps = sorted((entry for entry in entries if entry.format == SEQUENTIAL_STEP), key=lambda entry: entry.seq)
    checked = steps[-MOST_CHECKED:]
    errors = sorted([*_incomplete(checked), *_backwards(checked)], key=lambda fault: fault.seq)
    return Validation(ok=not errors, checked=len(checked), has_more=len(steps) > len(checked), errors=errors)


def _incomplete(steps: Sequence[TraceStep]) -> Iterator[TraceFault]:
    for step in steps:
        for code, message in _lacking(step.meta):
            yield TraceFault(code, step.seq, message, _WRITE_AGAIN)


def _lacking(meta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not is_sequential(meta):
        yield "missing_meta", "the entry says nothing of its place in the sequence"
        return
    number, total = positive(meta.get("thoughtNumber")), positive(meta.get("totalThoughts"))
    if number is None:
        yield "invalid_thought_number", "thoughtNumber is not a whole number from 1 on"
    if total is None:
        yield "invalid_total_thoughts", "totalThoughts is not a whole number from 1 on"
    elif number is not None and total < number:
        yield "invalid_total_thoughts", f"totalThoughts is {total}, below thoughtNumber {number}"
    if not isinstance(meta.get("nextThoughtNeeded"), bool):
        yield "missing_next_thought_needed", "nextThoughtNeeded is neither true nor false"
    if meta.get("isRevision") is True and positive(meta.get("revisesThought")) is None:
        yield "invalid_revises_thought", "isRevision is true, and revisesThought is not a whole number from 1 on"


def _backwards(steps: Sequence[TraceStep]) -> Iterator[TraceFault]:
    """On one line of thought, numbers do not fall while it goes on. Revisions and new lines may start anywhere."""
    reached: dict[str, int] = {}
    for step in steps:
        meta = step.meta
        line, number = str(meta.get("branchId") or "").strip(), positive(meta.get("thoughtNumber"))
        if number is None:
            continue
        begins = meta.get("branchFromThought") is not None
        before = reached.get(line, 0)
        if number < before and not begins and meta.get("isRevision") is not True:
            yield TraceFault(
                "thought_out_of_order",
                step.seq,
                f"thought {number} follows thought {before} of the same line",
                f"Go on with thought {before + 1}; a thought taken up again says isRevision and revisesThought, "
                "another line says branchFromThought and branchId.",
            )
        if meta.get("nextThoughtNeeded") is False:
            reached.pop(line, None)
        else:
            reached[line] = number if begins else max(before, number)
