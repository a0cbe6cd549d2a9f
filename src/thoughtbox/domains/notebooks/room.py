"""The room itself: its view, its records, what can be found in it, and who may come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thoughtbox.domains.notebooks import ahead, records
from thoughtbox.domains.notebooks.pieces import brought, printed
from thoughtbox.domains.notebooks.running.settling import settle
from thoughtbox.domains.notebooks.view import UNFINISHED, Notebooks
from thoughtbox.errors import StageRequirementNotMet
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Guard, Input, Mending, Operation, Room, Tx
from thoughtbox.search.registry import Part, searchable

STAGE: Final = 2


def echo(operation: str, answer: Mapping[str, Any]) -> str:
    """What was written, for whoever watches: `notebook.run_cell th:17 completed`."""
    named = [answer[name] for name in ("runId", "cellId", "notebookId") if isinstance(answer.get(name), str)][:1]
    status = answer.get("status")
    return " ".join([operation, *named, *([status] if isinstance(status, str) else [])])


def _must_have_come_so_far(tx: Tx, operation: Operation, arguments: Input) -> str | None:
    """Notebooks belong to stage 2 of the document; stages are the thoughts room's, which says who has reached one."""
    if not tx.focus.lasts:
        return None
    return tx.call("stage_check", {"name": operation.name, "stage": STAGE}).get("hint")


AT_STAGE: Final = Guard(check=_must_have_come_so_far, says=f"needs stage {STAGE}", errors=(StageRequirementNotMet,))

room = Room(
    "notebooks",
    summary="Notebooks: prose and code that runs in isolation, is replayed, and is cited as evidence.",
    views=[Notebooks],
    ahead=ahead.begin,
    mending=Mending(UNFINISHED, settle),
    gateway_names=("notebook",),
    gateway="notebook.create, .add_cell, .run_cell",
    echo=echo,
)

for _topic in records.TOPICS:
    room.topic(_topic, records.opened, streams=records.STREAMS)


def _said_in_cell(record: Record) -> list[Part]:
    """What a cell says, and what its file has shown below it, until it says something else or is deleted."""
    data = record.data
    if data["change"] == "moved" or (data["change"] == "updated" and "text" not in data):
        return []
    if data["change"] == "deleted":
        return [Part("", f"cell/{data['cellId']}")]
    named = f"{data['filename']}\n" if data.get("filename") else ""
    shown = f"\n{printed(brought(data['shown']))}" if "shown" in data else ""
    return [Part(f"{named}{data.get('text', '')}{shown}", f"cell/{data['cellId']}")]


def _said_in_run(record: Record) -> list[Part]:
    """What the last run of a cell has shown as text, and its error."""
    data = record.data
    texts = [each["content"] for each in data["contents"].values() if each["mime"].startswith("text/plain")]
    return [Part("\n".join([*texts, data.get("error") or ""]).strip(), f"run/{data['cellId']}")]


def _said_in_output(record: Record) -> str:
    return record.data["content"] if record.data["mime"].startswith("text/plain") else ""


searchable(records.CREATED, lambda record: [Part(record.data["name"], "name")])
searchable(records.CELL, _said_in_cell)
searchable(records.ENDED, _said_in_run)
searchable(records.OUTPUT, _said_in_output)
searchable(records.DELETED, lambda record: "", withdraws=lambda record: True)
searchable(records.REPLAYED)
searchable(records.CITED)
