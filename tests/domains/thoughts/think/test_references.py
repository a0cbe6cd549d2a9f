"""What references mean: the number on the line itself, then where it came from; names of lines; slips are noted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload


def shown(client: Client, number: int, branch: str | None = None) -> dict[str, Any]:
    where = {"branchId": branch} if branch else {}
    return client.read_thoughts(thoughtNumber=number, **where)["thoughts"][0]


def related(client: Client, number: int, branch: str | None = None) -> list[tuple[str, str]]:
    """`("supports", "alt:2")`: what a thought is related to."""
    relations = shown(client, number, branch)["relations"]
    found = {each["to"]: client.get_thought(id=each["to"]) for each in relations}
    names = {
        id: f"{t['branchId']}:{t['thoughtNumber']}" if "branchId" in t else str(t["thoughtNumber"])
        for id, t in found.items()
    }
    return [(each["type"], names[each["to"]]) for each in relations]


@pytest.fixture
def slipped(mia: Client) -> Client:
    """1, 2 and 3 on the main line, of which 3 was written as S2; alt forks from 1."""
    mia.think("S1|O|It is slow")
    mia.think("S2|H|S1|The disk")
    mia.think("S2|O|slip")
    mia.think("S2|H|own", branchId="alt", branchFromThought=1)
    return mia


def test_a_slip_in_a_number_does_not_redirect_later_references(slipped: Client):
    slipped.think("S3|E|S2|seen", branchId="alt")
    slipped.think("S4|X|S2|not so", branchId="alt")

    assert related(slipped, 3, "alt") == [("supports", "alt:2")]
    assert related(slipped, 4, "alt") == [("contradicts", "alt:2")]
    assert "rejectedBy" not in shown(slipped, 3)


def test_a_thought_that_gets_another_number_than_it_was_written_with_says_so(slipped: Client):
    assert shown(slipped, 3)["notes"] == ["Written as S2, it is thought 3, S2 is another one: refer to it as S3."]


def test_the_number_of_the_line_itself_wins_then_that_of_the_lines_it_came_from(slipped: Client):
    slipped.think("S4|E|S2|seen")
    slipped.think("S3|E|S1|seen", branchId="alt")

    assert related(slipped, 4) == [("supports", "2")]
    assert related(slipped, 3, "alt") == [("supports", "1")]
    assert "notes" not in shown(slipped, 3, "alt")


def test_what_was_written_as_a_number_that_names_nothing_is_an_alias_and_noted(mia: Client):
    mia.think("S1|O|It is slow")
    mia.think("S7|H|S1|The disk")

    answer = mia.think("S3|E|S7|It spins")

    assert related(mia, 3) == [("supports", "2")]
    assert shown(mia, 3)["notes"] == ["S7 is S2, which was written as S7."]
    assert answer["notes"] == ["S7 is S2, which was written as S7."]
    for number in range(4, 8):
        mia.think(f"S{number}|O|more")
    mia.think("S8|E|S7|It spins")
    assert related(mia, 8) == [("supports", "7")]


@pytest.mark.parametrize("reference", ["alt:S2", "[alt:S2]", "alt:S2,"])
def test_a_thought_of_another_line_is_named_with_its_branch(slipped: Client, reference: str):
    slipped.think(f"S4|E|{reference}|seen")

    assert related(slipped, 4) == [("supports", "alt:2")]
    assert "notes" not in shown(slipped, 4)


def test_a_branch_names_the_main_line_so(slipped: Client):
    slipped.think("S3|E|main:S2|seen", branchId="alt")

    assert related(slipped, 3, "alt") == [("supports", "2")]


@pytest.mark.parametrize("reference", ["alt:S9", "nowhere:S1", "S99"])
def test_what_cannot_be_resolved_is_noted(slipped: Client, reference: str):
    answer = slipped.think(f"S4|H||It is so, see [{reference}]")

    assert related(slipped, 4) == []
    assert answer["notes"] == [f"{reference} names no earlier thought."]


def test_a_thought_that_names_itself_says_so(mia: Client):
    assert mia.think("S1|H|S1|so")["notes"] == ["S1 names no earlier thought."]


def test_several_lines_of_cipher_are_several_thoughts_with_an_answer_for_each(mia: Client):
    mia.think("S1|O|before")

    answer = mia.think("S2|Q|S1|Why?\nS3|H|S2|The disk\n  spins slowly\nS4|C|S3|∴ Buy another", nextThoughtNeeded=False)

    assert [each["thoughtNumber"] for each in answer["thoughts"]] == [2, 3, 4]
    assert [each["read"] for each in answer["thoughts"]] == [
        "Q relates to S1",
        "H from S2",
        "C (decision) from S3",
    ]
    assert (answer["thoughtNumber"], answer["thoughtHistoryLength"], answer["sessionClosed"]) == (4, 4, True)
    assert shown(mia, 3)["thought"] == "S3|H|S2|The disk\n  spins slowly"
    assert related(mia, 4) == [("derived_from", "3")]
    assert [t["thoughtNumber"] for t in mia.read_thoughts(kind="decision")["thoughts"]] == [4]


def test_lines_of_one_call_mean_each_other_by_the_numbers_they_were_written_with(mia: Client):
    for number in (1, 2, 3):
        mia.think(f"S{number}|O|before")

    answer = mia.think("S1|H|again\nS2|E|S1|seen\nS3|C|S1,S2|so")

    assert [each["thoughtNumber"] for each in answer["thoughts"]] == [4, 5, 6]
    assert related(mia, 5) == [("supports", "4")]
    assert related(mia, 6) == [("derived_from", "4"), ("derived_from", "5")]
    assert "S1 is the one of this call, S4." in shown(mia, 5)["notes"]
    mia.think("S7|E|S1|seen")
    assert related(mia, 7) == [("supports", "1")]


def test_lines_of_one_call_are_all_recorded_or_none(mia: Client):
    mia.think("S1|O|before")
    before = mia.records()

    with pytest.raises(InvalidPayload):
        mia.think("\n".join(f"S{number}|O|so" for number in range(1, 102)))
    with pytest.raises(InvalidPayload):
        mia.think("S2|O|one\nS3|O|two", thoughtNumber=1)

    assert mia.records() == before


def test_the_first_line_begins_the_branch_and_all_stand_on_it(mia: Client):
    mia.think("S1|O|before")
    mia.think("S2|H|S1|one\nS3|E|S2|two", branchId="alt", branchFromThought=1)

    assert mia.get_structure()["branches"]["alt"] == {"length": 2, "head": 2, "tail": 3, "fromThought": 1}
    assert related(mia, 3, "alt") == [("supports", "alt:2")]


def test_a_revision_of_two_thoughts_revises_both(mia: Client):
    mia.think("S1|E|It takes 4 s")
    mia.think("S2|E|It takes 5 s")
    mia.think("S3|R|S1,S2|It takes 1 s")

    assert (shown(mia, 3)["kind"], shown(mia, 1)["revisedBy"], shown(mia, 2)["revisedBy"]) == ("revision", "S3", "S3")


@pytest.mark.parametrize(
    ("text", "arguments", "read"),
    [
        ("S4|E|S2|seen", {}, "E supports S2"),
        ("S4|C|S2,alt:S2|∴ so", {}, "C (decision) from S2 and alt:S2; adopts branch alt"),
        ("S4|X|alt:S2|no", {}, "X rejects alt:S2; rejects branch alt"),
        ("Decision: so be it", {}, "decision"),
        ("so be it", {"revisesThought": 2}, "revises S2"),
        ("so be it", {}, None),
    ],
)
def test_the_reply_says_how_a_thought_was_read(slipped: Client, text: str, arguments: dict[str, Any], read: str | None):
    assert slipped.think(text, **arguments).get("read") == read


def test_a_decision_that_takes_the_place_of_another_thought_stays_a_decision(mia: Client):
    mia.think("S1|C|∴ one queue")
    mia.think("Decision: two queues", revisesThought=1)

    assert (shown(mia, 2)["kind"], shown(mia, 1)["revisedBy"]) == ("decision", "S2")
    assert [t["thoughtNumber"] for t in mia.read_thoughts(kind="decision")["thoughts"]] == [1, 2]


def test_the_reply_to_a_revision_or_a_rejection_names_what_rests_on_it(mia: Client):
    for line in ("S1|O|slow", "S2|H|S1|cold cache", "S3|E|S2|3 %", "S4|C|S2|∴ warm it", "S5|H|S1|slow disk"):
        mia.think(line)

    assert mia.think("S6|R|^S3|93 %")["resting"] == ["S2", "S4"]
    assert "resting" not in mia.think("S7|X|S5|it is fast")


def test_what_rests_on_something_revised_or_rejected_since_says_so_wherever_it_is_shown(box: Box, mia: Client):
    for line in ("S1|O|slow", "S2|H|S1|cold cache", "S3|E|S2|3 %", "S4|C|S2|∴ warm it"):
        mia.think(line)
    before = mia.records()
    mia.think("S5|R|^S3|93 %")

    said = "S3, revised by S5"
    assert shown(mia, 4)["restsOn"] == said
    assert mia.get_thought(id=shown(mia, 4)["id"])["restsOn"] == said
    assert mia.session_get()["thoughts"][3]["restsOn"] == said
    assert mia.call("session.search", query="warm", what="thoughts")["thoughts"][0]["restsOn"] == said
    assert mia.call("session.brief")["decisions"] == [f"S4 (rests on {said}) ∴ warm it"]
    assert "restsOn" not in shown(mia, 5)
    assert shown(mia, 3)["revisedBy"] == "S5"
    earlier = mia.call("session.get", as_of=before)["thoughts"]
    assert ["restsOn" in thought or "revisedBy" in thought for thought in earlier] == [False] * 4


def test_a_branch_is_adopted_by_a_decision_of_the_main_line_that_refers_to_it(slipped: Client):
    slipped.think("S3|C|S2|∴ take it", branchId="alt")
    assert slipped.get_structure()["branches"]["alt"].get("fate") is None, "it does not adopt itself"

    slipped.think("S4|C|alt:S3|∴ take it")

    assert slipped.get_structure()["branches"]["alt"]["fate"] == "adopted"
    assert slipped.session_get()["branches"]["alt"]["fate"] == "adopted"


def test_a_branch_is_settled_by_operations_the_last_of_which_counts(slipped: Client):
    assert slipped.call("branch.reject", branchId="alt", why="Too slow")["was"] == "open"
    answer = slipped.call("branch.adopt", branchId="alt")

    assert (answer["fate"], answer["was"]) == ("adopted", "rejected")
    assert slipped.get_structure()["branches"]["alt"]["fate"] == "adopted"
    before = slipped.records()
    slipped.call("branch.adopt", branchId="alt")
    assert slipped.records() == before, "it is so already"


def test_a_branch_that_is_not_there_cannot_be_settled(mia: Client):
    refused = mia.refusal("branch.adopt", branchId="nowhere")

    assert refused is not None
    assert refused.code == "THOUGHT_NOT_FOUND"
