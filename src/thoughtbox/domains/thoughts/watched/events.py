"""What new records mean for people who watch sessions: the document's events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.view.lines import Node
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.domains.thoughts.watched.models import Event, WatchedThought
from thoughtbox.domains.thoughts.watched.reading import node_named, sessions_of
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx

COMPLETED = "completed"
_TOPICS = frozenset({TOPIC, STARTED, CHANGED})


def events_of(tx: Tx, records: Sequence[Record]) -> list[Event]:
    """The events of these records, which stand in order: one for each thought, and what they make of sessions.

    Of a session that changes several times among them, what it has come to is told once, with the last change.
    """
    concerned = [record for record in records if record.topic in _TOPICS]
    if not concerned:
        return []
    events = [*_of_thoughts(tx, concerned), *_of_sessions(tx.at(concerned[-1].seq), concerned)]
    return sorted(events, key=lambda event: event.seq)


def _of_thoughts(tx: Tx, records: Sequence[Record]) -> Iterator[Event]:
    thoughts = [Thought.of(record) for record in records if record.topic == TOPIC]
    linked: dict[str, set[int]] = {}
    for thought in thoughts:
        seqs = (thought.prev, thought.revises, thought.origin)
        linked.setdefault(thought.session_id, set()).update(seq for seq in seqs if seq is not None)
    view = tx.ask(Thoughts)
    nodes: dict[int, Node] = {}
    for session_id, seqs in linked.items():
        nodes |= view.nodes_at(session_id, seqs)
    for thought in thoughts:
        yield _of_thought(thought, nodes)


def _of_thought(thought: Thought, nodes: dict[int, Node]) -> Event:
    """A thought is exactly one of added, revised and branched; the last is for the first one of a branch alone."""
    session_id = thought.session_id
    parent_id = node_named(session_id, nodes, thought.prev)
    data: dict[str, Any] = {
        "seq": thought.seq,
        "sessionId": session_id,
        "nodeId": thought.node_id,
        "thought": WatchedThought.of(thought, parent_id).answer(),
        "parentId": parent_id,
    }
    if thought.branch_id is not None and thought.prev == thought.origin:
        origin = nodes.get(thought.origin) if thought.origin is not None else None
        name = "thought:branched"
        data |= {
            "branchId": thought.branch_id,
            "originNodeId": node_named(session_id, nodes, thought.origin),
            "newNodeId": thought.node_id,
            "fromThoughtNumber": origin.number if origin is not None else thought.branch_from,
        }
    elif thought.is_revision:
        name = "thought:revised"
        data |= {
            "revisedNodeId": node_named(session_id, nodes, thought.revises),
            "newNodeId": thought.node_id,
            "originalThoughtNumber": thought.revises_number,
        }
    else:
        name = "thought:added"
    return Event(channel="reasoning", event=name, seq=thought.seq, session_id=session_id, data=data)


def _of_sessions(tx: Tx, records: Sequence[Record]) -> Iterator[Event]:
    last = {record.session: record.seq for record in records}
    shown = {session.id: session.answer() for session in sessions_of(tx, list(last))}
    for record in records:
        session = shown.get(record.session)
        if session is None:
            continue
        if record.topic == STARTED:
            yield _told("session:started", record, title=session["title"], session=session)
        elif record.seq == last[record.session] or _completes(record):
            yield _told("session:updated", record, session=session)
        if _completes(record):
            yield _told("session:ended", record, finalThoughtCount=session["thoughtCount"], session=session)


def _completes(record: Record) -> bool:
    return record.topic == CHANGED and record.data["change"] == COMPLETED


def _told(name: str, record: Record, **data: Any) -> Event:
    told = {"seq": record.seq, "sessionId": record.session, **data}
    return Event(channel="sessions", event=name, seq=record.seq, session_id=record.session, data=told)
