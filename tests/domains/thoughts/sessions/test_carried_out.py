"""What was carried out: only what a later thought reports as done, and all of it."""

from __future__ import annotations

import pytest

from tests.support.thinker import Client

CHOICE = "S1|C|∴ Move the session store to Redis"
PLAN = "S1|P|1. Write to both stores 2. Compare them 3. Switch reads"


def carried_out(client: Client, *thoughts: str) -> list[str]:
    for thought in thoughts:
        client.think(thought)
    return client.session_analyze()["carriedOut"]


@pytest.mark.parametrize(
    "report",
    [
        "S2|O|S1|Done since Monday",
        "S2|O|S1|Shipped on 4 April, nobody noticed",
        "S2|O|S1|The session store was moved last week",
        "S2|O|S1|Redis is live on both nodes",
        "S2|O|S1|Redis has been in production since Thursday; 0 of 40,000 sessions differ",
        "S2|E|S1|Deployed; p99 is 0.8 ms",
        "Deployed yesterday, see [S1].",
        "S1 is done and merged.",
        "Done: the session store is on Redis now.",
    ],
)
def test_a_decision_is_carried_out_when_a_later_thought_says_so(tom: Client, report: str):
    assert carried_out(tom, CHOICE, report) == ["1"]


@pytest.mark.parametrize(
    "report",
    [
        "S2|O|S1|The session store is not moved yet",
        "S2|O|S1|Once the move is done, deploys are safe",
        "S2|O|S1|Deploys are safe once Redis is deployed",
        "S2|O|S1|It will be deployed on Friday",
        "S2|O|S1|The pull request is merged into the draft, its review is on Thursday",
        "S2|O|S1|The pull request is open",
        "S2|O|S1|Redis is live for half of the users",
        "S2|O|S1|Redis is live, behind a flag",
        "S2|O|S1|Deployed on staging",
        "S2|O|S1|Rolled out to 20 of 64 nodes",
        "S2|O|S1|Rolled out to 50 % of the traffic",
        "S2|O|S1|Step 1 is done",
        "S2|O|S1|Deployed on two nodes, six to go",
        "S2|O|S1|Moved sessions are slow",
        "S2|E|S1|All requests to Redis completed in 5 ms",
        "S2|H|S1|Redis is deployed",
        "S2|Q|S1|Done?",
        "S2|O|S1|Redis needs 4 GB",
        "Done: the import guide is rebuilt.",
        "Nobody has deployed it.",
    ],
)
def test_what_only_looks_like_a_report_is_none(tom: Client, report: str):
    assert carried_out(tom, CHOICE, report) == []


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        (["S2|O|S1|All three steps are done"], ["1"]),
        (["S2|O|S1|Done"], ["1"]),
        (["S2|O|S1|Reads were switched on Monday"], ["1"]),
        (["S2|O|S1|Step 1 is done"], []),
        (["S2|O|S1|Steps 1 and 2 are done, 3 waits"], []),
        (["S2|O|S1|Steps 1 and 2 are done", "S3|O|S1|Step 3 is done"], ["1"]),
        (["S2|O|S1|Steps 1 to 3 are through"], ["1"]),
        (["S2|O|S1|The stores were compared, 0 of 300 keys differ"], []),
        (["S2|O|S1|Reads were switched on Monday. Left is step 2"], []),
        (["S2|O|S1|The meeting is moved, nobody has compared them"], []),
    ],
)
def test_a_plan_is_carried_out_when_all_of_it_or_its_last_step_is_done(
    tom: Client, reports: list[str], expected: list[str]
):
    assert carried_out(tom, PLAN, *reports) == expected


def test_a_report_that_was_taken_back_is_none(tom: Client):
    assert carried_out(tom, CHOICE, "S2|O|S1|Done since Monday") == ["1"]
    assert carried_out(tom, "S3|R|^[S2]|It was another store") == []


def test_a_decision_that_was_overturned_later_had_been_carried_out_all_the_same(tom: Client):
    told = [CHOICE, "S2|O|S1|Shipped on Monday", "S3|C|^S1|∴ Back to memory"]

    assert carried_out(tom, *told) == ["1"]


def test_a_report_on_a_plan_does_not_speak_of_the_decision_behind_it(tom: Client):
    assert carried_out(tom, CHOICE, "S2|P|S1|1. Copy 2. Switch", "S3|O|S2|Both steps are done") == ["2"]


def test_the_end_of_a_line_says_nothing_about_a_plan(tom: Client):
    tom.think(PLAN)
    tom.think("So it shall be", nextThoughtNeeded=False)

    assert tom.session_analyze()["carriedOut"] == []


def test_the_deeper_look_names_the_report(tom: Client):
    carried_out(tom, CHOICE, "S2|O|S1|Done since Monday")

    (done,) = tom.deep_analysis(analysisType="decision_points")["decisionPoints"]["carriedOut"]
    assert (done["thoughtNumber"], done["by"]) == (1, "2")
