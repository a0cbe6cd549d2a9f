"""The reads of cards, one by one: what goes in, what comes out, what is refused."""

from __future__ import annotations

import json

import pytest

from tests.domains.mind.reads.conftest import card, focus, ids, nodes
from tests.support.mind import Mind
from thoughtbox.domains.mind.reads import query

READS = ("think_context", "think_query", "think_frontier", "think_next", "think_pack", "think_watch", "context_pack")


def _written(mind: Mind) -> None:
    card(mind, "H", "hypothesis", text="The cache is cold after every deployment. " * 8)
    card(mind, "T", "test", text="CMD: make warm", supports=["H"])
    card(mind, "Q", "question", text="Which reads are slow? " * 8)
    mind.notes_commit(content="Reads dominate. " * 20)


def test_a_context_has_its_branch_its_graph_its_counts_and_its_cards_whole(quick: Mind):
    card(quick, "H", "hypothesis", text="Because.", meta={"why": 1})
    card(quick, "T", "test")

    read = quick.think_context()

    assert list(read) == ["branch", "graph_doc", "stats", "cards", "truncated"]
    assert (read["branch"], read["graph_doc"], read["truncated"]) == ("main", "graph", False)
    assert read["stats"] == {"cards": 2, "by_type": {"hypothesis": 1, "test": 1}}
    (whole, _) = read["cards"]
    assert {name: whole[name] for name in ("id", "type", "title", "text", "status", "tags", "meta")} == {
        "id": "H",
        "type": "hypothesis",
        "title": "Title of H",
        "text": "Because.",
        "status": "open",
        "tags": ["lane:shared", "v:canon"],
        "meta": {"why": 1},
    }
    assert set(whole) >= {"last_seq", "last_ts_ms"}


def test_a_context_shows_thirty_cards_and_as_many_as_are_asked_for(quick: Mind):
    for number in range(35):
        card(quick, f"U{number}", "update")

    assert len(quick.think_context()["cards"]) == 30
    assert ids(quick.think_context(limit_cards=2)["cards"]) == ["U34", "U33"]
    assert quick.think_context(limit_cards=0)["cards"] == []
    assert len(quick.think_context(limit_cards=500)["cards"]) == 35


def test_a_context_can_be_read_as_it_was(mind: Mind):
    card(mind, "H", "hypothesis")
    then = mind.head()
    before = mind.think_context()
    card(mind, "later", "hypothesis")
    mind.think_set_status(targets="H", status="closed")

    assert mind.think_context(as_of=then) == before
    assert ids(mind.think_context()["cards"]) == ["later", "H"]


def test_a_target_on_another_branch_is_its_graph_as_that_branch_shows_it(quick: Mind, task: str):
    card(quick, "H", "hypothesis", target=task)
    quick.branch_create(name="what-if", **{"from": f"task/{task}"})
    card(quick, "only-there", "hypothesis", branch="what-if", graph_doc=f"{task}-graph", trace_doc=f"{task}-trace")

    read = quick.think_context(target=task, branch="what-if")

    assert (read["branch"], read["graph_doc"]) == ("what-if", f"{task}-graph")
    assert ids(read["cards"]) == ["only-there", "H"]
    assert ids(quick.think_context(target=task)["cards"]) == ["H"]
    assert quick.refused("think_context", target=task, graph_doc="graph").code == "INVALID_INPUT"


def test_without_anything_said_it_is_the_focus_and_without_one_the_branch_checked_out(quick: Mind, task: str):
    card(quick, "on-main", "hypothesis")
    card(quick, "of-task", "hypothesis", target=task)

    for tool, of in (("think_context", "cards"), ("think_query", "cards"), ("think_pack", "candidates")):
        assert ids(getattr(quick, tool)()[of]) == ["on-main"]
    focus(quick, task)
    for tool, of in (("think_context", "cards"), ("think_query", "cards"), ("think_pack", "candidates")):
        assert ids(getattr(quick, tool)()[of]) == ["of-task"]
        named = {"branch": "main"} if tool == "think_context" else {"ref": "main"}
        assert ids(getattr(quick, tool)(**named)[of]) == ["on-main"]
        assert ids(getattr(quick, tool)(target={"id": task, "kind": "task"})[of]) == ["of-task"]


@pytest.mark.parametrize("tool", READS)
def test_what_is_not_there_is_refused_with_one_next_call(quick: Mind, tool: str):
    branch = "branch" if tool == "think_context" else "ref"
    card(quick, "H", "hypothesis")

    for arguments, look in (({"target": "TASK-404"}, "tasks_context"), ({branch: "nowhere"}, "branch_list")):
        error = quick.refused(tool, **arguments)
        assert error.code == "UNKNOWN_ID"
        (suggestion,) = error.details["suggestions"]
        assert suggestion["target"] == look
        assert quick.send(suggestion)["success"]
    if tool != "think_context":
        assert quick.refused(tool, target="TASK-404", ref="main").code == "INVALID_INPUT"


@pytest.mark.parametrize("tool", READS)
def test_a_workspace_without_anything_is_read_as_empty_and_stays_so(quick: Mind, tool: str):
    assert quick.whole(tool)["success"]
    assert quick.head() == 0


@pytest.mark.parametrize("tool", READS)
def test_the_same_call_gives_the_same_answer_to_the_byte_and_writes_nothing(quick: Mind, tool: str):
    _written(quick)
    head = quick.head()

    first, second = (json.dumps(quick.whole(tool, include_drafts=True)["result"]) for _ in range(2))

    assert first == second
    assert quick.head() == head
    assert json.dumps(quick.whole(tool, include_drafts=True, agent_id="somebody-else")["result"]) == first


@pytest.mark.parametrize("tool", READS)
def test_the_smaller_of_two_budgets_counts_and_is_told_of_by_its_name(quick: Mind, tool: str):
    _written(quick)

    cut = quick.whole(tool, max_chars=5_000, context_budget=420)
    assert cut["result"]["budget"]["max_chars"] == 420
    assert cut["result"]["budget"]["used_chars"] <= 420
    assert all("max_chars" not in warning["recovery"] for warning in cut["warnings"])
    assert quick.whole(tool, max_chars=410, context_budget=5_000)["result"]["budget"]["max_chars"] == 410
    assert quick.whole(tool, context_budget=400)["result"]["budget"]["max_chars"] == 400
    assert quick.refused(tool, context_budget=-1).code == "INVALID_INPUT"


@pytest.mark.parametrize("tool", READS)
def test_under_any_budget_something_is_said(quick: Mind, tool: str):
    _written(quick)
    whole = _size(quick.whole(tool)["result"])

    for budget in (12, 30, 60, 120, 250, 500):
        answer = quick.whole(tool, max_chars=budget)
        payload = {name: part for name, part in answer["result"].items() if name != "budget"}
        assert payload
        assert _size(payload) == answer["result"]["budget"]["used_chars"] <= budget
        assert answer["result"]["budget"]["truncated"] == (whole > budget)
        assert ("BUDGET_TRUNCATED" in [warning["code"] for warning in answer["warnings"]]) == (whole > budget)


def _size(payload: object) -> int:
    return len(json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode())


def test_a_frontier_too_long_for_its_budget_keeps_the_newest_of_each_kind(quick: Mind):
    for number in range(5):
        card(quick, f"H{number}", "hypothesis", text="x" * 300)
        card(quick, f"T{number}", "test", text="x" * 300)

    frontier = quick.think_frontier(max_chars=900)["frontier"]

    assert frontier["hypotheses"][0]["id"] == "H4"
    assert frontier["tests"][0]["id"] == "T4"
    assert len(frontier["hypotheses"]) < 5
    assert quick.think_next(max_chars=300)["candidate"]["id"] == "T4"


def test_a_context_too_long_for_its_budget_loses_what_matters_least_first(quick: Mind):
    card(quick, "pinned", "decision", tags=["pinned"], text="x" * 300)
    for number in range(12):
        card(quick, f"U{number}", "update", text="x" * 300)

    read = quick.think_context(max_chars=1_500)

    shown = ids(read["cards"])
    assert read["truncated"]
    assert 1 < len(shown) < 13
    assert shown == ["pinned", *(f"U{number}" for number in range(11, -1, -1))][: len(shown)]


def test_a_frontier_has_five_of_each_kind_and_no_card_twice(quick: Mind):
    for number in range(7):
        card(quick, f"H{number}", "hypothesis")
        card(quick, f"Q{number}", "question")
        card(quick, f"S{number}", "question", tags=["subgoal"])
        card(quick, f"T{number}", "test")
    card(quick, "done", "test", status="done")

    frontier = quick.think_frontier()["frontier"]

    assert {kind: ids(cards) for kind, cards in frontier.items()} == {
        "hypotheses": ["H6", "H5", "H4", "H3", "H2"],
        "questions": ["Q6", "Q5", "Q4", "Q3", "Q2"],
        "subgoals": ["S6", "S5", "S4", "S3", "S2"],
        "tests": ["T6", "T5", "T4", "T3", "T2"],
    }
    narrowed = quick.think_frontier(limit_hypotheses=1, limit_questions=0, limit_subgoals=0, limit_tests=2)["frontier"]
    assert [len(cards) for cards in narrowed.values()] == [1, 0, 0, 2]
    assert ids(quick.think_frontier(limit_subgoals=0)["frontier"]["questions"]) == ["S6", "Q6", "S5", "Q5", "S4"]


def test_the_candidate_is_what_was_changed_last_of_all_that_is_open(quick: Mind):
    assert quick.think_next()["candidate"] is None
    card(quick, "H", "hypothesis")
    card(quick, "T", "test")
    card(quick, "U", "update")
    assert quick.think_next()["candidate"]["id"] == "T"

    quick.think_pin(targets="H")
    assert quick.think_next()["candidate"]["id"] == "H"
    assert quick.think_next(limit_hypotheses=0)["candidate"]["id"] == "T"


def test_a_query_filters_by_all_that_is_asked(mind: Mind):
    card(mind, "H1", "hypothesis", text="Cold caches", tags=["cache", "perf"])
    card(mind, "H2", "hypothesis", status="closed", tags=["cache"])
    card(mind, "T1", "test", title="Warm the CACHE", tags=["perf"])
    card(mind, "axb", "test", tags=["axb"])

    def found(**asked: object) -> list[str]:
        return ids(mind.think_query(**asked)["cards"])

    assert found() == ["axb", "T1", "H2", "H1"]
    assert found(types="hypothesis") == ["H2", "H1"]
    assert found(status="closed") == ["H2"]
    assert found(status=["open", "closed"], types=["test"]) == ["axb", "T1"]
    assert found(tags_any=["cache", "perf"]) == ["T1", "H2", "H1"]
    assert found(tags_all=["PERF", "cache"]) == ["H1"]
    assert found(tags_any="perf", tags_all="cache") == ["H1"]
    assert found(tags_all="v:canon", status="closed") == ["H2"]
    assert found(tags_any="a_b") == []
    assert found(text="cache") == ["T1", "H1"]
    assert found(ids=["H1", "T1", "nothing"]) == ["T1", "H1"]
    assert found(ids="H1", status="closed") == []
    assert mind.refused("think_query", types="idea").code == "INVALID_INPUT"


def test_pages_of_a_query_show_every_card_once_and_never_an_old_state(quick: Mind):
    for number in range(7):
        card(quick, f"U{number}", "update")
    quick.think_set_status(targets="U0", status="closed")

    pages, cursor = [], None
    while True:
        page = quick.think_query(limit=3, cursor=cursor)
        pages.append(page["cards"])
        assert page["pagination"]["count"] == len(page["cards"])
        if not page["pagination"]["has_more"]:
            break
        cursor = page["pagination"]["next_cursor"]

    assert [ids(page) for page in pages] == [["U0", "U6", "U5"], ["U4", "U3", "U2"], ["U1"]]
    assert pages[0][0]["status"] == "closed"
    assert quick.think_query()["pagination"]["limit"] == 50


def test_drafts_asked_for_by_id_are_hidden_and_the_call_that_shows_them_is_named(quick: Mind):
    card(quick, "N", "note")

    answer = quick.whole("think_query", ids=["N"])

    assert answer["result"]["cards"] == []
    (suggestion,) = answer["suggestions"]
    assert ids(quick.send(suggestion)["result"]["cards"]) == ["N"]


def test_a_query_that_looks_at_much_pauses_and_goes_on(quick: Mind, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(query, "MOST_LOOKED_AT", 3)
    for number in range(7):
        card(quick, f"U{number}", "update", title="needle" if number == 0 else "hay")

    answers, cursor = [], None
    while cursor is not None or not answers:
        answers.append(quick.whole("think_query", text="needle", cursor=cursor))
        cursor = answers[-1]["result"]["pagination"].get("next_cursor")

    assert [ids(answer["result"]["cards"]) for answer in answers] == [[], [], ["U0"]]
    assert [warning["code"] for warning in answers[0]["warnings"]] == ["QUERY_PAUSED"]
    assert answers[-1]["warnings"] == []


def test_a_lane_summary_goes_with_drafts_and_counts_what_is_shown(quick: Mind):
    card(quick, "pinned", "decision", tags=["pinned"])
    card(quick, "H", "hypothesis")
    card(quick, "draft", "note")
    nodes(quick, {"op": "node_upsert", "id": "old", "type": "question", "status": "open", "tags": ["lane:agent:x"]})

    for tool in ("think_pack", "think_watch", "context_pack"):
        assert "lane_summary" not in getattr(quick, tool)()
        (shared, agent) = getattr(quick, tool)(all_lanes=True)["lane_summary"]["lanes"]
        assert (shared["lane"], agent["lane"]) == ("shared", "agent:x")
        assert shared["counts"] == {"cards": 3, "drafts": 1, "pinned": 1, "open": 3}
        assert ids(shared["pinned"]) == ["pinned"]
        assert agent["counts"] == {"cards": 1, "drafts": 1, "pinned": 0, "open": 1}
        assert ids(agent["open"]) == ["old"]
        assert "pinned" not in agent
