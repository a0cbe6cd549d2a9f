"""Thoughts as this room sees them: pure logic, no database and no protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Kind, Record, present
from thoughtbox.operations import Name, RecordData, must_stand_in

TOPIC = "trail.thought"
REASONED = "thoughts.thought"
"""A thought of the thoughts room. What the trail needs of it, its record says."""
THOUGHTS = frozenset({TOPIC, REASONED})
SESSION_CHANGED = "thoughts.session_changed"
"""Something happened to a session of the thoughts room; it may have been deleted."""

DEEPEST = 50
"""Levels of children that are nested; a deeper branch goes on at the top.

Each level nests JSON twice. Rust's reader, which Codex uses, gives up at 128 levels, the MCP SDK's at 200.
"""

_KIND_OF_TYPE: Mapping[str, Kind] = {
    "plan": "plan",
    "analysis": "claim",
    "decision": "decision",
    "reflection": "observation",
    "claim": "claim",
    "evidence": "evidence",
    "question": "question",
    "observation": "observation",
}
_LABELLED: frozenset[Kind] = frozenset({"claim", "revision"})
"""Kinds that a label says more of: a claim may be a hypothesis, an assumption, a conclusion."""


@dataclass(frozen=True, slots=True)
class Thought:
    """One step of a session."""

    thought_id: str
    thought_type: str
    session_id: str
    step_index: int
    content: str
    parent_id: str | None
    action_id: str | None
    context_id: str | None
    recorded_at: str
    seq: int
    chain_hash: str

    @classmethod
    def of(cls, record: Record) -> Thought:
        data = record.data
        return cls(
            thought_id=record.id,
            thought_type=data["thoughtType"] if record.topic == TOPIC else _type_of(record),
            session_id=record.session,
            step_index=record.stream_index,
            content=record.text,
            parent_id=parent_of(record),
            action_id=data.get("actionId"),
            context_id=data.get("contextId"),
            recorded_at=record.ts,
            seq=record.seq,
            chain_hash=record.hash.hex(),
        )


def hash_of(content: str) -> str:
    return sha256(content.encode()).hexdigest()


class ThoughtData(RecordData):
    """What a thought's record says beside its text."""

    thought_type: Name
    context_id: str | None = None
    action_id: str | None = None
    parent_id: str | None = None


def opened(record: Record, before: Ledger) -> Thought:
    """A record that comes from elsewhere as a thought; refuses one that could not be read later."""
    must_stand_in(record, stream_of(record.session))
    ThoughtData.read(record.data)
    return Thought.of(record)


def parent_of(record: Record) -> str | None:
    """What a thought follows from: what it was told; in the thoughts room, the one before it or its fork point."""
    return record.data.get("parentId" if record.topic == TOPIC else "prev")


def _type_of(record: Record) -> str:
    """The type of a thought that was given none: its kind, or what the cipher calls it where that says more."""
    labels = record.envelope["body"].get("labels") if record.kind in _LABELLED else None
    return labels[0] if labels else record.kind


def stream_of(session_id: str) -> str:
    return f"trail/{session_id}"


def reasoned_stream_of(session_id: str) -> str:
    """The stream of a session of the thoughts room."""
    return f"thoughts/{session_id}"


def draft(
    *,
    session_id: str,
    thought_type: str,
    content: str,
    context_id: str | None,
    action_id: str | None,
    parent_id: str | None,
    parent_is_known: bool,
) -> Draft:
    """A thought as a record. Only a parent that exists becomes a relation; any other is kept as it was given."""
    kind = _KIND_OF_TYPE.get(thought_type, "observation")
    attrs: dict[str, Any] = {"steps": []} if kind == "plan" else {}
    if parent_id is not None and parent_is_known:
        attrs["relations"] = [{"type": "derived_from", "to": parent_id}]
    elif kind == "claim":
        attrs["relations"] = []
    given = {"thoughtType": thought_type, "contextId": context_id, "actionId": action_id, "parentId": parent_id}
    return Draft(
        kind=kind,
        topic=TOPIC,
        text=content,
        session=session_id,
        attrs=attrs,
        data=present(given),
    )


def shorten(text: str, length: int) -> str:
    """The first `length` characters, with an ellipsis only where something was cut."""
    return text if len(text) <= length else text[:length] + "…"
