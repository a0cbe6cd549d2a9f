"""What anchors write, and how it is opened when it comes from elsewhere."""

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.mind.anchors.anchor import ANCHOR_ID, STREAM, TOPIC, Anchor
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in

CHANGES = ("put", "renamed", "merged")


class AnchorState(RecordData):
    id: str
    title: str
    kind: str
    status: str
    description: str | None = None
    refs: list[str]
    parent_id: str | None = None
    depends_on: list[str]


class AnchorPut(RecordData):
    anchor: AnchorState
    aliases: list[str]


class AnchorMoved(RecordData):
    id: str
    to: str


def write_anchor(tx: Tx, anchor: Anchor, aliases: Sequence[str]) -> None:
    """Register an anchor, or say anew what it is. Aliases are added to those it has."""
    data = {"change": "put", "anchor": anchor.state(), "aliases": list(aliases)}
    _append(tx, f"Anchor {anchor.id} is {anchor.title} ({anchor.kind})", data)


def write_rename(tx: Tx, id: str, to: str) -> None:
    _append(tx, f"Anchor {id} is called {to} now", {"change": "renamed", "id": id, "to": to})


def write_merge(tx: Tx, id: str, to: str) -> None:
    _append(tx, f"Anchor {id} is a part of {to} now", {"change": "merged", "id": id, "to": to})


def _append(tx: Tx, text: str, data: dict[str, Any]) -> None:
    tx.append(Draft(kind="observation", topic=TOPIC, text=text, session=STREAM, data=data), stream=STREAM)


def opened(record: Record, before: Ledger) -> None:
    """Open a record as the view will. What it says need not fit the map: anchors_lint tells what does not."""
    must_stand_in(record, STREAM)
    change = record.data.get("change")
    if change not in CHANGES:
        raise InvalidRecord(f"`data.change` is one of {', '.join(CHANGES)}")
    if change == "put":
        put = AnchorPut.read(record.data)
        state = put.anchor
        named = [state.id, *put.aliases, *state.depends_on, *((state.parent_id,) if state.parent_id else ())]
        if state.id in put.aliases:
            raise InvalidRecord("an anchor is no alias of itself")
    else:
        moved = AnchorMoved.read(record.data)
        named = [moved.id, moved.to]
        if moved.id == moved.to:
            raise InvalidRecord("an anchor becomes another one than it is")
    wrong = next((id for id in named if not ANCHOR_ID.fullmatch(id)), None)
    if wrong is not None:
        raise InvalidRecord(f"`{wrong[:80]}` is no anchor's id")


def declare(room: Room) -> None:
    room.topic(TOPIC, opened, streams="mind")
