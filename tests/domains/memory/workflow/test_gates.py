"""Gates: what passes one is what was really done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.domains.memory.workflow.conftest import agent, rows
from tests.support.box import START_MS, WORKSPACE, Box
from thoughtbox.domains.memory.project import ProjectFolder, write_object
from thoughtbox.domains.memory.tokens.files import live_session_token
from thoughtbox.errors import PhaseViolation, SessionNotFound, ValidationFailed
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

LEARN = {"current_phase": "learn", "action": "edit files", "session_id": "s1"}
TEACH = {**LEARN, "current_phase": "teach"}
REASON = {**LEARN, "current_phase": "reason"}

EXPERIENCE = {
    "type": "effective",
    "domain": "Debugging",
    "situation": "A test failed now and then",
    "approach": "Ran it alone, then with its neighbours",
    "outcome": "A neighbour left a file behind",
    "reasoning": "Order dependence shows when the order changes",
}


def configure(folder: ProjectFolder, enforcement: str = "moderate", **gates: Any) -> None:
    """Gates by the tools that they ask for, or whole."""
    told = {
        name: gate if isinstance(gate, dict) else {"description": name, "required_tools": gate}
        for name, gate in {"teach": [], "learn": [], "reason": [], **gates}.items()
    }
    write_object(folder.config, {"name": "mine", "enforcement": enforcement, "gates": told})


def missing(box: Any, **call: Any) -> list[str]:
    return [step["tool"] for step in box.check_compliance(**{**LEARN, **call})["missing"]]


def test_a_gate_says_which_calls_are_missing_and_each_can_be_sent_as_it_stands(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience", "tag_experience", "export_experiences"])
    first = quick.check_compliance(**TEACH)
    assert (first["compliant"], first["completed_tools"]) == (False, [])
    assert [step["tool"] for step in first["missing"]] == ["record_experience", "tag_experience", "export_experiences"]
    assert first["missing"][1]["call"] is None

    while steps := quick.check_compliance(**TEACH)["missing"]:
        call = next(step["call"] for step in steps if step["call"] is not None)
        quick.call("thoughtbox_gateway", call)

    last = quick.check_compliance(**TEACH)
    assert (last["compliant"], last["completed_tools"]) == (True, first["required_tools"])
    assert quick.verify_compliance(**TEACH)["operation_token"].startswith("op-")


def test_a_token_is_issued_when_the_gate_is_passed_and_not_before(quick: Box, folder: ProjectFolder):
    configure(folder, learn=["search_experiences"])
    refused = quick.verify_compliance(**LEARN)
    assert (refused["compliant"], refused["operation_token"], refused["expires_at"]) == (False, None, None)
    assert [step["call"] for step in refused["missing"]] == [{"operation": "search_experiences", "query": "edit files"}]
    assert not list(folder.tokens.glob("*"))

    quick.search_experiences(query="edit files")
    passed = quick.verify_compliance(**LEARN)

    assert (passed["compliant"], passed["missing"], passed["expires_in_seconds"]) == (True, [], 300)
    assert [path.stem for path in folder.tokens.iterdir()] == [passed["operation_token"]]
    assert quick.get_workflow_status(session_id="s1")["gates_status"]["learn"]["status"] == "passed"


def test_what_an_agent_says_of_itself_is_no_proof(quick: Box, folder: ProjectFolder):
    configure(folder, learn=["search_experiences", "WebFetch"])
    session = quick.memory_host_session(client="claude-code", host_session="h1")["session_id"]
    call = {"session_id": session, "input": {}, "output": {}}

    for tool in ("search_experiences", "WebFetch"):
        quick.record_invocation(tool_name=tool, **call)
    assert missing(quick) == ["search_experiences", "WebFetch"]
    with pytest.raises(ValidationFailed):
        quick.check_compliance(**LEARN, steps_completed=["search_experiences"])

    hook = agent(quick, "claude-code hooks", transport="hook")
    hook.record_invocation(tool_name="mcp__thoughtbox__search_experiences", meta={"failed": True}, **call)
    assert missing(quick) == ["search_experiences", "WebFetch"]
    hook.record_invocation(tool_name="WebFetch", **call)
    hook.record_invocation(tool_name="mcp__thoughtbox__search_experiences", **call)
    assert missing(quick) == []


def test_what_was_refused_was_not_done(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"])
    with pytest.raises(ValidationFailed):
        quick.record_experience(**{**EXPERIENCE, "domain": "Cooking"})
    assert missing(quick, **TEACH) == ["record_experience"]
    quick.record_experience(**EXPERIENCE)
    assert missing(quick, **TEACH) == []


def test_an_experience_that_is_known_already_counts_as_recorded_by_whoever_tried(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"])
    agent(quick, "other").record_experience(**EXPERIENCE)
    assert missing(quick, **TEACH) == ["record_experience"]
    assert quick.record_experience(**EXPERIENCE)["recorded"] is False
    assert missing(quick, **TEACH) == []


def test_what_another_caller_did_does_not_count(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"], learn=["search_experiences"])
    other = agent(quick, "other")
    other.record_experience(**EXPERIENCE)
    other.search_experiences(query="test")
    assert missing(quick) == ["search_experiences"]
    assert missing(quick, **TEACH) == ["record_experience"]
    assert missing(other) == missing(other, **TEACH) == []


def test_a_read_counts_for_one_session_and_stays_done_there(quick: Box, folder: ProjectFolder):
    configure(folder, learn=["search_experiences"])
    quick.search_experiences(query="test")
    assert quick.verify_compliance(**LEARN)["compliant"]
    assert missing(quick) == []
    assert missing(quick, session_id="s2") == ["search_experiences"]
    quick.search_experiences(query="test")
    assert missing(quick, session_id="s2") == []


def test_what_one_server_has_seen_holds_for_another(open_box: Any, root: Any, folder: ProjectFolder):
    configure(folder, teach=["record_experience"], learn=["search_experiences"])
    one = open_box(THOUGHTBOX_PROJECT_ROOT=str(root))
    one.record_experience(**EXPERIENCE)
    one.search_experiences(query="test")
    token = one.verify_compliance(**LEARN)["operation_token"]
    other = open_box(THOUGHTBOX_PROJECT_ROOT=str(root))
    assert missing(other) == missing(other, **TEACH) == []
    assert other.authorize_operation(operation_token=token)["authorized"]
    assert not one.authorize_operation(operation_token=token)["authorized"]


def test_operations_of_other_rooms_and_calls_in_a_batch_count(quick: Box, folder: ProjectFolder):
    configure(folder, learn=["thought_plan", "ledger_status", "search_experiences"])
    plan = {"sessionId": "s", "planDescription": "Look first"}
    quick.batch(
        calls=[
            {"operation": "thought_plan", "arguments": plan},
            {"operation": "search_experiences", "arguments": {"query": "x"}},
        ]
    )
    assert missing(quick) == ["ledger_status"]
    quick.ledger_status()
    assert missing(quick) == []


def test_what_was_done_longer_ago_than_a_session_lives_does_not_count(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"])
    config = json.loads(folder.config.read_text(encoding="utf-8"))
    write_object(folder.config, {**config, "token_ttl": {"session": 30_000}})
    quick.record_experience(**EXPERIENCE)
    assert missing(quick, **TEACH) == []
    for _ in range(40):
        quick.get_workflow_status()
    assert missing(quick, **TEACH) == ["record_experience"]


def test_lenient_warns_and_never_refuses(quick: Box, folder: ProjectFolder):
    configure(folder, "lenient", learn=["search_experiences"])
    answer = quick.verify_compliance(**LEARN)
    assert answer["compliant"]
    assert answer["operation_token"]
    assert [step["tool"] for step in answer["missing"]] == ["search_experiences"]
    assert "search_experiences" in answer["warnings"][0]


def test_moderate_asks_for_the_tools_of_the_gate_alone(quick: Box, folder: ProjectFolder):
    configure(folder, "moderate", teach=["record_experience"], learn=["search_experiences"])
    quick.search_experiences(query="test")
    answer = quick.verify_compliance(**LEARN)
    assert (answer["compliant"], answer["warnings"]) == (True, [])


def test_strict_asks_for_every_gate_before_it_one_after_the_other(quick: Box, folder: ProjectFolder):
    configure(folder, "strict", teach=["record_experience"], learn=["search_experiences"])
    quick.search_experiences(query="test")
    quick.record_experience(**EXPERIENCE)
    refused = quick.verify_compliance(**LEARN)
    assert refused["operation_token"] is None
    (step,) = refused["missing"]
    assert (step["gate"], step["tool"]) == ("teach", "verify_compliance")

    quick.call("thoughtbox_gateway", step["call"])

    assert quick.verify_compliance(**LEARN)["compliant"]
    assert quick.verify_compliance(**REASON)["compliant"]
    assert quick.get_workflow_status(session_id="s1")["current_phase"] == "act"


def test_under_custom_each_gate_says_how_strictly_it_is_kept(quick: Box, folder: ProjectFolder):
    configure(
        folder,
        "custom",
        teach={"required_tools": ["record_experience"], "enforcement": "lenient"},
        learn={"required_tools": ["search_experiences"]},
        reason={"required_tools": [], "enforcement": "strict"},
    )
    assert quick.check_compliance(**TEACH)["compliant"]
    assert not quick.check_compliance(**LEARN)["compliant"]
    reason = quick.check_compliance(**REASON)
    assert {step["gate"] for step in reason["missing"]} == {"teach", "learn"}
    assert not reason["compliant"]


def test_with_a_live_session_token_gates_ask_for_nothing_unless_they_are_strict(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"], learn=["search_experiences"])
    quick.search_experiences(query="test")
    token = quick.verify_compliance(**LEARN)["operation_token"]
    assert not quick.get_workflow_status(session_id="s1")["fast_track_active"]
    answer = quick.authorize_operation(operation_token=token, create_session_token=True)
    assert answer["session_token"].startswith("session-")

    assert quick.get_workflow_status(session_id="s1")["fast_track_active"]
    fast = quick.verify_compliance(**TEACH)
    assert (fast["compliant"], fast["fast_track"]) == (True, True)
    assert not quick.check_compliance(**TEACH | {"session_id": "s2"})["compliant"]

    configure(folder, "strict", teach=["record_experience"], learn=["search_experiences"])
    assert quick.check_compliance(**TEACH)["fast_track"] is False
    assert not quick.get_workflow_status(session_id="s1")["fast_track_active"]


def test_spending_the_token_mints_the_session_token_that_opens_the_hosts_gate(quick: Box, folder: ProjectFolder):
    configure(folder, learn=["search_experiences"])
    quick.search_experiences(query="test")
    token = quick.verify_compliance(**LEARN)["operation_token"]
    assert quick.authorize_operation(operation_token=token)["session_token"] is None
    assert live_session_token(folder, START_MS) is None

    token = quick.verify_compliance(**LEARN)["operation_token"]
    answer = quick.authorize_operation(operation_token=token, create_session_token=True)

    assert (answer["authorized"], answer["phase"], answer["action"]) == (True, "learn", "edit files")
    found = live_session_token(folder, START_MS)
    assert found is not None
    assert (found.token_id, found.session_id, found.token_version) == (answer["session_token"], "s1", 2)
    assert found.context_hash is not None
    assert len(found.context_hash) == 64
    assert found.invocation_chain_head is not None
    assert found.expires_at == answer["session_token_expires_at"]
    assert quick.authorize_operation(operation_token=answer["session_token"])["status"] == "invalid"


def test_resetting_revokes_the_sessions_live_tokens_and_begins_anew(quick: Box, folder: ProjectFolder):
    configure(folder, teach=["record_experience"], learn=["search_experiences"])
    quick.record_experience(**EXPERIENCE)
    quick.search_experiences(query="test")
    spare = quick.verify_compliance(**TEACH)["operation_token"]
    token = quick.verify_compliance(**LEARN)["operation_token"]
    opened = quick.authorize_operation(operation_token=token, create_session_token=True)["session_token"]

    answer = quick.reset_workflow(session_id="s1")

    assert (answer["reset"], sorted(answer["revoked"])) == (True, sorted([spare, opened]))
    assert live_session_token(folder, START_MS) is None
    assert not list(folder.tokens.iterdir())
    assert quick.authorize_operation(operation_token=spare)["status"] == "invalid"
    status = quick.get_workflow_status(session_id="s1")
    assert (status["steps_completed"], status["active_tokens"], status["session"]["active"]) == ([], [], False)
    for session in ("s1", "s2"):
        assert missing(quick, session_id=session) == ["search_experiences"]
        assert missing(quick, **{**TEACH, "session_id": session}) == ["record_experience"]


def test_resetting_one_session_leaves_the_tokens_of_others(quick: Box, folder: ProjectFolder):
    configure(folder)
    for session in ("s1", "s2"):
        quick.verify_compliance(**{**LEARN, "session_id": session})
    assert len(quick.reset_workflow(session_id="s1")["revoked"]) == 1
    assert len(list(folder.tokens.iterdir())) == 1
    assert len(quick.get_workflow_status(session_id="s2")["active_tokens"]) == 1
    assert len(quick.reset_workflow()["revoked"]) == 1
    assert not list(folder.tokens.iterdir())


def test_cleaning_up_takes_expired_token_files_away_and_resets_nothing(quick: Box, folder: ProjectFolder):
    configure(folder)
    quick.verify_compliance(**LEARN)
    old = {"token_id": "op-1-abc123xyz", "created_at": 1, "expires_at": 2, "type": "operation"}
    write_object(folder.tokens / "op-1-abc123xyz.json", old)

    answer = quick.reset_workflow(cleanup_only=True)

    assert answer == {
        "reset": False,
        "session_id": None,
        "cleanup_only": True,
        "revoked": [],
        "cleaned_up": 1,
        "message": "1 expired token files are gone; no session was reset.",
    }
    assert quick.get_workflow_status(session_id="s1")["gates_status"]["learn"]["status"] == "passed"
    with pytest.raises(SessionNotFound):
        quick.reset_workflow(session_id="unheard of")


def test_the_status_of_an_unknown_session_begins_with_teaching(quick: Box):
    status = quick.get_workflow_status(session_id="nobody")
    assert (status["session"], status["current_phase"]) == (None, "teach")
    assert {name: gate["status"] for name, gate in status["gates_status"].items()} == dict.fromkeys(
        ("teach", "learn", "reason"), "pending"
    )
    assert (status["active_tokens"], status["fast_track_active"]) == ([], False)


def test_without_a_session_id_the_session_is_the_callers_own(quick: Box, folder: ProjectFolder):
    configure(folder)
    answer = quick.verify_compliance(current_phase="learn", action="edit")
    assert answer["session_id"] == "tester"
    assert [token["token_id"] for token in quick.get_workflow_status()["active_tokens"]] == [answer["operation_token"]]


def test_workflow_sessions_are_kept_with_what_they_were(both: Box, folder: ProjectFolder):
    configure(folder, learn=["search_experiences"])
    both.verify_compliance(**LEARN)
    both.search_experiences(query="test")
    both.verify_compliance(**LEARN)
    both.reset_workflow(session_id="s1")

    found = rows(
        both,
        "SELECT session_id, preset, gates_passed, steps_completed, expires_at - created_at, active"
        " FROM workflow_sessions ORDER BY from_seq",
    )
    hour = 3_600_000
    assert found == [
        ("s1", "mine", "[]", "[]", hour, 1),
        ("s1", "mine", '["learn"]', '["search_experiences"]', hour, 1),
        ("s1", "mine", "[]", "[]", hour, 0),
    ]
    first = Call(
        operation="get_workflow_status",
        workspace=WORKSPACE,
        arguments={"session_id": "s1"},
        caller=Caller(agent="tester"),
        as_of=2,
    )
    assert both.app.dispatcher.call(first)["gates_status"]["learn"]["status"] == "passed"


def test_every_record_of_the_room_stands_in_the_activity_log(both: Box, folder: ProjectFolder):
    configure(folder)
    both.record_experience(**EXPERIENCE)
    both.verify_compliance(**LEARN)
    both.thought_plan(sessionId="elsewhere", planDescription="Another room")

    found = rows(both, "SELECT id, timestamp, event_type, session_id, details FROM activity_log ORDER BY id")

    records = [
        both.ledger_record(id=f"th:{number}")["record"] for number in range(1, both.ledger_status()["records"] + 1)
    ]
    of_the_room = [record for record in records if record["data"]["topic"].startswith("memory.")]
    assert len(of_the_room) == len(records) - 1
    assert [f"th:{row[0]}" for row in found] == [record["id"] for record in of_the_room]
    assert [row[2] for row in found] == [record["data"]["topic"] for record in of_the_room]
    assert [row[3] for row in found] == [record["session"] for record in of_the_room]
    assert {json.loads(row[4])["operation"] for row in found} == {"record_experience", "verify_compliance"}
    assert all(row[1] >= START_MS for row in found)


def test_a_phase_that_is_refused_proves_nothing_and_one_that_is_done_proves_its_tool(quick: Box, folder: ProjectFolder):
    configure(folder, reason=["guarded_cycle", "compliance_snapshot", "compliance_router", "finalize_response"])
    session = quick.compliance_snapshot(context="c")["session_id"]
    with pytest.raises(PhaseViolation):
        quick.guarded_cycle(session_id=session, phase="MEMORY_UPDATE", input={})
    assert quick.guarded_cycle(session_id=session, phase="ROUTER", input={})["output"]["status"] == "blocked"
    assert missing(quick, **REASON) == ["guarded_cycle", "compliance_router", "finalize_response"]
    quick.guarded_cycle(session_id=session, phase="ROUTER", input={"user_input": "Why?"})
    assert missing(quick, **REASON) == ["finalize_response"]


def test_an_honest_agent_passes_all_three_gates_of_the_default_preset(both: Box, folder: ProjectFolder):
    quick = both
    experience = quick.record_experience(**EXPERIENCE)["experience_id"]
    quick.tag_experience(id=experience, tags=["flaky"])
    quick.search_experiences(query="flaky test")
    snapshot = quick.compliance_snapshot(context="A test fails now and then")
    session = snapshot["session_id"]
    quick.compliance_router(session_id=session, snapshot_hash=snapshot["snapshot_hash"], user_input="Why does it fail?")
    quick.call("memory.context_pack", {"session_id": session})
    quick.guarded_cycle(session_id=session, phase="DRAFT", input={"draft": "A neighbour leaves a file behind."})
    quick.finalize_response(session_id=session, draft="A neighbour leaves a file behind.")

    tokens = [quick.verify_compliance(**call)["operation_token"] for call in (TEACH, LEARN, REASON)]
    opened = quick.authorize_operation(operation_token=tokens[-1], create_session_token=True)

    assert opened["authorized"]
    assert live_session_token(folder, START_MS) is not None
    status = quick.get_workflow_status(session_id="s1")
    assert (status["current_phase"], status["preset"]) == ("act", "three-gate")
    assert [token["type"] for token in status["active_tokens"]] == ["operation", "operation", "session"]
