"""Recording experiences: what is kept, what is known already, and what memory learns from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.domains.memory.knowledge.drafts import DEPLOY, episodes, found, recorded, unlike
from tests.support.box import Box
from thoughtbox.errors import ExperienceNotFound, ValidationFailed
from thoughtbox.operations import TABLE


def test_what_is_recorded_is_read_back_with_all_its_columns(box: Box):
    answer = box.call("record_experience", {**DEPLOY, "confidence": 0, "scope": "global"})

    shown = box.get_experience(id=answer["experience_id"])

    assert answer == {"recorded": True, "experience_id": 1, "trust": 0, "message": answer["message"]}
    assert {name: shown[name] for name in DEPLOY} == {**DEPLOY, "confidence": 0}
    assert shown["confidence"] is not None
    assert (shown["scope"], shown["original_id"], shown["revision_of"]) == ("global", None, None)
    assert shown["created_at"] == shown["updated_at"] > 1_700_000_000_000
    assert (shown["archived_at"], shown["archive_reason"]) == (None, None)
    assert (shown["access_count"], shown["last_accessed_at"]) == (0, None)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"type": "good"}, "type"),
        ({"domain": "tools"}, "domain"),
        ({"situation": ""}, "situation"),
        ({"approach": " \n"}, "approach"),
        ({"outcome": 7}, "outcome"),
        ({"reasoning": None}, "reasoning"),
        ({"confidence": 1.01}, "confidence"),
        ({"confidence": "high"}, "confidence"),
        ({"tags": "deploy"}, "tags"),
        ({"revision_of": "first"}, "revision_of"),
        ({"scope": "team"}, "scope"),
        ({"source": "system"}, "source"),
    ],
)
def test_a_bad_argument_is_refused_by_name_and_nothing_is_kept(quick: Box, wrong: dict[str, Any], named: str):
    with pytest.raises(ValidationFailed) as refused:
        quick.call("record_experience", {**DEPLOY, **wrong})

    assert named in json.dumps(refused.value.payload()["details"]["fields"])
    assert refused.value.payload()["details"]["jsonrpc_code"] == -32602
    assert found(quick, "deploy migration", include_superseded=True) == []


def test_texts_may_be_long(quick: Box):
    id = recorded(quick, situation="lock " * 4_000)

    assert len(quick.get_experience(id=id)["situation"]) == 20_000


@pytest.mark.parametrize(
    ("said", "trust"),
    [
        ({"confidence": 1.0}, 1),
        ({"confidence": None}, 1),
        ({"confidence": 0.26}, 1),
        ({"confidence": 0.25}, 0),
        ({"confidence": 0.0}, 0),
        ({"source": "user", "confidence": 0.1}, 2),
        ({"source": "user", "confidence": 1.0}, 2),
    ],
)
def test_trust_follows_from_who_says_it_and_never_begins_at_3(quick: Box, said: dict[str, Any], trust: int):
    answer = quick.call("record_experience", {**DEPLOY, **said})

    shown = quick.get_experience(id=answer["experience_id"])

    assert (answer["trust"], shown["trust"], shown["source"]) == (trust, trust, said.get("source", "agent"))
    assert episodes(quick)[0].trust == trust


def test_what_says_nearly_the_same_is_not_recorded_again_however_old_it_is(box: Box):
    first = recorded(box)
    for number in range(40):
        recorded(box, **unlike(number))

    answer = box.call("record_experience", {**DEPLOY, "outcome": "The next deploys  went through WITHOUT any pause."})

    assert (answer["recorded"], answer["duplicate_id"]) == (False, first)
    assert 0.9 <= answer["similarity"] < 1
    assert f"{answer['similarity'] * 100:.1f}%" in answer["message"]
    assert found(box, "lock timeout") == [first]


def test_of_several_that_are_alike_the_best_match_is_named(quick: Box):
    words = " ".join(unlike(number)["situation"].partition(": ")[2] for number in range(10)).split()
    odd = ["qqqqqq", "xxxxxx", "zzzzzz", "wwwwww"]
    other = quick.call("record_experience", _saying([*odd, *words[4:]]))["experience_id"]
    best = quick.call("record_experience", _saying([*words[:20], "yyyyyy", "vvvvvv", *words[22:]]))["experience_id"]

    answer = quick.call("record_experience", _saying(words))
    exact = quick.call("record_experience", _saying([*map(str.upper, odd), *words[4:]]))

    assert other != best
    assert (answer["duplicate_id"], 0.94 < answer["similarity"] < 0.97) == (best, True)
    assert (exact["duplicate_id"], exact["similarity"]) == (other, 1.0)


def _saying(words: list[str]) -> dict[str, Any]:
    texts = (" ".join(words[start : start + 10]) for start in range(0, 40, 10))
    return {**DEPLOY, **dict(zip(("situation", "approach", "outcome", "reasoning"), texts, strict=True))}


@pytest.mark.parametrize("change", [{"type": "ineffective"}, {"domain": "Tools"}, {"scope": "global"}])
def test_the_same_of_another_type_or_domain_or_for_all_projects_is_something_else(quick: Box, change: dict[str, Any]):
    first = recorded(quick)

    other = recorded(quick, **change)

    assert other != first


def test_what_is_known_globally_is_known_in_the_project(quick: Box):
    first = recorded(quick, scope="global")

    answer = quick.call("record_experience", DEPLOY)

    assert answer["duplicate_id"] == first


def test_what_an_earlier_version_said_word_for_word_is_known_and_the_newest_is_named(quick: Box):
    first = recorded(quick)
    new = quick.update_experience(id=first, changes={"approach": "Locked the table first."}, reason="Simpler.")[
        "new_id"
    ]

    answer = quick.call("record_experience", DEPLOY)

    assert answer["duplicate_id"] == first
    assert f"newest version is {new}" in answer["message"]


def test_a_revision_may_say_nearly_what_it_revises(quick: Box):
    first = recorded(quick)

    second = recorded(quick, outcome="The next deploys went through without any pause.", revision_of=first)

    shown = quick.get_experience(id=second)
    assert (shown["revision_of"], shown["original_id"]) == (first, first)
    with pytest.raises(ExperienceNotFound, match="no experience 99"):
        quick.call("record_experience", {**unlike(1), "revision_of": 99})


def test_an_experience_leaves_an_episode_to_learn_from(box: Box):
    good = recorded(box, situation="x" * 5_000, tags=["Deploy", " deploy ", "Lock"], scope="global")
    bad = recorded(box, **unlike(1, type="ineffective", confidence=0.2))

    newest, oldest = episodes(box)

    assert (oldest.about, oldest.summary, oldest.outcome) == (f"th:{good}", "x" * 4_000, "success")
    assert (oldest.context_keys, oldest.scope, oldest.source) == (("deploy", "lock", "process"), "global", "agent")
    assert (newest.about, newest.outcome, newest.trust) == (f"th:{bad}", "fail", 0)


def test_an_experience_and_its_episode_are_written_together_or_not_at_all(quick: Box):
    with pytest.raises(ValidationFailed):
        quick.batch(
            calls=[
                {"operation": "record_experience", "arguments": DEPLOY},
                {"operation": "record_experience", "arguments": {**DEPLOY, "type": "good"}},
            ]
        )

    assert episodes(quick) == []
    assert found(quick, "deploy") == []


def test_where_memory_is_turned_off_experiences_leave_no_episode(quick: Box, project: Path):
    (project / ".claude").mkdir()
    (project / ".claude" / "config.json").write_text('{"memory_enabled": false}', encoding="utf-8")

    id = recorded(quick)

    assert quick.get_experience(id=id)["id"] == id
    assert episodes(quick) == []


def test_seven_tools_are_shown(quick: Box):
    wanted = {
        *("record_experience", "search_experiences", "get_experience", "update_experience", "tag_experience"),
        *("export_experiences", "import_experiences"),
    }

    assert wanted <= TABLE.shown_in("memory").keys()
    assert "experiences_alike" not in TABLE.shown_in("all")
