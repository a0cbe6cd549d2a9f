"""BM10: many cards, and nothing found out or decided."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import playbook
from thoughtbox.domains.mind.engine.findings import Action, Finding, Ref, Signal
from thoughtbox.domains.mind.engine.wording import action_text, message
from thoughtbox.domains.mind.slice import Place, TraceEntry

LOOKED_AT = 12
MANY = 6


def stuck(argument: Argument, place: Place) -> Iterator[Finding]:
    recent = argument.trace[-LOOKED_AT:]
    cards = [entry for entry in recent if _is_card(entry)]
    if len(cards) < MANY or any(_moves_on(entry) for entry in recent):
        return
    refs = (Ref("doc_entry", f"{place.trace_doc}@{cards[-1].seq}"),)
    values = {"entries": len(recent), "cards": len(cards)}
    ts_ms = recent[-1].ts_ms
    yield Signal("BM10_STUCK_NO_EVIDENCE", message("BM10_STUCK_NO_EVIDENCE", values), refs, ts_ms)
    title, why = action_text("use_playbook.debug", values)
    calls = (playbook("debug", place), playbook("breakthrough", place))
    yield Action("use_playbook", "medium", title, why, refs, calls, ts_ms)


def _is_card(entry: TraceEntry) -> bool:
    return entry.kind == "note" and entry.format == "think_card"


def _moves_on(entry: TraceEntry) -> bool:
    if _is_card(entry):
        return entry.meta.get("type") in {"evidence", "decision"}
    return entry.kind == "event" and entry.event_type == "evidence_captured"
