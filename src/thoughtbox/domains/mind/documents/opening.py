"""Which kind of thing an id names: a card first, since a card may have any id; then by its form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from thoughtbox.domains.mind import opening
from thoughtbox.domains.mind.anchors import lens as anchors
from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.jobs import lens as jobs
from thoughtbox.domains.mind.refusals import unknown
from thoughtbox.domains.mind.steps import STEP_ID
from thoughtbox.domains.mind.tasks.opening import opened_step, opened_target
from thoughtbox.operations import Tx

Opened = dict[str, Any]


class Wanted(NamedTuple):
    """What is to be shown with what is opened."""

    limit: int
    include_drafts: bool


FORMS: tuple[tuple[re.Pattern[str], Callable[[Tx, str, Wanted], Opened | None]], ...] = (
    (
        re.compile(r"a:.*", re.DOTALL | re.IGNORECASE),
        lambda tx, id, wanted: anchors.anchor(tx, id, limit=wanted.limit, include_drafts=wanted.include_drafts),
    ),
    (re.compile(r"runner:.*", re.DOTALL), lambda tx, id, wanted: jobs.runner(tx, id)),
    (
        re.compile(r"(?:TASK|PLAN)-[0-9]{3,}"),
        lambda tx, id, wanted: opened_target(tx, id, include_drafts=wanted.include_drafts),
    ),
    (STEP_ID, lambda tx, id, wanted: opened_step(tx, id)),
    (re.compile(r"evt_[0-9]{16}"), lambda tx, id, wanted: opening.event(tx, id)),
    (re.compile(r"CONFLICT-[0-9a-f]{32}"), lambda tx, id, wanted: _conflict(tx, id)),
    (re.compile(r"JOB-[0-9]{3,}@[0-9]+"), lambda tx, id, wanted: jobs.job_event(tx, id)),
    (
        re.compile(r"JOB-[0-9]{3,}"),
        lambda tx, id, wanted: jobs.job(tx, id, include_drafts=wanted.include_drafts, limit=wanted.limit),
    ),
    (opening.REFERENCE, lambda tx, id, wanted: opening.entry(tx, id)),
)
"""How each form of id is opened; the first that fits."""


def opened_by_id(tx: Tx, id: str, wanted: Wanted) -> Opened:
    """Whatever has that id; refuses one that nothing has."""
    if (card := opening.card(tx, id)) is not None:
        return card
    for form, opened in FORMS:
        if form.fullmatch(id) and (found := opened(tx, id, wanted)) is not None:
            return found
    raise unknown(
        "card, entry or other thing of the id",
        id,
        recovery="Copy an id or ref from another answer: graph_query and tasks_delta name those there are.",
        suggestions=[Suggestion("graph_query", {"workspace": tx.workspace}, "See which cards there are", "high")],
    )


def _conflict(tx: Tx, id: str) -> Opened:
    conflict = tx.call("graph_conflict_show", {"conflict_id": id})["conflict"]
    told = f"{conflict['kind']} {conflict['key']} of {conflict['from']} and {conflict['into']}: {conflict['status']}"
    return {"kind": "conflict", "id": id, "summary": told, "conflict": conflict, "truncated": False}
