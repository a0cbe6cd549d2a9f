"""The linked store: head, tail, next, revised-by, branch children. They are kept, and found in any session at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.links import BRANCH, NEXT, REVISES
from thoughtbox.domains.thoughts.view.thoughts import Thoughts


def ask(box: Box, question: Callable[[Thoughts], Any]) -> Any:
    return box.app.engine.read(lambda sql: question(Thoughts(sql, WORKSPACE))).result()


def story(client: Client) -> Client:
    """1 to 4 on the main line, 4 revises 2; alt:3 and alt:4 fork from 2, deep:5 from alt:4, far:3 from 2."""
    for number in (1, 2, 3):
        client.think(f"main {number}")
    client.think("main 4", revisesThought=2)
    client.think("alt 3", branchId="alt", branchFromThought=2)
    client.think("alt 4", branchId="alt", revisesThought=2)
    client.think("deep 5", branchId="deep", branchFromThought=4, branchFromBranch="alt")
    client.think("far 3", branchId="far", branchFromThought=2)
    return client


def node(box: Box, session_id: str, number: int, branch: str = MAIN) -> Node:
    return ask(box, lambda view: view.node(session_id, branch, number))


def pointing(box: Box, session_id: str, number: int, how: str) -> list[str]:
    """What points at a thought of the main line in this way: `branch:number`."""
    target = node(box, session_id, number).seq
    seqs = ask(box, lambda view: view.sources(target, how))
    found = {each.seq: each for each in ask(box, lambda view: view.nodes(session_id))}
    return [f"{found[seq].branch}:{found[seq].number}" for seq in seqs]


def test_every_line_knows_its_head_and_its_tail(mia: Client):
    structure = story(mia).get_structure()

    assert structure["mainChain"] == {"length": 4, "head": 1, "tail": 4}
    assert structure["branches"] == {
        "alt": {"length": 2, "head": 3, "tail": 4, "fromThought": 2},
        "deep": {"length": 1, "head": 5, "tail": 5, "fromThought": 4, "fromBranch": "alt"},
        "far": {"length": 1, "head": 3, "tail": 3, "fromThought": 2},
    }


def test_head_and_tail_are_the_first_and_last_recorded_not_the_lowest_and_highest(mia: Client):
    for number in (9, 3, 6):
        mia.think(thoughtNumber=number)

    assert mia.get_structure()["mainChain"] == {"length": 3, "head": 9, "tail": 6}


def test_a_thought_knows_all_that_come_next(mia: Client):
    story(mia)

    assert pointing(mia.box, mia.session_id, 2, NEXT) == [":3", "alt:3", "far:3"]
    assert pointing(mia.box, mia.session_id, 4, NEXT) == []


def test_a_thought_knows_what_revised_it(mia: Client):
    story(mia)

    assert pointing(mia.box, mia.session_id, 2, REVISES) == [":4", "alt:4"]
    assert [thought["thought"] for thought in mia.read_thoughts(revises=2)["thoughts"]] == ["main 4", "alt 4"]


def test_a_thought_knows_the_branches_that_begin_at_it(mia: Client):
    story(mia)

    assert pointing(mia.box, mia.session_id, 2, BRANCH) == ["alt:3", "far:3"]
    assert pointing(mia.box, mia.session_id, 1, BRANCH) == []


def test_an_edge_is_there_for_every_link_between_thoughts(mia: Client):
    edges = [(edge["from"], edge["type"], edge["to"]) for edge in story(mia).get_structure()["edges"]]

    assert edges == [
        ("2", "next", "1"),
        ("3", "next", "2"),
        ("4", "next", "3"),
        ("4", "revises", "2"),
        ("alt:3", "next", "2"),
        ("alt:4", "next", "alt:3"),
        ("alt:4", "revises", "2"),
        ("deep:5", "next", "alt:4"),
        ("far:3", "next", "2"),
    ]


def test_links_survive_a_restart(open_box: OpenBox):
    box = open_box()
    mia = story(Client(box).ready())
    session_id = mia.session_id
    before = (mia.get_structure(), json.loads(mia.exported())["nodes"], mia.session_get())
    box.close()

    again = Client(open_box(), stateless=True)

    after = (
        again.get_structure(sessionId=session_id),
        json.loads(again.exported(sessionId=session_id))["nodes"],
        again.session_get(sessionId=session_id),
    )
    assert after == before
    assert any(len(each["next"]) == 3 for each in after[1])
    assert again.think(sessionId=session_id)["thoughtNumber"] == 5
    assert again.think(sessionId=session_id, branchId="deep")["thoughtNumber"] == 6


def test_edges_come_in_pages_that_together_hold_each_once(mia: Client):
    story(mia)
    whole = mia.get_structure()

    for arguments in ({"limit": 1}, {"limit": 4}, {"maxChars": 700}):
        pages = list(mia.pages("get_structure", **arguments))
        assert len(pages) > 1
        assert [edge for page in pages for edge in page["edges"]] == whole["edges"]
        assert [pair for page in pages for pair in page["revisions"]] == whole["revisions"]
        assert not any(page.get("budget", {}).get("truncated") for page in pages)


LOOKUPS: dict[str, Callable[[Thoughts, str, int], object]] = {
    "head and tail": lambda view, session_id, _: view.line(session_id, MAIN),
    "by number": lambda view, session_id, _: view.node(session_id, MAIN, 2),
    "by number on any line": lambda view, session_id, _: view.nodes_numbered(session_id, 2),
    "next": lambda view, _, seq: view.sources(seq, NEXT),
    "revised by": lambda view, _, seq: view.sources(seq, REVISES),
    "branch children": lambda view, _, seq: view.sources(seq, BRANCH),
    "by label": lambda view, session_id, _: view.labelled(session_id, MAIN, 2),
    "the session": lambda view, session_id, _: view.session(session_id),
}


class Listening:
    """A transaction that keeps what it was asked."""

    def __init__(self, sql: Any, said: list[tuple[str, Any]]) -> None:
        self._sql = sql
        self._said = said

    def __getattr__(self, name: str) -> Any:
        def heard(statement: str, parameters: Any = ()) -> Any:
            self._said.append((statement, parameters))
            return getattr(self._sql, name)(statement, parameters)

        return heard


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What the view of thoughts asks its tables from now on."""
    said: list[tuple[str, Any]] = []
    init = Thoughts.__init__

    def listening(self: Thoughts, sql: Any, *rest: Any) -> None:
        init(self, cast("Any", Listening(sql, said)), *rest)

    monkeypatch.setattr(Thoughts, "__init__", listening)
    return said


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_no_lookup_goes_through_a_session(tom: Client, said: list[tuple[str, Any]], lookup: str):
    """Each is one search by key in each table, whatever the session's length."""
    story(tom)
    seq = node(tom.box, tom.session_id, 2).seq
    said.clear()

    ask(tom.box, lambda view: LOOKUPS[lookup](view, tom.session_id, seq))

    plans = [
        tom.box.app.engine.read(lambda sql, asked=asked: sql.rows(f"EXPLAIN QUERY PLAN {asked[0]}", asked[1])).result()
        for asked in said
    ]
    steps = [row[-1] for plan in plans for row in plan]
    assert steps
    by_key = ("SEARCH", "CORRELATED SCALAR SUBQUERY", "USE TEMP B-TREE FOR ORDER BY")
    assert all(step.startswith(by_key) for step in steps), steps


@pytest.mark.parametrize("arguments", [{}, {"revisesThought": 2}, {"branchId": "alt"}], ids=str)
def test_recording_a_thought_asks_no_more_of_a_long_session_than_of_a_short_one(
    tom: Client, said: list[tuple[str, Any]], arguments: dict[str, Any]
):
    story(tom)
    tom.think()
    said.clear()
    tom.think(**arguments)
    short = [statement for statement, _ in said]
    for sent in [tom.submit("thought", thought="x") for _ in range(300)]:
        sent.result()
    said.clear()

    tom.think(**arguments)

    assert [statement for statement, _ in said] == short
