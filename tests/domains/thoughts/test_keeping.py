"""What is written is written once, can be made anew from the ledger, and survives a restart."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox
from tests.support.thinker import Client
from thoughtbox.errors import IdempotencyConflict, InvalidPayload, ThoughtNotFound
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.registry import TABLE

WRITES: dict[str, dict[str, Any]] = {
    "start_new": {"sessionTitle": "Again"},
    "load_context": {},
    "navigate": {"project": "shop"},
    "cipher": {},
    "thought": {"thought": "once"},
    "critique": {"thoughtNumber": 1, "text": "once"},
    "branch.adopt": {"branchId": "known", "why": "once"},
    "branch.reject": {"branchId": "known", "why": "once"},
    "session.resume": {},
    "session.resume_latest": {},
    "session.import": {"content": "S1|O|once"},
    "session.rename": {"title": "Once"},
    "session.tag": {"add": ["once"]},
    "session.complete": {},
    "session.delete": {},
    "knowledge.create_pattern": {"title": "Once", "description": "d", "content": "c"},
    "knowledge.update_pattern": {"patternId": "known", "content": "once"},
    "knowledge.delete_pattern": {"patternId": "known"},
    "knowledge.promote": {"learningId": "best"},
    "knowledge.write_note": {"title": "Once", "content": "once", "append": True},
    "knowledge.delete_note": {"noteId": "known"},
    "knowledge.undelete_note": {"noteId": "gone"},
    "knowledge.undelete_pattern": {"patternId": "gone"},
    "session.undelete": {},
}


@pytest.fixture
def known(tom: Client) -> Client:
    """A session with a decision; a branch, a pattern and a note that are called `known`, and two that are `gone`."""
    tom.think("S1|C|∴ Add an index")
    tom.think("another way", branchId="known", branchFromThought=1)
    for title in ("Known", "Gone"):
        tom.call("knowledge.create_pattern", title=title, description="d", content="c")
        tom.call("knowledge.write_note", title=title, content="c")
    tom.call("knowledge.delete_pattern", patternId="gone")
    tom.call("knowledge.delete_note", noteId="gone")
    return tom


def test_every_write_of_the_room_is_tried():
    writes = {operation.name for operation in TABLE if operation.room == "thoughts" and operation.writes}

    assert writes - {"thoughtbox_gateway", "bind_root"} == set(WRITES)


@pytest.mark.parametrize("operation", WRITES)
def test_the_same_key_again_gives_the_same_answer_and_writes_nothing(known: Client, operation: str):
    nobody = Client(known.box, stateless=True)
    unnamed = {"start_new", "session.resume_latest", "session.import"}
    named = {} if operation in unnamed else {"sessionId": known.session_id}
    first = nobody.call(operation, **WRITES[operation], **named, key="the key")
    after = nobody.records()

    assert nobody.call(operation, **WRITES[operation], **named, key="the key") == first
    assert nobody.records() == after


def test_a_key_that_was_used_for_another_call_is_refused(known: Client):
    known.think("one", key="k")
    before = known.records()

    with pytest.raises(IdempotencyConflict):
        known.think("two", key="k")
    with pytest.raises(IdempotencyConflict):
        known.session_rename(title="t", key="k")

    assert known.records() == before


def test_a_call_that_was_refused_uses_up_no_key(known: Client):
    with pytest.raises(ThoughtNotFound):
        known.think("first try", revisesThought=99, key="k")

    assert known.think("second try", key="k")["thoughtNumber"] == 2


def everything(mia: Client, tom: Client) -> None:
    """A story with everything in it that the room can record."""
    mia.think("S1|O|Pages are slow", totalThoughts=9)
    mia.think("S7|H|S1|It is the cache", critique=True)
    mia.critique(thoughtNumber=2, text="Which one?", model="m")
    mia.think("aside", branchId="alt", branchFromThought=1)
    mia.think("deeper", branchId="deep", branchFromThought=2, branchFromBranch="alt", revisesThought=1)
    mia.think("backward", thoughtNumber=50)
    mia.think("S4|E|S7|It is cold", thoughtNumber=40)
    mia.think("S5|X|S7|It is not", branchId="alt")
    mia.session_rename(title="New", description="思考")
    mia.session_tag(add=["a", "b"])
    mia.session_tag(remove=["a"])
    mia.navigate(project="p", task="t", aspect="a", domain="planning")
    mia.think("done", nextThoughtNeeded=False)
    mia.think("next", sessionTitle="The next", sessionTags=["x"], key="k")
    tom.load_context(sessionId=mia.session_id)
    tom.cipher()
    tom.think("from tom", branchId="tom", branchFromThought=1)
    tom.session_complete()
    tom.start_new(sessionTitle="To be deleted", sessionTags=["gone"], project="gone")
    tom.cipher()
    tom.think("S1|C|∴ gone")
    tom.call("knowledge.promote", learningId="best")
    tom.session_delete(sessionId=tom.session_id)
    mia.call("knowledge.create_pattern", title="P", description="d", content="c", tags=["t"])
    mia.call("knowledge.update_pattern", patternId="p", content="d")
    mia.call("knowledge.create_pattern", title="Q", description="d", content="c")
    mia.call("knowledge.delete_pattern", patternId="q")
    mia.call("knowledge.write_note", title="N", content="c")
    mia.call("knowledge.write_note", title="N", content="d", append=True)
    mia.call("knowledge.write_note", title="M", content="c")
    mia.call("knowledge.delete_note", noteId="m")
    mia.call("knowledge.write_note", title="C++", content="c")
    mia.call("knowledge.delete_note", noteId="c")
    mia.call("knowledge.write_note", title="C#", content="c")
    mia.call("knowledge.undelete_note", noteId="c")
    mia.call("knowledge.create_pattern", title="R", description="d", content="c", tags=["t"])
    mia.call("knowledge.delete_pattern", patternId="r")
    mia.call("knowledge.undelete_pattern", patternId="r")
    tom.start_new(sessionTitle="To come back", sessionTags=["back"])
    tom.gateway(**tom.session_delete(sessionId=tom.session_id)["undo"])
    mia.session_search(query="cache")


def test_views_made_anew_equal_the_live_ones_after_all_of_it(box: Box):
    everything(Client(box).ready(), Client(box, agent="tom").ready())
    other = Client(box, workspace="other").ready()
    other.think("elsewhere")

    assert {kind.name: rebuild(box.app.engine, kind) for kind in box.app.views.kinds} == {
        kind.name: True for kind in box.app.views.kinds
    }
    assert Client(box).ledger_verify()["valid"] is True


def test_everything_is_there_after_a_restart(open_box: OpenBox):
    def seen(box: Box) -> list[Any]:
        nobody = Client(box, stateless=True)
        sessions = nobody.list_sessions(sortBy="createdAt", sortOrder="asc")["sessions"]
        named = {"sessionId": sessions[0]["id"]}
        return [
            sessions,
            *(nobody.session_get(sessionId=session["id"]) for session in sessions),
            *(nobody.get_structure(sessionId=session["id"]) for session in sessions if session["stage"] > 1),
            nobody.call("knowledge.list_patterns", **named),
            nobody.call("knowledge.list_notes", **named),
            nobody.call("knowledge.get_note", **named, noteId="n"),
            nobody.session_search(query="cache", **named),
        ]

    box = open_box()
    everything(Client(box).ready(), Client(box, agent="tom").ready())
    before = seen(box)
    box.close()

    assert seen(open_box()) == before


def test_every_write_is_a_record_that_says_who_wrote_it_and_through_what(mia: Client):
    mia.think()
    mia.session_rename(title="New")
    mia.call("knowledge.write_note", title="N", content="c")

    written = mia.ledger_tail(limit=100)["records"]

    assert [record["source"]["operation"] for record in written] == [
        "start_new",
        "cipher",
        "thought",
        "session.rename",
        "knowledge.write_note",
    ]
    assert {record["agent"] for record in written} == {"mia"}
    assert {record["source"]["surface"] for record in written} == {"thoughts"}


def test_reads_write_nothing(mia: Client):
    mia.think()
    before = mia.records()

    ours = [operation for operation in TABLE if operation.room == "thoughts" and not operation.writes]
    for operation in ours:
        needed = {"query": "x", "id": "th:3", "patternId": "p", "noteId": "n", "modelId": "five-whys"}
        needed |= {"tag": "debugging", "model": "five-whys"}
        known = {field: value for field, value in needed.items() if field in wire_names(operation.input)}
        with suppress(InvalidPayload):
            mia.call(operation.name, **known)

    assert len(ours) > 15
    assert mia.records() == before
