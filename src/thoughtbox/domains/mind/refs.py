"""What is written of pointers and tags: a pointer of each document on a branch, moved by commits and resets."""

from typing import Literal

from thoughtbox.domains.mind.names import bad_name
from thoughtbox.domains.mind.records import stream_of
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in

REF = "mind.ref"
TAG = "mind.tag"

Change = Literal["commit", "reset"]


class RefData(RecordData):
    branch: int
    doc: str
    change: Change
    head: int
    before: int | None = None


class TagData(RecordData):
    branch: int
    doc: str
    name: str
    entry: int | None = None


def write_move(
    tx: Tx, branch: Branch, doc: str, change: Change, *, before: int | None, head: int, message: str
) -> Record:
    """Move the pointer of a document."""
    data = {"branch": branch.id, "doc": doc, "change": change, "head": head, **present({"before": before})}
    return _write(tx, REF, branch, message, data)


def write_tag(tx: Tx, branch: Branch, doc: str, name: str, entry: int | None) -> Record:
    """Let a name stand for an entry; without one, for nothing any more."""
    said = f"Tag {name} is gone" if entry is None else f"Tag {name} stands for {doc}@{entry}"
    data = {"branch": branch.id, "doc": doc, "name": name, **present({"entry": entry})}
    return _write(tx, TAG, branch, said, data)


def declare(room: Room) -> None:
    """Say how records of pointers and tags are opened when they come from elsewhere."""
    room.topic(REF, _ref, streams="mind")
    room.topic(TAG, _tag, streams="mind")


def _write(tx: Tx, topic: str, branch: Branch, text: str, data: dict[str, object]) -> Record:
    stream = stream_of(branch.id)
    draft = Draft(kind="observation", topic=topic, text=text, session=stream, branch=branch.name, data=data)
    return tx.append(draft, stream=stream)


def _ref(record: Record, before: Ledger) -> None:
    data = RefData.read(record.data)
    _must_lead_to(record, before, data.branch, data.doc, data.head)


def _tag(record: Record, before: Ledger) -> None:
    data = TagData.read(record.data)
    _must_lead_to(record, before, data.branch, data.doc, data.entry)
    if (wrong := bad_name(data.name)) is not None:
        raise InvalidRecord(f"`name` {wrong}")


def _must_lead_to(record: Record, before: Ledger, branch: int, doc: str, entry: int | None) -> None:
    must_stand_in(record, stream_of(branch))
    view = before.ask(Documents)
    found = view.branch_of(branch)
    if found is None:
        raise InvalidRecord(f"there is no branch {branch} before it")
    if entry is not None and view.shows(found, doc, [entry]).get(entry) != "note":
        raise InvalidRecord(f"its branch shows no note {entry} in `{doc}` before it")
