"""Numbers: given by the server or by the caller, forward, backward, with gaps, and each line of thought has its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, ThoughtNotFound

HIGHEST = 1_000_000_000


def numbers(client: Client) -> list[int]:
    """In order of recording."""
    return [thought["thoughtNumber"] for page in client.pages("session.get") for thought in page["thoughts"]]


def test_the_server_numbers_thoughts_and_says_how(mia: Client):
    answers = [mia.think() for _ in range(3)]

    assert [answer["thoughtNumber"] for answer in answers] == [1, 2, 3]
    assert [answer["thoughtHistoryLength"] for answer in answers] == [1, 2, 3]
    assert numbers(mia) == [1, 2, 3]


def test_numbers_may_run_backward_and_leave_gaps(mia: Client):
    for number in (50, 40, 7, 1, 90):
        assert mia.think(thoughtNumber=number)["thoughtNumber"] == number

    assert numbers(mia) == [50, 40, 7, 1, 90]


def test_without_a_number_a_thought_gets_the_one_behind_the_highest(mia: Client):
    for number in (5, 3, 9, 1):
        mia.think(thoughtNumber=number)

    assert mia.think()["thoughtNumber"] == 10


def test_a_taken_number_is_refused_with_the_next_free_one_and_nothing_is_overwritten(mia: Client):
    mia.think("the first", thoughtNumber=4)
    before = mia.records()

    with pytest.raises(InvalidPayload, match="4 is already there") as refused:
        mia.think("the second", thoughtNumber=4)

    assert refused.value.details["nextFree"] == 5
    assert "thoughtNumber 5" in str(refused.value.recovery)
    assert mia.records() == before
    [kept] = mia.read_thoughts(thoughtNumber=4)["thoughts"]
    assert kept["thought"] == "the first"


def test_the_number_that_the_refusal_names_is_free(mia: Client):
    mia.think(thoughtNumber=8)
    mia.think(thoughtNumber=2)

    with pytest.raises(InvalidPayload) as refused:
        mia.think(thoughtNumber=2)

    assert mia.think(thoughtNumber=refused.value.details["nextFree"])["thoughtNumber"] == 9


def test_a_gap_can_be_filled_later(mia: Client):
    mia.think(thoughtNumber=1)
    mia.think(thoughtNumber=5)

    assert mia.think(thoughtNumber=3)["thoughtNumber"] == 3
    assert mia.think()["thoughtNumber"] == 6


def test_each_branch_has_numbers_of_its_own(mia: Client):
    mia.think()
    mia.think()
    mia.think(branchId="alt", branchFromThought=1)

    assert mia.think(branchId="alt")["thoughtNumber"] == 3
    assert mia.think()["thoughtNumber"] == 3
    assert mia.think(branchId="alt", thoughtNumber=1)["thoughtNumber"] == 1
    with pytest.raises(InvalidPayload, match="3 is already there on branch `alt`"):
        mia.think(branchId="alt", thoughtNumber=3)


def test_automatic_numbers_on_a_branch_begin_behind_its_fork_point(mia: Client):
    for _ in range(6):
        mia.think()

    assert mia.think(branchId="early", branchFromThought=2)["thoughtNumber"] == 3
    assert mia.think(branchId="late", branchFromThought=6)["thoughtNumber"] == 7
    assert mia.think(branchId="early")["thoughtNumber"] == 4


def test_a_number_above_the_total_raises_the_total(mia: Client):
    assert mia.think(thoughtNumber=3, totalThoughts=10)["totalThoughts"] == 10
    assert mia.think(thoughtNumber=12, totalThoughts=10)["totalThoughts"] == 12
    assert mia.think(thoughtNumber=30)["totalThoughts"] == 30


def test_a_total_that_is_left_out_is_the_one_said_last(mia: Client):
    mia.think(totalThoughts=7)

    assert mia.think()["totalThoughts"] == 7
    assert mia.think(totalThoughts=4)["totalThoughts"] == 4
    assert mia.think()["totalThoughts"] == 4
    assert mia.think()["totalThoughts"] == 5


def test_the_smallest_and_the_highest_number_are_numbers_like_others(mia: Client):
    mia.think("the end", thoughtNumber=HIGHEST, totalThoughts=HIGHEST)
    mia.think("the beginning", thoughtNumber=1)

    assert mia.read_thoughts(thoughtNumber=HIGHEST)["thoughts"][0]["thought"] == "the end"
    assert mia.think(revisesThought=HIGHEST, thoughtNumber=2)["thoughtNumber"] == 2


def test_behind_the_highest_number_there_is_none_to_give(mia: Client):
    mia.think(thoughtNumber=HIGHEST)
    before = mia.records()

    with pytest.raises(InvalidPayload, match="thoughtNumber"):
        mia.think()
    with pytest.raises(InvalidPayload, match="thoughtNumber"):
        mia.think(branchId="on", branchFromThought=HIGHEST)

    assert mia.records() == before
    assert mia.think(thoughtNumber=7)["thoughtNumber"] == 7


@pytest.mark.parametrize("field", ["thoughtNumber", "totalThoughts", "revisesThought", "branchFromThought"])
@pytest.mark.parametrize(
    "wrong", [0, -1, HIGHEST + 1, 2**63, "-3", 1.5, "2.5", "one", True, [1], {"n": 1}, float("nan")]
)
def test_what_is_no_number_from_1_on_is_refused_by_its_name(tom: Client, field: str, wrong: Any):
    tom.think()
    before = tom.records()

    with pytest.raises(InvalidPayload, match=field) as refused:
        tom.think(branchId="b", **{field: wrong})

    assert refused.value.details["fields"] == [field]
    assert tom.records() == before


def test_fifty_thoughts_sent_without_waiting_land_in_one_session_in_the_order_sent(mia: Client):
    waiting = [mia.submit("thought", thought=f"step {n}") for n in range(50)]
    answers = [sent.result() for sent in waiting]

    assert {answer["sessionId"] for answer in answers} == {mia.session_id}
    assert [answer["thoughtNumber"] for answer in answers] == list(range(1, 51))
    said = [thought["thought"] for page in mia.pages("session.get") for thought in page["thoughts"]]
    assert said == [f"step {n}" for n in range(50)]


def test_fifty_first_thoughts_sent_without_waiting_begin_one_session(open_box):
    mia = Client(open_box(THOUGHTBOX_STAGES="guide"))
    waiting = [mia.submit("thought", thought=f"step {n}", sessionTitle=f"Title {n}") for n in range(50)]
    answers = [sent.result() for sent in waiting]

    assert len({answer["sessionId"] for answer in answers}) == 1
    assert [answer["thoughtNumber"] for answer in answers] == list(range(1, 51))
    assert [session["title"] for session in mia.list_sessions()["sessions"]] == ["Title 0"]


def test_two_clients_on_one_session_get_different_numbers(box: Box, mia: Client):
    tom = Client(box, agent="tom")
    tom.load_context(sessionId=mia.session_id)
    tom.cipher()
    waiting = [client.submit("thought", thought="step") for _ in range(25) for client in (mia, tom)]

    assert sorted(sent.result()["thoughtNumber"] for sent in waiting) == list(range(1, 51))
    assert mia.session_verify()["valid"]


@pytest.mark.parametrize("named", [{"revisesThought": 1}, {"branchId": "alt", "branchFromThought": 1}])
def test_a_thought_that_begins_a_session_cannot_name_an_earlier_one(tom: Client, named: dict[str, Any]):
    tom.think()
    nobody = Client(tom.box, stateless=True)
    before = tom.records()

    with pytest.raises(ThoughtNotFound, match="begins a session of its own") as refused:
        nobody.think(**named)

    assert tom.records() == before
    assert f'"sessionId": "{tom.session_id}"' in str(refused.value.recovery)
    assert nobody.think(**named, sessionId=tom.session_id)["sessionId"] == tom.session_id
