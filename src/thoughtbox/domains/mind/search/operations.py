"""The verb that finds what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.entries import branch_names, docs_in
from thoughtbox.domains.mind.room import IN_DAILY, room
from thoughtbox.domains.mind.search.models import Found, Search
from thoughtbox.domains.mind.search.texts import SEARCHED
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import HARD_CEILING, Example, Tx, fitting, size
from thoughtbox.search.texts import Hit, Texts

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
    message = found.note or _said_of_drafts(len(there) - len(shown))
    distinct = _distinct(shown, opened)
    hits = [_shown(copies, opened, names) for copies in distinct]
    count = fitting(hits, (call.max_chars or HARD_CEILING) - AROUND - size([call.query, message]))
    end = call.offset + (call.limit if count == len(hits) else found.hits.index(distinct[count][0]))
    has_more = found.has_more or count < len(hits)
    return Found(
        query=call.query,
        hits=hits[:count],
        count=count,
        has_more=has_more,
        next_offset=end if has_more else None,
        message=message,
    )


def _distinct(hits: Iterable[Hit], opened: Mapping[int, Record]) -> list[list[Hit]]:
    """What was found, the best first: a note or node that was merged is one, with all that says the same."""
    same: dict[object, list[Hit]] = {}
    for hit in hits:
        record = opened[hit.seq]
        state = _state(record)
        told = records.origin(record) if state is None else (state["id"], state.get("title"), state.get("text"))
        same.setdefault(told, []).append(hit)
    return list(same.values())


def _said_of_drafts(hidden: int) -> str | None:
    """Plain notes are drafts unless they say otherwise: who has just written one looks for it in vain."""
    return f"Drafts that fit and are not shown: {hidden}. Send include_drafts=true to see them." if hidden else None


def _is_draft(record: Record) -> bool:
    state = _state(record)
    return records.is_draft(state["tags"]) if state is not None else bool(_lane(record))


def _lane(record: Record) -> bool:
    return record.topic == records.NOTE and bool(records.entry_row(record).draft)


def _state(record: Record) -> Mapping[str, Any] | None:
    """The node that the record wrote, if it wrote one."""
    return record.data.get("card") or record.data.get("node")


def _shown(copies: Sequence[Hit], opened: Mapping[int, Record], names: Mapping[int, str]) -> dict[str, Any]:
    branches = [names[opened[hit.seq].data["branch"]] for hit in copies]
    record, snippet, state = opened[copies[0].seq], copies[0].snippet, _state(opened[copies[0].seq])
    where = {"branch": branches[0], **present({"also_on": branches[1:] or None}), "ts": record.ts, "snippet": snippet}
    if state is not None:
        about = present({"type": state["type"], "status": state.get("status"), "title": state.get("title")})
        return {"id": state["id"], **about, **where}
    kind = "event" if record.topic == records.EVENT else "note"
    about = present({"title": record.data.get("title")})
    return {"ref": f"{docs_in(record)[0]}@{record.seq}", "kind": kind, **about, **where}
