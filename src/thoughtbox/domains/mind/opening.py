"""One artifact, opened by its id or reference: cards and entries. Sub-rooms open their own."""

from __future__ import annotations

import re
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.entries import TOPICS, branch_names, docs_in, shown
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.operations import Tx
from thoughtbox.world import iso

REFERENCE = re.compile(r"(?P<doc>.+)@(?P<seq>[1-9][0-9]{0,17})", re.DOTALL)

LONGEST_SUMMARY = 160


def card(tx: Tx, id: str) -> dict[str, Any] | None:
    """The newest live card or node of that id, with what it is linked to on its branch; None when there is none."""
    view = tx.ask(Graph)
    found = view.anywhere(id)
    if found is None:
        return None
    branch = tx.ask(Documents).branch_of(found.branch)
    assert branch is not None
    graph = view.of(branch, found.doc)
    outgoing, incoming = graph.edges(sources=[id]), graph.edges(targets=[id])
    edges = {rel: [edge.target for edge in outgoing if edge.rel == rel] for rel in ("supports", "blocks")}
    back = {"supports": "supported_by", "blocks": "blocked_by"}
    edges |= {name: [edge.source for edge in incoming if edge.rel == rel] for rel, name in back.items()}
    others = {edge.rel for edge in outgoing} - edges.keys()
    edges |= {rel: [edge.target for edge in outgoing if edge.rel == rel] for rel in sorted(others)}
    told = {"title": found.title, "text": found.text}
    return {
        "kind": "card",
        "id": id,
        "summary": first_line(found.title or found.text or id),
        "head": {
            "seq": found.last_seq,
            "ts": iso(found.last_ts_ms),
            "ts_ms": found.last_ts_ms,
            "branch": branch.name,
            "doc": found.doc,
        },
        "card": {
            "id": id,
            "type": found.type,
            **{name: value for name, value in told.items() if value is not None},
            "status": found.status,
            "tags": list(found.tags),
            "meta": found.meta,
        },
        "edges": edges,
        "truncated": False,
    }


def entry(tx: Tx, reference: str) -> dict[str, Any] | None:
    """The entry that `<doc>@<seq>` names; None when there is none. The document's name must be that of the entry."""
    named = REFERENCE.fullmatch(reference)
    if named is None:
        return None
    record = tx.ledger.record(int(named["seq"]))
    if record is None or record.topic not in TOPICS:
        return None
    names = branch_names(tx, [record])
    if record.data["branch"] not in names:
        return None
    docs = docs_in(record)
    if named["doc"] not in docs:
        right = " or ".join(f"{doc}@{record.seq}" for doc in docs)
        raise invalid(
            f"entry {record.seq} is not in document `{named['doc']}`", recovery=f"Expected {right}.", field="id"
        )
    found = shown(record, named["doc"], names)
    text = record.text if record.topic != records.EVENT else found["event_type"]
    return {
        "kind": "doc_entry",
        "ref": reference,
        "summary": first_line(found.get("title") or text),
        "entry": found,
        "truncated": False,
    }


def event(tx: Tx, id: str) -> dict[str, Any] | None:
    """The event of a plan or task that has this id, as the entry that it is; None when there is none."""
    record = tx.ledger.record(int(id.removeprefix("evt_")))
    if record is None or record.topic != records.EVENT:
        return None
    return entry(tx, f"{docs_in(record)[0]}@{record.seq}")


def first_line(text: str) -> str:
    """What a text begins with, on one line."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= LONGEST_SUMMARY else f"{line[: LONGEST_SUMMARY - 1]}…"
