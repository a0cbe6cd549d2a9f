"""Every refusal of every operation that can be provoked, and what it recommends, sent as it stands.

Operations and their arguments are found in the table: a new one is walked by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.memory import fill_memory
from tests.support.mind import fill_mind
from tests.support.thinker import Client
from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import TABLE, Operation, cursor
from thoughtbox.operations.models import wire_names

domains.load()

Arguments = dict[str, Any]

OPERATIONS = [operation for operation in TABLE if operation.gateway is None]
GATEWAY_FIELDS = {"operation", "subOperation", "args", "sessionId"}


@dataclass
class World:
    """A box with a session of thoughts and a branch, a deleted one, a note, a pattern and a trail."""

    room: str = "thoughts"
    box: Box = field(default_factory=Box)

    def __post_init__(self) -> None:
        if self.room == "mind":
            fill_mind(self.box)
        elif self.room == "memory":
            fill_memory(self.box)
        tom = Client(self.box, agent="tom").ready(sessionTitle="Slow pages")
        tom.think("S1|O|Pages are slow")
        tom.think("S2|C|S1|∴ Add an index on users.email")
        for branch in ("alt", "other"):
            tom.think("aside", branchId=branch, branchFromThought=1, thoughtNumber=7)
        self.session = tom.session_id
        tom.call("knowledge.write_note", title="Known", content="c")
        tom.call("knowledge.create_pattern", title="Known", description="d", content="c")
        tom.call("thought_plan", sessionId="s1", planDescription="p", actionId="deploy-7")
        gone = Client(self.box, agent="tom").ready(sessionTitle="Gone")
        self.gone = gone.session_id
        self.page = cursor(type("SomePlace", (tuple,), {})((1,)))
        tom.session_delete(sessionId=self.gone)


def newcomer(world: World) -> Client:
    return Client(world.box)


def begun(world: World) -> Client:
    client = Client(world.box)
    client.start_new(sessionTitle="Begun")
    return client


def thinking(world: World) -> Client:
    return Client(world.box).ready()


def bereft_of(stage: int) -> Callable[[World], Client]:
    """Works on a session that somebody else has deleted."""

    def bereft(world: World) -> Client:
        client = begun(world) if stage == 1 else thinking(world)
        Client(world.box, stateless=True).session_delete(sessionId=client.session_id)
        return client

    return bereft


def stateless(world: World) -> Client:
    return Client(world.box, stateless=True)


def shell(world: World) -> Client:
    client = Client(world.box)
    client.focus = world.box.app.first_focus("workspace")
    return client


CALLERS: dict[str, Callable[[World], Client]] = {
    "newcomer": newcomer,
    "begun": begun,
    "thinking": thinking,
    "bereft at stage 1": bereft_of(1),
    "bereft at stage 2": bereft_of(2),
    "stateless": stateless,
    "shell": shell,
}


def provocations(operation: Operation, world: World) -> Iterator[Arguments]:
    """Calls that are refused, most of them: each argument unknown, missing, of a wrong type, and of wrong content."""
    right: Arguments = {**operation.example.arguments}
    for name in {"sessionId", "noteId", "patternId"} & right.keys():
        right[name] = {"sessionId": world.session, "noteId": "known", "patternId": "known"}[name]
    known = wire_names(operation.input)
    yield {}
    yield dict(right)
    yield {name: value for name, value in right.items() if name != "sessionId"}
    for unknown in ("zzz", "sesionId", "tag", "number", "deleted", "x" * 300, "思考"):
        if unknown not in known:
            yield {**right, unknown: "x"}
    odd: list[Any] = [
        *(7, -1, 10**12, 1.5, True, [], ["x"], {}, {"x": 1}, "", " ", "nowhere", "x" * 2_000, "9999", "main"),
        *(world.session, world.gone, world.page, f"{world.session}:99", "th:999999", "../x", "alt", "latest"),
        *([1, 2, 3], ["1", "99"], [{"thoughtNumber": 99, "type": "decision"}], "\0", "\ud800"),
        *(("TASK-001", "PLAN-404", "what-if", "H1", "a:storage", "focus", "JOB-001") if world.room == "mind" else ()),
        *([{"operation": "thuoght", "arguments": {}}], [{"operation": "get_structure", "arguments": {"zzz": 1}}]),
    ]
    for name in known:
        yield {other: value for other, value in right.items() if other != name}
        for value in odd:
            yield {**right, name: value}
            if "sessionId" in right and name not in ("sessionId", "thought"):
                yield {**{other: value for other, value in right.items() if other != "sessionId"}, name: value}
    numbers = [name for name in known if name in ("thoughtNumber", "last", "range", "refersTo", "revises")]
    yield {**right, **dict.fromkeys(numbers, 1)}
    if operation.name == "thought":
        yield {**right, "branchId": "new"}
        yield {**right, "branchFromThought": 1}
        yield {**right, "branchId": "alt", "branchFromThought": 2}
        yield {**right, "branchId": "alt", "branchFromThought": 1, "branchFromBranch": "other"}
        yield {**right, "branchId": "third", "branchFromThought": 7}
        yield {**right, "thoughtNumber": 1}
        yield {**right, "isRevision": True}
        yield {**right, "revisesThought": 7}
    if operation.name == "read_thoughts":
        yield {**right, "last": 1, "range": [1, 2]}
        yield {**right, "kind": "hypothesis", "label": "evidence"}


def calls_in(error: ThoughtboxError) -> Iterator[Arguments]:
    """The calls that an error recommends, as they stand in it."""
    text = error.recovery or ""
    for found in re.finditer(re.escape('{"operation"'), text):
        yield json.JSONDecoder().raw_decode(text[found.start() :])[0]
    if "next" in error.details:
        yield error.details["next"]
    for suggestion in error.details.get("suggestions", ()):
        yield {"operation": suggestion["target"], "args": suggestion["params"]}


def check_names(operation: Operation, error: ThoughtboxError) -> None:
    """What stands between backticks is a name that can be sent; what is suggested takes nothing away."""
    inner = error.details.get("operation")
    at = TABLE.operations.get(str(inner), operation)
    known = {*wire_names(at.input), *GATEWAY_FIELDS}
    for name in re.findall("`([^`]+)`", error.recovery or ""):
        assert name in known or name in TABLE.operations or TABLE.family(name), (name, error.payload())
    suggested = re.findall("Did you mean `([^`]+)`", error.recovery or "")
    assert all(name in known or TABLE.operations[name].suggestible for name in suggested), error.payload()


def some_callers(operation: Operation) -> list[str]:
    """Whoever just came, and one of the others, another one for each operation; all of them take long."""
    if operation.room == "mind":
        return ["newcomer"]  # it remembers nothing of its callers
    others = [kind for kind in CALLERS if kind != "newcomer"]
    return ["newcomer", others[[each.name for each in OPERATIONS].index(operation.name) % len(others)]]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_what_a_refusal_recommends_succeeds_when_it_is_sent_as_it_stands(operation: Operation):
    walk(operation, some_callers(operation))


@pytest.mark.torture
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_what_a_refusal_recommends_succeeds_for_every_caller(operation: Operation):
    walk(operation, list(CALLERS), again=True)


def walk(operation: Operation, kinds: list[str], *, again: bool = False) -> None:
    """`again` sends what is recommended each time that it is, and not only the first time."""
    for kind, arrive in ((kind, CALLERS[kind]) for kind in kinds):
        world = World(operation.room)
        caller, refused = arrive(world), 0
        there, sent = caller.focus, set[str]()
        for arguments in provocations(operation, world):
            caller.focus = there
            error = caller.refusal(operation.name, **arguments)
            if error is None:
                continue
            refused += 1
            assert error.recovery, (kind, arguments, error.payload())
            check_names(operation, error)
            for call in calls_in(error):
                if (text := json.dumps(call)) in sent and not again:
                    continue
                sent.add(text)
                caller.focus = there
                further = caller.refusal("thoughtbox_gateway", **call)
                assert further is None, (kind, arguments, error.payload(), further.payload() if further else None)
        assert refused or not wire_names(operation.input), kind
        world.box.close()
