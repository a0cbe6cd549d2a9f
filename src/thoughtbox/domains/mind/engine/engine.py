"""What follows from a slice: signals and next actions, in order, as they go over the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from thoughtbox.domains.mind.engine.argument import Argument, argument_of
from thoughtbox.domains.mind.engine.calls import shown_calls
from thoughtbox.domains.mind.engine.findings import Action, Signal, shown_refs
from thoughtbox.domains.mind.engine.rules import RULES
from thoughtbox.domains.mind.slice import Card, Link, Place, TraceEntry

VERSION = "v0.5"
Kind = TypeVar("Kind", Signal, Action)


def considered(
    cards: Sequence[Card],
    links: Sequence[Link],
    trace: Sequence[TraceEntry],
    place: Place,
    *,
    signals_limit: int,
    actions_limit: int,
) -> dict[str, Any] | None:
    """The `engine` block of a view; None when there is nothing to say, or when it was not asked for."""
    if signals_limit == 0 and actions_limit == 0:
        return None
    signals, actions = _found(argument_of(cards, links, trace), place)
    if not signals and not actions:
        return None
    return {
        "version": VERSION,
        **({"mode": "step_aware", "step_tag": place.step_tag} if place.step_tag else {}),
        "signals": [signal.shown() for signal in signals[:signals_limit]],
        "actions": [_shown(action, place) for action in actions[:actions_limit]],
        "signals_total": len(signals),
        "actions_total": len(actions),
        "truncated": len(signals) > signals_limit or len(actions) > actions_limit,
    }


def _found(argument: Argument, place: Place) -> tuple[list[Signal], list[Action]]:
    """What concerns the step in focus comes first, then everything; what is said twice is said once."""
    signals, actions = _judged(argument, place)
    if place.step_tag is None:
        return signals, actions
    step_signals, step_actions = _judged(argument.about(place.step_tag), place)
    return _once((*step_signals, *signals)), _once((*step_actions, *actions))


def _judged(argument: Argument, place: Place) -> tuple[list[Signal], list[Action]]:
    findings = [finding for rule in RULES for finding in rule(argument, place)]
    signals = [finding for finding in findings if isinstance(finding, Signal)]
    actions = [finding for finding in findings if isinstance(finding, Action)]
    return sorted(signals, key=lambda one: one.order), sorted(actions, key=lambda one: one.order)


def _once(findings: Iterable[Kind]) -> list[Kind]:
    first: dict[tuple[str, str], Kind] = {}
    for finding in findings:
        first.setdefault(finding.identity, finding)
    return list(first.values())


def _shown(action: Action, place: Place) -> dict[str, Any]:
    return {
        "kind": action.kind,
        "priority": action.priority,
        "title": action.title,
        "why": action.why,
        "refs": shown_refs(action.refs),
        "calls": shown_calls(action.calls, place),
    }
