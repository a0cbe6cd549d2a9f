"""Reads as of an earlier record: every one answers again what it answered then, whatever came later."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidOperation, InvalidPayload, SessionNotFound
from thoughtbox.operations.registry import TABLE

Answer = dict[str, Any]


def steps(mia: Client, tom: Client) -> Iterator[object]:
    """A story in which everything changes that can be read. What each step gives does not matter."""
    first = mia.session_id
    yield mia.think("S1|O|Pages are slow since Monday", totalThoughts=5)
    yield mia.think("S2|H|S1|It is the cache")
    yield mia.think("S3|E|S2|The cache is cold", branchId="cold", branchFromThought=2)
    yield mia.critique(thoughtNumber=2, text="Which cache?", model="m")
    yield mia.think("S3|R|^[S2]|It is the index")
    yield tom.think("S1|C|Add an index to users.email")
    yield mia.session_rename(title="Slow checkout", description="Since Monday")
    yield mia.session_tag(add=["web", "db"])
    yield mia.navigate(project="shop", task="checkout", domain="debugging")
    yield mia.call("knowledge.create_pattern", title="Plan first", description="d", content="EXPLAIN", tags=["db"])
    yield mia.call("knowledge.write_note", title="Open ends", content="- the replica")
    yield mia.think("S4|C|S3|∴ Add an index to users.email", nextThoughtNeeded=False)
    yield mia.call("knowledge.update_pattern", patternId="plan-first", content="EXPLAIN ANALYZE", tags=["db", "sql"])
    yield mia.call("knowledge.write_note", title="Open ends", content="- nothing", append=True)
    yield mia.think("one more", sessionId=first, thoughtNumber=9)
    yield mia.critique(sessionId=first, thoughtNumber=2, text="Cold, then?", model="n")
    yield mia.session_tag(sessionId=first, remove=["web"])
    yield mia.session_complete(sessionId=first)
    yield tom.load_context(sessionId=first)
    yield mia.call("knowledge.delete_note", noteId="open-ends")
    yield mia.call("knowledge.delete_pattern", patternId="plan-first")
    yield mia.session_delete(sessionId=first)


READS: dict[str, list[Answer]] = {
    "get_state": [{}],
    "list_sessions": [
        {},
        {"tags": ["web"]},
        {"search": "slow"},
        {"project": "shop"},
        {"sortBy": "title", "sortOrder": "asc"},
        {"sortBy": "createdAt", "limit": 1, "offset": 1},
    ],
    "session.list": [{}],
    "session.get": [{}, {"limit": 2}],
    "session.export": [{"format": "markdown"}, {"format": "cipher"}],
    "session.analyze": [{}],
    "deep_analysis": [{"includeTimeline": True}],
    "session.extract_learnings": [{}],
    "session.search": [{"query": "index OR checkout OR db"}],
    "read_thoughts": [{}, {"kind": "evidence"}, {"range": [1, 3]}, {"last": 2}],
    "get_structure": [{}],
    "knowledge.list_patterns": [{}, {"tags": ["db"]}, {"search": "explain"}],
    "knowledge.list_notes": [{}, {"search": "replica"}],
    "mental_models.list_models": [{}],
}
NOT_OF_RECORDS = {"list_roots", "mental_models.get_model", "mental_models.list_tags", "mental_models.page"}
OF_WHAT_IS_STORED_NOW = {"session.verify"}
BY_ID = {"get_thought", "knowledge.get_pattern", "knowledge.get_note"}


def test_every_read_of_the_room_is_tried():
    reads = {operation.name for operation in TABLE if operation.room == "thoughts" and not operation.writes}

    assert reads - NOT_OF_RECORDS - OF_WHAT_IS_STORED_NOW - BY_ID == set(READS)


def told(answer: Answer) -> Answer:
    """Without what depends on when, or how well, it was asked."""
    if "learnings" in answer:
        for learning in answer["learnings"]:
            learning["metadata"].pop("extractedAt")
    for found in answer.get("sessions", []):
        found.pop("best", None)
    if answer.get("sessions") and "session" in answer["sessions"][0]:
        answer["sessions"].sort(key=lambda found: found["session"]["id"])
        for found in answer["sessions"]:
            found.pop("thoughtNumber", None)
            found.pop("branchId", None)
    return answer


@pytest.mark.parametrize("operation", READS)
def test_a_read_as_of_an_earlier_record_gives_what_it_gave_then(box: Box, operation: str):
    mia, tom = Client(box).ready(sessionTitle="Slow pages"), Client(box).ready(sessionTitle="Another")
    named = {"sessionId": mia.session_id}
    nobody = Client(box, stateless=True)
    seen: list[tuple[int, Answer, Answer]] = []
    for number, _ in enumerate(steps(mia, tom), 1):
        for arguments in READS[operation]:
            try:
                seen.append((mia.records(), arguments, told(nobody.call(operation, **arguments, **named))))
            except SessionNotFound:
                assert number == 22  # the last step deletes it

    for seq, arguments, then in seen:
        assert told(nobody.call(operation, **arguments, **named, as_of=seq)) == then, (seq, arguments)
    assert len(seen) >= 21 * len(READS[operation])


@pytest.mark.parametrize(
    ("read", "steps_before"),
    [
        (lambda client, **when: client.call("knowledge.get_pattern", patternId="plan-first", **when), 10),
        (lambda client, **when: client.call("knowledge.get_note", noteId="open-ends", **when), 11),
        (lambda client, **when: client.get_thought(id="th:6", **when), 5),
    ],
    ids=["pattern", "note", "thought"],
)
def test_a_pattern_a_note_or_a_thought_reads_as_it_did(box: Box, read: Callable[..., Answer], steps_before: int):
    mia, tom = Client(box).ready(), Client(box).ready()
    seen: list[tuple[int, Answer]] = []
    for n, _ in enumerate(steps(mia, tom), 1):
        if steps_before <= n <= 19:
            seen.append((mia.records(), read(tom)))

    for seq, then in seen:
        assert read(tom, as_of=seq) == then
    assert len({str(then) for _, then in seen}) == 2


def test_before_a_session_began_it_is_not_there(mia: Client):
    with pytest.raises(SessionNotFound):
        mia.session_get(as_of=0)
    with pytest.raises(SessionNotFound):
        Client(mia.box, stateless=True).session_get(sessionId=mia.session_id, as_of=0)
    assert mia.list_sessions(as_of=0)["sessions"] == []


def test_a_read_as_of_a_record_that_is_not_there_yet_is_as_of_now(mia: Client):
    mia.think()

    assert mia.session_get(as_of=10**9) == mia.session_get()


def test_what_happened_within_one_instant_is_listed_in_the_same_order_later(box: Box):
    """Servers write many records in one millisecond."""
    object.__setattr__(box.app.world, "now_ms", lambda: 1_750_000_000_000)
    mia = Client(box, stateless=True)
    ids = [mia.start_new(sessionTitle=title)["sessionId"] for title in ("b", "a", "b", "c")]
    mia.session_rename(sessionId=ids[1], title="d")

    for arguments in (
        {},
        {"sortOrder": "asc"},
        {"sortBy": "createdAt"},
        {"sortBy": "title"},
        {"sortBy": "title", "sortOrder": "asc"},
    ):
        now = [session["id"] for session in mia.list_sessions(**arguments)["sessions"]]
        then = [session["id"] for session in mia.list_sessions(**arguments, as_of=mia.records())["sessions"]]
        assert then == now
    assert mia.get_state(sessionId="latest")["session"]["id"] == ids[1]


def test_the_stage_that_a_look_back_needs_is_the_one_reached_by_now(box: Box):
    nobody = Client(box, stateless=True)
    session_id = nobody.start_new()["sessionId"]
    then = nobody.records()
    nobody.cipher(sessionId=session_id)
    nobody.think(sessionId=session_id)

    assert nobody.read_thoughts(sessionId=session_id, as_of=then)["thoughts"] == []


@pytest.mark.parametrize("operation", [operation.name for operation in TABLE if operation.room == "thoughts"])
def test_only_reads_can_look_back(tom: Client, operation: str):
    found = TABLE.operations[operation]
    if not found.writes or found.gateway is not None:
        return
    before = tom.records()

    with pytest.raises(InvalidOperation, match="only reads"):
        tom.call(operation, **{**found.example.arguments, "as_of": 1})

    assert tom.records() == before


def test_as_of_less_than_nothing_is_refused(tom: Client):
    with pytest.raises(InvalidPayload, match="as-of"):
        tom.session_get(as_of=-1)
