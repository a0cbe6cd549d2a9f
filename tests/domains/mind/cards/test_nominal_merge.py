"""Merging cards that say the same."""

from __future__ import annotations

from typing import Any

from tests.support.mind import Mind, edges, node


def question(mind: Mind, id: str, **fields: Any) -> None:
    mind.think_card(card={"id": id, "type": "question", "title": "Who warms it?", **fields})


def statuses(mind: Mind, *ids: str) -> list[str | None]:
    return [node(mind, id).status for id in ids]


def test_equal_cards_lead_to_the_newest_of_them(mind: Mind):
    for id in ("Q1", "Q2", "Q3"):
        question(mind, id)
    answer = mind.think_nominal_merge()

    assert answer["groups"] == [{"canonical": "Q3", "duplicates": ["Q2", "Q1"]}]
    assert (answer["merged"], answer["compared"], answer["has_more"], answer["dry_run"]) == (2, 3, False, False)
    assert statuses(mind, "Q1", "Q2", "Q3") == ["merged", "merged", "open"]
    assert edges(mind, "Q1", "Q2", "Q3") == [("Q1", "dedup", "Q3"), ("Q2", "dedup", "Q3")]


def test_merging_again_changes_nothing(mind: Mind):
    question(mind, "Q1")
    question(mind, "Q2")
    mind.think_nominal_merge()
    mind.think_set_status(targets="Q2", status="answered")
    head = mind.head()

    assert mind.think_nominal_merge()["groups"] == []
    assert mind.think_nominal_merge(ids=["Q1", "Q2"])["groups"] == []
    assert mind.head() == head


def test_what_others_were_merged_into_stays_even_if_a_newer_one_comes(mind: Mind):
    question(mind, "Q1")
    question(mind, "Q2")
    mind.think_nominal_merge()
    question(mind, "Q3")

    assert mind.think_nominal_merge()["groups"] == [{"canonical": "Q2", "duplicates": ["Q3"]}]
    question(mind, "Q4")
    # Q2 is not among those compared, but Q1 leads to it.
    assert mind.think_nominal_merge(ids=["Q1", "Q4"])["groups"] == [{"canonical": "Q2", "duplicates": ["Q4"]}]


def test_equal_means_one_type_and_the_same_words_however_spaced(quick: Mind):
    question(quick, "A", text="at  night\n")
    question(quick, "B", text="at night")
    question(quick, "C", text="At night")
    question(quick, "D")
    quick.think_card(card={"id": "E", "type": "hypothesis", "title": "Who warms it?", "text": "at night"})

    assert quick.think_nominal_merge()["groups"] == [{"canonical": "B", "duplicates": ["A"]}]


def test_a_published_copy_is_no_duplicate_of_its_card(quick: Mind):
    question(quick, "Q1")
    quick.think_publish(card_id="Q1")
    assert quick.think_nominal_merge()["groups"] == []


def test_a_dry_run_says_what_would_be_merged_and_writes_nothing(quick: Mind):
    question(quick, "Q1")
    question(quick, "Q2")
    head = quick.head()

    answer = quick.think_nominal_merge(dry_run=True)
    assert answer["groups"] == [{"canonical": "Q2", "duplicates": ["Q1"]}]
    assert (answer["merged"], answer["dry_run"], quick.head()) == (0, True, head)


def test_the_newest_cards_are_compared_or_those_that_are_named(quick: Mind):
    question(quick, "Q1")
    question(quick, "Q2")
    for number in range(3):
        quick.think_card(card={"id": f"N{number}", "title": str(number)})

    assert quick.think_nominal_merge(limit=3, dry_run=True)["groups"] == []
    assert quick.think_nominal_merge(limit=5, dry_run=True)["groups"] != []
    assert quick.think_nominal_merge(ids="Q1")["groups"] == []
    assert quick.refused("think_nominal_merge", ids=["Q1", "gone"]).code == "UNKNOWN_ID"
    assert quick.think_nominal_merge(ids=["Q1", "Q2"])["merged"] == 1


def test_merged_cards_take_no_place_among_the_newest(quick: Mind):
    for id in ("A1", "A2"):
        quick.think_card(card={"id": id, "title": "a"})
    for number in range(4):
        question(quick, f"Q{number}")
    assert quick.think_nominal_merge(limit=4)["merged"] == 3
    assert quick.think_nominal_merge(limit=4)["groups"] == [{"canonical": "A2", "duplicates": ["A1"]}]


def test_so_many_groups_are_merged_in_one_call(quick: Mind):
    for number in range(12):
        for turn in "ab":
            quick.think_card(card={"id": f"{number}{turn}", "title": f"t{number}"})

    answer = quick.think_nominal_merge()
    assert (answer["merged"], answer["has_more"]) == (10, True)
    assert quick.think_nominal_merge()["merged"] == 2
