"""Thoughts of the thoughts room as the trail reads them, from their records alone, on both engines."""

from __future__ import annotations

import json

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import box, open_box
from tests.support.thinker import Client
from thoughtbox.domains.trail.view import Actions
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import InvalidPayload, SessionNotFound
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Source

__all__ = ["box", "open_box"]


@pytest.fixture
def mia(box: Box) -> Client:
    return Client(box).ready()


def contents(client: Client, action_id: str) -> list[list[str]]:
    trails = client.thought_reasoning_trail(actionId=action_id)["trails"]
    return [[step["content"] for step in trail] for trail in trails]


def actions(client: Client, typed: str = "") -> list[str]:
    """What completes an action's id."""
    view = client.box.app.engine.read(lambda sql: Actions(sql, client.workspace).ids(typed, 10))
    return view.result()


def test_branches_of_branches_are_walked_through_their_fork_points(mia: Client):
    for text in ("one", "two", "three"):
        mia.think(text)
    mia.think("a3", branchId="a", branchFromThought=2)
    mia.think("four")
    mia.think("b4", branchId="b", branchFromThought=3, branchFromBranch="a")
    mia.think("a4", branchId="a")
    mia.think("b5", branchId="b", actionId="deploy-1")
    mia.think("five", actionId="deploy-1")

    assert contents(mia, "deploy-1") == [
        ["one", "two", "a3", "b4", "b5"],
        ["one", "two", "three", "four", "five"],
    ]


def test_of_several_lines_in_one_call_the_last_leads_to_the_action(mia: Client):
    mia.think("S1|O|Slow\nS2|H|S1|The cache\nS3|C|S2|∴ Warm it", actionId="deploy-1")

    assert contents(mia, "deploy-1") == [["S1|O|Slow", "S2|H|S1|The cache", "S3|C|S2|∴ Warm it"]]


def test_a_critique_or_a_change_of_the_session_is_no_step_of_a_trail(mia: Client):
    mia.think("one")
    mia.critique(thoughtNumber=1, text="Says who?")
    mia.session_rename(title="Slower pages")
    mia.think("two", actionId="deploy-1")

    assert contents(mia, "deploy-1") == [["one", "two"]]
    tree = mia.thought_tree(sessionId=mia.session_id, includeChildren=True)
    assert tree["count"] == 2
    assert tree["tree"][0]["children"][0]["actionId"] == "deploy-1"


@pytest.mark.parametrize(
    ("lines", "types"),
    [
        (["It is the cache"], ["claim"]),
        (["S1|H|It is the cache", "S2|X|S1|It is not"], ["hypothesis", "rejected"]),
        (["S1|H|It is the cache", "S2|R|^S1|It is the index"], ["hypothesis", "revision"]),
        (["S1|P|1. Look 2. Mend", "S2|A|It is Monday", "S3|C|S2|Then wait"], ["plan", "assumption", "conclusion"]),
        (["S1|Q|Why?", "S2|C|S1|∴ Because"], ["question", "decision"]),
    ],
)
def test_a_thought_has_the_type_of_its_kind_or_of_the_label_that_says_more(
    mia: Client, lines: list[str], types: list[str]
):
    for line in lines[:-1]:
        mia.think(line)
    mia.think(lines[-1], actionId="deploy-1")

    (trail,) = mia.thought_reasoning_trail(actionId="deploy-1")["trails"]

    assert [step["thoughtType"] for step in trail] == types


def test_a_session_of_thoughts_that_has_none_yet_has_an_empty_tree(mia: Client):
    assert mia.thought_tree(sessionId=mia.session_id) == {"success": True, "count": 0, "tree": []}


def test_a_record_that_is_no_thought_and_a_thought_of_a_deleted_session_are_unknown_parents(mia: Client):
    other = Client(mia.box).ready()
    thought = other.think("a secret")["id"]
    other.session_delete(sessionId=other.session_id)

    for parent_id in ("th:1", thought):
        mia.thought_decision(sessionId="s1", decision=parent_id, parentId=parent_id, actionId=parent_id)
        assert contents(mia, parent_id) == [[parent_id]]
    record = mia.ledger_record(id=f"th:{mia.records()}")
    assert "relations" not in json.dumps(record)
    assert [entry["parentId"] for entry in mia.thought_tree(sessionId="s1")["tree"]] == ["th:1", thought]


def test_a_parent_in_the_thoughts_room_becomes_a_relation(mia: Client):
    thought = mia.think("because")["id"]
    mia.thought_decision(sessionId="s1", decision="so", parentId=thought)

    assert mia.ledger_record(id=f"th:{mia.records()}")["record"]["refs"] == [thought]


def test_a_session_that_comes_back_explains_again(mia: Client):
    mia.think("one")
    mia.think("two", actionId="deploy-1")
    before, session_id = contents(mia, "deploy-1"), mia.session_id
    mia.session_delete(sessionId=session_id)
    assert (contents(mia, "deploy-1"), actions(mia)) == ([], [])
    deleted = mia.records()

    come_back(mia.box, session_id)

    assert (contents(mia, "deploy-1"), actions(mia, "dep")) == (before, ["deploy-1"])
    assert mia.thought_for_action(actionId="deploy-1", as_of=deleted)["count"] == 0


def test_a_session_of_the_trail_is_not_deleted_with_one_of_the_thoughts_room(mia: Client):
    mia.think("one", actionId="deploy-1")
    mia.thought_decision(sessionId=mia.session_id, decision="two", actionId="deploy-1")
    session_id = mia.session_id
    mia.session_delete(sessionId=session_id)

    assert contents(mia, "deploy-1") == [["two"]]
    assert mia.thought_tree(sessionId=session_id)["count"] == 1


def test_the_action_of_a_thought_is_exported_and_an_odd_one_is_refused(mia: Client):
    mia.think("one", actionId="deploy-1")
    mia.think("two")

    data = [node["data"] for node in json.loads(mia.exported())["nodes"]]

    assert [each.get("actionId") for each in data] == ["deploy-1", None]
    assert [each.get("actionId") for each in mia.read_thoughts(last=2)["thoughts"]] == ["deploy-1", None]
    for odd in ("", " ", "two\nlines", "x" * 257):
        with pytest.raises(InvalidPayload):
            mia.think("three", actionId=odd)


def test_who_looks_for_a_session_is_sent_to_the_room_that_has_some(mia: Client):
    with pytest.raises(SessionNotFound) as refused:
        mia.thought_tree(sessionId="unknown")

    assert refused.value.recovery == '{"operation": "list_sessions"} shows those of the thoughts room.'
    assert mia.gateway(operation="list_sessions")["sessions"]


def come_back(box: Box, session_id: str) -> None:
    """What is recorded when a deleted session is taken back."""
    drafted = Draft(
        kind="hub_event",
        topic="thoughts.session_changed",
        text="session undeleted",
        session=session_id,
        attrs={"eventType": "session.undeleted"},
        data={"change": "undeleted"},
    )

    def written(sql: Sql) -> None:
        ledger = Ledger(sql, WORKSPACE, box.app.views)
        ledger.append(drafted, stream=f"thoughts/{session_id}", source=Source(), world=box.app.world)

    box.app.engine.write(WORKSPACE, written).result()
