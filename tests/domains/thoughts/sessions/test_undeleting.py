"""What was deleted comes back as it was: a session with its thoughts, tags and place, a note, a pattern."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, SessionNotFound


def told(box: Box) -> tuple[Client, str]:
    """A client, and a session that has all that a session can have."""
    mia = Client(box).ready(sessionTitle="Lemur", description="A marmot", tags=["numbat"], project="ocelot")
    mia.think("S1|C|a panda")
    mia.think("aside", branchId="alt", branchFromThought=1)
    return mia, mia.session_id


def seen(client: Client, session_id: str) -> list[Any]:
    """All that shows the session, apart from when it was changed."""
    nobody = Client(client.box, stateless=True)
    read = nobody.session_get(sessionId=session_id)
    for field in ("updatedAt", "lastAccessedAt"):
        del read["session"][field]
    named = [("list_sessions", {"tags": ["numbat"]}), ("list_sessions", {"search": "marmot"})]
    lists = [[each["id"] for each in nobody.call(name, **given)["sessions"]] for name, given in named]
    return [read, lists, nobody.get_structure(sessionId=session_id)]


def test_a_deleted_session_comes_back_as_it_was(box: Box):
    mia, session_id = told(box)
    before = seen(mia, session_id)
    undo = mia.session_delete(sessionId=session_id)["undo"]
    with pytest.raises(SessionNotFound):
        mia.session_get(sessionId=session_id)

    answer = mia.gateway(**undo)

    assert answer["session"]["id"] == session_id
    assert seen(mia, session_id) == before
    assert before[1] == [[session_id], [session_id]]
    assert mia.session_verify(sessionId=session_id)["deleted"] is False
    assert mia.call("session.search", sessionId=session_id, query="panda")["count"] == 1


def test_the_call_that_undoes_it_succeeds_where_deleting_has_led(box: Box):
    mia, session_id = told(box)
    undo = mia.session_delete(sessionId=session_id)["undo"]

    assert mia.stage == 0
    mia.gateway(**undo)
    assert mia.load_context(sessionId=session_id)["thoughtCount"] == 2


def test_a_session_that_comes_back_is_the_latest_and_can_be_deleted_again(box: Box):
    mia, session_id = told(box)
    mia.session_delete(sessionId=session_id)
    mia.start_new(title="Another")

    mia.session_undelete(sessionId=session_id)

    assert [each["id"] for each in mia.list_sessions()["sessions"]] == [session_id, mia.session_id]
    mia.session_delete(sessionId=session_id)
    assert [each["id"] for each in mia.list_sessions()["sessions"]] == [mia.session_id]


def test_while_it_was_deleted_it_was_not_there_and_a_look_back_says_so(box: Box):
    mia, session_id = told(box)
    mia.session_delete(sessionId=session_id)
    then = mia.records()
    mia.session_undelete(sessionId=session_id)

    nobody = Client(box, stateless=True)
    assert nobody.list_sessions(as_of=then)["sessions"] == []
    assert nobody.list_sessions(tags=["numbat"], as_of=then)["sessions"] == []
    assert len(nobody.list_sessions(tags=["numbat"])["sessions"]) == 1


def test_a_session_that_is_in_sight_stays_as_it_is(box: Box):
    mia, session_id = told(box)
    before = mia.records()

    assert mia.session_undelete(sessionId=session_id)["session"]["id"] == session_id
    assert mia.records() == before


def test_what_comes_back_has_to_be_named_and_to_have_been_there(box: Box):
    mia, _ = told(box)

    with pytest.raises(InvalidPayload, match="must be named"):
        mia.session_undelete(sessionId="latest")
    with pytest.raises(SessionNotFound):
        mia.session_undelete(sessionId="nowhere")


def test_whoever_asks_for_a_deleted_session_is_told_how_it_comes_back(box: Box):
    mia, session_id = told(box)
    mia.session_delete(sessionId=session_id)

    with pytest.raises(SessionNotFound, match="any more") as refused:
        mia.load_context(sessionId=session_id)

    assert f'{{"operation": "session.undelete", "sessionId": "{session_id}"}}' in str(refused.value.recovery)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("note", {"title": "Open ends", "content": "- ask"}),
        ("pattern", {"title": "Open ends", "description": "d", "content": "c", "tags": ["t"]}),
    ],
)
def test_a_deleted_note_or_pattern_comes_back_as_it_was(mia: Client, kind: str, content: dict[str, Any]):
    write = {"note": "knowledge.write_note", "pattern": "knowledge.create_pattern"}[kind]
    before = mia.call(write, **content)[kind]
    undo = mia.call(f"knowledge.delete_{kind}", **{f"{kind}Id": before["id"]})["undo"]
    then = mia.records()
    with pytest.raises(InvalidPayload, match=f"no {kind}"):
        mia.call(f"knowledge.get_{kind}", **{f"{kind}Id": before["id"]})

    back = mia.gateway(**undo)[kind]

    assert {**back, "updatedAt": before["updatedAt"]} == before
    assert mia.call(f"knowledge.list_{kind}s")["count"] == 1
    assert mia.call(f"knowledge.list_{kind}s", as_of=then)["count"] == 0
    records = mia.records()
    assert mia.gateway(**undo)[kind] == back
    assert mia.records() == records
    with pytest.raises(InvalidPayload, match=f"no {kind}"):
        mia.call(f"knowledge.undelete_{kind}", **{f"{kind}Id": "never-there"})
