"""The verb that finds what is known."""

from __future__ import annotations

from typing import Any

import orjson

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.entries import branch_names, docs_in
from thoughtbox.domains.mind.room import IN_DAILY, room
from thoughtbox.domains.mind.search.models import Found, Search
from thoughtbox.domains.mind.search.texts import SEARCHED
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import HARD_CEILING, Example, Tx
from thoughtbox.search import Texts

AROUND = len('{"query":,"hits":[],"count":100,"has_more":true,"next_offset":1000000,"message":,"truncated":false}')


@room.operation(
    "mind_search",
    title="Find what is known",
    toolsets=IN_DAILY,
    fresh=(Texts,),
    newest_first=frozenset({"hits"}),
    example=Example({"query": "cold cache"}, given=[("notes_commit", {"content": "The cache is cold after deploys."})]),
)
def mind_search(tx: Tx, call: Search) -> Found:
    """Notes, steps, cards and task events of every branch by a question or by words; each hit can be opened."""
    found = tx.ask(Texts).find(call.query, topics=SEARCHED, limit=call.limit, offset=call.offset)
    opened = {record.seq: record for record in tx.ledger.records(hit.seq for hit in found.hits)}
    names = branch_names(tx, opened.values())
    there = [hit for hit in found.hits if opened[hit.seq].data["branch"] in names]
    shown = [hit for hit in there if call.include_drafts or not _is_draft(opened[hit.seq])]
    hits = [_shown(opened[hit.seq], hit.snippet, names[opened[hit.seq].data["branch"]]) for hit in shown]
    message = found.note or _said_of_drafts(len(there) - len(shown))
    fitting = _fitting(hits, (call.max_chars or HARD_CEILING) - AROUND - len(orjson.dumps([call.query, message])))
    end = call.offset + (call.limit if fitting == len(hits) else found.hits.index(shown[fitting]))
    has_more = found.has_more or fitting < len(hits)
    return Found(
        query=call.query,
        hits=hits[:fitting],
        count=fitting,
        has_more=has_more,
        next_offset=end if has_more else None,
        message=message,
    )


def _fitting(hits: list[dict[str, Any]], room: int) -> int:
    """How many of these there is room for, one at least: those that the budget would cut away begin the next page."""
    for number, hit in enumerate(hits):
        room -= len(orjson.dumps(hit)) + 1
        if number and room < 0:
            return number
    return len(hits)


def _said_of_drafts(hidden: int) -> str | None:
    """Plain notes are drafts unless they say otherwise: who has just written one looks for it in vain."""
    return f"Drafts that fit and are not shown: {hidden}. Send include_drafts=true to see them." if hidden else None


def _is_draft(record: Record) -> bool:
    state = record.data.get("card") or record.data.get("node")
    return records.is_draft(state["tags"]) if state is not None else bool(_lane(record))


def _lane(record: Record) -> bool:
    return record.topic == records.NOTE and bool(records.entry_row(record).draft)


def _shown(record: Record, snippet: str, branch: str) -> dict[str, Any]:
    state = record.data.get("card") or record.data.get("node")
    if state is not None:
        about = present({"type": state["type"], "status": state.get("status"), "title": state.get("title")})
        return {"id": state["id"], **about, "branch": branch, "ts": record.ts, "snippet": snippet}
    kind = "event" if record.topic == records.EVENT else "note"
    about = present({"title": record.data.get("title")})
    ref = f"{docs_in(record)[0]}@{record.seq}"
    return {"ref": ref, "kind": kind, **about, "branch": branch, "ts": record.ts, "snippet": snippet}
