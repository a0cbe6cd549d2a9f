"""Merging notes: which are copied, and which are there already."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.entries import said
from thoughtbox.domains.mind.view.documents import Branch, Documents, Place
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import Tx


def missing(tx: Tx, into: Branch, doc: str, places: Sequence[Place]) -> list[Record]:
    """Those of these entries that are notes which the branch shows neither themselves nor as a copy, each once.

    What counts is where a note was first written. So a copy does not come back to the branch that has the note, nor
    a second copy by another way.
    """
    view = tx.ask(Documents)
    notes = [record for record in tx.ledger.records(place.seq for place in places) if _is_note(record)]
    origins = [records.origin(note) for note in notes]
    there = view.merged(into, doc, origins) | view.shows(into, doc, origins).keys()
    wanted = list[Record]()
    for note, origin in zip(notes, origins, strict=True):
        if origin not in there:
            there.add(origin)
            wanted.append(note)
    return wanted


def copy(tx: Tx, note: Record, source: Branch, into: Branch, doc: str) -> None:
    """Write a note again on another branch. Where it came from stands beside what was said, not within."""
    origin = records.origin(note)
    records.write_note(
        tx,
        into.id,
        into.name,
        doc,
        note.text,
        doc_kind=records.entry_row(note).doc_kind,
        **said(note),
        merged_from={
            "branch": source.id,
            "seq": note.seq,
            **present({"origin": origin if origin != note.seq else None}),
        },
    )


def _is_note(record: Record) -> bool:
    return records.entry_row(record).kind == "note"
