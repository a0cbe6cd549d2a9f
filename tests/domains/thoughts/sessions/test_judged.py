"""What the operations say of the judged sessions, held to what a careful reader says of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from tests.support.box import Box
from tests.support.judged import Judged, load_judged, record_judged
from tests.support.judging import LISTS, Tally, analysis_tallies, learning_tally, silent_figures
from tests.support.thinker import Client

PRECISION, RECALL = 0.9, 0.8
LONG = 30


@pytest.fixture(scope="module")
def sessions() -> Iterator[list[tuple[Judged, Client, str]]]:
    """Each judged session in a store of its own, so that none is an echo of another."""
    boxes: list[Box] = []
    told = []
    for judged in load_judged():
        boxes.append(Box())
        client = Client(boxes[-1], stateless=True)
        told.append((judged, client, record_judged(client, judged)))
    yield told
    for box in boxes:
        box.close()


def learnings(client: Client, session_id: str, **given: Any) -> list[dict[str, Any]]:
    return client.call("session.extract_learnings", sessionId=session_id, **given)["learnings"]


def place(mention: dict[str, Any]) -> str:
    number = str(mention["thoughtNumber"])
    return f"{mention['branchId']}:{number}" if mention["branchId"] else number


def hold(name: str, tally: Tally) -> None:
    print(f"{name}: {tally}")
    assert tally.precision >= PRECISION, tally.wrong
    assert tally.recall >= RECALL, tally.missed


def test_analysis_says_what_a_careful_reader_says(sessions):
    lists: dict[str, Tally] = {}
    together = Tally()
    for judged, client, session_id in sessions:
        analysis = client.call("session.analyze", sessionId=session_id)
        for name, tally in analysis_tallies(judged, analysis):
            lists.setdefault(name, Tally()).add(tally)
            together.add(tally)

    assert lists.keys() == {*LISTS, "branches"}
    for name, tally in lists.items():
        hold(name, tally)
    hold("analysis", together)


def test_the_deeper_look_and_the_figures_say_the_same(sessions):
    for _, client, session_id in sessions:
        analysis = client.call("session.analyze", sessionId=session_id)
        deeper = client.call("deep_analysis", sessionId=session_id)
        patterns, points = deeper["patterns"], deeper["decisionPoints"]
        told = {
            **{name: patterns[name] for name in ("openQuestions", "untestedAssumptions", "stale")},
            **{name: points[name] for name in ("decisions", "overturned", "rejected", "carriedOut")},
        }
        assert told.keys() == set(LISTS.values())
        for name, mentions in told.items():
            assert [place(mention) for mention in mentions] == analysis[name], name
        assert {branch["branchId"]: branch["fate"] for branch in patterns["branches"]} == analysis["branches"]
        assert all(fallen["why"] for fallen in (*points["overturned"], *points["rejected"]))


def test_decisions_are_the_thoughts_of_that_kind(sessions):
    for _, client, session_id in sessions:
        analysis = client.call("session.analyze", sessionId=session_id)
        branches = [{}, *({"branchId": branch} for branch in analysis["branches"])]
        read = [
            thought
            for line in branches
            for thought in client.call("read_thoughts", sessionId=session_id, kind="decision", last=100, **line)[
                "thoughts"
            ]
        ]
        places = {
            f"{each['branchId']}:{each['thoughtNumber']}" if each.get("branchId") else str(each["thoughtNumber"])
            for each in read
        }
        assert places == {*analysis["decisions"], *analysis["overturned"]}


@pytest.mark.parametrize("room", [{}, {"maxChars": 50_000}], ids=["brief", "full"])
def test_learnings_say_what_a_careful_reader_says(sessions, room):
    tally = Tally()
    for judged, client, session_id in sessions:
        tally.add(learning_tally(judged, learnings(client, session_id, **room)))

    hold(f"learnings {room}", tally)


@pytest.mark.parametrize("room", [{}, {"maxChars": 50_000}], ids=["brief", "full"])
def test_no_learning_quotes_a_corrected_figure_in_silence(sessions, room):
    for judged, client, session_id in sessions:
        thoughts = client.call("session.get", sessionId=session_id, limit=500)["thoughts"]
        texts, corrected = {}, {}
        for thought in thoughts:
            branch = f"{thought['branchId']}:" if thought.get("branchId") else ""
            at = f"{branch}{thought['thoughtNumber']}"
            texts[at] = thought["thought"]
            if thought.get("revisedBy"):
                corrected[at] = f"[{thought['revisedBy']}]"
        wanted = {place for reader in judged.learnt for place in reader.get("corrected", [])}
        assert wanted <= corrected.keys()
        for learning in learnings(client, session_id, **room):
            assert silent_figures(judged, texts, learning["content"], corrected) == []


def test_what_is_learnt_from_a_session_is_shorter_than_the_session(sessions):
    long = [told for told in sessions if len(told[0].thoughts) >= LONG]
    assert len(long) >= 3
    for _, client, session_id in long:
        answer = client.call("session.extract_learnings", sessionId=session_id)

        assert answer["count"] == len(answer["learnings"]) > 0
        assert len(orjson.dumps(answer).decode()) < len(client.exported("cipher", sessionId=session_id))
        more = client.call("session.extract_learnings", sessionId=session_id, maxChars=50_000)
        assert more["count"] == answer["count"] + answer.get("leftOut", 0)
        assert all("behaviorCharacteristics" in learning["metadata"] for learning in more["learnings"])


@pytest.mark.parametrize("text", ["S{0}|O|x", "S{0}|C|∴ x{0}", "S{0}|Q|Why is {0} so, and what are we to make of it?"])
def test_that_holds_for_sessions_of_any_kind(tom: Client, text: str):
    for number in range(1, LONG + 1):
        tom.think(text.format(number))

    answer = tom.call("session.extract_learnings")

    assert len(orjson.dumps(answer).decode()) < len(tom.exported("cipher"))


@pytest.mark.parametrize("room", [300, 900, 2_000, 4_000])
def test_a_budget_is_kept_and_what_had_no_room_is_counted(sessions, room):
    for _, client, session_id in sessions:
        answer = client.call("session.extract_learnings", sessionId=session_id, maxChars=room)
        everything = client.call("session.extract_learnings", sessionId=session_id, maxChars=50_000)

        assert not answer.pop("budget")["truncated"]
        assert len(orjson.dumps(answer)) <= room
        assert answer["count"] + answer.get("leftOut", 0) == everything["count"]
