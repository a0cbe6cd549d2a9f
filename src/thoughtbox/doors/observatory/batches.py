"""A stretch of the ledger as those who watch are told of it: frames, made once for all of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.thoughts.watched.events import events_of
from thoughtbox.doors.observatory import frames
from thoughtbox.doors.observatory.reads.records import shown
from thoughtbox.doors.observatory.subscriptions import Channel, Topic
from thoughtbox.errors import LedgerBroken
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx

PAGE = 256
"""Records of one batch."""

OF_ALL = ""
"""The session of what everybody on a channel is told: of a record that cannot be read, nobody knows which it was."""


class Told(NamedTuple):
    """One event, ready to be sent."""

    channel: Channel
    seq: int
    session: str
    record: Record | None
    frame: bytes

    def is_for(self, topic: Topic) -> bool:
        if self.channel != topic.channel:
            return False
        if self.record is None:
            return topic.session_id is None or self.session in (topic.session_id, OF_ALL)
        return topic.wanted.fits(self.record)


class Batch(NamedTuple):
    """What is told of the records behind `after`, up to `until`."""

    workspace: str
    after: int
    until: int
    channels: Collection[Channel]
    """Those whose events are in it."""
    told: list[Told]
    has_more: bool

    def frames_for(self, topic: Topic, at: int) -> bytes:
        """What somebody who was told up to a record, and wants this, has not been told yet."""
        return b"".join(told.frame for told in self.told if told.seq > at and told.is_for(topic))


def batch(tx: Tx, after: int, channels: Collection[Channel]) -> Batch:
    """The next records, as events of these channels. A record that was tampered with is told as an error."""
    records: list[Record] = []
    broken: LedgerBroken | None = None
    try:
        records.extend(tx.ledger.tail(after, limit=PAGE))
    except LedgerBroken as error:
        broken = error
        records = list(tx.ledger.tail(after, limit=error.details["seq"] - after - 1)) if "seq" in error.details else []
    until = broken.details["seq"] if broken is not None else records[-1].seq if records else after
    told: list[Told] = []
    if "records" in channels:
        told += [_added(each) for each in records]
    if "reasoning" in channels or "sessions" in channels:
        told += [
            Told(each.channel, each.seq, each.session_id, None, event(each.channel, each.event, each.seq, each.data))
            for each in events_of(tx, records)
            if each.channel in channels
        ]
    if broken is not None:
        told += [Told(channel, until, OF_ALL, None, error_frame(channel, broken)) for channel in channels]
    return Batch(tx.workspace, after, until, channels, told, has_more=broken is not None or len(records) == PAGE)


def _added(record: Record) -> Told:
    frame = event("records", "record:added", record.seq, shown(record).answer())
    return Told("records", record.seq, record.session, record, frame)


def event(channel: str, name: str, seq: int, data: dict[str, Any]) -> bytes:
    """A frame with one event. The number stands in both places, for readers of either."""
    return frames.text(
        orjson.dumps(
            {"channel": channel, "event": name, "seq": seq, "data": data if "seq" in data else {**data, "seq": seq}}
        )
    )


def error_frame(channel: str | None, error: Any) -> bytes:
    about = {"channel": channel} if channel is not None else {}
    return frames.text(orjson.dumps({**about, "event": "error", "data": error.payload()}))
