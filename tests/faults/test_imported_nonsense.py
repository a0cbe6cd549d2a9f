"""Records with right hashes that their room could not read: refused on the way in, or readable by everybody.

An export of all rooms is changed somewhere, hashed anew, and taken in. Where that succeeds, every
read operation is called on all there is: none may fail for a reason that is ours.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

import pytest

from tests.faults.store import Store
from tests.support.box import WORKSPACE, Box
from tests.support.exports import Placed, export_of, records_in
from tests.support.thinker import Client
from thoughtbox.errors import ImportRefused, InternalError, NotCanonical, ThoughtboxError
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.record import refs
from thoughtbox.operations.arguments import wire_name
from thoughtbox.operations.registry import TABLE, Operation

pytestmark = pytest.mark.sampled(3)

SEED = 20_260_729
NONSENSE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 3, 1.5, 2**53, -(2**53), 10**9 + 1),
    *("", " ", "x", "main", "th:1", "th:3", "th:9", "th:99999", "th:0", "trail/s", "\u202e", "9" * 400),
    *("2025-13-45T99:99:99Z", "0001-01-01T00:00:00+14:00"),
    *([], [[]], [1], ["a"], [None], {}, {"a": 1}, {"text": 3}, [{"type": "supports", "to": "th:2"}]),
)  # fmt: skip


@cache
def whole() -> tuple[Placed, ...]:
    """A bit of everything that the rooms record."""
    box = Box()
    mia = Client(box)
    mia.start_new(sessionTitle="Slow pages", sessionTags=["db"], project="shop", task="cache")
    mia.cipher()
    mia.thought(thought="S1|O|pages are slow", totalThoughts=5)
    mia.thought(thought="S2|H|S1|a missing index")
    mia.thought(thought="S7|E|S2|EXPLAIN shows a scan")
    mia.thought(thought="another way", branchId="alt", branchFromThought=1)
    mia.thought(thought="and on", branchId="alt")
    mia.thought(thought="it was the cache after all", revisesThought=2)
    mia.critique(thoughtNumber=2, text="Is it?", model="m")
    mia.thought(thought="S8|C|S7|∴ add an index", nextThoughtNeeded=False)
    mia.call("session.rename", title="Slower pages")
    mia.call("session.tag", tags=["db", "cache"])
    mia.call("knowledge.write_note", title="Open ends", content="ask about the replica")
    mia.call("knowledge.write_note", title="Open ends", content="asked")
    mia.call("knowledge.promote", learningId="best")
    mia.call("knowledge.write_note", title="Gone", content="soon")
    mia.call("knowledge.delete_note", noteId="gone")
    plan = box.call("thought_plan", {"sessionId": "s", "planDescription": "p", "actionId": "deploy-1"}, key="k1")
    parent = plan["thought"]["thoughtId"]
    box.thought_decision(sessionId="s", decision="d", parentId=parent, actionId="deploy-1", contextId="c")
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    box.thought_reflection(sessionId="s", reflection="r", parentId="unknown")
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    lines = box.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()
    box.close()
    return tuple(records_in(lines))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place inside a record."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, part in value.items():
            yield from places(part, (*path, name))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*path, number))


def put(envelope: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    at: Any = envelope
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value


def take_out(envelope: dict[str, Any], path: tuple[Any, ...]) -> None:
    at: Any = envelope
    for step in path[:-1]:
        at = at[step]
    del at[path[-1]]


def mutated(chance: Random) -> list[Placed]:
    """The export with something changed in it, or moved, or said twice."""
    records = [Placed(stream, copy.deepcopy(envelope)) for stream, envelope in whole()]
    for _ in range(chance.choice((1, 1, 1, 2))):
        number = chance.randrange(len(records))
        stream, envelope = records[number]
        inside = [path for path in places(envelope) if path != ("id",)]
        match chance.randrange(8):
            case 0:
                streams = [*(one.stream for one in records), "trail/new", "odd"]
                records[number] = Placed(chance.choice(streams), envelope)
            case 1:
                records.insert(chance.randrange(len(records) + 1), Placed(stream, copy.deepcopy(envelope)))
            case 2:
                records.insert(chance.randrange(len(records)), records.pop(number))
            case 3:
                del records[number]
            case 4:
                take_out(envelope, chance.choice(inside))
            case _:
                put(envelope, chance.choice(inside), copy.deepcopy(chance.choice(NONSENSE)))
        with suppress(Exception):
            envelope["refs"] = refs(envelope["attrs"])  # as somebody would who knows how records are made
    return [Placed(stream, {**envelope, "id": f"th:{seq}"}) for seq, (stream, envelope) in enumerate(records, 1)]


def values_of(records: list[Placed]) -> dict[str, list[Any]]:
    """What arguments of a read may be, by name."""
    sessions = {str(one.envelope["session"]) for one in records}
    return {
        "sessionId": sorted({*sessions, "latest"}),
        "id": [one.envelope["id"] for one in records],
        "actionId": ["deploy-1", "none"],
        "patternId": sorted({str(one.envelope["data"].get("id")) for one in records}),
        "noteId": ["open-ends", "gone"],
        "stream": sorted({one.stream for one in records}),
        "format": ["json", "markdown", "cipher"],
        "kind": ["claim", "decision"],
        "branchId": ["alt"],
        "deep": [True],
    }


def read_everything(store: Store, records: list[Placed]) -> None:
    values = values_of(records)
    for operation in TABLE:
        if operation.writes or operation.gateway is not None:
            continue
        for arguments in variations(operation, values):
            read(store, operation.name, arguments)
    for arguments in ({"range": [1, 9]}, {"last": 50}, {"refersTo": 2}, {"revises": 2}, {"thoughtNumber": 1}):
        read(store, "read_thoughts", {"sessionId": "latest", **arguments})


def variations(operation: Operation, values: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """The example, and the example with each argument replaced by whatever there is."""
    yield dict(operation.example.arguments)
    known = {wire_name(operation.input, name) for name in operation.input.model_fields}
    for name in known & values.keys():
        for value in values[name]:
            yield {**operation.example.arguments, name: value}


def read(store: Store, operation: str, arguments: dict[str, Any]) -> None:
    try:
        store.call(operation, arguments)
    except ThoughtboxError as error:
        if isinstance(error, InternalError):
            pytest.fail(f"{operation} {arguments}: {error!r}")
    except Exception as error:
        pytest.fail(f"{operation} {arguments}: {error!r}")


def take_in(store: Store, lines: list[bytes]) -> None:
    import_lines(store.engine, store.app.views, lines, check=TABLE.check)


def try_it(turn: int) -> bool:
    """Whether a changed export was taken in; then, all of it can be read."""
    records = mutated(Random(SEED + turn))
    try:
        lines = export_of(records, WORKSPACE)
    except (NotCanonical, TypeError, KeyError, AttributeError):
        return False  # no hash can be made of it
    with Store(None) as store:
        try:
            take_in(store, lines)
        except ImportRefused:
            return False
        assert store.verify().valid
        read_everything(store, records)
        assert store.views_that_differ() == []
    return True


def test_what_nobody_changed_is_taken_in_and_can_be_read():
    with Store(None) as store:
        take_in(store, export_of(whole(), WORKSPACE))
        read_everything(store, list(whole()))


@pytest.mark.parametrize("part", range(3))
def test_what_is_taken_in_can_be_read_whatever_was_changed(part: int):
    taken = [try_it(turn) for turn in range(part * 40, part * 40 + 40)]
    assert any(taken), "some changes do no harm"
    assert not all(taken)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(25))
def test_what_is_taken_in_can_be_read_in_thousands_of_cases(part: int):
    for turn in range(10_000 + part * 200, 10_000 + part * 200 + 200):
        try_it(turn)


def changed(topic: str, *path: Any, to: Any, nth: int = 0) -> list[bytes]:
    """The export with one thing changed in a record of the topic; and the number of its line is the id's, plus one."""
    records = [Placed(stream, copy.deepcopy(envelope)) for stream, envelope in whole()]
    found = [one for one in records if one.envelope["data"]["topic"] == topic][nth]
    put(found.envelope, path, to)
    return export_of(records, WORKSPACE)


@pytest.mark.parametrize(
    ("topic", "path", "to", "says"),
    [
        ("thoughts.thought", ("data", "totalThoughts"), True, "data.totalThoughts"),
        ("thoughts.thought", ("data", "thoughtNumber"), "1", "data.thoughtNumber"),
        ("thoughts.thought", ("data", "thoughtNumber"), 0, "data.thoughtNumber"),
        ("thoughts.thought", ("data", "nextThoughtNeeded"), 1, "data.nextThoughtNeeded"),
        ("thoughts.thought", ("data", "prev"), "th:99999", "refers to th:99999"),
        ("thoughts.thought", ("kind",), "checkpoint", "stateHash"),
        ("thoughts.session", ("data", "title"), 7, "data.title"),
        ("thoughts.session", ("data", "tags"), "db", "data.tags"),
        ("thoughts.session", ("data", "stage"), 9, "data.stage"),
        ("thoughts.session", ("ts",), "yesterday", "record.ts"),
        ("thoughts.session_changed", ("data", "change"), None, "data.change"),
        ("thoughts.critique", ("data", "of"), "th:1", "refers to th:1"),
        ("knowledge.note", ("data", "id"), "another", "its place is"),
        ("knowledge.pattern", ("data", "tags"), {}, "data.tags"),
        ("trail.thought", ("data", "thoughtType"), ["plan"], "data.thoughtType"),
        ("trail.thought", ("session",), "another", "its place is"),
        ("ledger.answer", ("data", "answer"), "done", "data.answer"),
        ("ledger.answer", ("attrs", "callId"), "th:1", "`refs`"),
        ("ledger.checkpoint", ("data", "heads"), [["nowhere", 1, "0" * 64]], "otherwise than it is"),
        ("ledger.checkpoint", ("data", "heads"), 1, "otherwise than it is"),
        ("ledger.checkpoint", ("data", "size"), "3", "disagrees"),
    ],
)
def test_a_record_that_its_room_could_not_read_is_refused_with_its_line(
    topic: str, path: tuple[Any, ...], to: Any, says: str
):
    lines = changed(topic, *path, to=to)

    with Store(None) as store, pytest.raises(ImportRefused) as refusal:
        take_in(store, lines)

    assert says in refusal.value.message
    assert json.loads(lines[refusal.value.details["line"] - 1])["record"]["data"]["topic"] == topic


def reordered(first: int, second: int) -> list[bytes]:
    """The export with a record (counted from 1) put before another."""
    records = [Placed(stream, copy.deepcopy(envelope)) for stream, envelope in whole()]
    records.insert(second - 1, records.pop(first - 1))
    anew = [Placed(stream, {**envelope, "id": f"th:{seq}"}) for seq, (stream, envelope) in enumerate(records, 1)]
    return export_of(anew, WORKSPACE)


def number_of(topic: str, nth: int = 0) -> int:
    return [seq for seq, one in enumerate(whole(), 1) if one.envelope["data"]["topic"] == topic][nth]


def test_a_branch_before_its_origin_is_refused_and_named():
    first = number_of("thoughts.thought")
    branch = next(seq for seq, one in enumerate(whole(), 1) if one.envelope["data"].get("branchId") == "alt")

    with Store(None) as store, pytest.raises(ImportRefused, match=r"line \d+: th:\d+, a thoughts.thought"):
        take_in(store, reordered(branch, first))


def test_a_thought_in_a_session_that_never_began_is_refused():
    records = [one for one in whole() if one.envelope["data"]["topic"] != "thoughts.session"]
    anew = [Placed(stream, {**envelope, "id": f"th:{seq}"}) for seq, (stream, envelope) in enumerate(records, 1)]

    with Store(None) as store, pytest.raises(ImportRefused, match="has not begun"):
        take_in(store, export_of(anew, WORKSPACE))


@pytest.mark.parametrize(
    ("topic", "says"), [("thoughts.thought", "there before it"), ("ledger.answer", "was used before")]
)
def test_what_can_be_there_once_only_is_refused_the_second_time(topic: str, says: str):
    records = list(whole())
    records.append(records[number_of(topic) - 1])
    anew = [Placed(stream, {**envelope, "id": f"th:{seq}"}) for seq, (stream, envelope) in enumerate(records, 1)]

    with Store(None) as store, pytest.raises(ImportRefused, match=says):
        take_in(store, export_of(anew, WORKSPACE))


def test_without_its_check_a_view_that_cannot_take_a_record_in_refuses_it_all_the_same():
    """Asserts, missing keys and broken rules of tables: never anything but a refusal."""
    records = list(whole())
    records.append(records[number_of("thoughts.thought") - 1])
    twice = [Placed(stream, {**envelope, "id": f"th:{seq}"}) for seq, (stream, envelope) in enumerate(records, 1)]
    for lines in (export_of(twice, WORKSPACE), changed("thoughts.critique", "data", "of", to="nothing")):
        with Store(None) as store, pytest.raises(ImportRefused):
            import_lines(store.engine, store.app.views, lines)


def test_topics_that_nobody_here_knows_are_taken_in_outside_of_the_rooms_streams():
    odd = {**whole()[0].envelope, "data": {"topic": "garden.bed", "anything": [True]}}

    with Store(None) as store:
        take_in(store, export_of([Placed("garden/1", {**odd, "id": "th:1"})], WORKSPACE))
    with Store(None) as store, pytest.raises(ImportRefused, match="has no place in stream"):
        take_in(store, export_of([Placed("trail/s", {**odd, "id": "th:1"})], WORKSPACE))
