"""What became of notebooks and cells, and where something is said in them."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.cells import GIVEN
from thoughtbox.domains.notebooks.models import (
    History,
    HistoryEvent,
    HistoryRead,
    NotebookHit,
    NotebooksFound,
    SearchNotebooks,
)
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.scope import existing, room_in
from thoughtbox.domains.notebooks.shown import shown_by
from thoughtbox.domains.notebooks.view import Notebooks
from thoughtbox.errors import NotebookNotFound
from thoughtbox.ledger.record import Record, present
from thoughtbox.ledger.view import FOREVER
from thoughtbox.operations import Example, Tx, cursor, fitting, place_in, size
from thoughtbox.search.texts import Hit, Texts

LONGEST_EXCERPT: Final = 500
SEARCHED: Final = (*(records.CREATED, records.CELL, records.ENDED, records.OUTPUT, records.REPLAYED, records.CITED),)
_FOUND_IN: Final = {
    records.CREATED: "name",
    records.CELL: "cell",
    records.ENDED: "output",
    records.OUTPUT: "output",
    records.REPLAYED: "replay",
    records.CITED: "citation",
}


class BeforeEvent(NamedTuple):
    """Where a page of a history ends."""

    seq: int


@room.operation(
    "notebook.history",
    guard=AT_STAGE,
    title="See what became of a notebook",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest"}, given=GIVEN),
)
def history(tx: Tx, call: History) -> HistoryRead:
    """Everything that was done to a notebook or to one of its cells, the newest first: changes, runs, verdicts."""
    notebook = existing(tx, call.notebook_id)
    view = tx.ask(Notebooks)
    cell_id = call.cell_id
    if cell_id is not None:  # a filename stands for the cell that has it; a cell that is gone still has its history
        cell_id = next((cell.id for cell in view.cells(notebook.id) if cell.filename == cell_id), cell_id)
    before = place_in(call.cursor, BeforeEvent).seq if call.cursor else FOREVER
    seqs = view.events(notebook.id, cell_id, before, call.limit + 1)
    found = {record.seq: record for record in tx.ledger.records(sorted(seqs[: call.limit]))}
    events = [_event(tx, found[seq]) for seq in seqs[: call.limit]]
    count = max(1, fitting((event.answer() for event in events), room_in(call.max_chars)))
    more = cursor(BeforeEvent(seqs[count - 1])) if len(seqs) > count else None
    return HistoryRead(notebook_id=notebook.id, events=events[:count], count=len(events[:count]), cursor=more)


@room.operation(
    "notebook.search",
    guard=AT_STAGE,
    title="Find something in notebooks",
    errors=[NotebookNotFound],
    fresh=(Texts,),
    newest_first=frozenset({"hits"}),
    example=Example({"query": "answer"}, given=GIVEN),
)
def search(tx: Tx, call: SearchNotebooks) -> NotebooksFound:
    """Cells and outputs of all notebooks by a question or by words; each hit names what to open."""
    session = existing(tx, call.notebook_id).id if call.notebook_id is not None else None
    found = tx.ask(Texts).find(call.query, topics=SEARCHED, session=session, limit=call.limit, offset=call.offset)
    opened = {record.seq: record for record in tx.ledger.records(sorted(hit.seq for hit in found.hits))}
    hits = [shown for hit in found.hits if (shown := _hit(tx, hit, opened[hit.seq])) is not None]
    count = fitting((hit.answer() for hit in hits), room_in(call.max_chars) - size([call.query, found.note]))
    is_more = found.has_more or count < len(hits)
    return NotebooksFound(
        query=call.query,
        hits=hits[:count],
        count=count,
        next_offset=call.offset + (call.limit if count == len(hits) else count) if is_more else None,
        message=found.note,
    )


def _hit(tx: Tx, hit: Hit, record: Record) -> NotebookHit | None:
    view, data = tx.ask(Notebooks), record.data
    notebook = view.notebook(data["notebookId"])
    if notebook is None or notebook.is_deleted:
        return None
    cell = view.cell(notebook.id, data["cellId"]) if "cellId" in data else None
    return NotebookHit(
        notebook_id=notebook.id,
        notebook=notebook.name,
        found_in=_FOUND_IN[record.topic],  # ty: ignore[invalid-argument-type]
        cell_id=data.get("cellId"),
        filename=cell.filename if cell is not None else None,
        run_id=record.attrs.get("callId") or data.get("runId"),
        id=record.id,
        snippet=hit.snippet,
    )


def _event(tx: Tx, record: Record) -> HistoryEvent:
    told = {"id": record.id, "at": record.ts, "agent": record.agent, "cellId": record.data.get("cellId")}
    return HistoryEvent.model_validate(present({**told, **_told(tx, record)}), by_alias=True)


def _told(tx: Tx, record: Record) -> dict[str, Any]:
    """What a record of a notebook's stream says, for people who read its history."""
    data: Any = record.data
    match record.topic:
        case records.CELL:
            text = data.get("text")
            return {"what": f"cell {data['change']}", "text": _excerpt(text) if text else None}
        case records.RUN:
            return {"what": "run begun", "runId": record.id}
        case records.ENDED:
            ended = shown_by(tx, record)
            return {
                "what": "run ended",
                "runId": record.attrs["callId"],
                "status": "completed" if ended.outcome == "completed" else "failed",
                "outcome": ended.outcome,
                "durationMs": ended.duration_ms,
                "output": _excerpt(ended.output) or None,
                "error": _excerpt(ended.error or "") or None,
            }
        case records.STOP:
            return {"what": "interrupt asked for", "runId": data["runId"]}
        case records.PACKAGES:
            what = "packages installed" if data["ok"] else "packages not installed"
            return {"what": what, "packages": data["packages"], "text": _excerpt(data["said"])}
        case records.REPLAYED:
            return {"what": "replayed", "same": data["same"], "cells": data["cells"], "text": record.text}
        case records.CITED:
            target = record.attrs["relations"][0]["to"]
            return {"what": "cited", "runId": data["runId"], "target": target, "text": _excerpt(record.text)}
        case topic:
            return {"what": topic.removeprefix("notebook."), "text": record.text}


def _excerpt(text: str) -> str:
    return text if len(text) <= LONGEST_EXCERPT else f"{text[:LONGEST_EXCERPT]}…"
