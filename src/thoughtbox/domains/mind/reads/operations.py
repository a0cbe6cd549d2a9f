"""The verbs of reading what was thought."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thoughtbox.domains.mind.envelope import suggest, warn
from thoughtbox.domains.mind.pages import page_of
from thoughtbox.domains.mind.paging import NOTES_AND_TRACE, Page, pages_of
from thoughtbox.domains.mind.reads import query
from thoughtbox.domains.mind.reads.conclusions import concluded
from thoughtbox.domains.mind.reads.lens import Lens, lens_of
from thoughtbox.domains.mind.reads.models import (
    MOST_WANTED,
    CardsQueried,
    ContextPackExported,
    ContextPackRead,
    ContextRead,
    ExportContextPack,
    FrontierRead,
    NextRead,
    PackRead,
    QueryCards,
    ReadContext,
    ReadContextPack,
    ReadFrontier,
    ReadPack,
    Watch,
    Watched,
)
from thoughtbox.domains.mind.reads.packing import MOST_CARDS, context_packed, shown_page
from thoughtbox.domains.mind.reads.shown import counted, lane_summary, shown_card, shown_frontier
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope, branch_named, scope_of
from thoughtbox.domains.mind.selection import Frontier, Limits, frontier, newest_of, selected
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.graph import Node
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Slices, Steps, Tx

CAPSULE = ("capsule", "capsule.next", "capsule.next.primary", "capsule.where")
RELEVANT_FIRST = frozenset(
    {
        *("cards", "candidates", "hypotheses", "questions", "subgoals", "tests", "blockers", "decisions", "evidence"),
        *("signals", "actions", "calls", "refs", "lanes", "pinned", "open"),
    }
)
"""Lists that begin with what matters most."""

_HYPOTHESIS = ("think_card", {"card": {"id": "H1", "type": "hypothesis", "title": "The cache is cold after a deploy"}})
_TEST = (
    "think_card",
    {"card": {"id": "T1", "type": "test", "title": "Warm it first", "text": "CMD: make warm"}, "supports": ["H1"]},
)
_NOTE = ("notes_commit", {"content": "Reads dominate; the cache is cold after every deployment."})
_GIVEN = [_NOTE, _HYPOTHESIS, _TEST]


@room.operation(
    "think_context",
    title="Read the cards that matter",
    toolsets=IN_FULL,
    errors=[UnknownId],
    newest_first=RELEVANT_FIRST,
    example=Example({"limit_cards": 10}, given=_GIVEN),
)
def think_context(tx: Tx, call: ReadContext) -> ContextRead:
    """The cards that matter, to go on from: what is pinned, what is open, and then what was changed last."""
    tx = as_of(tx, call.as_of)
    lens = lens_of(tx, _scope_of_context(tx, call), call, {"branch": call.branch, "graph_doc": call.graph_doc})
    cards = _selected(lens, call.limit_cards)
    return ContextRead(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        step_focus=lens.step_focus,
        stats=counted(cards),
        cards=[shown_card(node) for node in cards],
    )


@room.operation(
    "think_query",
    title="Find cards by what they are",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=RELEVANT_FIRST,
    pages=pages_of("cards", "last_seq"),
    example=Example({"types": "hypothesis", "status": "open"}, given=_GIVEN),
)
def think_query(tx: Tx, call: QueryCards) -> CardsQueried:
    """The cards that fit all that is asked, the last changed first, and with a cursor those before them."""
    lens = _lens(tx, call)
    limit = min(max(call.limit, 1), MOST_CARDS)
    asked = query.query_of(call, lens)
    found = query.found(lens, asked, before=call.cursor, limit=limit)
    if found.is_paused:
        warn(
            tx,
            "QUERY_PAUSED",
            f"{query.MOST_LOOKED_AT} cards were looked at, and there are more.",
            "Send the same with next_cursor as cursor to go on, or narrow it by a tag, a type or a status.",
        )
    if found.hidden:
        again = {"ids": asked.ids, "include_drafts": True, **_place(lens)}
        suggest(tx, "think_query", {"workspace": tx.workspace, **again}, f"{found.hidden} of these are drafts")
    return CardsQueried(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        step_focus=lens.step_focus,
        cards=[shown_card(node) for node in found.nodes],
        pagination=Page(
            cursor=call.cursor,
            next_cursor=found.next_cursor,
            has_more=found.next_cursor is not None,
            limit=limit,
            count=len(found.nodes),
        ),
    )


@room.operation(
    "think_frontier",
    title="Read what is open",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["frontier"],
    newest_first=RELEVANT_FIRST,
    example=Example({}, given=_GIVEN),
)
def think_frontier(tx: Tx, call: ReadFrontier) -> FrontierRead:
    """What is open: hypotheses, questions, subgoals and tests, the last changed first."""
    lens = _lens(tx, call)
    return FrontierRead(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        step_focus=lens.step_focus,
        frontier=shown_frontier(_frontier(lens, call), whole=True),
    )


@room.operation(
    "think_next",
    title="Read what to go on with",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["candidate"],
    newest_first=RELEVANT_FIRST,
    example=Example({}, given=_GIVEN),
)
def think_next(tx: Tx, call: ReadFrontier) -> NextRead:
    """The one card to go on with: of all that is open, the one that was changed last."""
    lens = _lens(tx, call)
    candidate = newest_of(_frontier(lens, call))
    return NextRead(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        step_focus=lens.step_focus,
        candidate=shown_card(candidate) if candidate is not None else None,
    )


@room.operation(
    "think_pack",
    title="Read a pack of cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=CAPSULE,
    newest_first=RELEVANT_FIRST,
    example=Example({"max_chars": 4000}, given=_GIVEN),
)
def think_pack(tx: Tx, call: ReadPack) -> PackRead:
    """The cards that matter, what is open among them, and what follows: where you are, why it matters, what is next."""
    lens = _lens(tx, call, trace=call.trace_doc)
    cards = _selected(lens, call.limit_candidates)
    capsule, engine = concluded(tx, lens, cards, (), kind="think_pack_capsule", docs=_docs(lens.scope))
    return PackRead(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        trace_doc=lens.scope.trace,
        step_focus=lens.step_focus,
        capsule=capsule,
        engine=engine,
        lane_summary=lane_summary(cards) if lens.drafts else None,
        stats=counted(cards),
        frontier=shown_frontier(_frontier(lens, call), whole=False),
        candidates=[shown_card(node) for node in cards],
    )


@room.operation(
    "think_watch",
    title="Watch what is going on",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=CAPSULE,
    newest_first=RELEVANT_FIRST,
    pages=pages_of("entries", within="trace"),
    example=Example({"trace_limit_steps": 5}, given=_GIVEN),
)
def think_watch(tx: Tx, call: Watch) -> Watched:
    """What is open, what was done last, and what follows: signals, and the next calls ready to be sent."""
    lens = _lens(tx, call, trace=call.trace_doc)
    cards = _selected(lens, call.limit_candidates)
    trace = page_of(tx, lens.scope.branch, lens.scope.trace, limit=call.trace_limit_steps, narrowed=lens.entries)
    capsule, engine = concluded(
        tx,
        lens,
        cards,
        trace.entries,
        kind="watch_capsule",
        docs=_docs(lens.scope),
        signals_limit=min(call.engine_signals_limit, MOST_WANTED),
        actions_limit=min(call.engine_actions_limit, MOST_WANTED),
    )
    return Watched(
        branch=lens.scope.branch.name,
        graph_doc=lens.scope.graph,
        trace_doc=lens.scope.trace,
        step_focus=lens.step_focus,
        capsule=capsule,
        engine=engine,
        lane_summary=lane_summary(cards) if lens.drafts else None,
        frontier=shown_frontier(_frontier(lens, call), whole=False),
        candidates=[shown_card(node) for node in cards],
        trace=shown_page(trace),
    )


@room.operation(
    "context_pack",
    shared=True,
    title="Read all that is needed to go on",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=CAPSULE,
    newest_first=RELEVANT_FIRST,
    pages=NOTES_AND_TRACE,
    example=Example({"max_chars": 8000}, given=_GIVEN),
)
def context_pack(tx: Tx, call: ReadContextPack) -> ContextPackRead:
    """All that is needed to go on: notes, trace, the cards that matter, decisions, evidence, blockers, what is next."""
    return context_packed(tx, call)


@room.operation(
    "context_pack_export",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Write a context pack to a file",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"out_file": ".context/context_pack.json", "max_chars": 8000}, given=_GIVEN),
)
def context_pack_export(slices: Slices, call: ExportContextPack) -> Steps[ContextPackExported]:
    """Write what context_pack answers to a JSON file, for tools that read files; what was there is replaced."""
    return (yield slices.read(lambda tx: _exported(tx, call), long=True))


def _exported(tx: Tx, call: ExportContextPack) -> ContextPackExported:
    from thoughtbox.domains.mind.reads.export import exported

    return exported(tx, call, keep=CAPSULE, newest_first=RELEVANT_FIRST, pages=NOTES_AND_TRACE)


def _lens(tx: Tx, call: ReadFrontier | QueryCards, *, trace: str | None = None) -> Lens:
    scope = scope_of(tx, target=call.target, branch=call.ref, trace=trace, graph=call.graph_doc, named="ref")
    return lens_of(tx, scope, call, {"ref": call.ref, "graph_doc": call.graph_doc, "trace_doc": trace})


def _scope_of_context(tx: Tx, call: ReadContext) -> Scope:
    """A target goes with a branch here: what its graph would be on that one."""
    if call.target is None or call.branch is None or call.graph_doc is not None:
        return scope_of(tx, target=call.target, branch=call.branch, graph=call.graph_doc)
    return replace(scope_of(tx, target=call.target), branch=branch_named(tx, call.branch))


def _selected(lens: Lens, limit: int) -> list[Node]:
    return selected(
        lens.graph, view=lens.view, limit=min(limit, MOST_CARDS), drafts=lens.drafts, step_tag=lens.step_tag
    )


def _frontier(lens: Lens, call: ReadFrontier) -> Frontier:
    wanted = (call.limit_hypotheses, call.limit_questions, call.limit_subgoals, call.limit_tests)
    limits = Limits(*(min(limit, MOST_WANTED) for limit in wanted))
    return frontier(lens.graph, limits, drafts=lens.drafts, step_tag=lens.step_tag)


def _docs(scope: Scope) -> dict[str, str]:
    return {"trace": scope.trace, "graph": scope.graph}


def _place(lens: Lens) -> dict[str, Any]:
    scope = lens.scope
    if scope.target is not None:
        return {"target": scope.target}
    return {"ref": scope.branch.name, "graph_doc": scope.graph}
