"""Plain words over the catalog: held to queries that were judged beforehand."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from thoughtbox.domains.code.catalog import Catalog
from thoughtbox.domains.code.ranking import Ranking, ranked

JUDGED: list[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "judged_queries.toml").read_text(encoding="utf-8")
)["query"]
PARTS = sorted({query["part"] for query in JUDGED})
FIRST, AMONG_THREE = 0.7, 0.9


def places(queries: list[dict[str, Any]], catalog: Catalog) -> list[int]:
    """Where the first right answer to each query stands."""
    found = [[each.name for each in ranked(query["text"], catalog)] for query in queries]
    return [
        min((names.index(name) for name in query["right"] if name in names), default=len(names))
        for query, names in zip(queries, found, strict=True)
    ]


def best(query: str, catalog: Catalog) -> str:
    return ranked(query, catalog)[0].name


def test_the_judged_queries_are_many_and_name_what_there_is(catalog: Catalog):
    names = {
        *(each["name"] for part in ("operations", "kinds", "relations", "prompts") for each in catalog[part]),
        *(each["uri"] for each in catalog["resources"]),
    }

    assert len(JUDGED) >= 60
    assert len({query["text"] for query in JUDGED}) == len(JUDGED)
    assert [name for query in JUDGED for name in query["right"] if name not in names] == []


@pytest.mark.parametrize("part", PARTS)
def test_what_is_right_comes_first_or_among_the_first_three(part: int, catalog: Catalog):
    found = places([query for query in JUDGED if query["part"] == part], catalog)

    assert sum(place == 0 for place in found) >= FIRST * len(found)
    assert sum(place < 3 for place in found) >= AMONG_THREE * len(found)


def test_kinds_relations_prompts_and_resources_are_found_too(catalog: Catalog):
    assert [
        (found.what, found.name)
        for found in (
            ranked(query, catalog)[0]
            for query in ("evidence", "contradicts", "explain an action", "session analysis guide", "rename a session")
        )
    ] == [
        ("kind", "evidence"),
        ("relation", "contradicts"),
        ("prompt", "explain_action"),
        ("resource", "thoughtbox://session-analysis-guide"),
        ("operation", "thoughts.session.rename"),
    ]


@pytest.mark.parametrize(
    "query", ["get_thought", "getThought", "thoughts.get_thought", "GET THOUGHT", "tb.thoughts.get_thought"]
)
def test_whoever_knows_a_name_is_led_to_it_however_it_is_written(query: str, catalog: Catalog):
    assert best(query, catalog) == "thoughts.get_thought"


def test_words_count_by_their_stems(catalog: Catalog):
    assert best("renaming branches", catalog) == best("rename a branch", catalog) == "mind.branch_rename"


def test_a_word_may_be_begun_only(catalog: Catalog):
    assert best("heartb", catalog) == "mind.runner_heartbeat"
    assert best("consolid", catalog) == "memory.run_consolidation"


@pytest.mark.parametrize("query", ["renmae a brnach", "rename a brunch", "branhc rename"])
def test_a_word_may_be_misspelt(query: str, catalog: Catalog):
    assert best(query, catalog) == "mind.branch_rename"


def test_words_written_apart_are_found_as_one(catalog: Catalog):
    assert "mind.checkout" in [found.name for found in ranked("check out a branch", catalog)[:2]]


def test_a_question_of_nothing_but_small_words_is_a_question_all_the_same(catalog: Catalog):
    assert best("where am I and what can be done from here", catalog) == "thoughts.get_state"


@pytest.mark.parametrize("query", ["", "   ", "???", "zzzzqqq", "日本語"])
def test_what_nothing_fits_finds_nothing(query: str, catalog: Catalog):
    assert ranked(query, catalog) == []


def test_a_query_that_is_a_whole_text_is_looked_at_as_far_as_a_query_goes(catalog: Catalog):
    begun = "rename a branch " * 10

    assert best(begun + "delete every session " * 10_000, catalog)
    assert best(begun, catalog) == "mind.branch_rename"


def test_the_same_query_gives_the_same_and_every_hit_brings_its_entry(catalog: Catalog):
    one, other = Ranking(catalog).ranked("merge two branches"), Ranking(catalog).ranked("merge two branches")

    assert one == other
    assert [found.score for found in one] == sorted((found.score for found in one), reverse=True)
    assert all(found.entry.get("name") == found.name or found.entry.get("uri") == found.name for found in one)
