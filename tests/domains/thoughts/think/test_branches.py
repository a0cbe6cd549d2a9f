"""Branches: they begin at a thought, chain, fork again, and are seen everywhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.thinker import Client
from thoughtbox.errors import InvalidPayload, ThoughtNotFound


def nodes(client: Client) -> dict[str, dict[str, Any]]:
    """The session's nodes, by id without the session's: `3`, or `alt:4`."""
    prefix = f"{client.session_id}:"
    exported = json.loads(client.exported())
    return {node["id"].removeprefix(prefix): node for node in exported["nodes"]}


def links(client: Client, name: str) -> dict[str, Any]:
    """One link of every node, without the session's id."""
    prefix = f"{client.session_id}:"
    return {
        own: [other.removeprefix(prefix) for other in node[name]]
        if isinstance(node[name], list)
        else node[name] and node[name].removeprefix(prefix)
        for own, node in nodes(client).items()
    }


@pytest.fixture
def forked(mia: Client) -> Client:
    """1, 2, 3 on the main line; alt:3 and alt:4 fork from 2."""
    for number in (1, 2, 3):
        mia.think(f"main {number}")
    mia.think("alt 3", branchId="alt", branchFromThought=2)
    mia.think("alt 4", branchId="alt")
    return mia


def test_a_branch_forks_from_a_thought_and_goes_on_without_saying_so_again(forked: Client):
    answer = forked.think(branchId="alt")

    assert (answer["branchId"], answer["thoughtNumber"], answer["branchCount"]) == ("alt", 5, 1)
    assert answer["thoughtHistoryLength"] == 6


def test_thoughts_of_a_branch_chain_to_the_one_before(forked: Client):
    assert links(forked, "prev") == {"1": None, "2": "1", "3": "2", "alt:3": "2", "alt:4": "alt:3"}
    assert links(forked, "branchOrigin") == {"1": None, "2": None, "3": None, "alt:3": "2", "alt:4": "2"}


def test_the_main_line_goes_on_beside_a_branch(forked: Client):
    assert forked.think()["thoughtNumber"] == 4
    assert links(forked, "prev")["4"] == "3"


def test_several_branches_fork_from_one_thought(forked: Client):
    forked.think(branchId="cache", branchFromThought=2)
    forked.think(branchId="proxy", branchFromThought=2)

    assert links(forked, "next")["2"] == ["3", "alt:3", "cache:3", "proxy:3"]
    assert forked.get_structure()["branchCount"] == 3
    assert forked.session_get()["session"]["branchCount"] == 3


def test_a_branch_forks_from_a_branch_that_it_names(forked: Client):
    forked.think("deeper", branchId="deep", branchFromThought=3, branchFromBranch="alt")
    forked.think("and on", branchId="deep")

    assert links(forked, "prev")["deep:4"] == "alt:3"
    assert links(forked, "branchOrigin")["deep:5"] == "alt:3"
    assert forked.get_structure()["branches"]["deep"] == {
        "length": 2,
        "head": 4,
        "tail": 5,
        "fromThought": 3,
        "fromBranch": "alt",
    }


def test_without_a_name_the_parent_is_the_only_branch_that_has_the_number(forked: Client):
    forked.think(branchId="deep", branchFromThought=4)

    assert links(forked, "prev")["deep:5"] == "alt:4"


def test_without_a_name_a_number_of_the_main_line_means_the_main_line(forked: Client):
    forked.think(branchId="late", branchFromThought=3)

    assert links(forked, "prev")["late:4"] == "3"


def test_a_fork_point_that_several_branches_could_mean_is_refused_and_they_are_named(forked: Client):
    forked.think(branchId="cache", branchFromThought=3)
    before = forked.records()

    with pytest.raises(InvalidPayload, match="alt, cache") as refused:
        forked.think(branchId="deep", branchFromThought=4)

    assert "branchFromBranch" in str(refused.value.recovery)
    assert refused.value.details["branches"] == ["alt", "cache"]
    assert forked.records() == before
    forked.think(branchId="deep", branchFromThought=4, branchFromBranch="cache")
    assert links(forked, "prev")["deep:5"] == "cache:4"


def test_of_very_many_branches_a_refusal_names_some(tom: Client):
    tom.think()
    for n in range(200):
        tom.think(branchId=f"{n:064}", branchFromThought=1)

    for refused in (
        tom.refusal("thought", thought="x", branchId="deep", branchFromThought=2),
        tom.refusal("thought", thought="x", revisesThought=2),
    ):
        assert refused is not None
        assert "and 190 more" in refused.message
        assert len(json.dumps(refused.payload())) < 2_500


def test_a_fork_point_that_is_not_there_is_refused_and_nothing_is_written(forked: Client):
    before = forked.records()

    with pytest.raises(ThoughtNotFound, match="branchFromThought is 99"):
        forked.think(branchId="deep", branchFromThought=99)
    with pytest.raises(ThoughtNotFound, match="no thought 1 on branch `alt`"):
        forked.think(branchId="deep", branchFromThought=1, branchFromBranch="alt")
    with pytest.raises(ThoughtNotFound, match="nowhere"):
        forked.think(branchId="deep", branchFromThought=1, branchFromBranch="nowhere")

    assert forked.records() == before


def test_a_branch_cannot_fork_from_itself(forked: Client):
    with pytest.raises(ThoughtNotFound):
        forked.think(branchId="self", branchFromThought=1, branchFromBranch="self")


def test_the_first_thought_of_a_branch_says_where_it_forks(forked: Client):
    with pytest.raises(InvalidPayload, match="branchFromThought"):
        forked.think(branchId="deep")


def test_a_fork_needs_the_name_of_its_branch(forked: Client):
    with pytest.raises(InvalidPayload, match="branchId is missing"):
        forked.think(branchFromThought=2)
    with pytest.raises(InvalidPayload, match="branchId is missing"):
        forked.think(branchFromBranch="alt")


def test_a_later_thought_may_repeat_the_fork_point_but_not_change_it(forked: Client):
    assert forked.think(branchId="alt", branchFromThought=2)["thoughtNumber"] == 5
    before = forked.records()

    with pytest.raises(InvalidPayload, match="forks from thought 2, not from 1"):
        forked.think(branchId="alt", branchFromThought=1)
    with pytest.raises(InvalidPayload, match="forks from the main line, not from branch `cache`"):
        forked.think(branchId="alt", branchFromBranch="cache")

    assert forked.records() == before
    assert links(forked, "prev")["alt:5"] == "alt:4"


def test_a_later_thought_may_repeat_the_parent_branch_but_not_change_it(forked: Client):
    forked.think(branchId="deep", branchFromThought=4, branchFromBranch="alt")
    assert forked.think(branchId="deep", branchFromThought=4, branchFromBranch="alt")["thoughtNumber"] == 6

    with pytest.raises(InvalidPayload, match="forks from branch `alt`, not from branch `other`"):
        forked.think(branchId="deep", branchFromBranch="other")


@pytest.mark.parametrize(
    "bad",
    [
        "../x",
        "..",
        ".",
        "a/b",
        "a\\b",
        "Upper",
        "a b",
        " a",
        "a ",
        "",
        "a" * 65,
        "ä",
        "a\n",
        "a_b",
        "a.b",
        "a:1",
        "%2e%2e",
        "a\u200b",
        "１",
    ],
)
@pytest.mark.parametrize("field", ["branchId", "branchFromBranch"])
def test_a_name_that_is_no_branch_id_is_refused_and_nothing_is_written(tom: Client, bad: str, field: str):
    tom.think()
    before = tom.records()

    with pytest.raises(InvalidPayload, match=field):
        tom.think(**{"branchId": "fine", "branchFromThought": 1, field: bad})

    assert tom.records() == before


@pytest.mark.parametrize("name", ["a", "0", "-", "--", "a" * 64, "main", "2026-01-01", "null", "con"])
def test_small_letters_digits_and_hyphens_make_a_branch_id(tom: Client, name: str):
    tom.think()
    tom.think(branchId=name, branchFromThought=1)

    assert list(tom.session_get()["branches"]) == [name]
    assert [thought["branchId"] for thought in tom.read_thoughts(branchId=name)["thoughts"]] == [name]


def test_a_branch_called_main_is_not_the_main_line(tom: Client):
    tom.think()
    tom.think("on the branch", branchId="main", branchFromThought=1)
    tom.think("on the main line")

    assert tom.get_structure()["mainChain"]["length"] == 2
    assert [thought["thought"] for thought in tom.read_thoughts(branchId="main")["thoughts"]] == ["on the branch"]


def test_node_ids_name_session_branch_and_number(forked: Client):
    ids = [thought["nodeId"] for thought in forked.read_thoughts(last=5)["thoughts"]]

    assert ids == [f"{forked.session_id}:{place}" for place in ("1", "2", "3", "alt:3", "alt:4")]


def test_thoughts_on_branches_are_seen_wherever_thoughts_are_seen(forked: Client):
    forked.think("a zebra", branchId="alt")

    assert forked.session_get()["thoughts"][-1]["branchId"] == "alt"
    assert forked.session_get()["branches"]["alt"]["length"] == 3
    assert len(json.loads(forked.exported("json"))["nodes"]) == 6
    assert "a zebra" in forked.exported("markdown")
    assert "a zebra" in forked.exported("cipher")
    assert forked.session_analyze()["metadata"]["thoughtCount"] == 6
    assert forked.session_analyze()["branchCount"] == 1
    assert forked.get_structure()["branches"]["alt"]["tail"] == 5
    [found] = forked.session_search(query="zebra")["sessions"]
    assert (found["thoughtNumber"], found["branchId"]) == (5, "alt")
    assert forked.load_context(sessionId=forked.session_id)["lastThoughts"][-1]["thought"] == "a zebra"


def test_the_end_of_a_branch_does_not_end_the_session(forked: Client):
    answer = forked.think(branchId="alt", nextThoughtNeeded=False)

    assert answer["nextThoughtNeeded"] is False
    assert forked.session_get()["session"]["status"] == "active"
    assert forked.think()["sessionId"] == answer["sessionId"]


def test_a_thousand_branches_of_one_thought_are_all_there(mia: Client):
    mia.think()
    for sent in [mia.submit("thought", thought="x", branchId=f"b{n}", branchFromThought=1) for n in range(1_000)]:
        sent.result()

    structure = mia.get_structure(limit=5_000)
    assert structure["branchCount"] == len(structure["branches"]) == 1_000
    pages = list(mia.pages("session.get"))
    assert len([thought for page in pages for thought in page["thoughts"]]) == 1_001
    assert len(nodes(mia)["1"]["next"]) == 1_000


def test_branches_with_the_longest_names_push_no_thought_out_of_a_page(tom: Client):
    tom.think()
    sent = [
        tom.submit("thought", thought=f"{n} {'x' * 300}", branchId=f"{n:064}", branchFromThought=1) for n in range(700)
    ]
    assert all(future.result() for future in sent)

    shown = [thought for page in tom.pages("session.get", limit=500) for thought in page["thoughts"]]

    assert [thought.get("branchId") for thought in shown] == [None, *(f"{n:064}" for n in range(700))]
    assert all(thought["thought"].endswith("x" * 300) for thought in shown[1:])


def test_a_hundred_branches_each_fork_from_the_one_before(mia: Client):
    mia.think("the root")
    for depth in range(100):
        parent = {"branchFromBranch": f"d{depth - 1}"} if depth else {}
        mia.think(branchId=f"d{depth}", branchFromThought=depth + 1, **parent)

    mia.think("of the root", branchId="d99", revisesThought=1)

    assert links(mia, "prev")["d99:101"] == "d98:100"
    assert links(mia, "revisesNode")["d99:102"] == "1"
    assert mia.session_analyze()["structure"]["maxDepth"] == 100
    assert mia.exported("markdown").count("\n### Branch d") == 100
