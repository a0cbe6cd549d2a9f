"""What automation leaves in the ledger: hooks that were installed or taken out, and the project's context."""

from typing import Literal

from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in

PROJECT = "memory.project"
STREAM = "memory/project"

Change = Literal["hooks_installed", "hooks_removed", "context_updated"]


class ProjectData(RecordData):
    """That files of the project were changed; `hash` is the digest of what was put there."""

    change: Change
    files: list[str]
    hash: str


def write_project(tx: Tx, change: Change, *, files: list[str], hash: str, said: str) -> Record:
    data = {"change": change, "files": files, "hash": hash}
    return tx.append(Draft(kind="observation", topic=PROJECT, text=said, session=STREAM, data=data), stream=STREAM)


def opened(record: Record, before: Ledger) -> None:
    """Open a record as this room will; it raises for one that could not be read."""
    must_stand_in(record, STREAM)
    ProjectData.read(record.data)


def declare(room: Room) -> None:
    room.topic(PROJECT, opened, streams="memory")
