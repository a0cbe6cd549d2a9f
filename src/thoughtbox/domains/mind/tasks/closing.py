"""What closing a step needs: its checkpoints confirmed, proof where it is asked for, and in strict mode an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from thoughtbox.domains.mind.engine.argument import argument_of
from thoughtbox.domains.mind.engine.calls import Call, playbook
from thoughtbox.domains.mind.engine.findings import Action, Finding, Signal
from thoughtbox.domains.mind.engine.receipts import command, link
from thoughtbox.domains.mind.engine.rules.counters import one_sided
from thoughtbox.domains.mind.engine.rules.hypotheses import untested_hypotheses
from thoughtbox.domains.mind.slice import Card
from thoughtbox.domains.mind.steps import ref_of
from thoughtbox.domains.mind.tasks.cards import place_of, slice_around, tagged
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, PROVED, proof_mode, required
from thoughtbox.domains.mind.tasks.models import Checkpoints, CheckpointState
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.operations import Tx

GATES = frozenset({"BM4_HYPOTHESIS_NO_TEST", "BM10_NO_COUNTER_EDGES"})
MOST_CARDS = 200
"""Cards of a step that the strict gate looks at: the newest."""


def unproved(step: Step, mode: str) -> list[str]:
    """Checkpoints of that proof mode without evidence that has a receipt."""
    shown = step.details.get("evidence", {})
    return [
        name for name in PROVED if proof_mode(step.details, name) == mode and not shown.get(name, {}).get("receipts")
    ]


def confirming(step: Step, given: str | Checkpoints | None) -> dict[str, bool]:
    """By checkpoint: what confirming them so would change."""
    if given is None:
        return {}
    if isinstance(given, str):
        wanted = dict.fromkeys(CHECKPOINTS if given == "all" else required(step.details), True)
    else:
        told = {name: getattr(given, name) for name in CHECKPOINTS}
        wanted = {
            name: value.confirmed if isinstance(value, CheckpointState) else value
            for name, value in told.items()
            if value is not None
        }
    return {name: value for name, value in wanted.items() if value != (name in step.confirmed)}


def receipts(texts: Iterable[str], items: Sequence[dict[str, Any]]) -> int:
    """How many commands and links a piece of evidence names: what somebody else could look at."""
    cards = [_evidence(text=text) for text in texts] + [_evidence(meta=item) for item in items]
    return sum(1 for card in cards if command(card) or link(card))


def _evidence(text: str | None = None, meta: dict[str, Any] | None = None) -> Card:
    return Card("", "evidence", None, text, None, (), meta or {}, 0, 0)


def reasoning_gaps(tx: Tx, task: Target, step: Step) -> tuple[list[Signal], list[Call]]:
    """What a strict task wants argued before the step closes, and calls that would argue it; nothing when all is."""
    place = place_of(tx, task.id, ref_of(step))
    own = tagged(tx, task.id, ref_of(step).tag, limit=MOST_CARDS)
    if not own:
        return [], [playbook("strict", place)]
    cards, links = slice_around(tx, task.id, own)
    about = argument_of(cards, links, []).about(ref_of(step).tag)
    findings = [*untested_hypotheses(about, place), *one_sided(about, place)]
    signals = [finding for finding in findings if isinstance(finding, Signal) and finding.code in GATES]
    return signals, _calls(findings) if signals else []


def has_gaps(gaps: tuple[list[Signal], list[Call]]) -> bool:
    return bool(gaps[0] or gaps[1])


def _calls(findings: Iterable[Finding]) -> list[Call]:
    return [call for finding in findings if isinstance(finding, Action) for call in finding.calls]
