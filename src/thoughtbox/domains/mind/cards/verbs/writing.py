"""Writing cards: one, one of a type, or a pipeline of them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.models import (
    Applied,
    CardWritten,
    DecisionNote,
    Pipeline,
    PipelineWritten,
    Placed,
    StageWritten,
    WriteCard,
)
from thoughtbox.domains.mind.cards.writing import AboutStep, Written, links, read, write
from thoughtbox.domains.mind.envelope import warn
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_CORE, IN_FULL, room
from thoughtbox.domains.mind.scope import GRAPH, Scope, docs_of, scope_of
from thoughtbox.domains.mind.view.cards import Cards
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

STAGES = ("frame", "hypothesis", "test", "evidence", "decision")
"""In the order that each supports the one before it."""

TITLES = {
    "frame": "Frame a problem",
    "hypothesis": "Write a hypothesis down",
    "question": "Write a question down",
    "test": "Write a test down",
    "evidence": "Write evidence down",
    "decision": "Write a decision down",
    "note": "Write a note card",
    "update": "Write an update down",
}

_HYPOTHESIS = {"type": "hypothesis", "title": "The cache is cold after a deploy", "text": "Every deploy drops it."}


def _written(scope: Scope, written: Written) -> CardWritten:
    return CardWritten(
        branch=scope.branch.name,
        trace_doc=written.trace_doc,
        graph_doc=written.graph_doc,
        card_id=written.card_id,
        inserted=written.inserted,
        trace_seq=written.seq,
        trace_ref=written.trace_ref,
        graph_applied=Applied(nodes_upserted=1, edges_upserted=written.edges),
        last_seq=written.seq,
        graph_ref=written.graph_ref,
    )


def _place(tx: Tx, call: Placed, notes: str | None = None) -> tuple[Scope, bool]:
    """Where to write, and whether the call itself says so by a branch or a document."""
    scope = scope_of(
        tx, target=call.target, branch=call.branch, notes=notes, trace=call.trace_doc, graph=call.graph_doc
    )
    _warn_of_other_documents(tx, scope)
    return scope, any(part is not None for part in (call.branch, notes, call.trace_doc, call.graph_doc))


def _warn_of_other_documents(tx: Tx, scope: Scope) -> None:
    """A branch that was made from a plan's or task's is about it, and shows its cards in its documents."""
    if scope.target is not None or scope.graph != GRAPH or scope.branch.base is None:
        return
    base = tx.ask(Documents).branch_of(scope.branch.base)
    if base is not None and base.canonical is not None:
        _, trace, graph = docs_of(base.canonical)
        warn(
            tx,
            "DOCS_OF_TARGET",
            f"Branch {scope.branch.name} was made from that of {base.canonical}, whose cards stand in {graph}: this one"
            f" stands in {scope.graph}, and is not merged with them.",
            f"Send trace_doc={trace} and graph_doc={graph} with cards about {base.canonical}.",
        )


def _write(tx: Tx, call: WriteCard, type: str | None = None) -> CardWritten:
    card = read(call.card, type=type)
    led = links(card, supports=call.supports, blocks=call.blocks)
    scope, overridden = _place(tx, call)
    step = AboutStep(tx, scope, call.step, overridden=overridden)
    return _written(scope, write(tx, scope, card, led, step=step, agent=call.agent_id))


@room.operation(
    "think_card",
    writes=True,
    title="Write a card",
    toolsets=IN_CORE,
    errors=[UnknownId],
    example=Example({"card": _HYPOTHESIS}),
)
def think_card(tx: Tx, call: WriteCard) -> CardWritten:
    """Write a card: a frame, hypothesis, question, test, evidence, decision, note or update.

    It becomes an entry of the trace and a node of the graph, with edges to what it supports or blocks. The same card
    with the same id again changes nothing.
    """
    return _write(tx, call)


def _of_type(type: str) -> Callable[[Tx, WriteCard], CardWritten]:
    def think_add(tx: Tx, call: WriteCard) -> CardWritten:
        return _write(tx, call, type)

    article = "an" if type[0] in "aeiou" else "a"
    named = "evidence" if type == "evidence" else f"{article} {type}"
    think_add.__doc__ = f"Write {named} down: think_card with a card of this type."
    return think_add


for _type in TYPES:
    room.operation(
        f"think_add_{_type}",
        writes=True,
        title=TITLES[_type],
        toolsets=IN_FULL,
        errors=[UnknownId],
        example=Example({"card": {"title": "The cache is cold after a deploy"}}),
    )(_of_type(_type))


@room.operation(
    "think_pipeline",
    writes=True,
    title="Write a line of cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(
        {
            "frame": "Deploys are slow for ten minutes",
            "hypothesis": "The cache is cold after a deploy",
            "test": "Warm the cache before switching over",
            "evidence": "p95 stayed at 40 ms in three deploys",
            "decision": "Warm the cache in the deploy script",
            "status": {"decision": "accepted"},
        }
    ),
)
def think_pipeline(tx: Tx, call: Pipeline) -> PipelineWritten:
    """Write a frame, hypothesis, test, evidence and decision in one call, or some of them.

    Each supports the one before it, and the decision is summed up in the notes. All are written, or none.
    """
    given = {stage: value for stage in STAGES if (value := getattr(call, stage)) is not None}
    statuses = call.status or {}
    _must_be_stages(given.keys(), statuses.keys())
    scope, overridden = _place(tx, call, call.notes_doc)
    step = AboutStep(tx, scope, call.step, overridden=overridden)
    done: dict[str, Written] = {}
    before: str | None = None
    for stage, value in given.items():
        card = read(value, type=stage, field=stage, status=statuses.get(stage))
        done[stage] = write(tx, scope, card, links(card, supports=before), step=step, agent=call.agent_id)
        before = done[stage].card_id
    note = _note(tx, scope, call, done["decision"]) if call.note_decision and "decision" in done else None
    return PipelineWritten(
        branch=scope.branch.name,
        trace_doc=scope.trace,
        graph_doc=scope.graph,
        notes_doc=note.doc if note is not None else None,
        cards=[
            StageWritten(
                stage=stage,
                card_id=written.card_id,
                inserted=written.inserted,
                edges_upserted=written.edges,
                last_seq=written.seq,
                trace_ref=written.trace_ref,
                graph_ref=written.graph_ref,
            )
            for stage, written in done.items()
        ],
        decision_note=note,
    )


def _must_be_stages(given: Collection[str], statuses: Collection[str]) -> None:
    if not given:
        raise invalid(
            "no stage is given",
            recovery=f"Send at least one of {', '.join(STAGES)}.",
            hints=[{"kind": "missing_required", "field": stage} for stage in STAGES],
        )
    for stage in statuses:
        if stage not in given:
            known = stage in STAGES
            raise invalid(
                f"`status.{stage[:60]}` is for a stage that {'is not given' if known else 'does not exist'}",
                recovery=f"Send a status for these only: {', '.join(given)}.",
                field="status",
            )


def _note(tx: Tx, scope: Scope, call: Pipeline, decision: Written) -> DecisionNote:
    """The note that sums the decision up: the one that is there, or a new one."""
    found = tx.ask(Cards).note_of(decision.seq)
    record = tx.ledger.record(found if found is not None else decision.seq)
    assert record is not None
    if found is not None:
        return DecisionNote(card_id=decision.card_id, doc=record.data["doc"], seq=found)
    card = record.data["card"]
    written = records.write_note(
        tx,
        scope.branch.id,
        scope.branch.name,
        scope.notes,
        record.text,
        title=call.note_title or card["title"] or "Decision",
        format=call.note_format,
        meta={"card_id": card["id"], **({"step": card["meta"]["step"]} if "step" in card["meta"] else {})},
        of_card=decision.seq,
    )
    return DecisionNote(card_id=decision.card_id, doc=scope.notes, seq=written.seq)
