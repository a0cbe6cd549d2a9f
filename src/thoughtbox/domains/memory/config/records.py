"""What the configuration leaves in the ledger: which preset was applied or exported, and what was put where."""

from typing import Literal

from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record
from thoughtbox.operations import Name, RecordData, Room, Tx, must_stand_in

CONFIG = "memory.config"
STREAM = "memory/project"

Change = Literal["applied", "exported"]


class ConfigData(RecordData):
    """That a preset was written somewhere; `hash` is the digest of what stands there now."""

    change: Change
    preset: Name
    file: str
    hash: str


def write_config(tx: Tx, change: Change, *, preset: str, file: str, hash: str) -> Record:
    data = {"change": change, "preset": preset, "file": file, "hash": hash}
    said = f"Preset {preset} is {change}: {file}"
    return tx.append(Draft(kind="observation", topic=CONFIG, text=said, session=STREAM, data=data), stream=STREAM)


def opened(record: Record, before: Ledger) -> None:
    """Open a record as this room will; it raises for one that could not be read."""
    must_stand_in(record, STREAM)
    ConfigData.read(record.data)


def declare(room: Room) -> None:
    room.topic(CONFIG, opened, streams="memory")
