"""The records of tasks, opened as they are when they come from elsewhere."""

import re
from typing import Annotated, Literal

import orjson
from pydantic import AfterValidator, Field

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.tasks import ASKED, BEGUN, ENDED, STREAMS, TOLD
from thoughtbox.operations import Name, RecordData, Room, earlier

_STREAM = re.compile(rf"{STREAMS}/[0-9a-f]{{64}}")


def _object(text: str) -> str:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError("it is no JSON") from None
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    return text


Json = Annotated[str, AfterValidator(_object)]


class BegunData(RecordData):
    principal: Name | None = None
    ttl_ms: Annotated[int, Field(ge=1)]


class AskedData(RecordData):
    key: Name
    request: Json


class ToldData(RecordData):
    key: Name
    response: Json


class ErrorData(RecordData):
    code: int
    message: str


class EndedData(RecordData):
    status: Literal["completed", "failed", "cancelled"]
    answer: Json | None = None
    is_error: bool = False
    error: ErrorData | None = None


def declare(room: Room) -> None:
    room.topic(BEGUN, _begun, streams=STREAMS)
    room.topic(ASKED, _asked, streams=STREAMS)
    room.topic(TOLD, _told, streams=STREAMS)
    room.topic(ENDED, _ended, streams=STREAMS)


def _begun(record: Record, before: Ledger) -> None:
    _must_be(record, "tool_call")
    BegunData.read(record.data)


def _asked(record: Record, before: Ledger) -> None:
    _must_be(record, "hub_event")
    AskedData.read(record.data)


def _told(record: Record, before: Ledger) -> None:
    _must_be(record, "hub_event")
    ToldData.read(record.data)


def _ended(record: Record, before: Ledger) -> None:
    """The end of the task that its stream is about, with what its status needs."""
    _must_be(record, "tool_result")
    data = EndedData.read(record.data)
    if (data.answer is not None) != (data.status == "completed") or (data.error is not None) != (
        data.status == "failed"
    ):
        raise InvalidRecord(f"a task that is {data.status} has another outcome")
    if earlier(before, record, record.attrs["callId"], topic=BEGUN).stream != record.stream:
        raise InvalidRecord("it ends another task")


def _must_be(record: Record, kind: str) -> None:
    if record.kind != kind:
        raise InvalidRecord(f"it is a {record.kind}, not a {kind}")
    if not _STREAM.fullmatch(record.stream):
        raise InvalidRecord(f"it stands in stream `{record.stream}`; that of a task is named after a hash")
    if (record.stream_index == 0) != (record.topic == BEGUN):
        raise InvalidRecord("a task begins once, with its first record")
