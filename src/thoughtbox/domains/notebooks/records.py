"""What this room writes. Pure logic.

Everything of a notebook stands in its own stream, in the order in which it happened. What a run has shown is kept by
its hash: small things in the record of the run's end, large ones in records of their own before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field, Json

from thoughtbox.domains.notebooks.cell import CellType, Language, Outcome
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present, record_id
from thoughtbox.operations import Name, RecordData, earlier, must_stand_in, redacted

STREAMS: Final = "notebooks"
CREATED: Final = "notebook.created"
DELETED: Final = "notebook.deleted"
CELL: Final = "notebook.cell"
RUN: Final = "notebook.run"
TOLD: Final = "notebook.told"
STOP: Final = "notebook.stop"
OUTPUT: Final = "notebook.output"
ENDED: Final = "notebook.ended"
PACKAGES: Final = "notebook.packages"
REPLAYED: Final = "notebook.replayed"
CITED: Final = "notebook.cited"
TOPICS: Final = (CREATED, DELETED, CELL, RUN, TOLD, STOP, OUTPUT, ENDED, PACKAGES, REPLAYED, CITED)

Change = Literal["added", "updated", "moved", "deleted"]


def stream_of(notebook_id: str) -> str:
    return f"{STREAMS}/{notebook_id}"


def _event(topic: str, text: str, notebook_id: str, what: str, data: Mapping[str, Any]) -> Draft:
    return Draft(
        kind="hub_event",
        topic=topic,
        text=text,
        session=notebook_id,
        attrs={"eventType": what},
        data={"notebookId": notebook_id, **data},
    )


def created(
    notebook_id: str,
    name: str,
    language: Language,
    *,
    now_ms: int,
    trusted: bool,
    tsconfig: str | None,
    cells: int,
    template: str | None = None,
    origin: Mapping[str, Any] | None = None,
) -> Draft:
    """A new notebook, and how many cells it comes with. `origin` is the file it was taken in from, word for word."""
    data = {"name": name, "language": language, "createdMs": now_ms, "trusted": trusted, "cells": cells}
    more = present({"tsconfig": tsconfig, "template": template, "origin": origin})
    return _event(CREATED, name, notebook_id, "notebook_created", {**data, **more})


def deleted(notebook_id: str, name: str) -> Draft:
    return _event(DELETED, name, notebook_id, "notebook_deleted", {})


def cell(
    notebook_id: str,
    cell_id: str,
    change: Change,
    *,
    rank: str | None = None,
    type: CellType | None = None,
    text: str | None = None,
    language: Language | None = None,
    filename: str | None = None,
    extra: str | None = None,
    shown: str | None = None,
    first: bool | None = None,
) -> Draft:
    """What became of a cell; only what changed is said. `first`: it came with its notebook, which counts it already.

    `extra` and `shown` are what the file that it was taken in from had beside its text, and as its outputs: JSON.
    """
    said = {"rank": rank, "type": type, "text": text, "language": language, "filename": filename}
    return _event(
        CELL,
        filename or type or cell_id,
        notebook_id,
        f"cell_{change}",
        {"cellId": cell_id, "change": change, **present({**said, "extra": extra, "shown": shown, "first": first})},
    )


def run(notebook_id: str, cell_id: str, *, filename: str, language: Language, content: str, owner: str) -> Draft:
    """That a cell is run: which text of it, and by which process."""
    return Draft(
        kind="tool_call",
        topic=RUN,
        text=f"run {filename}",
        session=notebook_id,
        attrs={"toolName": "notebook.run_cell", "args": {"notebookId": notebook_id, "cellId": cell_id}},
        data={"notebookId": notebook_id, "cellId": cell_id, "language": language, "content": content, "owner": owner},
    )


def told(notebook_id: str, run_id: str, tail: str, size: int) -> Draft:
    """How far the output of a run has come: its last lines, for whoever watches."""
    return _event(TOLD, redacted(tail), notebook_id, "run_told", {"runId": run_id, "size": size})


def stop(notebook_id: str, run_id: str) -> Draft:
    """That a run is to end: whoever runs it hears of it."""
    return _event(STOP, f"interrupt {run_id}", notebook_id, "run_stop", {"runId": run_id})


def output(notebook_id: str, sha256: str, content: Mapping[str, Any]) -> Draft:
    """Something large that a run has shown."""
    return _event(OUTPUT, content["mime"], notebook_id, "output_kept", {"sha256": sha256, **content})


def ended(
    notebook_id: str,
    cell_id: str,
    run_seq: int,
    outcome: Outcome,
    *,
    exit_code: int | None,
    duration_ms: int,
    truncated: bool,
    parts: Sequence[Mapping[str, Any]] = (),
    contents: Mapping[str, Mapping[str, Any]] | None = None,
    error: str | None = None,
    note: str | None = None,
) -> Draft:
    """How a run has ended, and what it has shown, in order."""
    data: dict[str, Any] = {
        "notebookId": notebook_id,
        "cellId": cell_id,
        "outcome": outcome,
        "durationMs": duration_ms,
        "truncated": truncated,
        "parts": list(parts),
        "contents": dict(contents or {}),
        **present({"exitCode": exit_code, "error": error, "note": note}),
    }
    return Draft(
        kind="tool_result",
        topic=ENDED,
        text=f"{outcome}: {error.partition(chr(10))[0][:200]}" if error else outcome,
        session=notebook_id,
        attrs={"callId": record_id(run_seq), "status": "ok" if outcome == "completed" else "error"},
        data=data,
    )


def packages(notebook_id: str, names: Sequence[str], manager: str, *, ok: bool, said: str) -> Draft:
    """That packages were asked for, and what came of it."""
    what = "packages_installed" if ok else "packages_failed"
    data = {"packages": list(names), "manager": manager, "ok": ok, "said": redacted(said)}
    return _event(PACKAGES, " ".join(names), notebook_id, what, data)


def replayed(notebook_id: str, verdicts: Sequence[Mapping[str, Any]], *, mask: Sequence[str]) -> Draft:
    """What running all of a notebook again has come to."""
    same = all(verdict["same"] for verdict in verdicts)
    count = sum(1 for verdict in verdicts if verdict["same"])
    return Draft(
        kind="observation",
        topic=REPLAYED,
        text=f"replayed: {count} of {len(verdicts)} cells show the same",
        session=notebook_id,
        data={"notebookId": notebook_id, "same": same, "cells": list(verdicts), "mask": list(mask)},
    )


def cited(notebook_id: str, run_id: str, run_hash: str, target: Record, relation: str, text: str) -> Draft:
    """That a run speaks for or against something: evidence, with the hash of what the run has come to."""
    return Draft(
        kind="evidence",
        topic=CITED,
        text=redacted(text),
        session=notebook_id,
        attrs={"relations": [{"type": relation, "to": target.id}], "sourceUrl": f"thoughtbox://run/{run_id}"},
        data={"notebookId": notebook_id, "runId": run_id, "runHash": run_hash, "targetSession": target.session},
    )


class _Of(RecordData):
    notebook_id: Name


class _Origin(RecordData):
    """The file that a notebook was taken in from."""

    format: str
    content: str | None = None
    extra: Json[dict[str, Any]] | None = None


class CreatedData(_Of):
    name: Name
    language: Language
    created_ms: int
    trusted: bool
    cells: Annotated[int, Field(ge=0)]
    tsconfig: str | None = None
    origin: _Origin | None = None


class _Brought(RecordData):
    """An output that a file has brought."""

    kind: Literal["stream", "display", "result", "error"]
    name: str
    text: str
    data: dict[str, str]
    ename: str
    evalue: str
    extra: dict[str, Any]


class CellData(_Of):
    cell_id: Name
    change: Change
    rank: Annotated[str | None, Field(min_length=1)] = None
    type: CellType | None = None
    text: str | None = None
    language: Language | None = None
    filename: str | None = None
    extra: Json[dict[str, Any]] | None = None
    shown: Json[list[_Brought]] | None = None
    first: bool | None = None


class RunData(_Of):
    cell_id: Name
    language: Language
    content: str
    owner: str


class OfRunData(_Of):
    run_id: Name


class OutputData(_Of):
    sha256: Name
    mime: Name
    size: int
    encoding: Literal["utf-8", "base64"]
    content: str


class _Content(RecordData):
    mime: Name
    size: int
    encoding: Literal["utf-8", "base64"]
    content: str


class _Part(RecordData):
    kind: Literal["stream", "display", "result", "error"]
    name: str = ""
    data: dict[str, str] = Field(default_factory=dict)


class EndedData(_Of):
    cell_id: Name
    outcome: Outcome
    duration_ms: int
    truncated: bool
    parts: list[_Part]
    contents: dict[str, _Content]
    exit_code: int | None = None
    error: str | None = None


class PackagesData(_Of):
    packages: list[str]
    manager: str
    ok: bool
    said: str


class _Verdict(RecordData):
    cell_id: Name
    same: bool


class ReplayedData(_Of):
    same: bool
    cells: list[_Verdict]


class CitedData(_Of):
    run_id: Name
    run_hash: Name
    target_session: str


_MODELS: Final[Mapping[str, type[_Of]]] = {
    CREATED: CreatedData,
    DELETED: _Of,
    CELL: CellData,
    RUN: RunData,
    TOLD: OfRunData,
    STOP: OfRunData,
    OUTPUT: OutputData,
    ENDED: EndedData,
    PACKAGES: PackagesData,
    REPLAYED: ReplayedData,
    CITED: CitedData,
}


def opened(record: Record, before: Ledger) -> Record:
    """A record that comes from elsewhere; refuses one that could not be read later."""
    data = _MODELS[record.topic].read(record.data)
    must_stand_in(record, stream_of(data.notebook_id))
    if record.session != data.notebook_id:
        raise InvalidRecord("its session is not its notebook")
    if isinstance(data, CellData) and data.change == "added" and None in (data.rank, data.type, data.text):
        raise InvalidRecord("a cell that is added has a rank, a type and a text")
    if isinstance(data, EndedData):
        earlier(before, record, record.attrs.get("callId", ""), topic=RUN)
    if isinstance(data, OfRunData | CitedData):
        earlier(before, record, data.run_id, topic=RUN)
    return record
