"""What is known is found by its words, on every branch, as it reads now."""

from __future__ import annotations

from typing import Any

from tests.support.mind import Mind


def found(mind: Mind, query: str, **arguments: Any) -> list[str]:
    """What opens each hit."""
    return [hit.get("id") or hit["ref"] for hit in mind.mind_search(query=query, **arguments)["hits"]]


def test_notes_steps_cards_and_events_are_found_and_each_hit_opens(mind: Mind):
    note = mind.notes_commit(content="The cache is cold after every deployment", title="Cold starts")["entry"]
    step = mind.trace_step(step="Warmed the caches by hand")
    mind.think_card(card={"id": "D1", "type": "decision", "title": "Warm the cache on deploy"})
    plan = mind.tasks_create(kind="plan", title="Cache warming")["id"]
    mind.tasks_note(plan=plan, note="The cache holds 4 GB")

    answer = mind.mind_search(query="why is the cache cold?", limit=50)

    opened = [mind.open(id=hit.get("id") or hit["ref"]) for hit in answer["hits"]]
    assert len(opened) == answer["count"] >= 5
    ids = found(mind, "cache", limit=50)
    assert {f"notes@{note['seq']}", step["trace_ref"], "D1"} <= set(ids)
    assert found(mind, "cold starts")[0] == f"notes@{note['seq']}"
    assert "«cache»" in answer["hits"][0]["snippet"]


def test_a_card_is_found_by_what_it_says_now_and_not_once_it_is_gone(mind: Mind):
    node = {"op": "node_upsert", "id": "N1", "type": "idea"}
    mind.graph_apply(ops=[{**node, "title": "elephants"}])
    assert found(mind, "elephants") == ["N1"]

    mind.graph_apply(ops=[{**node, "title": "giraffes"}])
    assert (found(mind, "elephants"), found(mind, "giraffes")) == ([], ["N1"])

    mind.graph_apply(ops=[{"op": "node_delete", "id": "N1"}])
    assert found(mind, "giraffes") == []


def test_drafts_are_found_when_they_are_asked_for(quick: Mind):
    quick.think_card(card={"id": "N1", "type": "note", "title": "elephants"})

    assert found(quick, "elephants") == []
    assert found(quick, "elephants", include_drafts=True) == ["N1"]


def test_what_was_merged_is_found_once_with_the_branches_that_show_it(mind: Mind):
    mind.branch_create(name="what-if")
    mind.notes_commit(branch="what-if", content="elephants never forget")
    mind.think_card(
        branch="what-if", graph_doc="graph", trace_doc="trace", card={"type": "decision", "title": "giraffes"}
    )
    mind.merge(**{"from": "what-if"}, merge_to_base=True)
    mind.graph_merge(**{"from": "what-if"}, merge_to_base=True)

    for word in ("elephants", "giraffes"):
        (hit,) = mind.mind_search(query=word)["hits"]
        assert sorted([hit["branch"], *hit["also_on"]]) == ["main", "what-if"]

    changed = {"op": "node_upsert", "id": hit["id"], "type": "decision", "title": "giraffes, after all"}
    mind.graph_apply(branch="main", doc="graph", ops=[changed])
    assert len(found(mind, "giraffes")) == 2


def test_what_stands_on_a_branch_is_found_with_its_name_until_the_branch_is_deleted(quick: Mind):
    quick.branch_create(name="what-if")
    quick.notes_commit(branch="what-if", content="elephants")
    quick.branch_rename(old="what-if", new="other")

    (hit,) = quick.mind_search(query="elephants")["hits"]
    assert hit["branch"] == "other"
    quick.branch_delete(name="other")
    assert found(quick, "elephants") == []


def test_hits_come_in_pages_and_a_word_that_is_not_there_is_named(quick: Mind):
    for number in range(5):
        quick.notes_commit(content=f"elephants {number}")

    first = quick.mind_search(query="elephants", limit=3)
    assert (first["count"], first["has_more"], first["next_offset"]) == (3, True, 3)
    rest = quick.mind_search(query="elephants", limit=3, offset=first["next_offset"])
    assert (rest["count"], rest["has_more"]) == (2, False)
    assert "elefants" in quick.mind_search(query="elefants")["message"]
