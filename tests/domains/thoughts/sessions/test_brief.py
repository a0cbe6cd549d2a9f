"""A session in brief: all that whoever goes on with it must know, in 1,500 characters, whatever its size."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.brief import DEFAULT_CHARS, notation
from thoughtbox.errors import SessionNotFound

STORY = (
    ("S1|O|Checkout fails for 2 % of users since Monday", {}),
    ("S2|Q|S1|What do these users share?", {}),
    ("S3|A|The clocks of all nodes agree", {}),
    ("S4|H|S1|Expired tokens are retried", {}),
    ("S5|X|S4|No retry is in the logs", {}),
    ("S6|H|S1|Tokens are never refreshed", {}),
    ("S7|E|S6|412 of 430 failures follow an expiry", {}),
    ("S8|C|S6,S7|∴ Refresh tokens early", {}),
    ("S8|H|S7|Longer tokens would do", {"branchId": "longer", "branchFromThought": 7}),
    ("S9|Q|S8|How early?", {}),
)


@pytest.fixture
def told(mia: Client) -> Client:
    for line, arguments in STORY:
        mia.think(line, **arguments)
    return mia


def length(answer: dict[str, Any]) -> int:
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")))


def texts(answer: Any) -> list[str]:
    if isinstance(answer, dict):
        return [text for value in answer.values() for text in texts(value)]
    if isinstance(answer, list):
        return [text for value in answer for text in texts(value)]
    return [answer] if isinstance(answer, str) else []


def test_a_brief_has_the_problem_what_stands_what_fell_what_is_open_the_branches_and_the_last_thoughts(told: Client):
    brief = told.call("session.brief", maxChars=4_000)

    assert brief["title"] == "Slow pages"
    assert brief["problem"] == "S1 Checkout fails for 2 % of users since Monday"
    assert brief["decisions"] == ["S8 ∴ Refresh tokens early"]
    assert brief["rejected"] == ["S4 Expired tokens are retried ← S5 No retry is in the logs"]
    assert brief["openQuestions"] == ["S9 How early?", "S2 What do these users share?"]
    assert brief["untestedAssumptions"] == ["S3 The clocks of all nodes agree"]
    assert brief["branches"] == ["longer from S7, open: S8 Longer tokens would do"]
    assert [(each["thoughtNumber"], each["thought"]) for each in brief["lastThoughts"]][-1] == (9, "S9|Q|S8|How early?")
    assert (brief["thoughtCount"], brief["nextThoughtNumber"]) == (10, 10)
    assert brief["notation"] == notation()
    assert len(notation()) <= 400
    assert "more" not in brief


@pytest.mark.parametrize("operation", ["session.brief", "session.resume_latest", "load_context"])
def test_in_1500_characters_there_is_a_line_of_every_kind(told: Client, operation: str):
    named = {} if operation == "session.resume_latest" else {"sessionId": told.session_id}

    brief = Client(told.box).call(operation, **named)

    for part in ("problem", "decisions", "rejected", "openQuestions", "untestedAssumptions", "branches"):
        assert brief[part]
    assert brief.get("lastThought", brief.get("lastThoughts"))
    assert length(brief) <= DEFAULT_CHARS


@pytest.mark.parametrize("operation", ["session.brief", "session.resume_latest", "session.resume", "load_context"])
def test_a_brief_is_never_longer_than_1500_characters_whatever_the_session_holds(quick_box: Box, operation: str):
    mia = Client(quick_box).ready(
        sessionTitle="A very long title of many words " * 6,
        description="d " * 4_000,
        sessionTags=[f"{n} " + "t" * 90 for n in range(50)],
        project="p" * 200,
        task="t" * 200,
        aspect="a" * 200,
    )
    for n in range(12):
        for marker in "OQAHECPX":
            mia.think(f"S9|{marker}|S{n * 8 + 1}|{'∴ ' if marker == 'C' else ''}{n} {'väga pikk lause, ' * 40}")
        mia.think(f"S9|H|{'一二三四五六七八九十' * 60}", branchId=f"branch-{n}", branchFromThought=1)
    named = {} if operation == "session.resume_latest" else {"sessionId": mia.session_id}
    tom = Client(quick_box)
    if operation == "session.resume":
        tom.start_new()

    brief = tom.call(operation, **named)

    assert brief["sessionId"] == mia.session_id

    assert length(brief) <= DEFAULT_CHARS
    assert "budget" not in brief


def test_no_text_is_cut_in_the_middle_of_a_word(mia: Client):
    words = [f"word{n}" for n in range(400)]
    for marker in "OQAHECPX":
        mia.think(f"S9|{marker}|S1|{' '.join(words)}")
    mia.think("x" * 5_000)

    for text in texts(mia.call("session.brief")):
        for cut in re.findall(r"(\S+)…", text):
            assert cut.strip("(|").removeprefix("S9|O|S1|") in words or cut.startswith("S9|")
    assert "x…" not in json.dumps(mia.call("session.brief"))


def test_a_larger_budget_shows_more_and_what_was_left_out_is_named(mia: Client):
    for number in range(1, 31):
        mia.think(f"S{number}|Q|Is it so, and if it is, why would it be so on day {number}?")

    short, long = mia.call("session.brief"), mia.call("session.brief", maxChars=5_000)

    assert len(short["openQuestions"]) + short["more"] == len(long["openQuestions"]) == 30
    assert "more" not in long
    assert length(long) <= 5_000


def test_no_line_shows_what_fell_without_saying_so(told: Client):
    told.think("S9|E|S8|It costs 3 s", branchId="longer")
    told.think("S10|R|^longer:S9|It costs 0.3 s")

    brief = told.call("session.brief", maxChars=4_000)

    assert brief["branches"] == ["longer from S7, open: S9 (revised by S10) It costs 3 s"]
    assert brief["lastThoughts"][-2]["stands"] == "revised by S10"
    assert "~~It costs 3 s~~ → **S10** It costs 0.3 s" in told.exported("markdown")


def test_the_same_session_has_the_same_brief(told: Client):
    assert told.call("session.brief") == Client(told.box).call("session.brief", sessionId=told.session_id)


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_a_brief_is_open_at_any_stage_by_id_title_or_latest(told: Client, stage: int):
    tom = Client(told.box, agent="tom")
    for operation in ("start_new", "cipher")[:stage]:
        tom.call(operation)
    before = tom.records()

    for name in (told.session_id, "slow pages", "Slow pages"):
        assert tom.call("session.brief", sessionId=name)["sessionId"] == told.session_id
    assert tom.records() == before
    assert tom.stage == stage


def test_without_a_name_it_is_the_own_session_or_else_the_latest(told: Client):
    assert Client(told.box).call("session.brief")["sessionId"] == told.session_id
    tom = Client(told.box)
    tom.start_new(sessionTitle="Mine")
    assert tom.call("session.brief")["title"] == "Mine"
    assert told.call("session.brief")["title"] == "Slow pages"
    with pytest.raises(SessionNotFound):
        tom.call("session.brief", sessionId="no such thing")


def test_after_resuming_the_latest_session_the_next_thought_is_accepted(told: Client):
    tom = Client(told.box, agent="tom")

    resumed = tom.call("session.resume_latest")

    assert (resumed["sessionId"], resumed["stage"], resumed["nextThoughtNumber"]) == (told.session_id, 2, 10)
    assert tom.get_state()["session"]["stage"] == 2
    assert resumed["notation"] == notation()
    assert resumed["lastThought"]["thought"] == "S9|Q|S8|How early?"
    answer = tom.think("S10|E|S9|Two minutes are enough")
    assert (answer["sessionId"], answer["thoughtNumber"], answer["read"]) == (told.session_id, 10, "E answers S9")


def test_a_session_that_never_saw_the_cipher_is_ready_after_it_is_resumed(box: Box):
    Client(box).start_new(sessionTitle="New")
    tom = Client(box, agent="tom")

    assert tom.call("session.resume_latest")["stage"] == 2
    assert tom.get_state()["session"]["stage"] == 2
    assert tom.think()["thoughtNumber"] == 1


@pytest.mark.parametrize("operation", ["session.resume_latest", "session.resume", "load_context"])
def test_an_answer_names_one_stage_which_is_the_callers(told: Client, operation: str):
    told.navigate(domain="debugging")
    tom = Client(told.box, agent="tom").ready() if operation == "session.resume" else Client(told.box, agent="tom")
    named = {} if operation == "session.resume_latest" else {"sessionId": told.session_id}

    answer = tom.call(operation, **named)

    assert answer["stage"] == tom.stage
    assert "stage" not in answer["session"]


def test_whoever_is_lost_is_told_what_can_be_resumed_and_how(told: Client):
    tom = Client(told.box, agent="tom")

    state = tom.get_state()

    assert state["resumable"]["title"] == "Slow pages"
    assert state["resumable"]["thoughtCount"] == 10
    assert state["next"] == state["resumable"]["call"]
    assert tom.gateway(**state["next"])["sessionId"] == told.session_id
    assert "resumable" not in tom.get_state()


def test_nobody_is_told_to_send_the_first_number_in_a_session_that_has_thoughts(told: Client):
    tom = Client(told.box, agent="tom")
    tom.load_context(sessionId=told.session_id)
    step = {"operation": "thought", "sessionId": told.session_id, "thoughtNumber": 10}

    cipher = tom.cipher()

    assert (cipher["nextThoughtNumber"], cipher["next"]) == (10, step)
    assert tom.get_state()["next"] == step
    assert tom.load_context(sessionId=told.session_id)["next"] == step
