"""The thoughts of both rooms as one reasoning: what a session holds, and the way that led to a thought.

A session of the thoughts room is known by its records alone: their topic, their stream, and the links in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge

from thoughtbox.domains.trail.thoughts import REASONED, THOUGHTS, parent_of, reasoned_stream_of, stream_of
from thoughtbox.domains.trail.view import Actions
from thoughtbox.ledger.record import Record, seq_of
from thoughtbox.operations import Tx


def streams_in_sight(tx: Tx, session_id: str) -> list[str]:
    """The streams that a session has: one in the trail, one in the thoughts room, or both."""
    streams = [name for name in (stream_of(session_id), reasoned_stream_of(session_id)) if tx.ledger.stream_head(name)]
    return [name for name in streams if not tx.ask(Actions).hides(name)]


def thoughts_in(tx: Tx, streams: Sequence[str]) -> Iterator[Record]:
    """All thoughts of these streams, in order of recording."""
    records = merge(*map(tx.ledger.stream, streams), key=lambda record: record.seq)
    return (record for record in records if record.topic in THOUGHTS)


def thought_in_sight(tx: Tx, thought_id: str) -> Record | None:
    """The thought of that id, of whichever session and room; one of a deleted session is none."""
    seq = seq_of(thought_id)
    record = tx.ledger.record(seq) if seq is not None else None
    if record is None or record.topic not in THOUGHTS or tx.ask(Actions).hides(record.stream):
        return None
    return record


class Ways:
    """The ways that led to some thoughts. What was read for one serves the others."""

    def __init__(self, tx: Tx, ends: Sequence[Record]) -> None:
        self._tx = tx
        self._known = {record.seq: record for record in ends}
        self._last = max(self._known, default=0)
        self._whole: set[str] = set()

    def to(self, end: Record) -> list[Record]:
        """From the root to the thought. Only an earlier thought can be a parent, so this ends."""
        way = [end]
        while (parent := self._before(way[-1])) is not None:
            way.append(parent)
        return way[::-1]

    def _before(self, record: Record) -> Record | None:
        parent_id = parent_of(record)
        seq = seq_of(parent_id) if parent_id is not None else None
        if parent_id is None or seq is None or seq >= record.seq:
            return None
        if record.topic == REASONED and seq not in self._known:
            self._read_whole(record.stream)
        if seq not in self._known:
            parent = thought_in_sight(self._tx, parent_id)
            if parent is None:
                return None
            self._known[seq] = parent
        return self._known[seq]

    def _read_whole(self, stream: str) -> None:
        """Read a session of thoughts up to the last end: a way leads through most of it, and this is one question."""
        if stream not in self._whole:
            self._whole.add(stream)
            earlier = self._tx.at(self._last)
            self._known.update((record.seq, record) for record in thoughts_in(earlier, [stream]))
