"""The record that a thought becomes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.cipher.meaning import Meaning, meaning, prose_meaning
from thoughtbox.domains.thoughts.cipher.notation import parse, thoughts_in
from thoughtbox.domains.thoughts.model.thought import TOPIC, stream_of
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.think.placement import Placement, place
from thoughtbox.domains.thoughts.think.references import References
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.links import REVISES
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.record import Draft, Kind, Record, present, record_id
from thoughtbox.operations import Tx

MOST_NOTES = 3

_ADOPTING = frozenset({"derived_from", "refines", "answers"})
"""How a decision refers to a thought of a branch that it adopts."""

MOST_LINES = 100
"""Lines of cipher in one call."""


class Recording(NamedTuple):
    """A thought as a record, and how it was read."""

    draft: Draft
    reading: str
    label: int | None
    """The number that its line of cipher gives it, where that is not its own."""


class Recorded(NamedTuple):
    """A thought that was recorded, and how it was read."""

    record: Record
    reading: str


def record_thoughts(tx: Tx, numbers: Numbers, session_id: str, call: Think) -> list[Recorded]:
    """Record what a call says: each line of cipher is a thought of its own."""
    beside: dict[int, Node] = {}
    recorded: list[Recorded] = []
    for one in _each_line(call):
        placed = place(numbers, session_id, one)
        drafted, reading, label = recording(numbers, session_id, one, placed, at=one.timestamp, beside=beside)
        record = tx.append(drafted, stream=stream_of(session_id))
        if label is not None:
            beside[label] = Node(placed.branch, placed.number, record.seq, record.kind)
        recorded.append(Recorded(record, reading))
    return recorded


_NOT_FIRST = {
    "is_revision": False,
    "revises_thought": None,
    "branch_from_thought": None,
    "branch_from_branch": None,
}
_NOT_LAST = {"next_thought_needed": True, "critique": False, "action_id": None}


def _each_line(call: Think) -> list[Think]:
    """A call for each thought that the text holds. What is said of the call as a whole holds for its first or last."""
    texts = thoughts_in(call.thought)
    if len(texts) == 1:
        return [call]
    if len(texts) > MOST_LINES:
        raise InvalidPayload(
            f"there are {len(texts)} lines of cipher in one call; {MOST_LINES} are the most",
            recovery="Send them in several calls.",
            details={"fields": ["thought"]},
        )
    calls: list[Think] = []
    for place_in_call, text in enumerate(texts):
        changed: dict[str, Any] = {"thought": text}
        if place_in_call > 0:
            changed |= _NOT_FIRST
            if call.thought_number is not None:
                changed["thought_number"] = call.thought_number + place_in_call
        if place_in_call < len(texts) - 1:
            changed |= _NOT_LAST
        calls.append(call.model_copy(update=changed))
    return calls


def recording(
    numbers: Numbers,
    session_id: str,
    call: Think,
    placed: Placement,
    *,
    beside: Mapping[int, Node] | None = None,
    at: str | None = None,
) -> Recording:
    """The thought as a record.

    `beside` are the thoughts of the same call, by the numbers that they were written with. A thought that comes from
    elsewhere brings the time `at` which it was thought.
    """
    cipher = parse(call.thought)
    step = next(iter(cipher.steps), None)
    references = References(numbers, placed, beside or {})
    meant = meaning(step, references) if step is not None else prose_meaning(call.thought, references)
    kind, attrs = _kind_of(meant, placed.revises)
    revises = placed.revises or (references.node(attrs["replacesId"]) if kind == "revision" else None)
    if call.is_revision and revises is None:
        raise InvalidPayload(
            "a revision says what it revises: revisesThought is missing",
            recovery="Send revisesThought, or leave isRevision out.",
            details={"fields": ["revisesThought"]},
        )
    label = step.number if step is not None and step.number != placed.number else None
    adopts, rejects = _settled(numbers, meant, placed)
    given: dict[str, Any] = {
        "thoughtNumber": placed.number,
        "totalThoughts": placed.total,
        "nextThoughtNeeded": call.next_thought_needed,
        "isRevision": revises is not None or None,
        "revisesThought": revises.number if revises else None,
        "branchFromThought": placed.origin.number if placed.origin and placed.line is None else None,
        "branchId": placed.branch or None,
        "needsMoreThoughts": call.needs_more_thoughts or None,
        "critique": call.critique or None,
        "actionId": call.action_id,
        "prev": record_id(placed.prev) if placed.prev else None,
        "origin": record_id(placed.origin.seq) if placed.origin else None,
        "revises": record_id(revises.seq) if revises else None,
        "timestamp": at,
        "label": label,
        "notes": [*meant.notes, *cipher.notes[:MOST_NOTES], *_notes_of(numbers, placed, label)] or None,
        "adopts": adopts or None,
        "rejects": rejects or None,
    }
    drafted = Draft(
        kind=kind,
        topic=TOPIC,
        text=call.thought,
        session=session_id,
        branch=placed.branch or "main",
        attrs=attrs,
        data=present(given),
        confidence=meant.confidence,
        cipher=call.thought if step is not None else None,
        labels=meant.labels,
    )
    return Recording(drafted, _reading(meant, revises, adopts, rejects), label)


def _kind_of(meant: Meaning, asked: Node | None) -> tuple[Kind, dict[str, Any]]:
    """What a thought is, and its attributes.

    One that the call calls a revision is one, unless its text says that it is a decision, which then takes the place
    of another thought, or that it rejects that very thought.
    """
    if asked is None or meant.attrs.get("replacesId") == record_id(asked.seq):
        return meant.kind, meant.attrs
    replaced = {"type": REVISES, "to": record_id(asked.seq)}
    others = [relation for relation in meant.attrs.get("relations", []) if relation["to"] != replaced["to"]]
    relations = [replaced, *others]
    if meant.kind == "decision":
        return meant.kind, {**meant.attrs, "relations": relations}
    return "revision", {"replacesId": record_id(asked.seq), "relations": relations}


def _settled(numbers: Numbers, meant: Meaning, placed: Placement) -> tuple[list[str], list[str]]:
    """The branches that a thought adopts and those that it rejects, by naming a thought of theirs.

    It does so from the main line, or from the line that the branch forked from: whoever stands on the branch itself
    goes on with it.
    """
    adopted, rejected = dict[str, None](), dict[str, None]()
    for how, target in meant.targets:
        if not target.branch or not _may_settle(numbers, placed, target.branch):
            continue
        if meant.kind == "decision" and how in _ADOPTING:
            adopted[target.branch] = None
        if meant.kind == "revision" and "rejected" in meant.labels and how == "contradicts":
            rejected[target.branch] = None
    return list(adopted), list(rejected)


def _may_settle(numbers: Numbers, placed: Placement, branch: str) -> bool:
    if placed.branch == MAIN:
        return True
    line = numbers.line(branch)
    return line is not None and line.parent == placed.branch


def _notes_of(numbers: Numbers, placed: Placement, label: int | None) -> list[str]:
    if label is None:
        return []
    taken = f", S{label} is another one" if numbers.has(placed.branch, label) else ""
    return [f"Written as S{label}, it is thought {placed.number}{taken}: refer to it as S{placed.number}."]


def _reading(meant: Meaning, revises: Node | None, adopts: list[str], rejects: list[str]) -> str:
    parts = [meant.reading] if meant.reading else []
    if revises is not None and not any(how in ("revises", "contradicts") for how, _ in meant.targets):
        parts.append(f"revises {revises.branch + ':' if revises.branch else ''}S{revises.number}")
    parts += [f"adopts branch {name}" for name in adopts] + [f"rejects branch {name}" for name in rejects]
    return "; ".join(parts)
