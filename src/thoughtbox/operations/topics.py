"""What a record of a topic must be, so that its room can read it: for records that come from elsewhere.

A record that was written here went through its operation. One that is imported may have been
made by anybody who can compute a hash: it is opened the way its room will, before it is taken in.
"""

import re
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record, refs, seq_of

M = TypeVar("M", bound="RecordData")

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:Z|[+-][0-9]{2}:[0-9]{2})")


def _moment(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise ValueError("it is no date and time such as 2025-12-07T10:30:00.000Z")
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError:
        raise ValueError("it lies outside of the calendar") from None
    return text


Time = Annotated[str, AfterValidator(_moment)]
Name = Annotated[str, Field(min_length=1)]
Confidence = Annotated[float, Field(ge=0, le=1)]


class RecordData(BaseModel):
    """A record's `data`, or a part of it, in camelCase. What is not known here is let pass: later releases say more."""

    model_config = ConfigDict(extra="ignore", strict=True, defer_build=True, alias_generator=to_camel)

    @classmethod
    def read(cls: type[M], value: Any, where: str = "data") -> M:
        """Read it, or raise `InvalidRecord` with the first field that is wrong."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, (where, *first["loc"])))
            raise InvalidRecord(f"`{place}`: {first['msg'].removeprefix('Value error, ')}") from None


class _Body(RecordData):
    text: str
    cipher: str | None = None
    labels: list[str] | None = None
    metrics: dict[str, float] | None = None


class _Envelope(RecordData):
    """What every reader of a record relies on, whatever its topic."""

    ts: Time
    session: Name
    branch: Name
    agent: Name
    refs: list[str]
    body: _Body
    source: dict[str, str | list[str]]
    confidence: Confidence | None = None


def check_parts(record: Record) -> None:
    """Refuse a record whose parts, beside `data`, are not what every record has."""
    envelope = _Envelope.read(record.envelope, "record")
    if envelope.refs != refs(record.attrs):
        raise InvalidRecord("`refs` are not the ids that `attrs` links to")


def must_stand_in(record: Record, stream: str) -> None:
    if record.stream != stream:
        raise InvalidRecord(f"it stands in stream `{record.stream}`; its place is `{stream}`")


def earlier(ledger: Ledger, record: Record, named: str, *, topic: str) -> Record:
    """The record that this one names: of that topic and of the same session, and before it. All others are refused."""
    seq = seq_of(named)
    found = ledger.record(seq) if seq is not None and seq < record.seq else None
    if found is None or found.topic != topic or found.session != record.session:
        raise InvalidRecord(f"it refers to {named}, which is no {topic} of its session before it")
    return found
