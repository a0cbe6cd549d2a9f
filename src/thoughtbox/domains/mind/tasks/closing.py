"""What closing a step needs: its checkpoints confirmed, and proof where it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from thoughtbox.domains.mind.engine.receipts import command, link
from thoughtbox.domains.mind.slice import Card
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, PROVED, proof_mode, required
from thoughtbox.domains.mind.tasks.models import Checkpoints, CheckpointState
from thoughtbox.domains.mind.view.tasks import Step


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
