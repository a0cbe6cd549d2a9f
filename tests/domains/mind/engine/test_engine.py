"""The engine as a whole: order, limits, steps, calls that can be sent, and the same answer for the same slice."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.slices import (
    BRANCH,
    STEP,
    TASK,
    actions_of,
    card,
    engine,
    entry,
    links,
    signals_of,
    subject,
    subjects,
)
from thoughtbox.domains.mind.engine.capsule import capsule
from thoughtbox.domains.mind.engine.findings import SIGNALS
from thoughtbox.domains.mind.engine.wording import texts
from thoughtbox.domains.mind.slice import Card, Link, Place, TraceEntry

IN_STEP = STEP.step_tag or ""


def every_rule() -> tuple[list[Card], list[Link], list[TraceEntry]]:
    """A slice in which every signal fires but the two that exclude others, and every action is suggested."""
    cards = [
        card("H1", "hypothesis", day=90, title="The index is slow"),
        card("H2", "hypothesis", day=91, title="The network is slow"),
        card("T1", "test", day=60, meta={"cmd": "pytest -k slow"}, title="Time the index"),
        card("T2", "test", day=92, title="Ask the users"),
        card("E1", "evidence", "pinned", day=61, title="It took 3 s"),
        card("A", "note", "assumption", day=70, status="refuted", title="Few writes"),
        card("D1", "decision", "pinned", day=80, title="Use a cache"),
        card("D2", "decision", "v:draft", day=95, title="Drop the join"),
        card("Q", "question", day=96, title="Redis vs Memcached"),
        card("N", "note", day=97, title="Too slow for five users"),
    ]
    said = links(
        "T1 supports H1",
        "E1 supports T1",
        "N blocks H1",
        "T2 supports H2",
        "A supports D1",
        "N blocks D1",
        "A supports D2",
    )
    return cards, said, [entry(number, type="note", day=97) for number in range(1, 7)]


# Shape, order, limits


def test_nothing_to_say_is_no_block_at_all():
    assert engine([]) is None
    assert engine([card("N", "note")]) is None
    assert engine(*every_rule(), signals=0, actions=0) is None


def test_the_block_has_its_version_its_lists_and_their_totals():
    found = engine(*every_rule())

    assert found is not None
    assert list(found) == ["version", "signals", "actions", "signals_total", "actions_total", "truncated"]
    assert found["version"] == "v0.5"
    assert (found["signals_total"], found["actions_total"]) == (len(found["signals"]), len(found["actions"]))
    assert found["truncated"] is False
    assert all(list(one) == ["code", "severity", "message", "refs"] for one in found["signals"])
    assert all(list(one) == ["kind", "priority", "title", "why", "refs", "calls"] for one in found["actions"])
    assert all(list(ref) == ["type", "id"] for one in found["signals"] + found["actions"] for ref in one["refs"])


@pytest.mark.parametrize(("signals", "actions"), [(2, 1), (0, 2), (3, 0), (1_000, 1)])
def test_limits_cut_the_lists_and_the_totals_say_so(signals: int, actions: int):
    whole, cut = engine(*every_rule()), engine(*every_rule(), signals=signals, actions=actions)

    assert whole is not None
    assert cut is not None
    assert cut["signals"] == whole["signals"][:signals]
    assert cut["actions"] == whole["actions"][:actions]
    assert (cut["signals_total"], cut["actions_total"]) == (whole["signals_total"], whole["actions_total"])
    assert cut["truncated"] is True


def test_signals_come_by_severity_then_time_then_code_then_message():
    cards = [
        card("H-OLD", "hypothesis", day=1),
        card("H-NEW", "hypothesis", day=2),
        card("H-B", "hypothesis", day=0),
        card("H-A", "hypothesis", day=0),
        card("D", "decision", "pinned", "v:draft", day=5),
        card("S", "note"),
        card("X", "decision", day=9),
    ]

    found = signals_of(engine(cards, links("S supports X")))

    assert [(one["code"], subject(one)) for one in found] == [
        ("BM4_HYPOTHESIS_NO_TEST", "H-NEW"),
        ("BM4_HYPOTHESIS_NO_TEST", "H-OLD"),
        ("BM4_HYPOTHESIS_NO_TEST", "H-A"),
        ("BM4_HYPOTHESIS_NO_TEST", "H-B"),
        ("BM3_DECISION_LOW_CONFIDENCE", "D"),
        ("BM_LANE_DECISION_NOT_PUBLISHED", "D"),
        ("BM10_NO_COUNTER_EDGES", "X"),
    ]


def test_actions_come_by_priority_then_time_then_kind_then_title():
    cards = [
        card("H-OLD", "hypothesis", day=1),
        card("H-NEW", "hypothesis", day=2),
        card("D", "decision", "pinned", "v:draft", day=5, title="This vs that"),
        card("S", "note"),
        card("X", "decision", day=4),
    ]

    found = actions_of(engine(cards, links("S supports X")))

    assert [(one["kind"], subject(one), one["priority"]) for one in found] == [
        ("add_test_stub", "H-NEW", "high"),
        ("add_test_stub", "H-OLD", "high"),
        ("publish_decision", "D", "medium"),
        ("use_playbook", "D", "medium"),
        ("add_counter_hypothesis", "X", "medium"),
        ("use_playbook", "D", "low"),
    ]


def test_labels_in_messages_and_titles_are_cut_to_64_characters():
    found = engine([card("H", "hypothesis", title="ü" * 100)])

    (signal,), (action,) = signals_of(found), actions_of(found)
    for text in (signal["message"], action["title"], action["calls"][0]["params"]["card"]["title"]):
        assert re.findall("ü+…?", text) == ["ü" * 63 + "…"]


def test_refs_are_few_and_the_card_that_is_judged_comes_first():
    notes = [card(f"N{number}", "note", day=number) for number in range(9)]
    found = engine([card("D", "decision"), *notes], links(*(f"{note.id} supports D" for note in notes)))

    (signal,) = signals_of(found)
    assert [ref["id"] for ref in signal["refs"]] == ["D", "N8", "N7", "N6", "N5", "N4"]
    assert {ref["type"] for ref in signal["refs"]} == {"card"}


def test_now_is_the_latest_time_in_the_slice():
    """A trace entry makes evidence stale as a card does; without either, nothing grows old."""
    cards, said = [card("T", "test", meta={"cmd": "x"}), card("E", "evidence")], links("E supports T")

    assert not signals_of(engine(cards, said), "BM8_EVIDENCE_STALE")
    assert signals_of(engine([*cards, card("N", "note", day=31)], said), "BM8_EVIDENCE_STALE")
    assert signals_of(engine(cards, said, [entry(1, day=31)]), "BM8_EVIDENCE_STALE")


@pytest.mark.parametrize("place", [BRANCH, STEP])
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_order_in_which_a_slice_comes_changes_nothing(place: Place, data: st.DataObject):
    types = st.sampled_from(["hypothesis", "test", "evidence", "decision", "question", "note"])
    tags = st.lists(st.sampled_from(["pinned", "v:draft", "counter", "assumption", "ci", IN_STEP]), unique=True)
    ids = ["CARD-1", "CARD-2", "CARD-3", "CARD-PUB-CARD-1", "CARD-PUB-CARD-9", "H"]
    cards = [
        card(
            name,
            data.draw(types),
            *data.draw(tags),
            day=data.draw(st.integers(0, 3)) * 15,
            title=data.draw(st.sampled_from(["Same", "a vs b", None])),
            status=data.draw(st.sampled_from(["open", "closed", "refuted", None])),
            meta=data.draw(st.sampled_from([{}, {"cmd": "run"}, {"link": "x"}])),
        )
        for name in ids
    ]
    ends = st.sampled_from([*ids, "CARD-9"])
    said = data.draw(st.lists(st.tuples(ends, st.sampled_from(["supports", "blocks", "contains"]), ends), unique=True))
    joined = links(*(" ".join(one) for one in said))
    trace = [entry(number, type="note", day=45) for number in range(data.draw(st.integers(0, 8)))]

    first = engine(cards, joined, trace, place)
    again = engine(
        data.draw(st.permutations(cards)),
        data.draw(st.permutations(joined)),
        data.draw(st.permutations(trace)),
        place,
    )

    assert json.dumps(first) == json.dumps(again)
    assert_well_formed(first, place)


# Steps


def test_what_concerns_the_step_comes_first_then_the_rest_and_nothing_twice():
    cards = [
        card("H-ELSE", "hypothesis", day=9),
        card("H-STEP", "hypothesis", IN_STEP, day=1),
        card("D-STEP", "decision", IN_STEP, "v:draft", day=2),
    ]

    found = engine(cards, place=STEP)

    assert found is not None
    assert (found["mode"], found["step_tag"]) == ("step_aware", IN_STEP)
    assert [(one["code"], subject(one)) for one in found["signals"]] == [
        ("BM4_HYPOTHESIS_NO_TEST", "H-STEP"),
        ("BM_LANE_DECISION_NOT_PUBLISHED", "D-STEP"),
        ("BM4_HYPOTHESIS_NO_TEST", "H-ELSE"),
    ]
    assert [(one["kind"], subject(one)) for one in found["actions"]] == [
        ("add_test_stub", "H-STEP"),
        ("publish_decision", "D-STEP"),
        ("add_test_stub", "H-ELSE"),
    ]
    assert (found["signals_total"], found["actions_total"]) == (3, 3)


def test_a_rule_that_names_one_card_names_one_of_the_step_as_well():
    cards = [
        card("D-ELSE", "decision", "pinned", day=9),
        card("D-STEP", "decision", IN_STEP, "pinned", day=1),
    ]

    assert subjects(signals_of(engine(cards, place=STEP))) == ["D-STEP", "D-ELSE"]
    assert subjects(signals_of(engine(cards, place=TASK))) == ["D-ELSE"]


def test_a_card_of_the_step_is_judged_by_all_that_is_said_of_it():
    """A test without the step's tag still tests the step's hypothesis: to deny it would be false."""
    cards = [card("H", "hypothesis", IN_STEP), card("T", "test"), card("E", "evidence")]

    found = engine(cards, links("T supports H", "E supports T"), place=STEP)

    assert [one["code"] for one in signals_of(found)] == ["BM10_NO_COUNTER_EDGES"]


def test_without_a_step_the_block_has_no_mode():
    found = engine([card("H", "hypothesis", IN_STEP)], place=TASK)

    assert found is not None
    assert not {"mode", "step_tag"} & found.keys()


# Calls

WRITES = {"think_card": {"branch", "trace_doc", "graph_doc"}, "think_publish": {"ref", "trace_doc", "graph_doc"}}
ARGUMENTS = {
    "think_card": {"workspace", "target", "step", "branch", "trace_doc", "graph_doc", "card", "supports", "blocks"},
    "think_publish": {"workspace", "target", "ref", "trace_doc", "graph_doc", "card_id", "pin"},
    "think_playbook": {"workspace", "name"},
    "open": {"workspace", "id"},
}
CARD_FIELDS = {"type", "title", "text", "status", "tags"}


def assert_well_formed(block: dict[str, Any] | None, place: Place) -> None:
    for action in actions_of(block):
        assert action["calls"]
        for call in action["calls"]:
            assert_can_be_sent(call, place)


def assert_can_be_sent(call: dict[str, Any], place: Place) -> None:
    tool, params = call["target"], call["params"]
    assert call == {"action": "call_tool", "target": tool, "params": params}
    assert params["workspace"] == place.workspace
    assert params.keys() <= ARGUMENTS[tool]
    if tool in WRITES:
        overrides = params.keys() & WRITES[tool]
        assert overrides == (set() if "target" in params else WRITES[tool])
        assert ("target" in params) is (place.target is not None)
        assert params.get("step") == (place.step if tool == "think_card" else None)
    if tool == "think_card":
        assert params["card"].keys() == CARD_FIELDS
        assert params["card"]["status"] == "open"
        assert all(params["card"][field].strip() for field in ("type", "title", "text"))
        assert params["card"]["type"] != "evidence"


@pytest.mark.parametrize("place", [BRANCH, TASK, STEP])
def test_every_call_says_where_it_lands_by_a_target_or_by_branch_and_docs(place: Place):
    found = engine(*every_rule(), place=place)

    assert_well_formed(found, place)
    tools = {call["target"] for action in actions_of(found) for call in action["calls"]}
    assert tools == set(ARGUMENTS)
    scopes = [
        {name: value for name, value in call["params"].items() if name in {"target", "step", *WRITES["think_card"]}}
        for action in actions_of(found)
        for call in action["calls"]
        if call["target"] == "think_card"
    ]
    expected = {
        BRANCH: {"branch": "main", "trace_doc": "trace", "graph_doc": "graph"},
        TASK: {"target": "TASK-001"},
        STEP: {"target": "TASK-001", "step": "STEP-0000000A"},
    }
    assert scopes == [expected[place]] * len(scopes)


def test_a_decision_is_published_where_it_stands_and_pinned():
    cards = [card("D", "decision", "v:draft")]

    (on_branch,) = actions_of(engine(cards))[0]["calls"]
    (on_task,) = actions_of(engine(cards, place=STEP))[0]["calls"]

    assert on_branch["params"] == {
        "workspace": "acme",
        "ref": "main",
        "graph_doc": "graph",
        "trace_doc": "trace",
        "card_id": "D",
        "pin": True,
    }
    assert on_task["params"] == {"workspace": "acme", "target": "TASK-001", "card_id": "D", "pin": True}


def test_a_step_without_a_target_puts_its_tag_on_the_card():
    place = replace(STEP, target=None)

    (call,) = actions_of(engine([card("H", "hypothesis")], place=place))[0]["calls"]

    assert "step" not in call["params"]
    assert call["params"]["card"]["tags"] == [IN_STEP]


def test_a_toolset_that_shows_a_hidden_tool_is_listed_once_before_its_first():
    tiers = {"think_playbook": "daily", "think_card": "daily", "open": "daily", "think_publish": "full"}
    cards = [card("X", "decision", "v:draft"), card("P", "note"), card("C", "note")]
    said = links("P supports X", "C blocks X")

    def steps(*shown: str, disclosing: Any = tiers.get) -> dict[str, list[str]]:
        place = replace(BRANCH, shown=frozenset(shown), disclosing=disclosing)
        return {
            action["kind"]: [call.get("target") or call["params"]["toolset"] for call in action["calls"]]
            for action in actions_of(engine(cards, said, place=place))
        }

    assert steps() == {
        "resolve_contradiction": ["daily", "think_playbook", "think_card"],
        "publish_decision": ["full", "think_publish"],
    }
    assert steps("think_playbook")["resolve_contradiction"] == ["think_playbook", "daily", "think_card"]
    assert steps(*tiers) == {
        "resolve_contradiction": ["think_playbook", "think_card"],
        "publish_decision": ["think_publish"],
    }
    assert steps(disclosing={}.get)["publish_decision"] == ["think_publish"]
    place = replace(BRANCH, shown=frozenset(), disclosing=tiers.get)
    disclosure = actions_of(engine(cards, place=place), "publish_decision")[0]["calls"][0]
    assert disclosure == {"action": "call_method", "method": "tools/list", "params": {"toolset": "full"}}


# Words


def test_every_code_has_its_words_and_every_text_is_said():
    cards, said, trace = every_rule()
    fresh = engine([card("T", "test", meta={"cmd": "x"}), card("E", "evidence")], links("E supports T"))
    doubted = engine([card("H", "hypothesis"), card("D", "decision")], links("D blocks H"))
    stale = engine(cards, said, trace)
    missing = engine([card("T", "test", meta={"cmd": "x"}), card("U", "hypothesis")])
    blocks = [block for block in (fresh, doubted, stale, missing) if block]

    codes = {one["code"] for block in blocks for one in signals_of(block)}
    suggested = [one for block in blocks for one in actions_of(block)]
    kinds = {one["kind"] for one in suggested}

    assert codes == set(SIGNALS) == set(texts()["signals"])
    for text in texts()["actions"].values():
        said_as = re.compile(re.sub(r"\\{\w+\\}", ".+", re.escape(text["why"])))
        assert any(said_as.fullmatch(one["why"]) for one in suggested), text["why"]
    assert kinds == {
        "run_test",
        "add_test_stub",
        "resolve_contradiction",
        "use_playbook",
        "publish_decision",
        "recheck_assumption",
        "add_counter_hypothesis",
    }


def test_words_of_a_card_are_said_as_they_are():
    (signal,) = signals_of(engine([card("H", "hypothesis", title="{card} {0} %s")]))

    assert "“{card} {0} %s”" in signal["message"]


# The capsule


@pytest.mark.parametrize("kind", ["think_pack_capsule", "watch_capsule", "context_pack_capsule"])
def test_a_capsule_says_where_why_and_what_next(kind: str):
    found = engine(*every_rule(), place=STEP)
    assert found is not None
    docs = {"trace": STEP.trace_doc, "graph": STEP.graph_doc}
    focus = {"step_id": STEP.step, "path": "s:0"}

    made = capsule(kind, STEP, found, docs=docs, lane="shared", step=focus)

    assert made == {
        "type": kind,
        "version": 1,
        "where": {
            "workspace": "acme",
            "branch": "task/TASK-001",
            "docs": docs,
            "lane": {"kind": "shared"},
            "step": focus,
        },
        "why": {"signals": found["signals"][:3]},
        "next": {"primary": found["actions"][0], "backup": found["actions"][1]},
    }


def test_a_capsule_stands_without_an_engine_and_with_a_single_action():
    one = engine([card("H", "hypothesis")])
    assert one is not None

    bare = capsule("watch_capsule", BRANCH, None, docs={}, lane="all", step=None)
    single = capsule("watch_capsule", BRANCH, one, docs={}, lane="all", step=None)

    assert (bare["why"], bare["next"]) == ({"signals": []}, {"primary": None, "backup": None})
    assert (bare["where"]["lane"], bare["where"]["step"]) == ({"kind": "all"}, None)
    assert single["next"] == {"primary": one["actions"][0], "backup": None}
