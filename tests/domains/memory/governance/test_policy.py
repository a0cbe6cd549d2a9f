"""Violations that are repeated become policies, and policies have an effect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import PhaseViolation

PROMISE = "This fix is guaranteed to work."


def out_of_order(cycle: Guarded, session: int, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(PhaseViolation):
            cycle.phase(session, "MEMORY_UPDATE")


def finalized(cycle: Guarded, draft: str) -> dict[str, Any]:
    return cycle.phase(cycle.until("DRAFT", draft={"draft": draft}), "FINALIZE_RESPONSE")["output"]


def policies(cycle: Guarded, scope: str = "project") -> list[str]:
    return [cell.body for cell in cycle.inside(lambda tx: tx.ask(Semantic).policies((scope,)))]


def test_the_third_violation_of_a_rule_makes_it_a_policy(stored: Guarded):
    first, second = stored.snapshot()["session_id"], stored.snapshot()["session_id"]
    out_of_order(stored, first)
    out_of_order(stored, second)
    assert policies(stored) == []
    assert stored.snapshot()["flags"] == {}

    out_of_order(stored, first)

    assert policies(stored) == ["Run the phases of the guarded cycle in their order."]
    (cell,) = stored.inside(lambda tx: tx.ask(Semantic).policies(("project",)))
    assert (cell.cell_type, cell.state, cell.source, cell.trust, cell.evidence_count) == (
        *("policy", "stable", "system", 2),
        3,
    )


def test_a_policy_is_in_the_flags_of_the_next_snapshot_and_in_its_pack(cycle: Guarded):
    out_of_order(cycle, cycle.snapshot()["session_id"], 3)

    begun = cycle.snapshot(context_keys=["gardening"])
    assert begun["flags"] == {"escalated": ["phase_order"]}
    cycle.phase(begun["session_id"], "ROUTER", user_input="Why?")
    (cell,) = cycle.pack(begun["session_id"])["packed_context"]["cells"]
    assert (cell["type"], cell["title"]) == ("policy", "Run the phases of the guarded cycle in their order.")


def test_where_order_is_a_policy_no_phase_is_skipped(cycle: Guarded):
    before = cycle.snapshot()["session_id"]
    out_of_order(cycle, before, 3)

    begun = cycle.snapshot()
    routed = cycle.compliance_router(
        session_id=begun["session_id"], snapshot_hash=begun["snapshot_hash"], draft="All is well."
    )

    assert (routed["route"], routed["has_draft"], routed["skipped"]) == ("CONTEXT_PACK", True, [])
    # What was begun before is held to what its snapshot says.
    assert cycle.phase(before, "ROUTER", draft="All is well.")["output"]["next_action"] == "FINALIZE_RESPONSE"


def test_a_rule_of_drafts_that_is_a_policy_blocks(cycle: Guarded):
    assert [finalized(cycle, PROMISE)["integrity"] for _ in range(3)] == ["NEEDS_VERIFICATION"] * 3

    fourth = finalized(cycle, PROMISE)

    assert (fourth["integrity"], fourth["violations"][0]["severity"]) == ("BLOCKED", "error")
    assert "It was violated often" in fourth["violations"][0]["message"]
    assert finalized(cycle, "This fix may help.")["integrity"] == "OK"


def test_what_is_only_said_is_no_violation(cycle: Guarded):
    cycle.knows("The build cache is cold after every merge.")
    for _ in range(4):
        finalized(cycle, "The build cache is cold after every merge.")

    assert policies(cycle) == []
    assert cycle.snapshot()["flags"] == {}


def test_violations_of_one_scope_do_not_bind_another(cycle: Guarded):
    everywhere = cycle.snapshot(scope="global")["session_id"]
    here = cycle.snapshot(scope="project")["session_id"]
    out_of_order(cycle, here, 3)
    assert cycle.snapshot(scope="global")["flags"] == {}

    for _ in range(3):
        with pytest.raises(PhaseViolation):
            cycle.phase(everywhere, "DRAFT")

    assert cycle.snapshot(scope="global")["flags"] == {"escalated": ["phase_order"]}


def test_a_rule_leaves_three_episodes_however_often_it_is_broken(cycle: Guarded):
    out_of_order(cycle, cycle.snapshot()["session_id"], 8)

    episodes = cycle.inside(lambda tx: tx.ask(Episodes).best(("project",), limit=50))

    assert len(episodes) == 3
    assert {episode.context_keys for episode in episodes} == {("behavioral_violation", "phase_order")}
    assert {(episode.outcome, episode.source, episode.trust) for episode in episodes} == {("fail", "system", 1)}
    assert len(policies(cycle)) == 1


def test_where_memory_is_off_violations_are_still_recorded_and_counted(cycle: Guarded):
    config = cycle.project / ".claude" / "config.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"memory_enabled": False}), encoding="utf-8")
    id = cycle.snapshot()["session_id"]

    out_of_order(cycle, id, 3)

    assert len(cycle.status(id)["violations"]) == 3
    assert policies(cycle) == []
    assert cycle.snapshot()["flags"] == {"escalated": ["phase_order"]}
