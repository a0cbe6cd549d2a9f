"""Recording episodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.episodes.conftest import Memory
from tests.support.box import WORKSPACE
from thoughtbox.domains.memory.episodes.recording import record_episode
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.errors import ValidationFailed
from thoughtbox.ledger.replay import rebuild

GIVEN: dict[str, Any] = {"summary": "The cache is warm.", "outcome": "success", "source": "agent", "trust": 1}


def given(**changed: Any) -> dict[str, Any]:
    return {**GIVEN, **changed}


def test_an_episode_stands_in_the_specifications_table(on_both: Memory):
    id = on_both.do(
        lambda tx: record_episode(
            tx,
            summary="We warmed the cache.",
            outcome="partial",
            source="user",
            trust=2,
            scope="global",
            context_keys=[" Cache", "cache", "Deploy"],
            session_id=7,
            about="th:1",
            validated=True,
        )
    )
    columns = (
        "experience_id, session_id, scope, context_keys_json, summary, outcome, trust, salience, created_at, source"
    )
    (row,) = on_both.ask(
        lambda tx: tx.sql.rows(f"SELECT {columns} FROM episodic_experiences WHERE workspace = ?", (WORKSPACE,))
    )
    assert row[:8] == (id, 7, "global", '["cache","deploy"]', "We warmed the cache.", "partial", 2, 280)
    assert row[8].endswith("Z")
    assert row[9] == "user"
    found = on_both.ask(lambda tx: tx.ask(Episodes).episode(id))
    assert found is not None
    assert (found.about, found.validated, found.archived) == ("th:1", True, False)
    assert on_both.box.call("ledger_record", {"id": f"th:{id}"})["record"]["body"]["text"] == "We warmed the cache."
    assert rebuild(on_both.box.app.engine, Episodes)


@pytest.mark.parametrize(
    ("wrong", "field", "reason"),
    [
        ({"summary": "  "}, "summary", "MISSING_REQUIRED"),
        ({"summary": "x" * 4001}, "summary", "PAYLOAD_TOO_LARGE"),
        ({"trust": 4}, "trust", "INVALID_TRUST"),
        ({"trust": -1}, "trust", "INVALID_TRUST"),
        ({"outcome": "great"}, "outcome", "INVALID_FORMAT"),
        ({"source": "oracle"}, "source", "INVALID_FORMAT"),
        ({"scope": "galaxy"}, "scope", "INVALID_FORMAT"),
    ],
)
def test_what_is_no_episode_is_refused_by_the_name_of_its_field(memory: Memory, wrong, field, reason):
    with pytest.raises(ValidationFailed) as refused:
        memory.do(lambda tx: record_episode(tx, **given(**wrong)))
    assert refused.value.details == {"fields": [field], "reason": reason}
    assert memory.ask(lambda tx: tx.ledger.last_seq()) == 0


def test_a_summary_of_4000_characters_is_taken(memory: Memory):
    assert memory.do(lambda tx: record_episode(tx, **given(summary="x" * 4000))) == 1


@pytest.mark.parametrize(("source", "trust"), [("user", 2), ("agent", 1), ("derived", 1), ("system", 2)])
def test_nobody_can_ask_for_more_trust_than_the_source_allows(memory: Memory, source, trust):
    id = memory.do(lambda tx: record_episode(tx, **given(source=source, trust=3)))
    found = memory.ask(lambda tx: tx.ask(Episodes).episode(id))
    assert found is not None
    assert found.trust == trust


def test_a_users_statement_comes_in_with_trust_2_and_an_agents_with_1(memory: Memory):
    user = memory.box.record_episode(summary="I prefer tabs.", source="user", context_keys=["Style", " style "])
    agent = memory.box.record_episode(summary="I prefer tabs.")
    assert user == {"recorded": True, "experience_id": 1, "trust": 2, "salience": 280, "context_keys": ["style"]}
    assert (agent["trust"], agent["salience"]) == (1, 190)
    with pytest.raises(ValidationFailed, match="source"):
        memory.box.record_episode(summary="I am the system.", source="system")
    with pytest.raises(ValidationFailed, match="summary"):
        memory.box.record_episode(summary="x" * 4001)


def test_episodes_are_best_first_by_trust_salience_time_and_id(on_both: Memory):
    agent = [on_both.hears(f"Note {number}.", about="a b") for number in range(3)]
    user = [on_both.hears(f"Wish {number}.", source="user", about="b c", scope="global") for number in range(2)]
    scopes = ["project", "global"]

    def best(**asked: Any) -> list[int]:
        wanted: dict[str, Any] = {"scopes": scopes, "limit": 9, **asked}
        found = on_both.ask(lambda tx: tx.ask(Episodes).best(**wanted))
        return [episode.experience_id for episode in found]

    newest_first = [*reversed(user), *reversed(agent)]
    assert best() == newest_first
    assert best(limit=3) == newest_first[:3]
    assert best(scopes=["global"]) == list(reversed(user))
    assert best(keys=["a"]) == list(reversed(agent))
    assert best(keys=["a", "b", "c"]) == newest_first
    assert best(keys=["nothing"]) == []
    earlier = on_both.ask(lambda tx: tx.at(agent[1]).ask(Episodes).best(scopes, limit=9))
    assert [episode.experience_id for episode in earlier] == [agent[1], agent[0]]
    newest = on_both.ask(lambda tx: tx.ask(Episodes).newest_first(scopes, limit=2))
    assert [episode.experience_id for episode in newest] == [user[1], user[0]]
