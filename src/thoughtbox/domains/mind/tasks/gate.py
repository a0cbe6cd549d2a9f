"""The strict gate: a step of a strict task closes only once it is argued."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.mind.engine.argument import argument_of
from thoughtbox.domains.mind.engine.calls import Call, open_card, playbook
from thoughtbox.domains.mind.engine.findings import Action, Signal
from thoughtbox.domains.mind.engine.reading import is_open
from thoughtbox.domains.mind.engine.rules.counters import one_sided
from thoughtbox.domains.mind.engine.rules.hypotheses import untested_hypotheses
from thoughtbox.domains.mind.steps import ref_of
from thoughtbox.domains.mind.stubs import is_stub_card
from thoughtbox.domains.mind.tasks.cards import place_of, slice_around, tagged
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.operations import Tx

MOST_CARDS = 200
"""Cards of a step that are looked at: the newest."""


class Gaps(NamedTuple):
    """What is not argued yet, and calls that would argue it. Calls without a signal: there are no cards at all."""

    signals: list[Signal]
    calls: list[Call]
    stubs: list[str]
    """Cards of the step that still say what is to be filled in: they argue nothing."""


def reasoning_gaps(tx: Tx, task: Target, step: Step) -> Gaps:
    """What a strict task wants argued before the step closes: hypotheses tested, decisions argued against."""
    ref = ref_of(step)
    place = place_of(tx, task.id, ref)
    own = tagged(tx, task.id, ref.tag, limit=MOST_CARDS)
    cards, links = slice_around(tx, task.id, own)
    stubs = [card for card in cards if is_stub_card(card)]
    about = argument_of([card for card in cards if not is_stub_card(card)], links, []).about(ref.tag)
    if not about.subjects:
        return Gaps([], [playbook("strict", place)], [card.id for card in stubs])
    signals: list[Signal] = []
    calls: list[Call] = []
    for finding in (*untested_hypotheses(about, place), *one_sided(about, place)):
        if isinstance(finding, Action):
            calls += finding.calls
        elif finding.code != "BM4_HYPOTHESIS_NO_EVIDENCE":  # a weakness that the gate lets pass
            signals.append(finding)
    standing = {(card.type, card.title): card for card in stubs if is_open(card)}
    waiting = [standing.get(_written(call)) for call in calls]
    return Gaps(
        signals,
        [open_card(stub, place) if stub else call for call, stub in zip(calls, waiting, strict=True)],
        [stub.id for stub in waiting if stub],
    )


def has_gaps(gaps: Gaps) -> bool:
    return bool(gaps.calls)


def _written(call: Call) -> tuple[str | None, str | None]:
    """What a card is known by before it has an id: a stub is not written twice, but opened."""
    card = call.params.get("card", {})
    return card.get("type"), card.get("title")
