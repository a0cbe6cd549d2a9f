"""Documents as they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.mind.view.documents import Document, Documents
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds


def listed(tx: Tx, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """Each with its kind, when it was begun and when it was last written."""
    last = {document.doc: _last(tx, document) for document in documents}
    wanted = {document.first for document in documents} | set(last.values())
    times = {record.seq: milliseconds(record.ts) for record in tx.ledger.records(wanted)}
    return [
        {
            "doc": document.doc,
            "kind": document.kind,
            "created_at_ms": times[document.first],
            "updated_at_ms": times[last[document.doc]],
        }
        for document in documents
    ]


def _last(tx: Tx, document: Document) -> int:
    """The record that it was last written by: known, unless its branch has since gone on without this one."""
    if document.last is not None:
        return document.last
    entry, change = tx.ask(Documents).last_entry(document), tx.ask(Graph).last_change(document)
    return max(entry or 0, change or 0, document.first)
