"""The strict gate: a step of a strict task closes only once it is argued."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from thoughtbox.domains.mind.engine.argument import argument_of
from thoughtbox.domains.mind.engine.calls import Call, playbook
from thoughtbox.domains.mind.engine.findings import Action, Finding, Signal
from thoughtbox.domains.mind.engine.rules.counters import one_sided
from thoughtbox.domains.mind.engine.rules.hypotheses import untested_hypotheses
from thoughtbox.domains.mind.steps import ref_of
from thoughtbox.domains.mind.tasks.cards import place_of, slice_around, tagged
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.operations import Tx

MOST_CARDS = 200
"""Cards of a step that are looked at: the newest."""


class Gaps(NamedTuple):
    """What is not argued yet, and calls that would argue it. Calls without a signal: there are no cards at all."""

    signals: list[Signal]
    calls: list[Call]


NONE = Gaps([], [])


def reasoning_gaps(tx: Tx, task: Target, step: Step) -> Gaps:
    """What a strict task wants argued before the step closes: hypotheses tested, decisions argued against."""
    ref = ref_of(step)
    place = place_of(tx, task.id, ref)
    own = tagged(tx, task.id, ref.tag, limit=MOST_CARDS)
    if not own:
        return Gaps([], [playbook("strict", place)])
    cards, links = slice_around(tx, task.id, own)
    about = argument_of(cards, links, []).about(ref.tag)
    findings: list[Finding] = []
    for finding in (*untested_hypotheses(about, place), *one_sided(about, place)):
        if isinstance(finding, Signal) and finding.code == "BM4_HYPOTHESIS_NO_EVIDENCE":
            continue  # a weakness that the gate lets pass
        findings.append(finding)
    return Gaps([finding for finding in findings if isinstance(finding, Signal)], _calls(findings))


def has_gaps(gaps: Gaps) -> bool:
    return bool(gaps.calls)


def _calls(findings: Iterable[Finding]) -> list[Call]:
    return [call for finding in findings if isinstance(finding, Action) for call in finding.calls]
