"""Records of merges and conflicts, opened as they are when they come from elsewhere."""

from typing import Literal

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.topics import must_be_version
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.versions import Key
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.operations import RecordData, Room, must_stand_in


class ConflictData(RecordData):
    branch: int
    conflict: str
    source: int
    doc: str
    kind: Literal["node", "edge"]
    name: str
    base: int | None = None
    theirs: int
    ours: int | None = None
    status: Literal["open", "resolved", "superseded"]
    resolution: Literal["use_from", "use_into"] | None = None


def conflict(record: Record, before: Ledger) -> None:
    data = ConflictData.read(record.data)
    must_stand_in(record, records.stream_of(data.branch))
    source = before.ask(Documents).branch_of(data.source)
    if source is None or source.base != data.branch:
        raise InvalidRecord(f"branch {data.source} was not made from branch {data.branch}")
    for seq in (data.base, data.theirs, data.ours):
        if seq is not None:
            must_be_version(before, seq, data.doc, Key(data.kind, data.name))


def declare(room: Room) -> None:
    room.topic(records.CONFLICT, conflict, streams="mind")
