"""Looking back at an earlier record. `tests/operations/test_as_of.py` has that every read answers as it did then."""

from __future__ import annotations

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import InvalidOperation, InvalidPayload, SessionNotFound
from thoughtbox.operations.registry import TABLE


@pytest.mark.parametrize("seq", range(4))
def test_sessions_tags_and_projects_complete_as_they_were(box: Box, seq: int):
    """Completions and listings, which no operation asks for: the sessions, tags and projects there were then."""
    mia = Client(box, stateless=True)
    first = mia.start_new(sessionTags=["web"], project="shop")["sessionId"]
    second = mia.start_new(sessionTags=["db"], project="site")["sessionId"]
    mia.session_tag(sessionId=first, remove=["web"])
    mia.session_delete(sessionId=second)

    def asked(sql: Sql) -> tuple[list[str], list[str], list[tuple[str, int]]]:
        view = Thoughts(sql, WORKSPACE, seq)
        return view.session_ids("", 10), view.tags("", 10), view.values("project", 10)

    ids, tags, projects = box.app.engine.read(asked).result()
    assert ids == sorted([[], [first], [first, second], [first, second]][seq])
    assert tags == [[], ["web"], ["db", "web"], ["db"]][seq]
    assert projects == [[], [("shop", 1)], [("shop", 1), ("site", 1)], [("shop", 1), ("site", 1)]][seq]


def test_what_a_session_can_learn_from_one_that_was_deleted_since_is_still_there_then(mia: Client):
    nobody = Client(mia.box, stateless=True)
    other = Client(mia.box).ready()
    for client in (mia, other):
        client.think("S1|C|∴ Add an index to the users table for the login query")
    then = nobody.records()
    before = nobody.call("session.extract_learnings", sessionId=mia.session_id)
    nobody.session_delete(sessionId=other.session_id)

    again = nobody.call("session.extract_learnings", sessionId=mia.session_id, as_of=then)

    assert [each["id"] for each in again["learnings"]] == [each["id"] for each in before["learnings"]]
    now = nobody.call("session.extract_learnings", sessionId=mia.session_id)
    assert now["count"] < before["count"]


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
    box.app.world = box.app.world._replace(now_ms=lambda: 1_750_000_000_000)
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
