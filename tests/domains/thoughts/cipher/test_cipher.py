"""The cipher: every text is read without loss, and every step becomes a record that the ledger takes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.forks import PATIENCE
from thoughtbox import content
from thoughtbox.domains.thoughts.cipher.meaning import (
    MOST_NOTES,
    MOST_REFERENCED,
    Meaning,
    Resolve,
    Target,
    meaning,
    plan_steps,
    prose_meaning,
)
from thoughtbox.domains.thoughts.cipher.notation import (
    CONFIDENCE,
    MARKERS,
    OPERATORS,
    Operator,
    Plain,
    Reference,
    Step,
    parse,
    thoughts_in,
    write,
)
from thoughtbox.ledger.record import AUTHORED, KINDS, RELATIONS, check_attrs

PAGE = Path(__file__).parents[4] / "docs" / "cipher.md"

SCRAPS = [
    *("S1|", "S2 | ", "7|", "S0|", "s3|", "|", "||", "H|", "E|", "C|", "Q|", "R|", "P|", "O|", "A|", "X|", "K|"),
    *("S1", "S2", "S12", "[S1]", "[S3-S1]", "[S1, S2]", "[H1]", "[Q2]", "[S1-S999999]", "[", "]", "-", ","),
    *("^", "+", "×", *OPERATORS, "(!)", "(?)", "(~)", "(p=0.7)", "(p=7)", "1. ", "2. ", "3) ", "version ", "why"),
    *(" ", "\t", "\n", "\r\n", "\r", "\u2028", "\x0b"),
]
ANY_TEXT = st.text(st.characters())
NEARLY_CIPHER = st.lists(st.sampled_from(SCRAPS), max_size=40).map("".join)
TEXTS = st.one_of(ANY_TEXT, NEARLY_CIPHER)
NUMBERS = st.integers(1, 10**15 - 1)


def step_of(line: str) -> Step:
    (step,) = parse(line).lines
    assert isinstance(step, Step), step
    return step


def plain_of(line: str) -> Plain:
    (plain,) = parse(line).lines
    assert isinstance(plain, Plain), plain
    return plain


def all_are(kind: str) -> Resolve:
    return lambda number, line: Target(f"th:{number}", kind)


def none(number: int, line: str | None) -> Target | None:
    return None


def known(**kinds: str) -> Resolve:
    """`known(S1="claim")`: there is a thought 1, and no other."""
    return lambda number, line: Target(f"th:{number}", kinds[f"S{number}"]) if f"S{number}" in kinds else None


def relations(meant: Meaning) -> list[tuple[str, str]]:
    return [(relation["type"], relation["to"]) for relation in meant.attrs.get("relations", [])]


# Reading and writing


@given(TEXTS)
def test_any_text_is_read_line_by_line_and_nothing_of_it_is_lost(text: str):
    cipher = parse(text)

    assert cipher.text == text
    assert [line.source for line in cipher.lines] == re.findall(r"[^\n]*\n|[^\n]+", text)


@given(TEXTS)
def test_reading_what_was_read_gives_the_same_again(text: str):
    assert parse(parse(text).text) == parse(text)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_line_endings_belong_to_the_line_and_not_to_the_content(end: str):
    first, second = parse(f"S1|O|Pages are slow\r\n\tS2 | H |S1| Cold cache {end}").steps

    assert (first.content, first.end) == ("Pages are slow", "\r\n")
    assert (second.content, second.end) == ("Cold cache", end)
    assert write(second) == f"\tS2 | H |S1| Cold cache {end}"


@pytest.mark.parametrize(
    ("line", "number", "marker", "cited", "text"),
    [
        ("12|H|S1|Cold cache", 12, "H", [1], "Cold cache"),
        ("S12|H|S1|Cold cache", 12, "H", [1], "Cold cache"),
        ("S12|H||Cold cache", 12, "H", [], "Cold cache"),
        ("S12|H| |Cold cache", 12, "H", [], "Cold cache"),
        ("S12|H|Cold cache", 12, "H", [], "Cold cache"),
        ("  S12 |\tH | S1 | Cold cache  ", 12, "H", [1], "Cold cache"),
        ("S012|H|Cold cache", 12, "H", [], "Cold cache"),
        ("S3|O|grep a | sort | uniq", 3, "O", [], "grep a | sort | uniq"),
        ("S3|O|S1|grep a | sort", 3, "O", [1], "grep a | sort"),
        ("S3|O||S1|is full", 3, "O", [], "S1|is full"),
        ("S3|O|S1 is full|really", 3, "O", [], "S1 is full|really"),
        ("S3|O|2|is not a reference", 3, "O", [], "2|is not a reference"),
        ("S5|X|S4", 5, "X", [4], ""),
        ("S5|X|S4|", 5, "X", [4], ""),
        ("S5|O|S4 is full", 5, "O", [], "S4 is full"),
        ("S5|O|", 5, "O", [], ""),
        ("S5|O||", 5, "O", [], ""),
        ("S5|O|||", 5, "O", [], "|"),
    ],
)
def test_a_third_field_of_nothing_but_references_is_references(
    line: str, number: int, marker: str, cited: list[int], text: str
):
    step = step_of(line)

    assert (step.number, step.marker, step.content) == (number, marker, text)
    assert [n for reference in step.cited for n in reference] == cited
    assert write(step) == line


@pytest.mark.parametrize(
    ("field", "references"),
    [
        ("S1", [Reference(1, 1)]),
        ("[S1]", [Reference(1, 1)]),
        ("[ S1 ]", [Reference(1, 1)]),
        ("^S12", [Reference(12, 12, "^")]),
        ("^[S12]", [Reference(12, 12, "^")]),
        ("+[S1]", [Reference(1, 1, "+")]),
        ("×[S1]", [Reference(1, 1, "×")]),
        ("⊖ S1", [Reference(1, 1, "⊖")]),
        ("S1,S2,S3", [Reference(1, 1), Reference(2, 2), Reference(3, 3)]),
        ("S1, S2", [Reference(1, 1), Reference(2, 2)]),
        ("S1 S2,", [Reference(1, 1), Reference(2, 2)]),
        ("[S1][S2]", [Reference(1, 1), Reference(2, 2)]),
        ("S1-S3", [Reference(1, 3)]),
        ("[S1-S3]", [Reference(1, 3)]),
        ("[S1 – 3]", [Reference(1, 3)]),
        ("[S3-S1]", [Reference(1, 3)]),
        ("[S1-S1000000]", [Reference(1, 1_000_000)]),
        ("⊕[S1, S4-S6]", [Reference(1, 1, "⊕"), Reference(4, 6, "⊕")]),
        ("^S1,S2", [Reference(1, 1, "^"), Reference(2, 2)]),
        ("S1,^[S2] +[S4-S5]×[S6]", [Reference(1, 1), Reference(2, 2, "^"), Reference(4, 5, "+"), Reference(6, 6, "×")]),
        ("[H1]", [Reference(1, 1, marker="H")]),
        ("[Q2-Q4]", [Reference(2, 4, marker="Q")]),
    ],
)
def test_references_are_single_listed_ranged_and_signed(field: str, references: list[Reference]):
    step = step_of(f"S20|E|{field}|It is so")

    assert list(step.cited) == references
    assert step.notes == ()


@pytest.mark.parametrize(
    "field",
    ["S1;S2", "S1 and S2", "S1x", "S1-", "[S1", "[S1 is full]", "[S1-H2]", "S1S2", "S1,,S2", "S1234567890123456"],
)
def test_a_field_that_only_begins_like_references_is_content_and_says_so(field: str):
    step = step_of(f"S20|E|{field}|It is so")

    assert step.cited == ()
    assert step.content == f"{field}|It is so"
    assert step.notes == (f"`{field}` is not a list of references and is kept as content.",)


@pytest.mark.parametrize("field", ["H1", "1", "s1", "+ [S1]", "S", "A4, A5"])
def test_what_could_be_prose_is_no_reference(field: str):
    assert step_of(f"S20|E|{field}|It is so").cited == ()


def test_content_that_begins_with_a_bare_number_needs_no_note():
    assert step_of("S20|O|S3 is full").notes == ()


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("as [S1] says", [Reference(1, 1)]),
        ("unlike ^[S1]", [Reference(1, 1, "^")]),
        ("see [S1-S3].", [Reference(1, 3)]),
        ("⊕[S1] and ⊖ [S2,S3]", [Reference(1, 1, "⊕"), Reference(2, 2, "⊖"), Reference(3, 3, "⊖")]),
        ("so →[S1] ←[S2] ∵ [S3]", [Reference(1, 1, "→"), Reference(2, 2, "←"), Reference(3, 3, "∵")]),
        ("more +[S1], less ×[S2]", [Reference(1, 1, "+"), Reference(2, 2, "×")]),
        ("[S1] + [S2]", [Reference(1, 1), Reference(2, 2)]),
        ("¬[S1] ∧ [S2]", [Reference(1, 1), Reference(2, 2)]),
        ("if [H1] holds", [Reference(1, 1, marker="H")]),
        ("[[S1]]", [Reference(1, 1)]),
        ("S1 and S2 in a sentence", []),
        ("a[1], [S], [S1 is full], [S1, or so], [see S1], [S1", []),
    ],
)
def test_in_content_only_brackets_are_references(text: str, references: list[Reference]):
    assert list(step_of(f"S20|E||{text}").mentioned) == references


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("S3|K|It is so", "`K` is not a marker"),
        ("S3|h|It is so", "`h` is not a marker"),
        ("3|k|It is so", "`k` is not a marker"),
        ("S3||It is so", "`` is not a marker"),
        ("S3|" + "It is so and so" * 9, "`It is so and soIt is…` is not a marker"),
        ("S3|H", "it ends behind its marker. Write S3|H|content."),
        ("3|H\r\n", "it ends behind its marker"),
        ("S0|H|It is so", "`S0` is not the number of a thought"),
        ("s3|H|It is so", "`s3` is not the number of a thought"),
        ("S1234567890123456|H|It is so", "is not the number of a thought"),
    ],
)
def test_a_line_that_only_looks_like_cipher_is_text_and_says_why(line: str, says: str):
    why = plain_of(line).why

    assert why is not None
    assert says in why
    assert parse(f"Now:\n{line}").notes == [f"Line 2 is kept as text: {why}"]


@pytest.mark.parametrize(
    "line",
    ["The cache is cold.", "S3 is full", "3 | Alice | 30", "| 3 | H |", "3|4 of us", "- S1|H|so", "S|H|so", "[S1]"],
)
def test_prose_is_text_and_needs_no_reason(line: str):
    assert parse(line).lines == (Plain(line),)


# Operators, confidence, plans


@pytest.mark.parametrize("symbol", OPERATORS)
def test_every_operator_is_recognised_with_its_place_and_meaning(symbol: str):
    (operator,) = step_of(f"S1|H| cold {symbol} slow").operators

    assert operator == Operator(symbol, 5)
    assert operator.meaning == OPERATORS[symbol]


def test_signs_that_are_common_in_prose_are_no_operators():
    assert step_of("S1|Q|Is a > b, or a < b? Really!").operators == ()


@pytest.mark.parametrize(
    ("text", "statement", "confidence"),
    [
        ("It is cold (!)", "It is cold", CONFIDENCE["(!)"]),
        ("It is cold (~)", "It is cold", CONFIDENCE["(~)"]),
        ("(?) It is cold", "It is cold", CONFIDENCE["(?)"]),
        ("It is cold (p=0.7)", "It is cold", 0.7),
        ("(p = .25) It is cold", "It is cold", 0.25),
        ("It is cold (p=1)", "It is cold", 1.0),
        ("It is cold (p=0)", "It is cold", 0.0),
        ("(?) It is cold (!)", "(?) It is cold", CONFIDENCE["(!)"]),
        ("It (!) is cold", "It (!) is cold", None),
        ("It is cold!", "It is cold!", None),
        ("(!)", "", CONFIDENCE["(!)"]),
    ],
)
def test_confidence_stands_at_the_end_or_at_the_start(text: str, statement: str, confidence: float | None):
    step = step_of(f"S1|H||{text}")

    assert (step.content, step.statement, step.confidence) == (text, statement, confidence)
    assert meaning(step, none).confidence == confidence


@pytest.mark.parametrize("written", ["(p=1.7)", "(p=-1)", "(p=70%)", "(p=nan)", "(p=high)", "(p=1e-1)", "(p=٠)"])
def test_a_probability_that_is_none_is_text_and_says_so(written: str):
    meant = meaning(step_of(f"S1|H||It is cold {written}"), none)

    assert meant.confidence is None
    assert meant.notes == [f"`{written}` is kept as text: p is a number from 0 to 1."]


def test_confidence_grows_from_doubt_to_certainty():
    assert 0 < CONFIDENCE["(?)"] < CONFIDENCE["(~)"] < CONFIDENCE["(!)"] < 1


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. Create migration 2. Apply to staging 3. Verify", ["Create migration", "Apply to staging", "Verify"]),
        ("1) Create 2) Apply", ["Create", "Apply"]),
        ("Roll out: 1. Create 2. Apply", ["Create", "Apply"]),
        ("1. Create", ["Create"]),
        ("Create and apply", ["Create and apply"]),
        ("Move to version 2. It is faster", ["Move to version 2. It is faster"]),
        ("Read section 1. It is short", ["Read section 1. It is short"]),
        ("1. Move to version 5. It is faster 2. Test", ["Move to version 5. It is faster", "Test"]),
        ("1. Move to version 2. It is faster 2. Test", ["Move to version 2. It is faster", "Test"]),
        ("1. Ask 2. Move to version 2. It is faster 3. Test", ["Ask", "Move to version 2. It is faster", "Test"]),
        ("1. Go to phase 2. It is short 3. End 2. Not", ["Go to phase", "It is short", "End 2. Not"]),
        ("1. Finish phase 2. Begin the next", ["Finish phase", "Begin the next"]),
        ("1. Give it 2.5 GB 3. No third without a second", ["Give it 2.5 GB 3. No third without a second"]),
        ("1. Create (see 2) 2. Apply", ["Create (see 2)", "Apply"]),
        ("2. Apply 1. Create", ["2. Apply 1. Create"]),
        ("1. 2. Apply", ["Apply"]),
        ("1. 2.", ["1. 2."]),
        ("", []),
    ],
)
def test_a_plan_is_split_at_numbers_that_ascend_from_one(text: str, steps: list[str]):
    assert plan_steps(text) == steps
    assert meaning(step_of(f"S1|P||{text}"), none).attrs == {"steps": steps}


def test_confidence_is_no_part_of_a_plans_last_step():
    assert meaning(step_of("S1|P|1. Create 2. Apply (!)"), none).attrs["steps"] == ["Create", "Apply"]


# Meaning


def test_the_example_chain_of_the_document_becomes_seven_linked_records():
    chain = [
        "S1|O|User reports slow page loads",
        "S2|H|S1|Database queries causing latency",
        "S3|E|S2|Query logs show 2s avg response",
        "S4|H|S3|Missing index on users.email",
        "S5|E|S4|EXPLAIN shows full table scan",
        "S6|C|S4,S5|∴ Add index on users.email",
        "S7|P|S6|1. Create migration 2. Apply to staging 3. Verify 4. Deploy",
    ]
    kinds: dict[str, str] = {}
    meant: list[Meaning] = []
    for number, line in enumerate(chain, 1):
        meant.append(meaning(step_of(line), known(**kinds)))
        kinds[f"S{number}"] = meant[-1].kind

    assert [(each.kind, relations(each)) for each in meant] == [
        ("observation", []),
        ("claim", [("derived_from", "th:1")]),
        ("evidence", [("supports", "th:2")]),
        ("claim", [("derived_from", "th:3")]),
        ("evidence", [("supports", "th:4")]),
        ("decision", [("derived_from", "th:4"), ("derived_from", "th:5")]),
        ("plan", [("derived_from", "th:6")]),
    ]
    assert meant[6].attrs["steps"] == ["Create migration", "Apply to staging", "Verify", "Deploy"]
    assert [each.notes for each in meant] == [[]] * 7


@pytest.mark.parametrize(
    ("line", "kind", "labels", "relation"),
    [
        ("S9|H|S1|The cache is cold", "claim", ["hypothesis"], "derived_from"),
        ("S9|E|S1|Hits are at 3 %", "evidence", [], "supports"),
        ("S9|C|S1|The cache is cold", "claim", ["conclusion"], "derived_from"),
        ("S9|C|S1|∴ Warm the cache", "decision", ["conclusion"], "derived_from"),
        ("S9|C|S1|(!) ∴ Warm the cache", "decision", ["conclusion"], "derived_from"),
        ("S9|Q|S1|Is the cache cold?", "question", [], "relates_to"),
        ("S9|R|S1|The disk is slow", "revision", ["revision"], "revises"),
        ("S9|P|S1|Warm the cache", "plan", [], "derived_from"),
        ("S9|O|S1|Pages are slow", "observation", [], "relates_to"),
        ("S9|A|S1|The cache is shared", "claim", ["assumption"], "relates_to"),
        ("S9|X|S1|The cache is warm", "revision", ["rejected"], "contradicts"),
    ],
)
def test_every_marker_has_its_kind_its_label_and_its_relation(line: str, kind: str, labels: list[str], relation: str):
    meant = meaning(step_of(line), all_are("claim"))

    assert (meant.kind, meant.labels, relations(meant)) == (kind, labels, [(relation, "th:1")])
    assert meant.notes == []


@pytest.mark.parametrize(("marker", "answers"), [(marker, marker in "ECO") for marker in MARKERS])
def test_evidence_conclusions_and_observations_answer_a_question(marker: str, answers: bool):
    meant = meaning(step_of(f"S9|{marker}|S1|It is so"), all_are("question"))

    assert (relations(meant) == [("answers", "th:1")]) is answers


def test_a_sign_is_stronger_than_the_question_it_stands_at():
    assert relations(meaning(step_of("S9|E|⊖[S1]|It is so"), all_are("question"))) == [("contradicts", "th:1")]


@pytest.mark.parametrize("marker", ["H", "E", "C", "Q", "P", "O", "A"])
@pytest.mark.parametrize(
    ("sign", "relation"),
    [
        ("^", "revises"),
        ("+", "refines"),
        ("×", "contradicts"),
        ("⊕", "supports"),
        ("⊖", "contradicts"),
        ("←", "derived_from"),
        ("∵", "derived_from"),
        ("→", "relates_to"),
    ],
)
def test_a_sign_at_the_reference_says_the_relation(marker: str, sign: str, relation: str):
    in_field = meaning(step_of(f"S9|{marker}|{sign}[S1]|It is so"), all_are("claim"))
    in_content = meaning(step_of(f"S9|{marker}||It is so {sign}[S1]"), all_are("claim"))

    assert relations(in_field) == relations(in_content) == [(relation, "th:1")]


def test_relations_stand_once_each_in_order_of_appearance():
    meant = meaning(step_of("S9|C|S4,S2,S4|So it is, see [S4] and ⊖[S2], ∵[S1-S4]"), all_are("claim"))

    assert relations(meant) == [
        ("derived_from", "th:4"),
        ("derived_from", "th:2"),
        ("contradicts", "th:2"),
        ("derived_from", "th:1"),
        ("derived_from", "th:3"),
    ]


@pytest.mark.parametrize(
    ("line", "replaced", "related"),
    [
        ("S9|R|^S2|No", "th:2", [("revises", "th:2")]),
        ("S9|R|^[S2],S3|No", "th:2", [("revises", "th:2"), ("relates_to", "th:3")]),
        ("S9|R|S3,^S2|No", "th:2", [("relates_to", "th:3"), ("revises", "th:2")]),
        ("S9|R|S2|No, see [S3] ∵[S4]", "th:2", [("revises", "th:2"), ("relates_to", "th:3"), ("derived_from", "th:4")]),
        ("S9|R|∵[S3],S2|No", "th:2", [("derived_from", "th:3"), ("revises", "th:2")]),
        ("S9|R||[S2] is wrong", "th:2", [("revises", "th:2")]),
        ("S9|R|S3|^[S2] is wrong", "th:2", [("relates_to", "th:3"), ("revises", "th:2")]),
        ("S9|R|+[S2]|And more", "th:2", [("refines", "th:2")]),
        ("S9|R|^[S2-S3]|No", "th:2", [("revises", "th:2"), ("revises", "th:3")]),
        ("S9|R|^S99,^S2|No", "th:2", [("revises", "th:2")]),
        ("S9|R|S2,S3|No", "th:2", [("revises", "th:2"), ("revises", "th:3")]),
        ("S9|R|S2,S99|No", "th:2", [("revises", "th:2")]),
        ("S9|X|S2,S3|No", "th:2", [("contradicts", "th:2"), ("contradicts", "th:3")]),
        ("S9|X|S2", "th:2", [("contradicts", "th:2")]),
        ("S9|X|^S2|No", "th:2", [("contradicts", "th:2")]),
        ("S9|X|S3,×[S2]|No", "th:2", [("relates_to", "th:3"), ("contradicts", "th:2")]),
        ("S9|X|S2|Disproved by [S3]", "th:2", [("contradicts", "th:2"), ("relates_to", "th:3")]),
    ],
)
def test_a_revision_replaces_what_its_sign_names_or_else_all_that_it_names(
    line: str, replaced: str, related: list[tuple[str, str]]
):
    meant = meaning(step_of(line), lambda number, line: None if number == 99 else Target(f"th:{number}", "claim"))

    assert (meant.kind, meant.attrs["replacesId"]) == ("revision", replaced)
    assert relations(meant) == related


@pytest.mark.parametrize(
    ("line", "related"),
    [
        ("S9|R|No", []),
        ("S9|R|^S99|No", []),
        ("S9|R|∵[S2]|No", [("derived_from", "th:2")]),
        ("S9|X|→[S2]|No", [("relates_to", "th:2")]),
    ],
)
def test_a_revision_that_does_not_say_what_it_replaces_is_a_claim_and_says_so(
    line: str, related: list[tuple[str, str]]
):
    meant = meaning(step_of(line), lambda number, line: None if number == 99 else Target(f"th:{number}", "claim"))

    assert (meant.kind, relations(meant)) == ("claim", related)
    assert "S9 is kept as a claim: it does not say which thought it replaces." in meant.notes


@pytest.mark.parametrize(
    ("reference", "kind", "fits"),
    [
        ("[H1]", "claim", True),
        ("[H1]", "evidence", False),
        ("[E1]", "evidence", True),
        ("[C1]", "decision", True),
        ("[C1]", "claim", True),
        ("[Q1]", "question", True),
        ("[Q1]", "claim", False),
        ("[R1]", "revision", True),
        ("[X1]", "observation", False),
    ],
)
def test_a_reference_by_marker_counts_only_for_a_thought_of_that_kind(reference: str, kind: str, fits: bool):
    meant = meaning(step_of(f"S9|P|{reference}|Do it"), all_are(kind))

    assert relations(meant) == ([("derived_from", "th:1")] if fits else [])
    assert meant.notes == ([] if fits else [f"{reference} names a thought of another kind."])


@pytest.mark.parametrize(
    ("field", "note"),
    [
        ("S7", "S7 names no earlier thought."),
        ("S7,S8,S7", "S7 and S8 name no earlier thought."),
        ("S0", "S0 names no earlier thought."),
        ("[H7]", "[H7] names no earlier thought."),
        ("alt:S7", "alt:S7 names no earlier thought."),
        ("[alt:S7,S8]", "alt:S7 and alt:S8 name no earlier thought."),
        ("[S11-S20]", "S11, S12, S13, S14, S15 and 5 more name no earlier thought."),
    ],
)
def test_a_reference_without_a_thought_gives_a_note_and_no_relation(field: str, note: str):
    meant = meaning(step_of(f"S9|H|S1,{field}|So"), known(S1="claim"))

    assert relations(meant) == [("derived_from", "th:1")]
    assert meant.notes == [note]


def test_an_empty_step_says_so():
    assert meaning(step_of("S9|H||"), none).notes == ["S9 is empty."]
    assert meaning(step_of("S9|H|S1"), all_are("claim")).notes == []


def test_a_huge_range_is_followed_only_so_far_and_says_so():
    asked: list[int] = []

    def resolve(number: int, line: str | None) -> Target:
        asked.append(number)
        return Target(f"th:{number}", "claim")

    meant = meaning(step_of("S2000000|H|[S1-S1000000],S7|So"), resolve)

    assert asked == list(range(1, MOST_REFERENCED + 1))
    assert len(relations(meant)) == MOST_REFERENCED
    assert meant.notes == [f"S2000000 has 1,000,001 references; followed: {MOST_REFERENCED}."]


def test_evidence_that_a_rejection_names_is_why_it_rejects():
    kinds = {2: "claim", 3: "evidence", 4: "observation"}
    meant = meaning(step_of("S9|X|S2,S3,S4|No"), lambda number, line: Target(f"th:{number}", kinds[number]))

    assert (meant.kind, meant.attrs["replacesId"]) == ("revision", "th:2")
    assert relations(meant) == [("contradicts", "th:2"), ("derived_from", "th:3"), ("derived_from", "th:4")]


def test_evidence_that_is_all_a_rejection_names_is_rejected():
    meant = meaning(step_of("S9|X|S3,S4|Measured on the wrong host"), all_are("evidence"))

    assert relations(meant) == [("contradicts", "th:3"), ("contradicts", "th:4")]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("S9|C|alt:S4|So", [(4, "alt")]),
        ("S9|C|^alt:S4-S5,S2|So", [(4, "alt"), (5, "alt"), (2, None)]),
        ("S9|C|[alt:S4,S5],main:S2|So", [(4, "alt"), (5, "alt"), (2, "main")]),
        ("S9|C||So, see [b-2:H4] and alt:S7, not http://alt:S8 or S9", [(4, "b-2"), (7, "alt")]),
        ("S9|C||So ⊖alt:S4", [(4, "alt")]),
    ],
)
def test_a_reference_may_name_the_line_it_means(line: str, asked: list[tuple[int, str | None]]):
    seen: list[tuple[int, str | None]] = []

    def resolve(number: int, on: str | None) -> Target:
        seen.append((number, on))
        return Target(f"th:{number}", "claim")

    assert meaning(step_of(line), resolve).notes == []
    assert seen == asked


@pytest.mark.parametrize(
    ("text", "kind", "related"),
    [
        ("Decision: take the queue", "decision", []),
        ("**Decision:** take [alt:S4] over ⊖[S2]", "decision", [("derived_from", "th:4"), ("contradicts", "th:2")]),
        ("decision : yes", "decision", []),
        ("The decision: not yet taken", "claim", []),
        ("As [S2] says, it is slow", "claim", [("relates_to", "th:2")]),
        ("S3 is a bucket", "claim", []),
    ],
)
def test_prose_is_a_decision_when_it_begins_so_and_brackets_make_references(
    text: str, kind: str, related: list[tuple[str, str]]
):
    meant = prose_meaning(text, all_are("claim"))

    assert (meant.kind, relations(meant), meant.labels) == (kind, related, [])


def test_every_step_says_how_it_was_read():
    def resolve(number: int, line: str | None) -> Target:
        name = f"{line}:S{number}" if line else f"S{number}"
        return Target(f"th:{number}", "question" if number == 2 else "claim", name)

    readings = {
        "S9|E|S4|Logs": "E supports S4",
        "S9|C|S4,alt:S5,S2|∴ Do it": "C (decision) from S4 and alt:S5; answers S2",
        "S9|X|S4|No": "X rejects S4",
        "S9|R|^S4|Better": "R revises S4",
        "S9|O|Alone": "O",
    }

    assert {line: meaning(step_of(line), resolve).reading for line in readings} == readings


@given(TEXTS)
def test_a_text_of_several_lines_of_cipher_is_several_thoughts_and_nothing_of_it_is_lost(text: str):
    parts = thoughts_in(text)
    steps = parse(text).steps

    assert len(parts) == max(1, len(steps))
    if len(steps) < 2:
        assert parts == [text]
    else:
        assert [len(parse(part).steps) for part in parts] == [1] * len(parts)
        assert "".join("".join(parts).split()) == "".join(text.split())


@given(NEARLY_CIPHER, st.integers(1, 50))
def test_every_meaning_is_a_record_that_the_ledger_takes(text: str, salt: int):
    kinds = sorted(KINDS)

    def resolve(number: int, line: str | None) -> Target | None:
        drawn = number * salt % (len(kinds) + 3)
        return Target(f"th:{drawn}", kinds[drawn]) if drawn < len(kinds) else None

    cipher = parse(f"S1|{MARKERS[salt % 9]}|{text}")
    for meant in [prose_meaning(cipher.text, resolve), *(meaning(step, resolve) for step in cipher.steps)]:
        check_attrs(meant.kind, meant.attrs)
        related = relations(meant)
        assert meant.kind in AUTHORED
        assert {relation for relation, _ in related} <= RELATIONS
        assert len(set(related)) == len(related)
        assert meant.confidence is None or 0 <= meant.confidence <= 1
        assert len(meant.notes) <= MOST_NOTES


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "'|' * N",
        "'S1|H|' + '|' * N",
        "'S1|H|' + '[S1-S2],' * (N // 8)",
        "'S1|H|so ' + '[S1-S2],' * (N // 8)",
        "'S1|H|[S1' + ',S1' * (N // 3)",
        "'S1|H|so ' + '[' * N",
        "'S1|H|so ' + '[S1,' * (N // 4)",
        "'S1|H|[S1' + ' ' * N + 'so'",
        "'S1|H|S1' + ' ' * N + '-'",
        "'S1|H|' + '(' * N",
        "' ' * N + 'S1'",
        "'S' + '1' * N + '|H|so'",
        "'S1|H|S1|so\\n' * (N // 10)",
        "'S1|P|' + '1. ' * (N // 3)",
        "'S1|P|1. ' + 'version 2. ' * (N // 11)",
        "'S1|P|' + ' '.join(f'{n}.' for n in range(1, 10_000)) * 20",
        "'S1|H|[S1-S999999999999999]' * (N // 26)",
        "'S1|H|so ' + 'alt:S1 ' * (N // 7)",
        "'S1|H|so ' + 'a-' * (N // 2) + ':S1'",
        "'S1|H|so ' + '[a:S' * (N // 4)",
    ],
)
@pytest.mark.sampled(4)
def test_a_megabyte_of_anything_is_read_in_linear_time(text: str):
    """Not timed: whatever takes more than linear time on a megabyte takes hours, and is ended here."""
    program = (
        "from thoughtbox.domains.thoughts.cipher.notation import parse\n"
        "from thoughtbox.domains.thoughts.cipher.meaning import Target, meaning, prose_meaning\n"
        f"N = {MEGABYTE}\n"
        f"cipher = parse({text})\n"
        f"assert cipher.text == {text}\n"
        "for step in cipher.steps[:1000]:\n"
        "    meaning(step, lambda number, line: Target(f'th:{number}', 'claim'))\n"
        f"prose_meaning({text}, lambda number, line: Target(f'th:{{number}}', 'claim'))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)


# What is said about it


def examples(document: str) -> list[str]:
    return re.findall(r"^(S[0-9]+\|.*)$", document, re.MULTILINE) + re.findall(r"`(S[0-9]+\|[^`]*)`", document)


def test_the_guide_is_short_and_shows_every_marker_operator_and_confidence():
    guide = content.text("cipher.md")
    steps = [step_of(line) for line in examples(guide)]

    assert len(guide) <= 3_500
    assert {step.marker for step in steps} == set(MARKERS)
    assert [symbol for symbol in (*OPERATORS, *CONFIDENCE, "(p=") if symbol not in guide] == []
    assert [note for step in steps for note in meaning(step, all_are("claim")).notes] == []


def test_the_guide_in_brief_names_every_marker_sign_confidence_and_reference():
    brief = content.text("cipher-brief.md")

    for marker in MARKERS:
        assert re.search(rf"\b{marker} [a-z]+", brief), marker
    assert [symbol for symbol in (*"^+×⊕⊖∵∴", *CONFIDENCE, "(p=") if symbol not in brief] == []
    assert [form for form in ("S4,S6-S9", "[S4]", "alt:S4", "[alt:S4]", "main:S4", "^S4") if form not in brief] == []


def test_the_chain_of_the_guide_is_linked_without_a_note():
    (chain,) = re.findall(r"```\n(S1\|.*?)```", content.text("cipher.md"), re.DOTALL)
    kinds: dict[str, str] = {}
    for line in chain.splitlines():
        meant = meaning(step_of(line), known(**kinds))
        assert meant.notes == []
        assert bool(relations(meant)) is bool(kinds)
        kinds[f"S{step_of(line).number}"] = meant.kind


def test_the_page_says_what_each_marker_and_sign_becomes():
    page = PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([A-Z])` \| (.*) \|$", page, re.MULTILINE))

    assert rows.keys() == set(MARKERS)
    for marker, row in rows.items():
        meant = meaning(step_of(f"S9|{marker}|S1|So"), all_are("claim"))
        assert meant.kind in row
        assert f"`{relations(meant)[0][0]}`" in row
        assert all(f"`{label}`" in row for label in meant.labels)
    signs = dict(re.findall(r"^\| `(.)` \| `([a-z_]+)` \|$", page, re.MULTILINE))
    assert signs.keys() == set("^+×⊕⊖←∵→")
    for sign, relation in signs.items():
        assert relations(meaning(step_of(f"S9|H|{sign}[S1]|So"), all_are("claim"))) == [(relation, "th:1")]
    for written, confidence in CONFIDENCE.items():
        assert f"`{written}` {confidence}" in page
