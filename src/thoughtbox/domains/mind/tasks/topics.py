"""Events of plans and tasks, opened as they are when they come from elsewhere."""

import re
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.records import event_id
from thoughtbox.domains.mind.scope import TARGET, docs_of
from thoughtbox.domains.mind.steps import STEP_ID, STEP_PATH
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, STATUSES, bad_details
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Record
from thoughtbox.operations import RecordData, Room, must_stand_in

LARGEST = 2**53


class StateChange(RecordData):
    revision: int
    kind: str | None = None
    parent: str | None = None
    title: str | None = None
    status: str | None = None
    details: dict[str, Any] | None = None


class StepChange(RecordData):
    id: str
    parent: str | None = None
    ordinal: int | None = None
    path: str | None = None
    title: str | None = None
    completed: bool | None = None
    confirmed: dict[str, bool] | None = None
    details: dict[str, Any] | None = None


class EventData(RecordData):
    branch: int
    doc: str
    event_id: str
    event_type: str
    task: str
    path: str | None = None
    payload: dict[str, Any]
    state: StateChange
    steps: list[StepChange] | None = None


def event(record: Record, before: Ledger) -> None:
    data = EventData.read(record.data)
    must_stand_in(record, records.stream_of(data.branch))
    found = re.fullmatch(TARGET, data.task)
    if found is None:
        raise InvalidRecord("`data.task` is no plan and no task")
    branch = before.ask(Documents).branch_of(data.branch)
    if branch is None or branch.canonical != data.task or data.doc != docs_of(data.task)[1]:
        raise InvalidRecord(f"it does not stand in the trace of {data.task}")
    if data.event_id != event_id(record.seq):
        raise InvalidRecord("an event has the number of its record")
    if data.path is not None:
        _must_be_path(data.path)
    _must_be_state(data, before.ask(Tasks), found[1].lower())
    known = set[str]()
    for change in data.steps or ():
        named = {change.id, *([change.path] if change.path is not None else [])}
        if known & named:
            raise InvalidRecord(f"{change.id} is changed twice")
        known |= named
        _must_be_step(change, data, before.ask(Tasks))


def declare(room: Room) -> None:
    room.topic(records.EVENT, event, streams="mind")


def _must_be_state(data: EventData, tasks: Tasks, kind: str) -> None:
    state, known = data.state, tasks.target(data.task)
    if not 0 <= state.revision < LARGEST or state.revision != (known.revision + 1 if known else 0):
        raise InvalidRecord("`data.state.revision` is not the next one")
    if state.status is not None and state.status not in STATUSES:
        raise InvalidRecord(f"`data.state.status` is one of {', '.join(STATUSES)}")
    _must_be_details(kind, state.details)
    if known is None:
        if state.kind != kind or state.title is None:
            raise InvalidRecord("the first event of a plan or task says its kind and its title")
        if kind == "task" and (state.parent is None or tasks.target(state.parent) is None):
            raise InvalidRecord("a task belongs to a plan that is there before it")


def _must_be_step(change: StepChange, data: EventData, tasks: Tasks) -> None:
    if not STEP_ID.fullmatch(change.id):
        raise InvalidRecord("`data.steps` name steps by ids such as STEP-00000001")
    if change.confirmed is not None and not set(change.confirmed) <= set(CHECKPOINTS):
        raise InvalidRecord(f"checkpoints are {', '.join(CHECKPOINTS)}")
    _must_be_details("step", change.details)
    known = tasks.step(change.id)
    if known is not None:
        if known.task != data.task:
            raise InvalidRecord(f"{change.id} is a step of {known.task}")
        return
    if change.path is None or change.ordinal is None or change.title is None:
        raise InvalidRecord("a new step says its path, its place and its title")
    _must_be_path(change.path)
    above, _, own = change.path.rpartition(".")
    if own != f"s:{change.ordinal}" or tasks.step_at(data.task, change.path) is not None:
        raise InvalidRecord(f"there is no room for a step at {change.path}")
    parent = tasks.step_at(data.task, above) if above else None
    if bool(above) != (parent is not None) or (parent.id if parent else None) != change.parent:
        raise InvalidRecord(f"there is no step at {above} to stand below")


def _must_be_path(path: str) -> None:
    if not STEP_PATH.fullmatch(path):
        raise InvalidRecord("a path looks like s:0.s:1")


def _must_be_details(kind: str, details: dict[str, Any] | None) -> None:
    told = {name: value for name, value in (details or {}).items() if value is not None}
    if (wrong := bad_details(kind, told)) is not None:
        raise InvalidRecord(wrong)
    for name, is_so in (
        ("notes", _is_number),
        ("parked_until_ts_ms", _is_number),
        ("lease", _is_lease),
        ("evidence", _is_evidence),
    ):
        if name in told and not is_so(told[name]):
            raise InvalidRecord(f"`details.{name}` is not what a {kind} has")


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def _is_lease(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("agent_id"), str):
        return False
    return all(_is_number(value.get(name)) for name in ("claimed_seq", "expires_seq"))


def _is_evidence(value: Any) -> bool:
    if not isinstance(value, dict) or not set(value) <= set(CHECKPOINTS):
        return False
    return all(
        isinstance(counts, dict) and all(_is_number(counts.get(name)) for name in ("count", "receipts"))
        for counts in value.values()
    )
