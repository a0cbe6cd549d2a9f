"""Each signal: when it fires, when it just does not, how many there are at most, and what is suggested."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.slices import (
    BRANCH,
    DAY,
    actions_of,
    card,
    engine,
    entry,
    links,
    signals_of,
    subject,
    subjects,
)
from thoughtbox.domains.mind.slice import Card, Link, TraceEntry

RECEIPTS = {"cmd": "pytest", "link": "x"}


def targets(action: dict[str, Any]) -> list[str]:
    return [call["target"] for call in action["calls"]]


def playbooks(action: dict[str, Any]) -> list[str]:
    return [call["params"]["name"] for call in action["calls"] if call["target"] == "think_playbook"]


# BM1

DISPUTED = links("P supports X", "C blocks X")
SIDES = [card("P", "note"), card("C", "note")]


@pytest.mark.parametrize(
    ("type", "status", "said", "fires"),
    [
        ("hypothesis", "open", DISPUTED, True),
        ("test", "open", DISPUTED, True),
        ("decision", "open", DISPUTED, True),
        ("question", "open", DISPUTED, False),
        ("decision", "accepted", DISPUTED, False),
        ("hypothesis", "open", DISPUTED[:1], False),
        ("hypothesis", "open", DISPUTED[1:], False),
        ("hypothesis", "open", links("X supports P", "X blocks C"), False),
    ],
)
def test_what_is_open_and_both_supported_and_blocked_is_a_contradiction(type, status, said, fires):
    found = engine([card("X", type, status=status), *SIDES], said)

    (signal, *_) = signals_of(found, "BM1_CONTRADICTION_SUPPORTS_BLOCKS") or [None]
    assert (signal is not None) is fires
    assert [one["priority"] for one in actions_of(found, "resolve_contradiction")] == ["high"] * fires
    if signal:
        assert signal["severity"] == "high"
        assert [ref["id"] for ref in signal["refs"]] == ["X", "P", "C"]


def test_a_contradiction_is_settled_by_a_playbook_and_a_question_which_is_asked_once():
    cards = [card("X", "hypothesis", title="Cache"), *SIDES]
    (action,) = actions_of(engine(cards, DISPUTED), "resolve_contradiction")
    question = action["calls"][1]["params"]["card"]
    asked = card("Q", "question", title=question["title"])
    answered = card("Q", "question", title=question["title"], status="closed")

    (again,) = actions_of(engine([*cards, asked], DISPUTED), "resolve_contradiction")
    (anew,) = actions_of(engine([*cards, answered], DISPUTED), "resolve_contradiction")

    assert targets(action) == ["think_playbook", "think_card"]
    assert playbooks(action) == ["contradiction"]
    assert question["type"] == "question"
    assert not {"supports", "blocks"} & action["calls"][1]["params"].keys()
    assert again["calls"][1] == {"action": "call_tool", "target": "open", "params": {"workspace": "acme", "id": "Q"}}
    assert anew == action


# BM2


@pytest.mark.parametrize(
    ("evidence", "decision_tags", "rel", "score"),
    [
        (card("E", "evidence", "pinned"), (), None, 0),
        (card("E", "evidence", "pinned", meta=RECEIPTS), (), None, 50),
        (card("E", "evidence", "pinned", "local", meta=RECEIPTS), (), None, None),
        (card("E", "evidence", meta=RECEIPTS), ("pinned",), "supports", None),
        (card("E", "evidence", "ci", meta={"cmd": "x"}), ("pinned",), "supports", 55),
        (card("E", "evidence"), ("pinned",), "blocks", 10),
        (card("E", "evidence"), (), "supports", None),
        (card("E", "evidence"), ("pinned",), None, None),
    ],
)
def test_evidence_below_60_is_weak_where_it_is_pinned_or_bears_on_a_pinned_decision(
    evidence, decision_tags, rel, score
):
    found = engine([evidence, card("D", "decision", *decision_tags)], links(f"E {rel} D") if rel else [])

    signals = signals_of(found, "BM2_EVIDENCE_WEAK")
    assert [signal["severity"] for signal in signals] == ([] if score is None else ["warning"])
    assert all(f" {score} of 100" in signal["message"] for signal in signals)


def test_the_two_weakest_pieces_of_evidence_are_named_with_what_they_lack():
    cards = [
        card("NONE", "evidence", "pinned"),
        card("LINKED", "evidence", "pinned", meta={"link": "x"}),
        card("BOTH", "evidence", "pinned", meta=RECEIPTS),
    ]

    found = signals_of(engine(cards), "BM2_EVIDENCE_WEAK")

    assert sorted(subjects(found)) == ["LINKED", "NONE"]
    (linked,) = [one["message"] for one in found if subject(one) == "LINKED"]
    assert "CMD:" in linked
    assert "LINK:" not in linked


# BM3


@pytest.mark.parametrize(
    ("cards", "said", "fires"),
    [
        # Nothing for it, nothing against it: 0.5.
        ([card("D", "decision", "pinned")], (), True),
        ([card("D", "decision")], (), False),
        # (1 + 4 x 0.3) / (2 + 4 x 0.3 + 4 x 0.2) = 0.55: on the border.
        (
            [
                card("D", "decision", "pinned"),
                card("A", "evidence", "ci"),
                card("B", "evidence", "local"),
            ],
            ("A supports D", "B blocks D"),
            True,
        ),
        # (1 + 0.75 x 0.5) / (2 + 0.75 x 0.5) = 0.579.
        ([card("D", "decision", "pinned"), card("H", "decision")], ("H supports D",), False),
    ],
)
def test_a_pinned_decision_of_at_most_055_is_of_low_confidence(cards: list[Card], said: tuple[str, ...], fires: bool):
    found = engine(cards, links(*said))

    signals = signals_of(found, "BM3_DECISION_LOW_CONFIDENCE")
    assert [(subject(one), one["severity"]) for one in signals] == [("D", "warning")] * fires
    actions = [one for one in actions_of(found, "use_playbook") if playbooks(one) == ["experiment"]]
    assert [(subject(one), one["priority"]) for one in actions] == [("D", "medium")] * fires


def test_only_the_worst_pinned_decision_is_named():
    cards = [card(f"D{n}", "decision", "pinned", day=n) for n in range(3)] + [card("Q", "question")]

    found = signals_of(engine(cards, links("Q blocks D1")), "BM3_DECISION_LOW_CONFIDENCE")
    equal = signals_of(engine(cards), "BM3_DECISION_LOW_CONFIDENCE")

    assert subjects(found) == ["D1"]
    assert subjects(equal) == ["D2"]


@pytest.mark.parametrize(
    ("others", "said", "status", "fires"),
    [
        # 1 / (2 + 0.25 x 0.5) = 0.47 and 1 / (2 + 0.75 x 0.5) = 0.42.
        ([card("B", "question")], ("B blocks H",), "open", False),
        ([card("B", "hypothesis", status="closed")], ("B blocks H",), "open", True),
        ([card("B", "hypothesis", status="closed")], ("B blocks H",), "accepted", False),
        ([card("B", "hypothesis", status="closed"), card("D", "decision", "pinned")], ("B blocks H",), "open", False),
        ([card("B", "hypothesis", status="closed"), card("D", "decision")], ("B blocks H",), "open", True),
        # (1 + 4 x 0.2) / (2 + 4 x 0.2 + 4 x 0.3) = 0.45: on the border.
        (
            [card("A", "evidence", "local"), card("B", "evidence", "ci")],
            ("A supports H", "B blocks H"),
            "open",
            True,
        ),
        # 5.175 against 6.325 is 0.45 too, which floats alone would miss: 4 x 0.4, 4 x 0.55 and 0.75 x 0.5 for it,
        # 4 x 0.65 twice and 0.25 x 0.5 against it.
        (
            [
                card("A", "evidence", "ci"),
                card("B", "evidence", "ci", meta={"cmd": "x"}),
                card("C", "evidence", "ci", meta={"cmd": "x"}),
                card("E", "evidence", "ci", meta={"cmd": "x"}),
                card("T", "test"),
                card("G", "hypothesis", status="closed"),
                card("N", "note"),
            ],
            (
                *("A supports H", "B supports H", "G supports H", "C blocks H", "E blocks H", "N blocks H"),
                *("A supports T", "C supports T", "E supports T"),
            ),
            "open",
            True,
        ),
    ],
)
def test_without_a_pinned_decision_an_open_hypothesis_of_at_most_045_is_of_low_confidence(
    others: list[Card], said: tuple[str, ...], status: str, fires: bool
):
    found = engine([card("H", "hypothesis", status=status), *others], links(*said))

    signals = signals_of(found, "BM3_HYPOTHESIS_LOW_CONFIDENCE")
    assert [(subject(one), one["severity"]) for one in signals] == [("H", "info")] * fires


# BM4


@pytest.mark.parametrize(
    ("status", "said", "code"),
    [
        ("open", (), "BM4_HYPOTHESIS_NO_TEST"),
        ("accepted", (), "BM4_HYPOTHESIS_NO_TEST"),
        (None, (), "BM4_HYPOTHESIS_NO_TEST"),
        ("closed", (), None),
        ("done", (), None),
        ("resolved", (), None),
        ("open", ("T blocks H",), "BM4_HYPOTHESIS_NO_TEST"),
        ("open", ("E supports H",), "BM4_HYPOTHESIS_NO_TEST"),
        ("open", ("T supports H",), "BM4_HYPOTHESIS_NO_EVIDENCE"),
        ("open", ("T supports H", "E blocks T"), "BM4_HYPOTHESIS_NO_EVIDENCE"),
        ("open", ("T supports H", "E supports T"), None),
        ("open", ("T supports H", "E supports H"), None),
    ],
)
def test_a_hypothesis_wants_a_test_and_its_test_evidence(status: str | None, said: tuple[str, ...], code: str | None):
    cards = [card("H", "hypothesis", status=status), card("T", "test"), card("E", "evidence")]

    found = engine(cards, links(*said))

    severities = {"BM4_HYPOTHESIS_NO_TEST": "high", "BM4_HYPOTHESIS_NO_EVIDENCE": "warning"}
    bm4 = [(one["code"], one["severity"]) for one in signals_of(found) if one["code"].startswith("BM4")]
    assert bm4 == ([(code, severities[code])] if code else [])
    stubs = actions_of(found, "add_test_stub")
    assert [one["priority"] for one in stubs] == ["high"] * (code == "BM4_HYPOTHESIS_NO_TEST")


def test_the_suggested_test_is_a_stub_that_supports_the_hypothesis_and_cannot_be_run_yet():
    hypothesis = card("H", "hypothesis", title="Slow index")
    (action,) = actions_of(engine([hypothesis]), "add_test_stub")
    (call,) = action["calls"]
    written = call["params"]["card"]
    stub = card("T", written["type"], title=written["title"], text=written["text"])

    after = engine([hypothesis, stub], links("T supports H"))

    assert (written["type"], call["params"]["supports"]) == ("test", ["H"])
    assert [one["code"] for one in signals_of(after)] == ["BM4_HYPOTHESIS_NO_EVIDENCE", "BM10_NO_COUNTER_EDGES"]
    assert not actions_of(after, "run_test")


# BM5, BM8


def runnable(*, day: float, evidence: float | None, **meta: Any) -> tuple[list[Card], list[Link]]:
    """A runnable test with evidence of that day, and something written on day 40."""
    cards = [card("T", "test", day=day, meta={"cmd": "pytest", **meta}), card("N", "note", day=40)]
    if evidence is None:
        return cards, []
    return [*cards, card("E", "evidence", day=evidence)], links("E supports T")


@pytest.mark.parametrize(
    ("evidence", "meta", "code", "priority"),
    [
        (None, {}, None, "high"),
        (10, {}, "BM5_RUNNABLE_TESTS_FRESH", None),
        (10 - 1 / DAY, {}, "BM8_EVIDENCE_STALE", "medium"),
        (40, {"stale_after_ms": 0}, "BM5_RUNNABLE_TESTS_FRESH", None),
        (40 - 1 / DAY, {"stale_after_ms": 0}, "BM8_EVIDENCE_STALE", "medium"),
        (0, {"stale_after_days": 40}, "BM5_RUNNABLE_TESTS_FRESH", None),
        (0, {"stale_after_days": 39}, "BM8_EVIDENCE_STALE", "medium"),
    ],
)
def test_a_runnable_test_is_run_when_it_has_no_evidence_or_only_stale_one(evidence, meta, code, priority):
    cards, said = runnable(day=0, evidence=evidence, **meta)

    found = engine(cards, said)

    severities = {"BM5_RUNNABLE_TESTS_FRESH": "info", "BM8_EVIDENCE_STALE": "warning"}
    assert [(one["code"], one["severity"]) for one in signals_of(found)] == ([(code, severities[code])] if code else [])
    assert [one["priority"] for one in actions_of(found, "run_test")] == ([priority] if priority else [])


@pytest.mark.parametrize(
    "test",
    [
        card("T", "test", meta={"cmd": "pytest"}, status="closed"),
        card("T", "test", meta={"cmd": "<fill in>"}),
        card("T", "test", text="Ask three users"),
        card("T", "question", meta={"cmd": "pytest"}),
    ],
)
def test_a_closed_test_and_one_without_a_command_cannot_be_run(test: Card):
    assert engine([test]) is None


def test_the_test_to_run_is_one_without_evidence_then_a_stale_one_and_the_newest_of_them():
    def tests(**kinds: str) -> tuple[list[Card], list[Link]]:
        cards = [card("NOW", "note", day=100)]
        said = []
        for number, (name, kind) in enumerate(kinds.items()):
            cards.append(card(name, "test", day=number, meta={"cmd": "pytest"}))
            if kind != "missing":
                cards.append(card(f"{name}-E", "evidence", day=50 if kind == "stale" else 99))
                said += links(f"{name}-E supports {name}")
        return cards, said

    def chosen(**kinds: str) -> str:
        (action,) = actions_of(engine(*tests(**kinds)), "run_test")
        return subject(action)

    assert chosen(A="missing", B="missing", C="stale", D="fresh") == "B"
    assert chosen(A="stale", B="stale", C="fresh") == "B"
    assert subjects(signals_of(engine(*tests(A="missing", B="stale")), "BM8_EVIDENCE_STALE")) == []
    (fresh,) = signals_of(engine(*tests(A="fresh", B="fresh")), "BM5_RUNNABLE_TESTS_FRESH")
    assert subject(fresh) == "B"
    assert ": 2," in fresh["message"]


def test_a_run_that_failed_is_evidence_too():
    cards, _ = runnable(day=0, evidence=40)

    found = engine(cards, links("E blocks T"))

    assert [one["code"] for one in signals_of(found)] == ["BM5_RUNNABLE_TESTS_FRESH"]


def test_a_test_to_run_names_its_command_and_suggests_nothing_that_would_pass_for_a_result():
    long = card("T", "test", meta={"cmd": "x" * 300})
    (action,) = actions_of(engine([card("T", "test", meta={"cmd": "pytest -q tests/a.py"})]), "run_test")
    (cut,) = actions_of(engine([long]), "run_test")

    assert ": pytest -q tests/a.py – " in action["why"]
    assert "x" * 199 + "…" in cut["why"]
    assert "x" * 200 not in cut["why"]
    assert action["calls"] == [
        {"action": "call_tool", "target": "open", "params": {"workspace": BRANCH.workspace, "id": "T"}}
    ]


# BM6


@pytest.mark.parametrize(
    ("assumption", "rests", "rel", "fires"),
    [
        (card("A", "note", "assumption", status="refuted"), card("D", "decision"), "supports", True),
        (card("A", "note", "assumption", status="refuted"), card("D", "hypothesis"), "supports", True),
        (card("A", "note", "assumption", status="refuted"), card("D", "question"), "supports", False),
        (card("A", "note", "assumption", status="refuted"), card("D", "decision"), "blocks", False),
        (card("A", "note", "assumption", status="open"), card("D", "decision"), "supports", False),
        (card("A", "note", "assumption", status=None), card("D", "decision"), "supports", False),
        (card("A", "note", status="refuted"), card("D", "decision"), "supports", False),
        (
            card("A", "note", "assumption", status="refuted"),
            card("D", "decision", status="accepted"),
            "supports",
            False,
        ),
        (
            card("A", "note", "assumption", status="refuted"),
            card("D", "decision", "pinned", status="accepted"),
            "supports",
            True,
        ),
    ],
)
def test_an_assumption_that_is_not_open_while_something_rests_on_it_is_checked_again(assumption, rests, rel, fires):
    found = engine([assumption, rests], links(f"A {rel} D"))

    signals = signals_of(found, "BM6_ASSUMPTION_NOT_OPEN_BUT_USED")
    assert [one["severity"] for one in signals] == ["warning"] * fires
    assert all([ref["id"] for ref in one["refs"]] == ["A", "D"] and "“refuted”" in one["message"] for one in signals)
    actions = actions_of(found, "recheck_assumption")
    assert [(one["priority"], targets(one)) for one in actions] == [("medium", ["think_card"])] * fires


def test_only_the_newest_such_assumption_is_named():
    cards = [card(f"A{n}", "note", "assumption", status="refuted", day=n) for n in range(3)] + [card("D", "decision")]

    found = engine(cards, links("A0 supports D", "A1 supports D"))

    assert subjects(signals_of(found, "BM6_ASSUMPTION_NOT_OPEN_BUT_USED")) == ["A1"]
    assert subjects(actions_of(found, "recheck_assumption")) == ["A1"]


# BM9


@pytest.mark.parametrize(
    ("type", "status", "title", "text", "fires"),
    [
        ("question", "open", "Kafka vs NATS", None, True),
        ("question", "open", "Kafka vs. NATS", None, True),
        ("decision", "open", None, "one versus the other", True),
        ("question", "open", "The TRADEOFF", None, True),
        ("question", "open", "trade-offs", None, True),
        ("question", "open", "Run an A/B test", None, True),
        ("question", "open", "Where is data/backup?", None, False),
        ("question", "open", "canvas", None, False),
        ("question", "closed", "Kafka vs NATS", None, False),
        ("hypothesis", "closed", "Kafka vs NATS", None, False),
    ],
)
def test_an_open_question_or_decision_that_weighs_two_things_gets_a_matrix(type, status, title, text, fires):
    found = engine([card("Q", type, title=title, text=text, status=status)])

    assert [(one["priority"], playbooks(one)) for one in actions_of(found, "use_playbook")] == [
        ("low", ["criteria_matrix"])
    ] * fires
    assert not signals_of(found)


def test_only_the_newest_weighing_is_named():
    cards = [card(f"Q{n}", "question", title="a vs b", day=n) for n in range(3)]

    assert subjects(actions_of(engine(cards))) == ["Q2"]


# BM10


def written(*types: str) -> list[TraceEntry]:
    return [entry(number, type=type) for number, type in enumerate(types, 1)]


@pytest.mark.parametrize(
    ("trace", "fires"),
    [
        (written(*["hypothesis"] * 6), True),
        (written(*["hypothesis"] * 5), False),
        (written(*["note"] * 6, "evidence"), False),
        (written(*["note"] * 6, "decision"), False),
        ([*written(*["note"] * 6), entry(7, event="evidence_captured")], False),
        ([*written(*["note"] * 6), entry(7, event="step_done")], True),
        ([*written(*["note"] * 5), entry(6)], False),
        # What is older than the last twelve does not count, for or against.
        (written("evidence", *["note"] * 12), True),
        (written("evidence", *["note"] * 11), False),
        ([*written(*["note"] * 6), *(entry(number) for number in range(7, 14))], False),
        ([*written(*["note"] * 6), *(entry(number) for number in range(7, 13))], True),
    ],
)
def test_six_cards_of_the_last_twelve_entries_without_evidence_or_decision_are_being_stuck(trace, fires):
    found = engine([], trace=trace)

    signals = signals_of(found, "BM10_STUCK_NO_EVIDENCE")
    assert [one["severity"] for one in signals] == ["warning"] * fires
    actions = actions_of(found, "use_playbook")
    assert [(one["priority"], playbooks(one)) for one in actions] == [("medium", ["debug", "breakthrough"])] * fires
    newest = max((one.seq for one in trace if one.format == "think_card"), default=0)
    assert [one["refs"] for one in signals] == [[{"type": "doc_entry", "id": f"trace@{newest}"}]] * fires


@pytest.mark.parametrize(
    ("claim", "said", "fires"),
    [
        (card("X", "hypothesis", "h"), ("S supports X",), True),
        (card("X", "decision", status="accepted"), ("S supports X",), True),
        (card("X", "decision", status="closed"), ("S supports X",), False),
        (card("X", "test"), ("S supports X",), False),
        (card("X", "decision"), (), False),
        (card("X", "decision"), ("S supports X", "B blocks X"), False),
        (card("X", "decision"), ("B blocks X",), False),
        (card("X", "hypothesis", "counter"), ("S supports X",), False),
    ],
)
def test_what_is_supported_and_never_blocked_gets_a_counter_hypothesis(claim: Card, said: tuple[str, ...], fires: bool):
    found = engine([claim, card("S", "note"), card("B", "note")], links(*said))

    signals = signals_of(found, "BM10_NO_COUNTER_EDGES")
    assert [(subject(one), one["severity"]) for one in signals] == [("X", "info")] * fires
    actions = actions_of(found, "add_counter_hypothesis")
    assert [one["priority"] for one in actions] == ["medium"] * fires
    for action in actions:
        (call,) = action["calls"]
        assert (call["params"]["card"]["type"], call["params"]["card"]["tags"]) == ("hypothesis", ["counter"])
        assert call["params"]["blocks"] == ["X"]


def test_the_most_supported_one_gets_the_counter_and_of_equals_the_newest():
    cards = [card(name, "decision", day=day) for day, name in enumerate("ABC")] + [card("S", "note"), card("R", "note")]

    most = engine(cards, links("S supports A", "R supports A", "S supports C"))
    equal = engine(cards, links("S supports A", "S supports B"))

    assert subjects(signals_of(most, "BM10_NO_COUNTER_EDGES")) == ["A"]
    assert subjects(signals_of(equal, "BM10_NO_COUNTER_EDGES")) == ["B"]


# BM_LANE


@pytest.mark.parametrize(
    ("decision", "fires"),
    [
        (card("D", "decision", "v:draft", day=86), True),
        (card("D", "decision", "lane:agent:a1", day=86), True),
        (card("D", "decision", "v:draft", day=86 - 1 / DAY), False),
        (card("D", "decision", "v:draft", "pinned", day=1), True),
        (card("D", "decision", "v:canon", day=100), False),
        (card("D", "note", "v:draft", day=100), False),
        (card("CARD-PUB-D", "decision", "v:draft", day=100), False),
    ],
)
def test_a_recent_or_pinned_draft_of_a_decision_is_published(decision: Card, fires: bool):
    found = engine([decision, card("NOW", "note", day=100)])

    signals = signals_of(found, "BM_LANE_DECISION_NOT_PUBLISHED")
    assert [(subject(one), one["severity"]) for one in signals] == [("D", "warning")] * fires
    actions = actions_of(found, "publish_decision")
    assert [(one["priority"], targets(one)) for one in actions] == [("medium", ["think_publish"])] * fires


def test_a_draft_whose_published_copy_is_in_the_slice_is_left_alone():
    draft, copy = card("D", "decision", "v:draft"), card("CARD-PUB-D", "decision", "v:canon")

    assert signals_of(engine([draft]), "BM_LANE_DECISION_NOT_PUBLISHED")
    assert engine([draft, copy], links("CARD-PUB-D supports D")) is None


# Caps

CAPS = [
    ("BM1_CONTRADICTION_SUPPORTS_BLOCKS", "resolve_contradiction", "decision", (), 10),
    ("BM4_HYPOTHESIS_NO_TEST", "add_test_stub", "hypothesis", (), 12),
    ("BM_LANE_DECISION_NOT_PUBLISHED", "publish_decision", "decision", ("v:draft",), 8),
]


@pytest.mark.parametrize(("code", "kind", "type", "tags", "most"), CAPS)
def test_of_many_only_the_newest_are_named(code: str, kind: str, type: str, tags: tuple[str, ...], most: int):
    cards = [card(f"X{n:02}", type, *tags, day=n / 100) for n in range(most + 3)]
    said = [f"{side} X{n:02}" for n in range(most + 3) for side in ("P supports", "C blocks")]

    found = engine([*cards, *SIDES], links(*said) if code.startswith("BM1_") else [])

    newest = [one.id for one in reversed(cards)][:most]
    assert subjects(signals_of(found, code)) == newest
    assert subjects(actions_of(found, kind)) == newest


def test_missing_evidence_is_looked_for_among_the_same_twelve_hypotheses():
    cards = [card(f"H{n:02}", "hypothesis", day=n) for n in range(13)] + [card("T", "test")]

    found = engine(cards, links("T supports H00", "T supports H12"))

    assert subjects(signals_of(found, "BM4_HYPOTHESIS_NO_EVIDENCE")) == ["H12"]
    assert len(signals_of(found, "BM4_HYPOTHESIS_NO_TEST")) == 11
