"""What this room writes: the records of branches, documents and the graph, and how each is read again.

A record is one change of one thing, so that every change has a number of its own. What it is about stands in `data`:
the branch by its id, which outlives its name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.ledger.record import Draft, Kind, Record, present, record_id
from thoughtbox.operations import Tx

BRANCH = "mind.branch"
PLACE = "mind.place"
NOTE = "mind.note"
CARD = "mind.card"
NODE = "mind.node"
EDGE = "mind.edge"
EVENT = "mind.event"
CONFLICT = "mind.conflict"

WORKSPACE_STREAM = "mind/workspace"

KINDS: Mapping[str, Kind] = {
    "hypothesis": "claim",
    "question": "question",
    "evidence": "evidence",
    "decision": "decision",
}
"""What a card is in the ledger; any other is an observation."""


def stream_of(branch: int) -> str:
    """The stream of a branch: every record that was written on it."""
    return f"mind/{branch}"


class EntryRow(NamedTuple):
    """An entry of a document, as far as it is looked for."""

    branch: int
    doc: str
    kind: str
    format: str | None
    draft: int
    task: str | None
    path: str | None
    doc_kind: str


def entry_row(record: Record) -> EntryRow:
    """Where an entry stands and what it is, from its record."""
    data = record.data
    if record.topic == CARD:
        step = data["card"].get("meta", {}).get("step")
        draft = is_draft(data["card"]["tags"])
        return EntryRow(data["branch"], data["traceDoc"], "note", "think_card", draft, *_step(step), "trace")
    if record.topic == EVENT:
        return EntryRow(data["branch"], data["doc"], "event", None, 0, data.get("task"), data.get("path"), "trace")
    meta = data.get("meta", {})
    is_private = _is_of_an_agent(meta) or _is_of_an_agent(meta.get("meta"))
    kind = data.get("docKind", "notes")
    return EntryRow(data["branch"], data["doc"], "note", data.get("format"), is_private, *_step(meta.get("step")), kind)


def _is_of_an_agent(meta: Any) -> bool:
    """Whether an entry stands in one agent's lane, as earlier ones say it."""
    lane = meta.get("lane") if isinstance(meta, dict) else None
    return isinstance(lane, dict) and lane.get("kind") == "agent"


def origin(record: Record) -> int:
    """The entry that was first written: itself, or what it is a copy of, by however many merges."""
    merged = record.data.get("mergedFrom")
    return record.seq if merged is None else merged.get("origin", merged["seq"])


def _step(step: Any) -> tuple[str | None, str | None]:
    if not isinstance(step, dict):
        return None, None
    task, path = step.get("task_id"), step.get("path")
    return (task, path) if isinstance(task, str) and isinstance(path, str) else (None, None)


def is_draft(tags: Sequence[str]) -> bool:
    """Whether what has these tags is hidden unless drafts are asked for."""
    if "v:draft" in tags:
        return True
    return "v:canon" not in tags and any(tag.startswith("lane:agent:") for tag in tags)


def write_branch(
    tx: Tx, change: str, branch: int | None = None, *, name: str, base: int | None = None, canonical: str | None = None
) -> int:
    """Make a branch, rename it or delete it; its id."""
    last = tx.ledger.last_seq_held()
    id = branch if branch is not None else last + 1
    data = {"change": change, "branch": id, "name": name}
    if change == "created":
        data |= present({"base": base, "baseSeq": last if base is not None else None, "canonical": canonical})
    said = {"created": "is there", "renamed": "is what the branch is called", "deleted": "is gone"}[change]
    tx.append(_draft("observation", BRANCH, f"Branch {name} {said}", id, name, data), stream=stream_of(id))
    return id


def write_place(tx: Tx, place: str, value: str | int | None, said: str) -> None:
    """Remember where the workspace stands."""
    data = {"place": place, **present({"value": None if value is None else str(value)})}
    tx.append(
        Draft(kind="observation", topic=PLACE, text=said, session=WORKSPACE_STREAM, data=data), stream=WORKSPACE_STREAM
    )


def write_note(
    tx: Tx,
    branch: int,
    branch_name: str,
    doc: str,
    content: str,
    *,
    doc_kind: str = "notes",
    title: str | None = None,
    format: str | None = None,
    meta: Mapping[str, Any] | None = None,
    merged_from: Mapping[str, Any] | None = None,
    of_card: int | None = None,
) -> Record:
    """Append an entry to a document. `of_card` is the record of the card that it sums up."""
    data = {
        "branch": branch,
        "doc": doc,
        "docKind": doc_kind,
        **present({"title": title, "format": format, "meta": meta or None, "mergedFrom": merged_from}),
        **present({"ofCard": of_card}),
    }
    return tx.append(_draft("observation", NOTE, content, branch, branch_name, data), stream=stream_of(branch))


def write_card(
    tx: Tx,
    branch: int,
    branch_name: str,
    *,
    trace_doc: str,
    graph_doc: str,
    card: Mapping[str, Any],
    links: Mapping[str, Sequence[str]] | None = None,
    relations: Sequence[tuple[str, int]] = (),
    agent: str | None = None,
) -> Record:
    """Append a card to a trace and put it into a graph, in one record.

    `links` are the nodes that it was written to support or to block, by id; `relations` are those of them that are
    cards, by number. `agent` is who it is said to be from.
    """
    data = {"branch": branch, "traceDoc": trace_doc, "graphDoc": graph_doc, "card": dict(card)}
    if links := {rel: list(ids) for rel, ids in (links or {}).items() if ids}:
        data["links"] = links
    if agent is not None:
        data["agentId"] = agent
    kind = KINDS.get(card["type"], "observation")
    linked = [{"type": rel, "to": record_id(seq)} for rel, seq in relations]
    attrs = {"relations": linked} if linked or kind == "claim" else {}
    text = card.get("text") or card.get("title") or ""
    draft = _draft(kind, CARD, text, branch, branch_name, data, attrs)
    return tx.append(draft, stream=stream_of(branch))


def event_id(seq: int) -> str:
    """What the event of a record is called."""
    return f"evt_{seq:016d}"


def write_event(
    tx: Tx, branch: int, branch_name: str, doc: str, type: str, said: str, about: Mapping[str, Any]
) -> Record:
    """Append a mutation of a plan or task to its trace; `about` is what it was, and what holds since."""
    seq = tx.ledger.last_seq_held() + 1
    data = {"branch": branch, "doc": doc, "eventId": event_id(seq), "eventType": type, **about}
    return tx.append(_draft("observation", EVENT, said, branch, branch_name, data), stream=stream_of(branch))


def write_node(
    tx: Tx,
    branch: int,
    branch_name: str,
    doc: str,
    node: Mapping[str, Any],
    why: str,
    *,
    merged_from: Mapping[str, int] | None = None,
) -> Record:
    """Put a version of a node into a graph: all of it, or `deleted`. `why` names what made it.

    `merged_from` is the branch and the number of the version that it is a copy of.
    """
    data = {"branch": branch, "doc": doc, "node": dict(node), "why": why, **present({"mergedFrom": merged_from})}
    text = node.get("text") or node.get("title") or node["id"]
    return tx.append(_draft("observation", NODE, text, branch, branch_name, data), stream=stream_of(branch))


def write_edge(
    tx: Tx,
    branch: int,
    branch_name: str,
    doc: str,
    edge: Mapping[str, Any],
    why: str,
    *,
    merged_from: Mapping[str, int] | None = None,
) -> Record:
    """Put a version of an edge into a graph."""
    data = {"branch": branch, "doc": doc, "edge": dict(edge), "why": why, **present({"mergedFrom": merged_from})}
    text = f"{edge['from']} {edge['rel']} {edge['to']}"
    return tx.append(_draft("observation", EDGE, text, branch, branch_name, data), stream=stream_of(branch))


def write_conflict(
    tx: Tx,
    into: int,
    into_name: str,
    conflict: Mapping[str, Any],
    status: str,
    said: str,
    resolution: str | None = None,
) -> Record:
    """Say that a branch and the one that it is merged into differ about something, or that this is settled."""
    data = {"branch": into, **present(conflict), "status": status, **present({"resolution": resolution})}
    return tx.append(_draft("observation", CONFLICT, said, into, into_name, data), stream=stream_of(into))


def _draft(
    kind: Kind,
    topic: str,
    text: str,
    branch: int,
    branch_name: str,
    data: Mapping[str, Any],
    attrs: Mapping[str, Any] | None = None,
) -> Draft:
    return Draft(
        kind=kind,
        topic=topic,
        text=text,
        session=stream_of(branch),
        branch=branch_name,
        attrs=attrs or {},
        data=data,
    )
