"""Entries of documents as they are shown, opened from their records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.view.documents import Documents, Place
from thoughtbox.ledger.record import Record, present
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

TOPICS = frozenset({records.NOTE, records.CARD, records.EVENT, records.NODE, records.EDGE})
"""Records that are entries of a document."""


def opened(tx: Tx, places: Sequence[Place]) -> list[dict[str, Any]]:
    """These entries in full, in order of writing."""
    found = tx.ledger.records(place.seq for place in places)
    strays = {place.seq for place in places} - {record.seq for record in found if record.topic in TOPICS}
    if strays:
        raise astray(Documents, min(strays), "an entry")
    docs = {place.seq: place.doc for place in places}
    names = branch_names(tx, found)
    return [shown(record, docs[record.seq], names) for record in found]


def branch_names(tx: Tx, found: Collection[Record]) -> Mapping[int, str]:
    """What the branches of these records are called; one that is gone only where a copy came from it."""
    view = tx.ask(Documents)
    own = view.names({record.data["branch"] for record in found})
    merged = (record.data.get("mergedFrom") for record in found)
    sources = {source["branch"] for source in merged if source is not None}
    return view.called(sources) | own if sources else own


def docs_in(record: Record) -> list[str]:
    """The documents that a record is an entry of: a card stands in a trace and in a graph."""
    data = record.data
    return [data["traceDoc"], data["graphDoc"]] if record.topic == records.CARD else [data["doc"]]


def shown(record: Record, doc: str, names: Mapping[int, str]) -> dict[str, Any]:
    """An entry as it is shown."""
    data = record.data
    head = {
        "seq": record.seq,
        "ts": record.ts,
        "ts_ms": milliseconds(record.ts),
        "branch": names.get(data["branch"], record.envelope["branch"]),
        "doc": doc,
    }
    match record.topic:
        case records.EVENT:
            return head | _event(record)
        case records.NODE | records.EDGE:
            return head | {"kind": "event", "event_type": data["why"], "payload": data.get("node") or data.get("edge")}
    return head | {"kind": "note", **said(record), "content": record.text, **_source(record, names)}


def said(record: Record) -> dict[str, Any]:
    """What a note says beside its text: title, format, meta."""
    data = record.data
    if record.topic == records.CARD:
        return _card(record)
    return present({"title": data.get("title"), "format": data.get("format"), "meta": data.get("meta")})


def _source(record: Record, names: Mapping[int, str]) -> dict[str, Any]:
    """Where a copy came from."""
    merged = record.data.get("mergedFrom")
    if merged is None:
        return {}
    branch, seq = names[merged["branch"]], merged["seq"]
    return {"source_event_id": f"merge:{branch}:{seq}", "merged_from": {"branch": branch, "seq": seq}}


def _card(record: Record) -> dict[str, Any]:
    card = record.data["card"]
    meta = {
        "source": "think_card",
        "card_id": card["id"],
        **{name: card[name] for name in ("type", "status", "tags")},
        **present({"meta": card["meta"] or None, "step": card["meta"].get("step")}),
    }
    return {**present({"title": card.get("title")}), "format": "think_card", "meta": meta}


def _event(record: Record) -> dict[str, Any]:
    data = record.data
    about = present({"task_id": data.get("task"), "path": data.get("path")})
    return {
        "kind": "event",
        "event_id": data["eventId"],
        "event_type": data["eventType"],
        **about,
        "payload": data["payload"],
        "content": record.text,
    }
