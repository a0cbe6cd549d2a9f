"""Where a caller stands in this room: the session it works on, the stage it has reached there, what it is about.

It is remembered for as long as a connection lasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thoughtbox.operations import Tx

INIT_COMPLETE = 1
"""The stage of whoever has a session."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What this room remembers of a caller."""

    session_id: str | None = None
    stage: int = 0
    place: Mapping[str, str] = field(default_factory=dict)
    """Where it works, before it has a session that could remember it: project, task, aspect, domain, root."""


def first_standing(settings: Mapping[str, Any]) -> Standing:
    """Where a new caller stands: nowhere, or in the session that all of them work on from the start."""
    session_id = settings.get("reasoning_session")
    return Standing(session_id, INIT_COMPLETE) if session_id else Standing()


def standing(tx: Tx) -> Standing:
    return tx.focus.of(Standing)


def move(tx: Tx, session_id: str | None, stage: int) -> None:
    """Let the caller work on this session from now on, at this stage."""
    tx.focus_on(replace(standing(tx), session_id=session_id, stage=stage))


def work_at(tx: Tx, given: Mapping[str, str]) -> None:
    """Remember what the caller says of its work."""
    here = standing(tx)
    tx.focus_on(replace(here, place={**here.place, **given}))
