"""The judged sessions of `tests/corpus/judged` say what they mean in the form that their README describes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "corpus" / "judged"
SESSIONS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}

LISTS = {
    "decisions",
    "overturned",
    "rejected",
    "open_questions",
    "untested_assumptions",
    "stale",
    "carried_out",
}
DECISION_STEP, DECISION_PROSE = "|∴", "Decision:"

every_session = pytest.mark.parametrize("name", SESSIONS)


def placed(session: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Thoughts by the place they get: a number on the main line, `branch:number` elsewhere."""
    last: dict[str | None, int] = {None: 0}
    found: dict[str, dict[str, Any]] = {}
    for thought in session["thought"]:
        if "fate" in thought:
            continue
        branch = thought.get("branch")
        last[branch] = last.get(branch, thought.get("from", 0)) + 1
        found[f"{branch}:{last[branch]}" if branch else str(last[branch])] = thought
    return found


def learnings(session: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from session["learnt"]
    yield from session.get("acceptable", [])


def test_there_are_twelve_sessions_three_of_them_long():
    lengths = [len(placed(session)) for session in SESSIONS.values()]
    assert len(lengths) == 12
    assert all(12 <= length <= 40 for length in lengths)
    assert sum(length >= 30 for length in lengths) >= 3


@every_session
def test_every_field_is_known_and_none_is_missing(name: str):
    session = SESSIONS[name]
    assert session.keys() - {"acceptable"} == {"title", "tags", "story", "thought", "judgement", "learnt"}
    for thought in session["thought"]:
        if "fate" in thought:
            assert thought.keys() == {"fate"}
            assert thought["fate"].keys() in ({"adopt", "why"}, {"reject", "why"})
        else:
            assert thought["text"].strip()
            assert thought.keys() <= {"text", "branch", "from", "revises", "last"}
    judgement = session["judgement"]
    assert judgement.keys() - {"tolerated"} == LISTS | {"branches"}
    assert judgement.get("tolerated", {}).keys() <= LISTS
    assert set(judgement["branches"].values()) <= {"adopted", "rejected", "open"}
    assert 2 <= len(session["learnt"]) <= 5
    for learning in learnings(session):
        assert learning.keys() - {"corrected"} == {"type", "about", "says"}
        assert learning["type"] in {"pattern", "anti-pattern", "signal"}
        assert learning["about"]
        assert learning["says"].endswith(".")


@every_session
def test_every_place_that_is_named_exists_and_is_named_once(name: str):
    session = SESSIONS[name]
    there = placed(session)
    judgement = session["judgement"]
    tolerated = judgement.get("tolerated", {})
    lists = [judgement[key] + tolerated.get(key, []) for key in sorted(LISTS)]
    lists += [learning.get(key, []) for learning in learnings(session) for key in ("about", "corrected")]
    for places in lists:
        assert set(places) <= there.keys()
        assert len(set(places)) == len(places)
    numbers = [thought[key] for thought in there.values() for key in ("from", "revises") if key in thought]
    assert {str(number) for number in numbers} <= there.keys()


@every_session
def test_every_branch_is_judged_and_every_decision_is_one(name: str):
    session = SESSIONS[name]
    there = placed(session)
    judgement = session["judgement"]
    forks = [thought["branch"] for thought in there.values() if "from" in thought]
    assert sorted(forks) == sorted(judgement["branches"])
    assert {thought["branch"] for thought in there.values() if "branch" in thought} == set(forks)
    fates = [thought["fate"] for thought in session["thought"] if "fate" in thought]
    assert {fate.get("adopt") or fate["reject"] for fate in fates} <= set(forks)
    assert not set(judgement["decisions"]) & set(judgement["overturned"])
    for place in judgement["decisions"] + judgement["overturned"]:
        text = there[place]["text"]
        assert DECISION_STEP in text or text.startswith(DECISION_PROSE), place
