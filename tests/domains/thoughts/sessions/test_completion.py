"""How a session ends, and what comes after."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload


def test_a_thought_that_needs_no_other_completes_the_session(mia: Client):
    answer = mia.think(nextThoughtNeeded=False)

    assert answer["nextThoughtNeeded"] is False
    assert answer["sessionClosed"] is True
    assert mia.session_get()["session"]["status"] == "completed"
    assert mia.session_analyze()["quality"]["isComplete"] is True


def test_more_thoughts_are_needed_unless_it_is_said_otherwise(mia: Client):
    answer = mia.think()

    assert answer["nextThoughtNeeded"] is True
    assert "sessionClosed" not in answer
    assert mia.session_get()["session"]["status"] == "active"


def test_completing_writes_no_file(tmp_path: Path):
    box = Box(tmp_path / "data")
    mia = Client(box).ready()
    before = sorted(path.name for path in tmp_path.rglob("*"))

    mia.think(nextThoughtNeeded=False)

    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    box.close()


def test_a_thought_after_the_end_opens_a_new_session_and_the_stage_stays(mia: Client):
    first = mia.think(nextThoughtNeeded=False)["sessionId"]

    answer = mia.think("something else", sessionTitle="The next thing", sessionTags=["next"])

    assert answer["sessionId"] != first
    assert answer["thoughtNumber"] == 1
    assert mia.stage == 2
    session = mia.session_get()["session"]
    assert (session["title"], session["tags"], session["stage"]) == ("The next thing", ["next"], 2)
    assert mia.session_get(sessionId=first)["session"]["status"] == "completed"


def test_the_session_that_follows_is_about_the_same_work(box: Box):
    mia = Client(box).ready(project="shop", task="checkout", aspect="speed", domain="debugging")
    assert mia.stage == 3
    mia.think(nextThoughtNeeded=False)

    mia.think()

    session = mia.session_get()["session"]
    assert (session["project"], session["task"], session["aspect"]) == ("shop", "checkout", "speed")
    assert session["domain"] == "debugging"
    assert mia.get_state()["stage"] == 3
    assert mia.call("mental_models.list_models")["filter"] == "debugging"


def test_a_thought_after_the_end_that_names_the_session_goes_on_with_it(mia: Client):
    session_id = mia.think(nextThoughtNeeded=False)["sessionId"]

    answer = mia.think("one more", sessionId=session_id)

    assert answer["sessionId"] == session_id
    assert answer["thoughtNumber"] == 2
    assert mia.session_get()["session"]["status"] == "active"
    assert mia.session_analyze()["quality"]["isComplete"] is False


def test_a_completed_session_can_be_resumed(mia: Client):
    session_id = mia.think(nextThoughtNeeded=False)["sessionId"]

    mia.session_resume(sessionId=session_id)

    assert mia.stage == 2
    assert mia.session_get()["session"]["status"] == "active"
    assert mia.think()["sessionId"] == session_id


def test_a_session_can_be_completed_without_a_thought_and_twice(mia: Client):
    assert mia.session_complete()["session"]["status"] == "completed"
    before = mia.records()
    assert mia.session_complete()["session"]["status"] == "completed"
    assert mia.records() == before


def test_a_session_completed_by_another_client_is_not_written_to_by_chance(box: Box, mia: Client):
    session_id = mia.session_id
    Client(box, stateless=True).session_complete(sessionId=session_id)

    assert mia.think()["sessionId"] != session_id


def test_where_thoughts_begin_no_sessions_the_end_is_said():
    box = Box(THOUGHTBOX_AUTO_CREATE_SESSION="false")
    mia = Client(box).ready()
    mia.think(nextThoughtNeeded=False)

    with pytest.raises(InvalidPayload, match="start_new"):
        mia.think()

    box.close()
