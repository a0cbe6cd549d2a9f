"""Revisions: what a thought puts right, on its own line or on the one it comes from; the earlier one stays."""

from __future__ import annotations

import pytest

from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, ThoughtNotFound


def revised_by(client: Client, number: int, **where: str) -> list[str]:
    """The thoughts that revise this one."""
    return [thought["thought"] for thought in client.read_thoughts(revises=number, **where)["thoughts"]]


@pytest.fixture
def forked(mia: Client) -> Client:
    """1 to 5 on the main line; b:4 and b:5 fork from 3, c:6 from b:5."""
    for number in range(1, 6):
        mia.think(f"main {number}")
    mia.think("b 4", branchId="b", branchFromThought=3)
    mia.think("b 5", branchId="b")
    mia.think("c 6", branchId="c", branchFromThought=5, branchFromBranch="b")
    return mia


def test_a_revision_points_at_the_thought_it_puts_right_and_both_stay(mia: Client):
    mia.think("it is the cache")
    mia.think("it is the index", revisesThought=1)

    first, second = mia.read_thoughts()["thoughts"]
    assert (first["thought"], first["kind"]) == ("it is the cache", "claim")
    assert second["kind"] == "revision"
    assert second["isRevision"] is True
    assert second["revisesThought"] == 1
    assert second["relations"] == [{"type": "revises", "to": first["id"]}]
    assert second["refs"] == [first["id"]]


def test_is_revision_may_be_said_beside_the_number(mia: Client):
    mia.think()

    assert mia.think(isRevision=True, revisesThought=1)["thoughtNumber"] == 2
    assert mia.get_structure()["revisions"] == [[2, 1]]


def test_a_thought_can_be_revised_more_than_once_and_so_can_a_revision(mia: Client):
    mia.think("one")
    mia.think("two", revisesThought=1)
    mia.think("three", revisesThought=1)
    mia.think("four", revisesThought=2)

    assert revised_by(mia, 1) == ["two", "three"]
    assert revised_by(mia, 2) == ["four"]
    assert mia.get_structure()["revisions"] == [[2, 1], [3, 1], [4, 2]]
    assert mia.get_structure()["revisionCount"] == 3


def test_on_a_branch_its_own_thought_is_meant_first(forked: Client):
    forked.think("right", branchId="b", revisesThought=4)

    assert revised_by(forked, 4, branchId="b") == ["right"]
    assert revised_by(forked, 4) == []


def test_what_a_branch_does_not_have_is_looked_for_on_the_line_it_forked_from(forked: Client):
    forked.think("of main", branchId="b", revisesThought=2)
    forked.think("of b", branchId="c", revisesThought=5)
    forked.think("of main too", branchId="c", revisesThought=1)

    assert revised_by(forked, 2) == ["of main"]
    assert revised_by(forked, 5, branchId="b") == ["of b"]
    assert revised_by(forked, 5) == []
    assert revised_by(forked, 1) == ["of main too"]


def test_the_first_thought_of_a_branch_revises_what_it_forks_from(forked: Client):
    forked.think("of b", branchId="d", branchFromThought=5, branchFromBranch="b", revisesThought=5)

    assert revised_by(forked, 5, branchId="b") == ["of b"]
    assert revised_by(forked, 5) == []


def test_the_first_thought_of_a_branch_refers_in_cipher_to_what_it_forks_from(forked: Client):
    forked.think("S6|E|S5|Logs say so", branchId="d", branchFromThought=5, branchFromBranch="b")

    assert [thought["thought"] for thought in forked.read_thoughts(refersTo=5, branchId="b")["thoughts"]] == [
        "S6|E|S5|Logs say so"
    ]


def test_the_main_line_can_revise_what_stands_on_one_branch_only(forked: Client):
    forked.think("of c", revisesThought=6)

    assert revised_by(forked, 6, branchId="c") == ["of c"]


def test_a_target_that_is_not_there_is_refused_and_nothing_is_written(forked: Client):
    before = forked.records()

    with pytest.raises(ThoughtNotFound, match="revisesThought is 99") as refused:
        forked.think(revisesThought=99)
    with pytest.raises(ThoughtNotFound, match="revisesThought is 7"):
        forked.think(branchId="b", thoughtNumber=6, revisesThought=7)

    assert refused.value.details["thoughtNumber"] == 99
    assert forked.records() == before


def test_a_thought_cannot_revise_itself(mia: Client):
    with pytest.raises(ThoughtNotFound, match="revisesThought is 1"):
        mia.think(revisesThought=1)

    assert mia.session_get()["thoughts"] == []


def test_a_target_that_several_branches_could_mean_is_refused_and_they_are_named(forked: Client):
    forked.think(branchId="e", branchFromThought=5, branchFromBranch="b")

    with pytest.raises(ThoughtNotFound, match=r"several other branches have.*: c, e") as refused:
        forked.think(revisesThought=6)

    assert refused.value.details["branches"] == ["c", "e"]


def test_a_revision_that_does_not_say_of_what_is_refused(mia: Client):
    mia.think()
    before = mia.records()

    with pytest.raises(InvalidPayload, match="revisesThought is missing"):
        mia.think(isRevision=True)

    assert mia.records() == before


def test_a_revision_in_cipher_is_one_without_the_argument(mia: Client):
    mia.think("S1|H|It is the cache")
    mia.think("S2|R|^[S1]|Actually the index")

    [revision] = mia.read_thoughts(revises=1)["thoughts"]
    assert revision["isRevision"] is True
    assert revision["revisesThought"] == 1
    assert mia.session_analyze()["metadata"]["revisionCount"] == 1


def test_a_rejection_in_cipher_is_a_revision_that_rejects(mia: Client):
    mia.think("S1|H|It is the cache")
    mia.think("S2|X|S1|Hypothesis disproven")

    rejection = mia.read_thoughts(last=1)["thoughts"][0]
    assert rejection["kind"] == "revision"
    assert rejection["labels"] == ["rejected"]
    assert rejection["revisesThought"] == 1


def test_an_argument_that_says_what_is_revised_is_stronger_than_the_cipher(mia: Client):
    mia.think("S1|O|Pages are slow")
    mia.think("S2|H|It is the cache")
    mia.think("S3|E|S1|Logs say so", revisesThought=2)

    third = mia.read_thoughts(last=1)["thoughts"][0]
    assert third["kind"] == "revision"
    assert third["revisesThought"] == 2
    assert [relation["type"] for relation in third["relations"]] == ["revises", "supports"]
