"""The room's records, opened as they are when they come from elsewhere: whatever passes can be read afterwards."""

from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.names import LONGEST_TYPE, bad_name
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.versions import Key, Version, key_of, version_of
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.operations import RecordData, Room, must_stand_in

CHANGES = ("created", "renamed", "deleted")


class _OnBranch(RecordData):
    branch: int


class BranchData(_OnBranch):
    change: str
    name: str
    base: int | None = None
    base_seq: int = 0
    canonical: str | None = None


class PlaceData(RecordData):
    place: str
    value: str | None = None


class MergedFrom(RecordData):
    branch: int
    seq: int
    origin: int | None = None


class NoteData(_OnBranch):
    doc: str
    doc_kind: str = "notes"
    title: str | None = None
    format: str | None = None
    meta: dict[str, Any] | None = None
    merged_from: MergedFrom | None = None
    of_card: int | None = None


class NodeState(RecordData):
    id: str
    type: str
    title: str | None = None
    text: str | None = None
    status: str | None = None
    tags: list[str]
    meta: dict[str, Any]
    deleted: bool = False


class CardData(_OnBranch):
    trace_doc: str
    graph_doc: str
    card: NodeState
    links: dict[str, list[str]] | None = None


class MergedFrom(RecordData):
    branch: int
    seq: int


class NodeData(_OnBranch):
    doc: str
    node: NodeState
    merged_from: MergedFrom | None = None


class EdgeState(RecordData):
    rel: str
    to: str
    meta: dict[str, Any]
    deleted: bool


class EdgeData(_OnBranch):
    doc: str
    edge: EdgeState
    merged_from: MergedFrom | None = None


def branch(record: Record, before: Ledger) -> None:
    data = BranchData.read(record.data)
    must_stand_in(record, records.stream_of(data.branch))
    _must_be_named("name", data.name)
    if data.change not in CHANGES:
        raise InvalidRecord(f"a branch is {', '.join(CHANGES)}, not {data.change}")
    if data.change == "created":
        if data.branch != record.seq:
            raise InvalidRecord("a branch has the number of the record that makes it")
        if data.base is not None:
            if before.ask(Documents).branch_of(data.base) is None:
                raise InvalidRecord(f"it is made from branch {data.base}, which is not there")
            if not data.base <= data.base_seq < record.seq:
                raise InvalidRecord("it is made from what its base had not yet, or no longer")
    else:
        _must_be_there(before, data.branch)
    known = before.ask(Documents).branch(data.name) if data.change != "deleted" else None
    if known is not None and known.id != data.branch:
        raise InvalidRecord(f"there is a branch {data.name} before it")


def place(record: Record, before: Ledger) -> None:
    must_stand_in(record, records.WORKSPACE_STREAM)
    data = PlaceData.read(record.data)
    if data.place == "checkout" and data.value is not None and not data.value.isdecimal():
        raise InvalidRecord("what is checked out is a branch, by its number")


def note(record: Record, before: Ledger) -> None:
    data = NoteData.read(record.data)
    _must_stand_on(record, before, data.branch)
    _must_be_named("doc", data.doc)
    if (merged := data.merged_from) is not None:
        if not max(merged.seq, merged.origin or 0) < record.seq:
            raise InvalidRecord("it is a copy of an entry that is not before it")
        if not before.ask(Documents).called([merged.branch]):
            raise InvalidRecord(f"it is merged from branch {merged.branch}, which was never there")


def card(record: Record, before: Ledger) -> None:
    data = CardData.read(record.data)
    _must_stand_on(record, before, data.branch)
    for name in ("trace_doc", "graph_doc"):
        _must_be_named(name, getattr(data, name))
    _must_be_node(data.card)
    for ids in (data.links or {}).values():
        for id in ids:
            _must_be_named("links", id)


def node(record: Record, before: Ledger) -> None:
    data = NodeData.read(record.data)
    _must_stand_on(record, before, data.branch)
    _must_be_named("doc", data.doc)
    _must_be_node(data.node)
    _must_be_copied(record, before, data)


def edge(record: Record, before: Ledger) -> None:
    data = EdgeData.read(record.data)
    _must_stand_on(record, before, data.branch)
    _must_be_named("doc", data.doc)
    source = record.data["edge"].get("from")
    if not isinstance(source, str):
        raise InvalidRecord("`data.edge.from`: an edge leads from a node")
    for name, value, longest in (
        ("from", source, 256),
        ("to", data.edge.to, 256),
        ("rel", data.edge.rel, LONGEST_TYPE),
    ):
        _must_be_named(name, value, longest)
    _must_be_copied(record, before, data)


def declare(room: Room) -> None:
    """Say which records are the room's, and how each is opened."""
    for topic, opened in (
        (records.BRANCH, branch),
        (records.PLACE, place),
        (records.NOTE, note),
        (records.CARD, card),
        (records.NODE, node),
        (records.EDGE, edge),
    ):
        room.topic(topic, opened, streams="mind")


def _must_stand_on(record: Record, before: Ledger, branch: int) -> None:
    must_stand_in(record, records.stream_of(branch))
    _must_be_there(before, branch)


def _must_be_there(before: Ledger, branch: int) -> None:
    if before.ask(Documents).branch_of(branch) is None:
        raise InvalidRecord(f"there is no branch {branch} before it")


def _must_be_copied(record: Record, before: Ledger, data: NodeData | EdgeData) -> None:
    """What was merged names the version that it is a copy of."""
    if (merged := data.merged_from) is not None:
        found = must_be_version(before, merged.seq, data.doc, key_of(version_of(record)))
        if found.branch != merged.branch:
            raise InvalidRecord(f"record {merged.seq} was not written on branch {merged.branch}")


def must_be_version(before: Ledger, seq: int, doc: str, key: Key) -> Version:
    """The version of a node or an edge that a record made; refuses one that made none of this one."""
    found = before.record(seq)
    if found is None or found.topic not in (records.CARD, records.NODE, records.EDGE):
        raise InvalidRecord(f"record {seq} is no version of a node or an edge before it")
    version = version_of(found)
    if (version.doc, key_of(version)) != (doc, key):
        raise InvalidRecord(f"record {seq} is no version of {key.kind} {key.name} in {doc}")
    return version


def _must_be_node(state: NodeState) -> None:
    _must_be_named("id", state.id)
    _must_be_named("type", state.type, LONGEST_TYPE)
    for tag in state.tags:
        _must_be_named("tags", tag)


def _must_be_named(field: str, name: str, longest: int = 256) -> None:
    if (wrong := bad_name(name, longest)) is not None:
        raise InvalidRecord(f"`{field}`: {wrong}")
