"""What of this room can be found: notes, steps of traces, cards and nodes, as they read now."""

from __future__ import annotations

from thoughtbox.domains.mind import records
from thoughtbox.ledger.record import Record
from thoughtbox.search.registry import Part, searchable

SEARCHED = (records.NOTE, records.CARD, records.NODE, records.EVENT)


def _note(record: Record) -> str:
    return "\n".join(filter(None, (record.data.get("title"), record.text)))


def _card(record: Record) -> list[Part]:
    return [_node_part(record.data["graphDoc"], record.data["card"])]


def _node(record: Record) -> list[Part]:
    return [_node_part(record.data["doc"], record.data["node"])]


def _node_part(doc: str, node: dict[str, object]) -> Part:
    """A node's text, which its next version replaces and its deletion ends."""
    said = [text for text in (node.get("title"), node.get("text")) if isinstance(text, str)]
    return Part("" if node.get("deleted") else "\n".join(said), f"{doc}|{node['id']}")


searchable(records.NOTE, _note)
searchable(records.CARD, _card)
searchable(records.NODE, _node)
searchable(records.EVENT)
