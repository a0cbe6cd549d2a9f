"""Where a thought goes, and the record that it becomes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from thoughtbox.domains.thoughts.arguments import HIGHEST_NUMBER
from thoughtbox.domains.thoughts.cipher.meaning import Meaning, Target, meaning_of
from thoughtbox.domains.thoughts.cipher.notation import parse
from thoughtbox.domains.thoughts.model.thought import TOPIC
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.records import thoughts_at
from thoughtbox.domains.thoughts.think.models import Think
from thoughtbox.domains.thoughts.view.lines import MAIN, Line, Node
from thoughtbox.domains.thoughts.view.links import REVISES
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.record import Draft, Kind, present, record_id, seq_of
from thoughtbox.operations import Tx

MOST_NOTES = 3


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a thought goes."""

    branch: str
    line: Line | None
    number: int
    total: int
    prev: int | None
    origin: Node | None
    revises: Node | None = None

    @property
    def seen_from(self) -> str:
        """The line on which a number that it names is looked for first: its own, or the one that it forks from."""
        return self.origin.branch if self.line is None and self.origin is not None else self.branch


def place(numbers: Numbers, session_id: str, call: Think) -> Placement:
    """The line, the number and the links of a thought; refuses what cannot be placed."""
    branch = call.branch_id or MAIN
    if branch == MAIN and (call.branch_from_thought is not None or call.branch_from_branch is not None):
        raise InvalidPayload(
            "a branch needs a name: branchId is missing",
            recovery="Send branchId: letters a-z, digits and -.",
            details={"fields": ["branchId"]},
        )
    line = numbers.line(branch)
    origin = _origin(numbers, call, branch, line)
    number = call.thought_number or (line.highest_number if line else origin.number if origin else 0) + 1
    if number > HIGHEST_NUMBER:
        raise InvalidPayload(
            f"the next thought would be number {number}, and there is none above {HIGHEST_NUMBER}",
            recovery="Send a thoughtNumber that is free.",
            details={"fields": ["thoughtNumber"]},
        )
    if line is not None and call.thought_number is not None and numbers.has(branch, number):
        free = line.highest_number + 1
        raise InvalidPayload(
            f"thought {number} is already there{f' on branch `{branch}`' if branch else ''}; none is overwritten",
            recovery=f"Send thoughtNumber {free}, or leave it out; to put it right, send revisesThought {number}.",
            details={"fields": ["thoughtNumber"], "nextFree": free},
        )
    placed = Placement(
        branch=branch,
        line=line,
        number=number,
        total=max(number, call.total_thoughts or (line.last_total if line else 1)),
        prev=line.last_seq if line else origin.seq if origin else None,
        origin=origin,
    )
    if call.revises_thought is None:
        return placed
    return replace(placed, revises=numbers.target(placed.seen_from, call.revises_thought, "revisesThought"))


def _origin(numbers: Numbers, call: Think, branch: str, line: Line | None) -> Node | None:
    """The fork point of the branch that the thought stands on; None on the main line."""
    if branch == MAIN:
        return None
    if line is None:
        if call.branch_from_thought is None:
            raise InvalidPayload(
                f"there is no branch `{branch}` yet: its first thought needs branchFromThought",
                recovery="Send branchFromThought, the number of the thought it forks from.",
                details={"fields": ["branchFromThought"]},
            )
        return numbers.fork_point(call.branch_from_thought, call.branch_from_branch)
    if call.branch_from_thought not in (None, line.origin_number):
        raise InvalidPayload(
            f"branch `{branch}` forks from thought {line.origin_number}, not from {call.branch_from_thought}",
            recovery="Leave branchFromThought out, or choose another branchId for a new branch.",
            details={"fields": ["branchFromThought"]},
        )
    if call.branch_from_branch not in (None, line.parent or None):
        raise InvalidPayload(
            f"branch `{branch}` forks from {f'branch `{line.parent}`' if line.parent else 'the main line'},"
            f" not from branch `{call.branch_from_branch}`",
            recovery="Leave branchFromBranch out, or choose another branchId for a new branch.",
            details={"fields": ["branchFromBranch"]},
        )
    if line.origin is None or line.origin_number is None:
        return None  # it came from files that did not say where it forked
    return Node(line.parent or MAIN, line.origin_number, line.origin, "")


def draft(tx: Tx, numbers: Numbers, session_id: str, call: Think, placed: Placement, *, at: str | None = None) -> Draft:
    """The thought as a record; one that comes from elsewhere brings the time `at` which it was thought."""
    cipher = parse(call.thought)
    meaning = meaning_of(cipher, lambda number: _referred(tx, numbers, placed.seen_from, number))
    revises = placed.revises
    kind, attrs = _kind_of(meaning, revises)
    if revises is None and meaning is not None and meaning.kind == "revision":
        revises = _node_of(tx, meaning.attrs["replacesId"])
    if call.is_revision and revises is None:
        raise InvalidPayload(
            "a revision says what it revises: revisesThought is missing",
            recovery="Send revisesThought, or leave isRevision out.",
            details={"fields": ["revisesThought"]},
        )
    written_as = cipher.steps[0].number if cipher.steps else placed.number
    label = written_as if written_as != placed.number else None
    notes = list(meaning.notes if meaning else cipher.notes[:MOST_NOTES])
    if label is not None:
        notes.append(f"Written as S{label}, it is thought {placed.number}; S{label} means it from here on.")
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
        "notes": notes or None,
    }
    return Draft(
        kind=kind,
        topic=TOPIC,
        text=call.thought,
        session=session_id,
        branch=placed.branch or "main",
        attrs=attrs,
        data=present(given),
        confidence=meaning.confidence if meaning else None,
        cipher=call.thought if meaning else None,
        labels=meaning.labels if meaning else (),
    )


def _kind_of(meaning: Meaning | None, revises: Node | None) -> tuple[Kind, dict[str, Any]]:
    """A revision that the call asks for is one, whatever its text says; else the cipher decides; else it is a claim."""
    if revises is not None:
        replaced = {"type": REVISES, "to": record_id(revises.seq)}
        others = meaning.attrs.get("relations", []) if meaning else []
        relations = [replaced, *(relation for relation in others if relation != replaced)]
        return "revision", {"replacesId": record_id(revises.seq), "relations": relations}
    if meaning is not None:
        return meaning.kind, meaning.attrs
    return "claim", {"relations": []}


def _referred(tx: Tx, numbers: Numbers, branch: str, number: int) -> Target | None:
    """The thought that a cipher line calls by a number: by the one it was written with, or by the one it got."""
    labelled = numbers.written_as(branch, number)
    if labelled is not None:
        return Target(record_id(labelled), _node_of(tx, record_id(labelled)).kind)
    node = numbers.seen_from(branch, number)
    return Target(record_id(node.seq), node.kind) if node is not None else None


def _node_of(tx: Tx, thought_id: str) -> Node:
    seq = seq_of(thought_id)
    assert seq is not None
    [found] = thoughts_at(tx, [seq])
    return Node(found.branch_id or MAIN, found.number, found.seq, found.kind)
