"""A plan or task as whoever resumes it needs it: where it stands, what happened, what is known, what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.mind.engine.engine import considered
from thoughtbox.domains.mind.entries import opened
from thoughtbox.domains.mind.graph.shown import node_shown
from thoughtbox.domains.mind.scope import docs_of
from thoughtbox.domains.mind.selection import selected, signals
from thoughtbox.domains.mind.slice import TraceEntry
from thoughtbox.domains.mind.steps import StepRef, ref_of
from thoughtbox.domains.mind.tasks.cards import card_of, graph_of, links_between, place_of
from thoughtbox.domains.mind.tasks.events import canonical_branch
from thoughtbox.domains.mind.tasks.handoff import capsule
from thoughtbox.domains.mind.tasks.limits import Limits
from thoughtbox.domains.mind.tasks.radar import radar, steps_block
from thoughtbox.domains.mind.tasks.shown import event_shown, reasoning_ref, step_line, target_shown
from thoughtbox.domains.mind.view.documents import Branch, Documents, Narrowed
from thoughtbox.domains.mind.view.graph import Node
from thoughtbox.domains.mind.view.tasks import Target, Tasks
from thoughtbox.operations import Tx, size

MOST_STEPS = 20


def resumed(
    tx: Tx,
    target: Target,
    *,
    view: str,
    limits: Limits,
    drafts: bool = False,
    requested: str | None = None,
    max_chars: int | None = None,
) -> dict[str, Any]:
    """Everything that a view of a plan or task shows. It only reads."""
    branch = canonical_branch(tx, target.id)
    focus = tx.ask(Documents).place("focus")
    ref = reasoning_ref(target.id, branch)
    first = tx.ask(Tasks).first_open(target.id)
    step = ref_of(first) if first else None
    seen = radar(tx, target)
    events, more_events = _timeline(tx, target, limits.events)
    memory, nodes, trace, cut = _memory(tx, target, branch, view, limits, drafts=drafts, step=step)
    noted, more_signals = _signals(tx, target, limits, drafts=drafts)
    place = place_of(tx, target.id, step)
    cards = [card_of(node) for node in nodes]
    engine = considered(
        cards,
        links_between(graph_of(tx, target.id), cards),
        trace,
        place,
        signals_limit=limits.engine_signals,
        actions_limit=limits.engine_actions,
    )
    steps = steps_block(tx, target)
    told = {
        "requested": {"target": requested, "view": view},
        "focus": focus,
        "target": target_shown(target),
        "reasoning_ref": ref,
        "capsule": capsule(
            tx,
            target,
            focus=focus,
            ref=ref,
            seen=seen,
            events=events,
            drafts=drafts,
            refs=_refs(target, memory, nodes),
            counts={
                "steps": steps["total"],
                "open": steps["open"],
                "notes": len(memory["notes"]),
                "cards": len(nodes),
                "events": target.revision + 1,
            },
        ),
        "radar": seen,
        "steps": {**steps, "items": [step_line(one) for one in tx.ask(Tasks).steps(target.id, limit=MOST_STEPS)]},
        "timeline": {"events": events},
        "signals": noted,
        "memory": memory,
        "engine": engine,
        "step_focus": {**step.meta(), "title": first.title} if step and first else None,
    }
    fields = [*(["timeline.events"] if more_events else []), *more_signals, *cut]
    return {**told, "degradation": _degradation(told, fields, max_chars)}


def _degradation(told: dict[str, Any], fields: list[str], max_chars: int | None) -> dict[str, Any]:
    """What is not shown: lists that go on beyond their limit; and whether the budget is too small for the rest."""
    over = max_chars is not None and size(told) > max_chars
    least = size({name: told[name] for name in ("requested", "focus", "target", "reasoning_ref", "capsule")})
    return {
        "signals": [*(["LIMIT_REACHED"] if fields else []), *(["BUDGET_TRUNCATED"] if over else [])],
        "truncated_fields": fields,
        "minimal": max_chars is not None and least > max_chars,
    }


def _timeline(tx: Tx, target: Target, limit: int) -> tuple[list[dict[str, Any]], bool]:
    seqs = tx.ask(Tasks).newest_events(target.id, limit=limit + 1)
    return [event_shown(record) for record in tx.ledger.records(seqs[:limit])], len(seqs) > limit


def _memory(
    tx: Tx, target: Target, branch: Branch, view: str, limits: Limits, *, drafts: bool, step: StepRef | None
) -> tuple[dict[str, Any], list[Node], list[TraceEntry], list[str]]:
    notes_doc, trace_doc, _ = docs_of(target.id)
    notes, more_notes = _entries(tx, branch, notes_doc, limits.notes, drafts=drafts)
    trace, more_trace = _entries(tx, branch, trace_doc, limits.trace, drafts=drafts)
    found = selected(
        graph_of(tx, target.id),
        view=view,
        limit=limits.cards + 1,
        drafts=drafts,
        step_tag=step.tag if step else None,
        of_step_only=False,
    )
    nodes = found[: limits.cards]
    by_type: dict[str, int] = {}
    for node in nodes:
        by_type[node.type] = by_type.get(node.type, 0) + 1
    memory = {
        "notes": notes,
        "trace": trace,
        "cards": [node_shown(node) for node in nodes],
        "cards_pagination": {"limit": limits.cards, "count": len(nodes), "has_more": len(found) > limits.cards},
        "stats": {
            "notes": len(notes),
            "trace": len(trace),
            "cards": len(nodes),
            "by_type": dict(sorted(by_type.items())),
        },
    }
    cut = {
        "memory.notes": more_notes,
        "memory.trace": more_trace,
        "memory.cards": len(found) > limits.cards,
    }
    return memory, nodes, _heard(trace), [name for name, is_cut in cut.items() if is_cut]


def _entries(tx: Tx, branch: Branch, doc: str, limit: int, *, drafts: bool) -> tuple[list[dict[str, Any]], bool]:
    places = tx.ask(Documents).entries(branch, doc, before=None, limit=limit + 1, narrowed=Narrowed(drafts=drafts))
    return opened(tx, places[:limit]), len(places) > limit


def _heard(trace: Sequence[dict[str, Any]]) -> list[TraceEntry]:
    """The trace as the engine takes it."""
    return [
        TraceEntry(
            entry["seq"],
            entry["ts_ms"],
            entry["kind"],
            entry.get("format"),
            entry.get("meta", {}),
            entry.get("event_type"),
        )
        for entry in trace
    ]


def _signals(tx: Tx, target: Target, limits: Limits, *, drafts: bool) -> tuple[dict[str, Any], list[str]]:
    wanted = {"blockers": limits.blockers, "decisions": limits.decisions, "evidence": limits.evidence}
    one_more = {kind: limit + 1 for kind, limit in wanted.items()}
    found = signals(graph_of(tx, target.id), **one_more, drafts=drafts, step_tag=None)._asdict()
    told = {kind: [node_shown(node) for node in found[kind][:limit]] for kind, limit in wanted.items()}
    more = [f"signals.{kind}" for kind, limit in wanted.items() if len(found[kind]) > limit]
    return {**told, "stats": {kind: len(shown) for kind, shown in told.items()}}, more


def _refs(target: Target, memory: dict[str, Any], nodes: Sequence[Node]) -> list[str]:
    """Ids that can be opened: the plan or task, its newest note, its first card."""
    notes = [f"{entry['doc']}@{entry['seq']}" for entry in memory["notes"][-1:]]
    return [target.id, *notes, *(node.id for node in nodes[:1])]
