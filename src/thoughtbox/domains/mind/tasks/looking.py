"""Verbs that look at plans and tasks: focus, radar, the feed of events, lists, and what is wrong with them."""

from __future__ import annotations

import re

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.paging import pages_of
from thoughtbox.domains.mind.records import write_place
from thoughtbox.domains.mind.refusals import invalid, unknown
from thoughtbox.domains.mind.room import IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.scope import target_id
from thoughtbox.domains.mind.tasks.events import canonical_branch
from thoughtbox.domains.mind.tasks.radar import radar, steps_block
from thoughtbox.domains.mind.tasks.read_models import (
    Delta,
    DeltaShown,
    FocusCleared,
    FocusSet,
    FocusShown,
    GetFocus,
    Lint,
    Linted,
    ListTargets,
    Radar,
    RadarShown,
    SetFocus,
    TargetsListed,
)
from thoughtbox.domains.mind.tasks.shaping import GIVEN
from thoughtbox.domains.mind.tasks.shown import event_shown, reasoning_ref, target_line, target_shown
from thoughtbox.domains.mind.tasks.targets import known_target, named_kind, named_target, target_of
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.tasks import Target, Tasks, number_of
from thoughtbox.errors import UnknownId
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Example, Pages, Tx

EVENT_ID = re.compile(r"evt_[0-9]{16}")
_FOCUS = ("tasks_focus_set", {"task": "TASK-001"})


@room.operation(
    "tasks_focus_set",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Set the focus",
    toolsets=IN_DAILY,
    errors=[UnknownId],
    example=Example(_FOCUS[1], given=GIVEN),
)
def tasks_focus_set(tx: Tx, call: SetFocus) -> FocusSet:
    """Say which plan or task the workspace works on: tools that take a target use it when none is named."""
    id = named_target(call)
    if id is None:
        raise invalid("no plan or task is named", recovery="Send target, such as TASK-001.", field="target")
    return FocusSet(previous=set_focus(tx, known_target(tx, id)), focus=id)


def set_focus(tx: Tx, target: Target) -> str | None:
    """Put a plan or task into focus; what was before."""
    previous = tx.ask(Documents).place("focus")
    if previous != target.id:
        write_place(tx, "focus", target.id, f"{target.id} is in focus: {target.title}")
    return previous


@room.operation(
    "tasks_focus_get",
    title="See the focus",
    toolsets=IN_FULL,
    example=Example({}, given=[*GIVEN, _FOCUS]),
)
def tasks_focus_get(tx: Tx, call: GetFocus) -> FocusShown:
    """Which plan or task is in focus."""
    return FocusShown(focus=tx.ask(Documents).place("focus"))


@room.operation(
    "tasks_focus_clear",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Clear the focus",
    toolsets=IN_FULL,
    example=Example({}, given=[*GIVEN, _FOCUS]),
)
def tasks_focus_clear(tx: Tx, call: GetFocus) -> FocusCleared:
    """Work on no plan or task in particular: tools fall back to the branch that is checked out."""
    previous = tx.ask(Documents).place("focus")
    if previous is not None:
        write_place(tx, "focus", None, "Nothing is in focus")
    return FocusCleared(previous=previous, cleared=previous is not None)


@room.operation(
    "tasks_radar",
    title="See where a plan or task stands",
    toolsets=IN_DAILY,
    errors=[UnknownId],
    keep=["radar", "target"],
    example=Example({"task": "TASK-001"}, given=GIVEN),
)
def tasks_radar(tx: Tx, call: Radar) -> RadarShown:
    """Where a plan or task stands: now, why, what to check, what comes next, what hinders it, and where to reason."""
    target = target_of(tx, call)
    return RadarShown(
        requested={"target": named_target(call)},
        focus=tx.ask(Documents).place("focus"),
        target=target_shown(target),
        reasoning_ref=reasoning_ref(target.id, canonical_branch(tx, target.id)),
        radar=radar(tx, target),
        steps=steps_block(tx, target),
    )


@room.operation(
    "tasks_delta",
    title="Follow what happens to tasks",
    toolsets=IN_FULL,
    errors=[UnknownId],
    newest_first=frozenset({"events"}),
    pages=[Pages("events", None)],
    example=Example({"limit": 10}, given=GIVEN),
)
def tasks_delta(tx: Tx, call: Delta) -> DeltaShown:
    """Events of all plans and tasks after a given one, the oldest first. Go on after the last one that is shown."""
    after = _seq_of(tx, call.since) if call.since is not None else 0
    seqs = tx.ask(Tasks).events(after=after, limit=call.limit + 1)
    events = events_of(tx, seqs[: call.limit])
    return DeltaShown(since=call.since, events=events, count=len(events), has_more=len(seqs) > call.limit)


def _seq_of(tx: Tx, event: str) -> int:
    if not EVENT_ID.fullmatch(event):
        raise invalid(
            f"`since` is no event: {event[:80]}",
            recovery="It looks like evt_0000000000000017; leave it out for all events.",
            field="since",
        )
    seq = int(event.removeprefix("evt_"))
    if seq and not tx.ask(Tasks).is_event(seq):
        raise unknown(
            "event",
            event,
            recovery="Leave since out for all events.",
            suggestions=[Suggestion("tasks_delta", {"workspace": tx.workspace}, "Begin with the first event", "high")],
        )
    return seq


def events_of(tx: Tx, seqs: list[int]) -> list[dict[str, object]]:
    """These events, in order of writing."""
    found = {record.seq: record for record in tx.ledger.records(seqs)}
    for seq in seqs:
        if seq not in found or "eventId" not in found[seq].data:
            raise astray(Tasks, seq, "an event")
    return [event_shown(found[seq]) for seq in sorted(seqs)]


@room.operation(
    "tasks_context",
    title="List plans and tasks",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"targets"}),
    pages=pages_of("targets", "id"),
    example=Example({"status": "TODO"}, given=GIVEN),
)
def tasks_context(tx: Tx, call: ListTargets) -> TargetsListed:
    """Plans by number, then tasks, with their status and how far they have come; a page at a time."""
    plan = known_target(tx, named_kind(call.plan, "plan", ("plan",))).id if call.plan is not None else None
    kinds = [kind for kind in ("plan", "task") if call.kind in (None, kind) and not (plan and kind == "plan")]
    after = _after(call.cursor)
    found: list[Target] = []
    for kind in kinds:
        if after is not None and after[0] > kind:
            continue
        behind = after[1] if after is not None and after[0] == kind else 0
        found += tx.ask(Tasks).targets(
            kind, status=call.status, parent=plan, after=behind, limit=call.limit + 1 - len(found)
        )
    shown = found[: call.limit]
    has_more = len(found) > call.limit
    return TargetsListed(
        targets=[_listed(tx, target) for target in shown],
        pagination={
            "cursor": call.cursor,
            "next_cursor": shown[-1].id if has_more else None,
            "has_more": has_more,
            "limit": call.limit,
            "count": len(shown),
        },
    )


def _after(cursor: str | None) -> tuple[str, int] | None:
    """The kind and the number behind which a page begins."""
    id = target_id(cursor, "cursor")
    return (id.partition("-")[0].lower(), number_of(id)) if id is not None else None


def _listed(tx: Tx, target: Target) -> dict[str, object]:
    if target.kind == "plan":
        return {**target_line(target), "tasks": tx.ask(Tasks).statuses(target.id)}
    counts = tx.ask(Tasks).step_counts(target.id)
    return {**target_line(target), "steps": {"total": counts.total, "open": counts.open}}


@room.operation(
    "tasks_lint",
    title="See what is wrong with a plan or task",
    toolsets=IN_DAILY,
    errors=[UnknownId],
    keep=["summary"],
    newest_first=frozenset({"issues", "patches", "actions"}),
    example=Example({"task": "TASK-001"}, given=GIVEN),
)
def tasks_lint(tx: Tx, call: Lint) -> Linted:
    """What a plan or task lacks, with patches that can be sent as they stand, and whether anybody reasons about it."""
    from thoughtbox.domains.mind.tasks.linting import linted

    return Linted(**linted(tx, target_of(tx, call)))
