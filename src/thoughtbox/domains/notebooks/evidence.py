"""Runs as evidence: attached to what they speak for, with the hash of what they have come to."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.notebooks import records
from thoughtbox.domains.notebooks.answers import CellRun
from thoughtbox.domains.notebooks.cells import GIVEN, NAMED
from thoughtbox.domains.notebooks.evidence_models import (
    Citations,
    CitationShown,
    CitationsListed,
    Cite,
    Cited,
    CitedFor,
    GetRun,
    NotebookCited,
    NotebooksCited,
    RunCited,
)
from thoughtbox.domains.notebooks.room import AT_STAGE, room
from thoughtbox.domains.notebooks.scope import existing, run_of
from thoughtbox.domains.notebooks.shown import run_answered, shown_by
from thoughtbox.domains.notebooks.view import Notebooks, Run
from thoughtbox.errors import InvalidOperation, NotebookNotFound, RecordNotFound
from thoughtbox.ledger.record import Record, record_id, seq_of
from thoughtbox.operations import Example, Resource, Tx

LONGEST_SUMMARY = 300
_CLAIM = ("thought_decision", {"sessionId": "s1", "decision": "It is 42."})
_RAN = [*GIVEN, ("notebook.run_cell", NAMED)]


@room.operation(
    "notebook.cite",
    writes=True,
    guard=AT_STAGE,
    title="Cite a run as evidence",
    errors=[RecordNotFound, InvalidOperation],
    example=Example({"runId": "th:2", "target": "th:1"}, given=[_CLAIM], fails_with=RecordNotFound),
)
def cite(tx: Tx, call: Cite) -> Cited:
    """Attach a run to a thought, card, decision or claim: evidence, with the hash of the run's record."""
    run = run_of(tx, call.run_id)
    ended = _ended(tx, run)
    target = tx.ledger.record(seq_of(call.target) or 0)
    if target is None:
        raise RecordNotFound(
            f"there is no record {call.target}: the newest is {record_id(tx.ledger.last_seq())}",
            recovery="Name the record that it is evidence for by its id, such as th:17.",
            details={"id": call.target},
        )
    text = call.note or _summary(tx, ended)
    record = tx.append(
        records.cited(run.notebook_id, call.run_id, ended.hash.hex(), target, call.relation, text),
        stream=records.stream_of(run.notebook_id),
    )
    return Cited(
        id=record.id,
        run_id=call.run_id,
        run_hash=ended.hash.hex(),
        target=call.target,
        relation=call.relation,
        notebook_id=run.notebook_id,
        cell_id=run.cell_id,
        uri=record.attrs["sourceUrl"],
    )


@room.operation(
    "notebook.citations",
    guard=AT_STAGE,
    title="See which runs are cited",
    errors=[NotebookNotFound],
    example=Example({"notebookId": "latest"}, given=GIVEN),
)
def citations(tx: Tx, call: Citations) -> CitationsListed:
    """Runs that are evidence: for certain records, or all of a notebook."""
    view = tx.ask(Notebooks)
    seqs: set[int] = set()
    if call.targets:
        seqs |= set(view.citations([seq_of(target) or 0 for target in call.targets]))
    if call.notebook_id is not None:
        seqs |= set(view.citations_of(existing(tx, call.notebook_id).id))
    found = [_shown(tx, record) for record in tx.ledger.records(sorted(seqs))]
    return CitationsListed(citations=found, count=len(found))


@room.operation(
    "notebooks_cited",
    hidden=True,
    title="See which notebooks a session cites",
    example=Example({"session": "s1"}),
)
def notebooks_cited(tx: Tx, call: CitedFor) -> NotebooksCited:
    """The notebooks whose runs are evidence for something in a session: for rooms that tell of it."""
    found: dict[str, list[CitationShown]] = {}
    for record in tx.ledger.records(tx.ask(Notebooks).citations_for(call.session)):
        shown = _shown(tx, record)
        found.setdefault(shown.notebook_id, []).append(shown)
    return NotebooksCited(
        notebooks=[
            NotebookCited(
                notebook_id=notebook_id,
                name=cited[0].notebook,
                runs=[
                    RunCited(
                        id=each.id,
                        run_id=each.run_id,
                        run_hash=each.run_hash,
                        relation=each.relation,
                        target=each.target,
                    )
                    for each in cited
                ],
            )
            for notebook_id, cited in found.items()
        ]
    )


@room.operation(
    "notebook.run",
    guard=AT_STAGE,
    title="Read a run",
    errors=[RecordNotFound, InvalidOperation],
    example=Example({"runId": "th:3"}, given=_RAN),
)
def read_run(tx: Tx, call: GetRun) -> CellRun:
    """What a run has come to, as run_cell answered it."""
    run = run_of(tx, call.run_id)
    return run_answered(tx, run.seq, _ended(tx, run))


room.resource(
    Resource(
        uri="thoughtbox://run/{id}",
        name="run",
        title="A run of a notebook's cell",
        description="What a run has come to.",
        operation="notebook.run",
        names={"id": "runId"},
    )
)


def _ended(tx: Tx, run: Run) -> Record:
    ended = tx.ledger.record(run.ended_seq) if run.ended_seq is not None else None
    if ended is None:
        raise InvalidOperation(
            f"the run {record_id(run.seq)} has not ended yet",
            recovery="Wait for run_cell to answer, or send notebook.interrupt.",
            details={"runId": record_id(run.seq)},
        )
    return ended


def _summary(tx: Tx, ended: Record) -> str:
    found = shown_by(tx, ended)
    said = (found.error or found.output).strip() or "nothing was printed"
    head = said if len(said) <= LONGEST_SUMMARY else f"{said[:LONGEST_SUMMARY]}…"
    return f"A notebook's run {found.outcome}: {head}"


def _shown(tx: Tx, record: Record) -> CitationShown:
    data: Any = record.data
    notebook = tx.ask(Notebooks).notebook(data["notebookId"])
    relation = record.attrs["relations"][0]
    return CitationShown(
        id=record.id,
        run_id=data["runId"],
        run_hash=data["runHash"],
        target=relation["to"],
        relation=relation["type"],
        notebook_id=data["notebookId"],
        notebook=notebook.name if notebook is not None else "",
        text=record.text,
        at=record.ts,
    )
