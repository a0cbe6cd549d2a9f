"""What a host's hooks write down beside the chain of invocations: prompts, cycles, that a compaction comes."""

from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field

from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Time, Tx, must_stand_in

NOTE = "memory.host_note"

Kind = Literal["prompt", "cycle", "compaction"]


class NoteData(RecordData):
    client: Annotated[str, Field(min_length=1, max_length=256)]
    host_session: Annotated[str, Field(min_length=1, max_length=256)]
    kind: Kind
    ts: Time
    cycle: int | None = None


def stream_of(client: str, host_session: str) -> str:
    """The stream of a host's session, whatever the host calls it."""
    named = sha256(f"{client}/{host_session}".encode()).hexdigest()[:32]
    return f"memory/host/{named}"


def write_note(
    tx: Tx, client: str, host_session: str, kind: Kind, text: str, *, ts: str, cycle: int | None = None
) -> Record:
    stream = stream_of(client, host_session)
    data = {"client": client, "hostSession": host_session, "kind": kind, "ts": ts, **present({"cycle": cycle})}
    return tx.append(Draft(kind="observation", topic=NOTE, text=text, session=stream, data=data), stream=stream)


def opened(record: Record, before: Ledger) -> None:
    data = NoteData.read(record.data)
    must_stand_in(record, stream_of(data.client, data.host_session))


def declare(room: Room) -> None:
    room.topic(NOTE, opened, streams="memory")
