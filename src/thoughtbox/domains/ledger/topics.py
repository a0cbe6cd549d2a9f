"""The ledger's own records, opened as they are when they come from elsewhere."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.answers import CALLED, Answers
from thoughtbox.ledger.checkpoints import STREAM
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.operations import LONGEST_KEY, Name, RecordData, earlier, must_stand_in

_HASH = r"^[0-9a-f]{64}$"


class AnswerData(RecordData):
    key: Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]
    operation: Name
    arguments: Annotated[str, Field(pattern=_HASH)]
    answer: dict[str, Any]


class CheckpointData(RecordData):
    size: Annotated[int, Field(ge=1)]
    note: Name
    key: str | None = None
    heads: list[tuple[str, Annotated[int, Field(ge=1)], Annotated[str, Field(pattern=_HASH)]]]


def call(record: Record, before: Ledger) -> None:
    """The arguments of a call are anything; what its kind has, every record of the kind is held to."""
    if record.kind != "tool_call":
        raise InvalidRecord(f"it is a {record.kind}, not a tool_call")


def answer(record: Record, before: Ledger) -> None:
    """An answer to a call in the same stream, under a key that was not used before."""
    if record.kind != "tool_result":
        raise InvalidRecord(f"it is a {record.kind}, not a tool_result")
    data = AnswerData.read(record.data)
    called = earlier(before, record, record.attrs["callId"], topic=CALLED)
    if called.stream != record.stream:
        raise InvalidRecord(f"it answers {called.id}, which is another caller's")
    if before.ask(Answers).seq_of(record.agent, data.key) is not None:
        raise InvalidRecord(f"its key {data.key!r} was used before")


def checkpoint(record: Record, before: Ledger) -> None:
    """A signed tree head. That it is the head of these very records, the import sees to itself."""
    must_stand_in(record, STREAM)
    if record.kind != "checkpoint":
        raise InvalidRecord(f"it is a {record.kind}, not a checkpoint")
    data = CheckpointData.read({**record.data, "heads": _tuples(record.data.get("heads"))})
    if len({stream for stream, _, _ in data.heads}) != len(data.heads):
        raise InvalidRecord("it names the head of a stream twice")


def _tuples(heads: Any) -> Any:
    """JSON has no tuples, and strictly read a list is none."""
    return [tuple(head) if isinstance(head, list) else head for head in heads] if isinstance(heads, list) else heads
