"""All that is needed to go on: notes, trace and cards in one answer, and what follows from them."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.pages import PageShown, page_of
from thoughtbox.domains.mind.reads.bridge import bridge
from thoughtbox.domains.mind.reads.conclusions import concluded
from thoughtbox.domains.mind.reads.lens import Lens, lens_of
from thoughtbox.domains.mind.reads.models import MOST_WANTED, ContextPackRead, PackArguments
from thoughtbox.domains.mind.reads.shown import counted, lane_summary, shown_card
from thoughtbox.domains.mind.scope import scope_of, target_id
from thoughtbox.domains.mind.selection import Signals, selected, signals
from thoughtbox.operations import Tx

MOST_CARDS = 200


def context_packed(tx: Tx, call: PackArguments) -> ContextPackRead:
    """The pack of a plan or task, or of a branch."""
    scope = scope_of(
        tx,
        target=call.target,
        branch=call.ref,
        notes=call.notes_doc,
        trace=call.trace_doc,
        graph=call.graph_doc,
        named="ref",
    )
    overrides = {name: getattr(call, name) for name in ("ref", "notes_doc", "trace_doc", "graph_doc")}
    lens = lens_of(tx, scope, call, overrides)
    notes = page_of(tx, scope.branch, scope.notes, limit=call.notes_limit, narrowed=lens.entries)
    trace = page_of(tx, scope.branch, scope.trace, limit=call.trace_limit, narrowed=lens.entries)
    cards = selected(
        lens.graph,
        view=lens.view,
        limit=min(call.limit_cards, MOST_CARDS),
        drafts=lens.drafts,
        step_tag=lens.step_tag,
    )
    told = _signals(lens, call)
    docs = {"notes": scope.notes, "trace": scope.trace, "graph": scope.graph}
    seen = {node.id: node for nodes in (cards, *told) for node in nodes}
    capsule, engine = concluded(tx, lens, list(seen.values()), trace.entries, kind="context_pack_capsule", docs=docs)
    return ContextPackRead(
        requested={"target": target_id(call.target), "ref": call.ref},
        branch=scope.branch.name,
        docs=docs,
        step_focus=lens.step_focus,
        capsule=capsule,
        engine=engine,
        lane_summary=lane_summary(seen.values()) if lens.drafts else None,
        notes=shown_page(notes),
        trace=shown_page(trace),
        cards=[shown_card(node) for node in cards],
        signals=_shown(told),
        stats={"notes": len(notes.entries), "trace": len(trace.entries), **counted(cards)},
        bridge=None if notes.entries or seen else bridge(tx, lens),
    )


def shown_page(page: PageShown) -> dict[str, Any]:
    """A page as a part of an answer that names its branch and document elsewhere."""
    shown = page.answer()
    return {name: shown[name] for name in ("entries", "sequential", "pagination") if name in shown}


def _signals(lens: Lens, call: PackArguments) -> Signals:
    return signals(
        lens.graph,
        blockers=min(call.blockers_limit, MOST_WANTED),
        decisions=min(call.decisions_limit, MOST_WANTED),
        evidence=min(call.evidence_limit, MOST_WANTED),
        drafts=lens.drafts,
        step_tag=lens.step_tag,
    )


def _shown(told: Signals) -> dict[str, Any]:
    kinds = told._asdict()
    shown = {kind: [shown_card(node) for node in nodes] for kind, nodes in kinds.items()}
    return {**shown, "stats": {kind: len(nodes) for kind, nodes in kinds.items()}}
