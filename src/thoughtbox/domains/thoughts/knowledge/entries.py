"""Patterns and notes as records: how one is written, deleted, found and opened."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NamedTuple

from thoughtbox.domains.thoughts.knowledge.models import KnowledgeDeleted
from thoughtbox.domains.thoughts.knowledge.view import NOTE, PATTERN, Entry, Kind, Knowledge
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.record import Draft, Record, present, record_id
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx
from thoughtbox.search.texts import Texts

SEARCHED_AT_ONCE = 100


class Topic(NamedTuple):
    """How a kind of knowledge is recorded."""

    kind: Kind
    topic: str


PATTERNS, NOTES = Topic("pattern", PATTERN), Topic("note", NOTE)


def write(tx: Tx, what: Topic, data: dict[str, Any], text: str, *, replaces: Entry | Record | None) -> None:
    """Record a version. One that replaces another says which."""
    attrs: dict[str, Any] = {"relations": []} if replaces is None else {"replacesId": record_id(replaces.seq)}
    tx.append(
        Draft(
            kind="claim" if replaces is None else "revision",
            topic=what.topic,
            text=text,
            session="knowledge",
            attrs=attrs,
            data=data,
        ),
        stream=_stream(what, data["id"]),
    )


def delete(tx: Tx, what: Topic, entry: Entry) -> KnowledgeDeleted:
    """Record that a pattern or note is no more."""
    tx.append(
        Draft(
            kind="hub_event",
            topic=what.topic,
            text=f"{what.kind} deleted",
            session="knowledge",
            attrs={"eventType": f"{what.kind}.deleted"},
            data={"id": entry.id, "title": entry.title, "deleted": True},
        ),
        stream=_stream(what, entry.id),
    )
    undo = {"operation": f"knowledge.undelete_{what.kind}", f"{what.kind}Id": entry.id}
    return KnowledgeDeleted(id=entry.id, undo=undo)


def undelete(tx: Tx, what: Topic, id: str, session_id: str | None) -> Entry:
    """Bring a pattern or note back as it was; one that is in sight stays as it is."""
    versions = tx.ledger.newest(_stream(what, id), 2)
    if tx.ask(Knowledge).entry(what.kind, id) is None and len(versions) == 2:
        last = versions[0]
        write(tx, what, own_data(last), last.text, replaces=last)
    return entry_named(tx, what, id, session_id)


def own_data(record: Record) -> dict[str, Any]:
    """What a record says of a pattern or note, without its topic."""
    return {name: value for name, value in record.data.items() if name != "topic"}


def last_record(tx: Tx, what: Topic, id: str) -> Record | None:
    """What was recorded last under an id, deleted or not."""
    return next(iter(tx.ledger.newest(_stream(what, id), 1)), None)


def _stream(what: Topic, id: str) -> str:
    return f"knowledge/{what.kind}/{id}"


def entry_named(tx: Tx, what: Topic, id: str, session_id: str | None = None) -> Entry:
    """The pattern or note of that id; refuses one that is not there, to whoever called from that session."""
    entry = tx.ask(Knowledge).entry(what.kind, id)
    if entry is None:
        listing = {"operation": f"knowledge.list_{what.kind}s", **present({"sessionId": session_id})}
        raise InvalidPayload(
            f"there is no {what.kind} `{id}`",
            recovery=f"{json.dumps(listing, ensure_ascii=False)} shows those there are.",
            details={"fields": [f"{what.kind}Id"]},
        )
    return entry


def record_of(tx: Tx, entry: Entry) -> Record:
    """The record that says what a pattern or note is."""
    record = tx.ledger.record(entry.seq)
    if record is None or record.topic not in (PATTERN, NOTE) or record.data["id"] != entry.id:
        raise astray(Knowledge, entry.seq, f"`{entry.id}`")
    return record


def found_in(tx: Tx, topic: str, words: str | None) -> tuple[Collection[int] | None, str | None]:
    """The records that these words find, the best first; all when there are none."""
    if words is None or not words.strip():
        return None, None
    hits: list[int] = []
    offset, has_more, note = 0, True, None
    while has_more:
        found = tx.ask(Texts).find(words, topics=(topic,), limit=SEARCHED_AT_ONCE, offset=offset)
        hits += [hit.seq for hit in found.hits]
        offset, has_more, note = offset + len(found.hits), found.has_more, found.note
    return hits, note


def page_of(entries: list[Entry], offset: int, limit: int) -> tuple[list[Entry], int | None]:
    """A page, and where the next one begins."""
    end = offset + limit
    return entries[offset:end], end if end < len(entries) else None


def created_at(tx: Tx, entry: Entry) -> str:
    """When the first version was recorded."""
    record = tx.ledger.record(entry.created_seq)
    return record.ts if record else ""
