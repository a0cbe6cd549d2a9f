"""Deleting is a tombstone: the session is out of sight everywhere, its records stay and can be verified."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound


@pytest.fixture
def deleted(box: Box) -> tuple[Client, str]:
    """A client, and the id of a session that it has deleted."""
    mia = Client(box).ready(sessionTitle="Lemur", description="A marmot", sessionTags=["numbat"], project="ocelot")
    mia.think("S1|C|a panda")
    mia.think("aside", branchId="alt", branchFromThought=1)
    session_id = mia.session_id
    mia.session_delete(sessionId=session_id)
    return mia.ready(), session_id


def test_deleting_says_what_was_deleted(mia: Client):
    session_id = mia.session_id

    answer = mia.session_delete(sessionId=session_id)

    undo = {"operation": "session.undelete", "sessionId": session_id}
    assert answer == {"success": True, "sessionId": session_id, "deleted": True, "undo": undo}


def test_what_is_deleted_has_to_be_named(mia: Client):
    before = mia.records()

    with pytest.raises(InvalidPayload, match="must be named") as refused:
        mia.session_delete(sessionId="latest")
    with pytest.raises(InvalidPayload, match="sessionId"):
        mia.session_delete()

    assert mia.session_id in str(refused.value.recovery)
    assert mia.records() == before


OPERATIONS: dict[str, dict[str, Any]] = {
    "get_state": {},
    "load_context": {},
    "navigate": {"project": "x"},
    "cipher": {},
    "thought": {"thought": "x"},
    "read_thoughts": {},
    "get_structure": {},
    "critique": {"thoughtNumber": 1, "text": "x"},
    "session.get": {},
    "session.resume": {},
    "session.export": {},
    "session.analyze": {},
    "deep_analysis": {},
    "session.extract_learnings": {},
    "session.rename": {"title": "x"},
    "session.tag": {"add": ["x"]},
    "session.complete": {},
    "session.delete": {},
    "knowledge.promote": {"learningId": "best"},
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_deleted_session_is_not_there_for_any_operation(deleted: tuple[Client, str], operation: str):
    mia, session_id = deleted
    before = mia.records()

    with pytest.raises(SessionNotFound):
        mia.call(operation, sessionId=session_id, **OPERATIONS[operation])

    assert mia.records() == before


def test_a_pattern_cannot_be_derived_from_a_deleted_session(deleted: tuple[Client, str]):
    mia, session_id = deleted

    with pytest.raises(SessionNotFound):
        mia.call("knowledge.create_pattern", title="t", description="d", content="c", derivedFromSessions=[session_id])


def test_a_deleted_session_is_neither_listed_nor_found(deleted: tuple[Client, str]):
    mia, session_id = deleted

    for listed in (
        mia.list_sessions(),
        mia.list_sessions(tags=["numbat"]),
        mia.list_sessions(search="lemur"),
        mia.list_sessions(project="ocelot"),
        mia.session_list(sortBy="title"),
    ):
        assert session_id not in [session["id"] for session in listed["sessions"]]
    for word in ("lemur", "marmot", "numbat", "panda"):
        assert mia.session_search(query=word)["sessions"] == []
    assert mia.navigate()["projects"] == []
    assert mia.get_state(sessionId="latest")["session"]["id"] != session_id


def test_a_deleted_session_is_not_offered_for_completion(deleted: tuple[Client, str]):
    mia, session_id = deleted

    def offered(sql: Any) -> tuple[list[str], list[str]]:
        view = Thoughts(sql, WORKSPACE)
        return view.session_ids("", 100), view.tags("", 100)

    ids, tags = mia.box.app.engine.read(offered).result()
    assert session_id not in ids
    assert tags == []


def test_the_records_of_a_deleted_session_stay_and_verify(deleted: tuple[Client, str]):
    mia, session_id = deleted

    verified = mia.session_verify(sessionId=session_id)

    assert verified == {
        "sessionId": session_id,
        "valid": True,
        "standing": "valid",
        "deleted": True,
        "records": 5,
        "message": "The chain is whole.",
    }
    assert mia.ledger_verify()["valid"] is True
    texts = [record["body"]["text"] for record in mia.ledger_tail(limit=100)["records"]]
    assert "S1|C|a panda" in texts


def test_a_changed_record_of_a_deleted_session_is_found_out(deleted: tuple[Client, str]):
    mia, session_id = deleted
    mia.box.app.engine.write(
        WORKSPACE,
        lambda sql: sql.run("UPDATE records SET hash = content_hash WHERE workspace = ? AND seq = 3", (WORKSPACE,)),
    ).result()

    verified = mia.session_verify(sessionId=session_id)

    assert verified["valid"] is False
    assert "broken" in verified["message"]


def test_a_session_that_is_there_verifies_too(mia: Client):
    mia.think()

    assert mia.session_verify()["valid"] is True
    assert mia.session_verify()["deleted"] is False
    with pytest.raises(SessionNotFound):
        mia.session_verify(sessionId="nowhere")


def test_before_its_deletion_a_session_can_still_be_read(deleted: tuple[Client, str]):
    mia, session_id = deleted

    then = mia.session_get(sessionId=session_id, as_of=4)

    assert [thought["thought"] for thought in then["thoughts"]] == ["S1|C|a panda", "aside"]
