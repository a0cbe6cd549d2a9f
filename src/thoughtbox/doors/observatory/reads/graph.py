"""Many records at once, as little of each as a graph needs; and the raw bytes of many, for whoever verifies them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

import orjson

from thoughtbox.domains.thoughts.model.thought import TOPIC as THOUGHT
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.watched.reading import session_in_sight
from thoughtbox.domains.trail.view import Actions as ActionsView
from thoughtbox.doors.observatory.models import (
    Actions,
    ActionShown,
    Chain,
    CheckpointShown,
    Graph,
    LaneShown,
    Streams,
    StreamShown,
)
from thoughtbox.engine.protocol import Row
from thoughtbox.ledger.checkpoints import Checkpoints
from thoughtbox.ledger.record import MAIN_BRANCH, Kind, seq_of
from thoughtbox.operations import Tx, cursor, place_in
from thoughtbox.world import milliseconds

KINDS = get_args(Kind)
_PLACE_OF_KIND: Mapping[str, int] = {kind: place for place, kind in enumerate(KINDS)}

REVISES, FIRST_OF_BRANCH, LEADS_TO_ACTION, ENDS = 1, 2, 4, 8

_OURS = len("2026-01-01T00:00:00.000Z")

_NOTHING: Mapping[str, Any] = MappingProxyType({})

UNKNOWN = "unknown"
"""Of a record whose bytes do not say: it was damaged, which verifying tells."""


class GraphPlace(NamedTuple):
    """Where a page of the graph ends, as of which record."""

    seq: int
    as_of: int


class ChainPlace(NamedTuple):
    seq: int


class StreamPlace(NamedTuple):
    last_seq: int


class ActionPlace(NamedTuple):
    seq: int


class _Columns:
    """Gathers records, and gives them as columns. One whose bytes say nothing any more has a place all the same."""

    NAMES = ("seqs", "lane", "kind", "parent", "times", "numbers", "flags")

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, str], int] = {}
        self._rows: list[tuple[int, ...]] = []
        self.lanes: list[LaneShown] = []
        self.links: list[tuple[int, int, str]] = []

    @property
    def columns(self) -> dict[str, list[int]]:
        columns = zip(*self._rows, strict=True) if self._rows else ((),) * len(self.NAMES)
        return {name: list(column) for name, column in zip(self.NAMES, columns, strict=True)}

    def take(self, row: Row, record: Mapping[str, Any]) -> None:
        try:
            placed = self._placed(row, record)
        except (AttributeError, KeyError, TypeError, ValueError):
            placed = self._placed(row, {})
        self._rows.append(placed)

    def _placed(self, row: Row, record: Mapping[str, Any]) -> tuple[int, ...]:
        seq, stream, stream_index, prev_seq, _ = row
        data: Mapping[str, Any] = record.get("data", _NOTHING)
        parent = seq_of(data["prev"]) if "prev" in data else None
        lane = self._lane(stream, data.get("branchId") or record.get("branch", MAIN_BRANCH), record)
        for relation in record.get("attrs", _NOTHING).get("relations", ()):
            target = seq_of(relation["to"])
            if target is not None:
                self.links.append((seq, target, relation["type"]))
        return (
            seq,
            lane,
            _PLACE_OF_KIND[record["kind"]] if record else 0,
            prev_seq if parent is None else parent,
            _time_of(record),
            data.get("thoughtNumber", stream_index + 1),
            _flags(data),
        )

    def _lane(self, stream: str, branch: str, record: Mapping[str, Any]) -> int:
        lane = self._lanes.get((stream, branch))
        if lane is None:
            lane = self._lanes[stream, branch] = len(self.lanes)
            room = record.get("source", _NOTHING).get("surface") or stream.partition("/")[0]
            self.lanes.append(
                LaneShown(stream=stream, branch=branch, room=room, session=record.get("session", UNKNOWN))
            )
        return lane


def _time_of(record: Mapping[str, Any]) -> int:
    """Records that come together share a second; only what is ours is spelled so that its parts can be told apart."""
    ts = record.get("ts")
    if not isinstance(ts, str):
        return 0
    if len(ts) == _OURS and ts[23] == "Z":
        return _second(ts[:19]) + int(ts[20:23])
    return milliseconds(ts)


@lru_cache(maxsize=256)
def _second(time: str) -> int:
    return milliseconds(f"{time}Z")


def _flags(data: Mapping[str, Any]) -> int:
    is_first = data.get("branchId") is not None and data.get("prev") == data.get("origin")
    return (
        (REVISES if data.get("isRevision") or data.get("revises") else 0)
        | (FIRST_OF_BRANCH if is_first else 0)
        | (LEADS_TO_ACTION if data.get("actionId") else 0)
        | (ENDS if data.get("change") == "completed" else 0)
    )


def graph_page(tx: Tx, *, session_id: str | None, stream: str | None, limit: int, place: str | None) -> Graph:
    """The next records of a session, of a stream, or of the whole workspace, as columns."""
    at = place_in(place, GraphPlace) if place else GraphPlace(0, tx.ledger.last_seq())
    tx = tx.at(at.as_of)
    if session_id is not None:
        session = session_in_sight(tx, session_id)
        stream, total = stream_of(session.id), session.thought_count
    elif stream is not None:
        head = tx.ledger.stream_head(stream)
        total = head.length if head is not None else 0
    else:
        total = tx.ledger.last_seq()
    gathered = _Columns()
    reached, looked_at = at.seq, 0
    for row in _rows(tx, stream, at, limit):
        reached, looked_at = row[0], looked_at + 1
        record = _parsed(row[4])
        if session_id is None or _is_thought(record):
            gathered.take(row, record)
    return Graph(
        seq=tx.ledger.last_seq(),
        total=total,
        lanes=gathered.lanes,
        **gathered.columns,
        links=gathered.links,
        next_cursor=cursor(GraphPlace(reached, at.as_of)) if looked_at == limit else None,
    )


def _is_thought(record: Mapping[str, Any]) -> bool:
    data = record.get("data")
    return isinstance(data, dict) and data.get("topic") == THOUGHT


def _rows(tx: Tx, stream: str | None, at: GraphPlace, limit: int) -> Iterable[Row]:
    columns = "seq, stream, stream_index, prev_seq, content"
    if stream is not None:
        return tx.ledger.stream_rows(stream, columns, after=at.seq, limit=limit)
    return tx.sql.scan(
        f"SELECT {columns} FROM records WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        (tx.workspace, at.seq, at.as_of, limit),
    )


def _parsed(content: bytes) -> Mapping[str, Any]:
    """What the bytes of a record say; nothing, of bytes that say nothing any more."""
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def chain_page(tx: Tx, *, limit: int, place: str | None) -> Chain:
    """Rows as they stand in the store. Nothing is checked here: whoever asks computes the hashes."""
    after = place_in(place, ChainPlace).seq if place else 0
    last = tx.ledger.last_seq()
    rows = tx.sql.rows(
        "SELECT seq, stream, stream_index, content, hash FROM records"
        " WHERE workspace = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
        (tx.workspace, after, last, limit),
    )
    reached = rows[-1][0] if rows else last
    taken = [each for each in tx.ask(Checkpoints).all(after=after) if each.seq <= reached]
    return Chain(
        workspace=tx.workspace,
        seq=last,
        rows=list(map(_as_text, rows)),
        checkpoints=[CheckpointShown(size=each.size, root=each.root.hex(), seq=each.seq) for each in taken],
        next_cursor=cursor(ChainPlace(reached)) if len(rows) == limit and reached < last else None,
    )


def _as_text(row: Row) -> tuple[int, str, int, str, str]:
    """Bytes that are no text any more become another one, whose hash fits nothing."""
    seq, stream, index, content, hash = row
    return seq, stream, index, bytes(content).decode(errors="replace"), bytes(hash).hex()


def streams_page(tx: Tx, *, room: str | None, limit: int, place: str | None) -> Streams:
    """Streams, the one that was written to last first."""
    before = place_in(place, StreamPlace).last_seq if place else tx.ledger.last_seq() + 1
    prefix = f"{room}/" if room else ""
    rows = tx.sql.rows(
        "SELECT stream, length, first_seq, last_seq FROM streams"
        " WHERE workspace = ? AND last_seq < ? AND stream >= ? AND stream < ? ORDER BY last_seq DESC LIMIT ?",
        (tx.workspace, before, prefix, prefix + "\U0010ffff", limit),
    )
    return Streams(
        streams=[
            StreamShown(
                stream=stream, room=stream.partition("/")[0], records=length, first_seq=first_seq, last_seq=last_seq
            )
            for stream, length, first_seq, last_seq in rows
        ],
        next_cursor=cursor(StreamPlace(rows[-1][3])) if len(rows) == limit else None,
    )


def actions_page(tx: Tx, *, limit: int, place: str | None) -> Actions:
    """Actions that thoughts have led to, the one that was named last first."""
    before = place_in(place, ActionPlace).seq if place else tx.ledger.last_seq() + 1
    found = tx.ask(ActionsView).newest(before, limit)
    times = {record.seq: record.ts for record in tx.ledger.records(each.seq for each in found)}
    return Actions(
        actions=[
            ActionShown(action_id=each.action_id, thoughts=each.thoughts, seq=each.seq, ts=times[each.seq])
            for each in found
        ],
        next_cursor=cursor(ActionPlace(found[-1].seq)) if len(found) == limit else None,
    )
