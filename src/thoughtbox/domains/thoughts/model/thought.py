"""A thought, as this room sees it: pure, no database and no protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thoughtbox.ledger.record import Kind, Record, seq_of

TOPIC = "thoughts.thought"

BRANCH_ID = re.compile(r"[a-z0-9-]{1,64}")

Relation = Mapping[str, str]
"""`{"type": "supports", "to": "th:17"}`"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """One thought, and what it is linked to. Links are numbers of records."""

    seq: int
    session_id: str
    branch_id: str | None
    """None on the main line."""
    number: int
    total: int
    next_needed: bool
    text: str
    timestamp: str
    kind: Kind
    needs_more: bool = False
    is_revision: bool = False
    revises_number: int | None = None
    branch_from: int | None = None
    """The number it forks from, on the first thought of a branch."""
    critique_requested: bool = False
    action_id: str | None = None
    """The action that it leads to."""
    label: int | None = None
    """The number that its cipher line gives it, where that is not its own."""
    prev: int | None = None
    """The thought before it on its line; the fork point, for the first of a branch."""
    revises: int | None = None
    origin: int | None = None
    """The fork point of its branch."""
    relations: tuple[Relation, ...] = ()
    refs: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    confidence: float | None = None
    notes: tuple[str, ...] = ()
    """What of its cipher could not be followed, and why."""
    adopts: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()
    """Branches that it settles."""

    @classmethod
    def of(cls, record: Record) -> Thought:
        data, envelope = record.data, record.envelope
        return cls(
            seq=record.seq,
            session_id=record.session,
            branch_id=data.get("branchId"),
            number=data["thoughtNumber"],
            total=data["totalThoughts"],
            next_needed=data["nextThoughtNeeded"],
            text=record.text,
            timestamp=data.get("timestamp", record.ts),
            kind=record.kind,
            needs_more=data.get("needsMoreThoughts", False),
            is_revision=data.get("isRevision", False),
            revises_number=data.get("revisesThought"),
            branch_from=data.get("branchFromThought"),
            critique_requested=data.get("critique", False),
            action_id=data.get("actionId"),
            label=data.get("label"),
            prev=_seq(data.get("prev")),
            revises=_seq(data.get("revises")),
            origin=_seq(data.get("origin")),
            relations=tuple(record.attrs.get("relations", ())),
            refs=tuple(envelope["refs"]),
            labels=tuple(envelope["body"].get("labels", ())),
            confidence=envelope.get("confidence"),
            notes=tuple(data.get("notes", ())),
            adopts=tuple(data.get("adopts", ())),
            rejects=tuple(data.get("rejects", ())),
        )

    @property
    def id(self) -> str:
        return f"th:{self.seq}"

    @property
    def node_id(self) -> str:
        return node_id(self.session_id, self.branch_id, self.number)


def node_id(session_id: str, branch_id: str | None, number: int) -> str:
    return f"{session_id}:{line_and_number(branch_id, number)}"


def line_and_number(branch_id: str | None, number: int) -> str:
    """`4` on the main line, `alt:4` on a branch."""
    return str(number) if branch_id is None else f"{branch_id}:{number}"


def stream_of(session_id: str) -> str:
    return f"thoughts/{session_id}"


def _seq(value: Any) -> int | None:
    return seq_of(value) if isinstance(value, str) else None
