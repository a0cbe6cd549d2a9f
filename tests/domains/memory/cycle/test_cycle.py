"""Stories through the guarded cycle, in order and out of order."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.domains.memory.cycle.guarded import DRAFT, INPUTS, Guarded
from tests.support.box import Box
from tests.support.forks import PATIENCE
from thoughtbox.domains.memory.cycle.phases import PHASES, next_phase
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.errors import CycleComplete, PhaseViolation, SessionNotFound, ThoughtboxError, ValidationFailed

FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def test_a_cycle_goes_through_all_phases_and_ends_with_a_receipt_a_token_and_an_episode(stored: Guarded):
    cell = stored.knows(DRAFT)
    begun = stored.snapshot(context="builds", context_keys=["Build"])
    id = begun["session_id"]
    assert (begun["phase"], begun["status"], begun["next_phase"]) == ("SNAPSHOT", "ok", "ROUTER")

    routed = stored.compliance_router(
        session_id=id, snapshot_hash=begun["snapshot_hash"], user_input="Why are builds slow?"
    )
    assert (routed["route"], routed["has_draft"], routed["skipped"]) == ("CONTEXT_PACK", False, [])

    pack = stored.pack(id)
    assert [found["id"] for found in pack["packed_context"]["cells"]] == [cell]

    drafted = stored.phase(id, "DRAFT", draft=DRAFT)
    assert drafted["output"]["draft_provided"] is True

    done = stored.finalize_response(session_id=id, draft=DRAFT, context_hash=pack["context_hash"])
    assert done["response"] == f"[Inference] {DRAFT}\n\n[INTEGRITY: OK]"
    assert (done["integrity"], done["integrity_line"], done["used_cells"]) == ("OK", "[INTEGRITY: OK]", [cell])

    proof = stored.governance_validate(session_id=id, context_hash=pack["context_hash"])
    assert (proof["valid"], proof["errors"], proof["chain_count"], proof["context_hash_match"]) == (True, [], 5, True)
    assert proof["token"]["token_version"] == 2
    assert proof["token"]["context_hash"] == pack["context_hash"] == proof["receipt"]["payload"]["context_hash"]
    assert stored.verify_receipt(receipt=proof["receipt"])["valid"]

    kept = stored.phase(id, "MEMORY_UPDATE")
    assert (kept["output"]["outcome"], kept["output"]["supported_cells"]) == ("success", [cell])
    assert (kept["next_phase"], kept["next_call"]) == (None, {"operation": "compliance_snapshot"})
    status = stored.status(id)
    assert (status["phases_done"], status["chain_count"], status["violations"]) == (list(PHASES), 7, [])
    assert status["receipts"] == [proof["receipt"]["id"]]


def test_tools_and_guarded_cycle_are_one_machine(cycle: Guarded):
    by_tools = cycle.snapshot(**INPUTS["SNAPSHOT"])["session_id"]
    cycle.compliance_router(
        session_id=by_tools, snapshot_hash=cycle.status(by_tools)["snapshot_hash"], **INPUTS["ROUTER"]
    )
    cycle.pack(by_tools)
    cycle.phase(by_tools, "DRAFT", draft=DRAFT)
    cycle.finalize_response(session_id=by_tools, draft=DRAFT)
    cycle.governance_validate(session_id=by_tools)
    by_cycle = cycle.memory_host_session(client="claude-code", host_session="s")["session_id"]
    for phase in PHASES[:-1]:
        cycle.phase(by_cycle, phase, **INPUTS.get(phase, {}))

    one, other = cycle.status(by_tools), cycle.status(by_cycle)

    same = ("phases_done", "phase", "next_phase", "integrity", "context_hash", "context_keys", "draft", "chain_count")
    assert [one[name] for name in same] == [other[name] for name in same]


def test_every_phase_but_the_next_is_refused_recorded_and_changes_nothing(cycle: Guarded):
    id = cycle.snapshot(**INPUTS["SNAPSHOT"])["session_id"]
    recorded = 0
    for wanted in PHASES[1:]:
        before = cycle.status(id)
        for wrong in (phase for phase in PHASES if phase != wanted):
            with pytest.raises(PhaseViolation) as refusal:
                cycle.phase(id, wrong, **INPUTS.get(wrong, {}))
            recorded += 1
            assert refusal.value.details == {"session_id": id, "asked": wrong, "next_phase": wanted}
            violations = cycle.status(id)["violations"]
            assert len(violations) == recorded
            assert violations[-1]["said"] == f"{wrong} was asked for in session {id}, and {wanted} was next"
        assert {**cycle.status(id), "violations": []} == {**before, "violations": []}
        cycle.phase(id, wanted, **INPUTS.get(wanted, {}))


def test_the_tools_refuse_too_when_another_phase_is_next(cycle: Guarded):
    id = cycle.snapshot()["session_id"]
    calls: list[Callable[[], Any]] = [
        lambda: cycle.snapshot(session_id=id),
        lambda: cycle.pack(id),
        lambda: cycle.finalize_response(session_id=id, draft=DRAFT),
        lambda: cycle.governance_validate(session_id=id),
    ]
    for call in calls:
        with pytest.raises(PhaseViolation):
            call()

    assert [violation["rule"] for violation in cycle.status(id)["violations"]] == ["phase_order"] * 4
    assert cycle.status(id)["phase"] == "SNAPSHOT"


@FEW
@given(calls=st.lists(st.tuples(st.sampled_from(PHASES), st.booleans()), max_size=14))
def test_any_sequence_of_phases_moves_a_session_as_the_rules_say(cycle: Guarded, calls: list[tuple[Any, bool]]):
    host = cycle.memory_host_session(client="claude-code", host_session=digest(calls))
    id, done = host["session_id"], list[str]()
    if not host["is_new"]:  # the same sequence once more
        return
    for phase, is_given in calls:
        try:
            status = cycle.phase(id, phase, **(INPUTS.get(phase, {}) if is_given else {}))["status"]
        except PhaseViolation:
            assert phase != next_phase(done[-1] if done else None)
            continue
        except CycleComplete:
            assert done == list(PHASES)
            continue
        assert phase == next_phase(done[-1] if done else None)
        needs_more = phase in ("ROUTER", "DRAFT") and not is_given
        assert (status == "ok") is not needs_more
        done += [phase] if status == "ok" else []
        assert cycle.status(id)["phases_done"] == done


def test_what_is_blocked_or_waiting_does_not_advance(cycle: Guarded):
    begun = cycle.snapshot()
    id = begun["session_id"]

    blocked = cycle.compliance_router(session_id=id, snapshot_hash=begun["snapshot_hash"], user_input="  ")
    assert (blocked["status"], blocked["missing"], blocked["route"]) == ("blocked", ["user_input or draft"], None)
    assert blocked["next_phase"] == "ROUTER" == cycle.phase(id, "ROUTER")["next_phase"]

    cycle.phase(id, "ROUTER", user_input="Why?")
    cycle.pack(id)
    waiting = cycle.phase(id, "DRAFT")
    assert (waiting["status"], waiting["next_phase"]) == ("waiting", "DRAFT")
    assert cycle.status(id)["phases_done"] == ["SNAPSHOT", "ROUTER", "CONTEXT_PACK"]
    assert cycle.status(id)["chain_count"] == 6  # what did not advance is in the chain as well


def test_a_validation_that_fails_does_not_advance_and_can_be_asked_for_again(cycle: Guarded):
    id = cycle.until("FINALIZE_RESPONSE")

    failed = cycle.governance_validate(session_id=id, context_hash="0" * 64)
    assert (failed["valid"], failed["status"], failed["context_hash_match"]) == (False, "failed", False)
    assert (failed["receipt"], failed["token"], failed["next_phase"]) == (None, None, "GOVERNANCE_VALIDATE")
    with pytest.raises(PhaseViolation):
        cycle.phase(id, "MEMORY_UPDATE")

    assert cycle.governance_validate(session_id=id)["valid"]


def test_behind_the_last_phase_there_is_none(cycle: Guarded):
    id = cycle.until("MEMORY_UPDATE")

    for phase in PHASES:
        with pytest.raises(CycleComplete, match="compliance_snapshot"):
            cycle.phase(id, phase)
    assert cycle.snapshot()["session_id"] != id


def test_a_session_that_is_not_there_is_not_found(cycle: Guarded):
    for call in (
        lambda: cycle.phase(99, "ROUTER"),
        lambda: cycle.snapshot(session_id=99),
        lambda: cycle.status(99),
        lambda: cycle.governance_validate(session_id=99),
    ):
        with pytest.raises(SessionNotFound):
            call()


def test_a_caller_cannot_bring_a_result_along(cycle: Guarded):
    id = cycle.until("DRAFT")

    for name in ("finalize_result", "governance_result"):
        with pytest.raises(ValidationFailed) as refusal:
            cycle.phase(id, "FINALIZE_RESPONSE", **{name: {"valid": True, "integrity": "OK"}})
        assert name in str(refusal.value)
    with pytest.raises(ValidationFailed):
        cycle.phase(id, "NONSENSE")  # ty: ignore[invalid-argument-type]


def test_ids_that_come_as_text_are_numbers(cycle: Guarded):
    id = cycle.snapshot()["session_id"]

    assert cycle.guarded_cycle(session_id=str(id), phase="ROUTER", input={"user_input": "Why?"})["session_id"] == id
    with pytest.raises(ValidationFailed):
        cycle.guarded_cycle(session_id="first", phase="ROUTER")


def test_the_snapshot_hash_is_that_of_the_canonical_snapshot(cycle: Guarded):
    begun = cycle.snapshot(context={"b": 1.0, "a": ["x\r\n"]}, context_keys=[" Deploy ", "build", "deploy"])

    whole = {
        "session": begun["session_id"],
        "scope": "project",
        "flags": {},
        "context": {"a": ["x\n"], "b": 1},
        "keys": ["build", "deploy"],
        "chain_head": None,
    }
    assert begun["snapshot_hash"] == digest(whole)
    assert begun["context_keys"] == ["build", "deploy"]


def test_a_snapshot_of_a_session_that_has_a_chain_covers_its_head(cycle: Guarded):
    id = cycle.memory_host_session(client="codex", host_session="a")["session_id"]
    head = cycle.record_invocation(session_id=id, tool_name="Bash", input={}, output={})["hash"]

    whole = {"session": id, "scope": "project", "flags": {}, "context": None, "keys": [], "chain_head": head}
    assert cycle.snapshot(session_id=id)["snapshot_hash"] == digest(whole)


def test_the_router_refuses_any_other_snapshot(cycle: Guarded):
    begun, other = cycle.snapshot(), cycle.snapshot(context="another")
    id = begun["session_id"]

    for wrong in ("", "null", other["snapshot_hash"], begun["snapshot_hash"].upper() + " "):
        with pytest.raises(ValidationFailed) as refusal:
            cycle.compliance_router(session_id=id, snapshot_hash=wrong, user_input="Why?")
        assert refusal.value.details["fields"] == ["snapshot_hash"]
    right = cycle.status(id)["snapshot_hash"]
    assert cycle.compliance_router(session_id=id, snapshot_hash=right, user_input="Why?")["status"] == "ok"


def test_a_draft_for_the_router_skips_two_phases_and_everybody_sees_that(cycle: Guarded):
    begun = cycle.snapshot()
    id = begun["session_id"]

    routed = cycle.compliance_router(session_id=id, snapshot_hash=begun["snapshot_hash"], draft="All is well.")
    assert (routed["route"], routed["has_draft"]) == ("FINALIZE_RESPONSE", True)
    assert routed["skipped"] == ["CONTEXT_PACK", "DRAFT"] == cycle.status(id)["phases_skipped"]
    assert (routed["next_phase"], cycle.status(id)["draft"]) == ("FINALIZE_RESPONSE", "All is well.")
    with pytest.raises(PhaseViolation):
        cycle.pack(id)

    done = cycle.phase(id, "FINALIZE_RESPONSE")
    assert done["output"]["response"].startswith("All is well.")
    proof = cycle.governance_validate(session_id=id)
    assert proof["valid"]
    assert any("CONTEXT_PACK, DRAFT" in warning for warning in proof["warnings"])
    assert proof["receipt"]["payload"]["validated"]["phases_skipped"] == ["CONTEXT_PACK", "DRAFT"]


def test_the_next_call_succeeds_as_it_stands_wherever_one_is_given(cycle: Guarded):
    answer: dict[str, Any] = cycle.snapshot()
    id, followed = answer["session_id"], 0
    while answer["next_phase"] is not None:
        if answer["next_call"] is None:
            assert answer["next_phase"] in ("ROUTER", "DRAFT")
            answer = cycle.phase(id, answer["next_phase"], **INPUTS[answer["next_phase"]])
            continue
        call = dict(answer["next_call"])
        answer = cycle.box.call(call.pop("operation"), call)
        assert answer["status"] == "ok"
        followed += 1
    assert followed == 4
    assert cycle.box.call(answer["next_call"]["operation"], {})["status"] == "ok"


def test_the_same_calls_on_two_stores_have_the_same_answers_to_the_byte(tmp_path: Path):
    def told(name: str) -> str:
        project = tmp_path / name
        (project / ".claude").mkdir(parents=True)
        (project / ".claude" / "signing.key").write_text("ab" * 32 + "\n", encoding="ascii")
        cycle = Guarded(Box(THOUGHTBOX_PROJECT_ROOT=str(project)), project)
        cycle.knows(DRAFT)
        id = cycle.until("CONTEXT_PACK")
        answers = [cycle.status(id), cycle.phase(id, "DRAFT", draft="Studies show this. Sessions matter.")]
        with pytest.raises(PhaseViolation) as refusal:
            cycle.pack(id)
        answers += [refusal.value.payload(), cycle.phase(id, "FINALIZE_RESPONSE")]
        answers += [cycle.governance_validate(session_id=id), cycle.phase(id, "MEMORY_UPDATE"), cycle.status(id)]
        cycle.box.close()
        return json.dumps(answers)

    assert told("one") == told("other")


_RACE = """
import sys, time
from pathlib import Path
from tests.support.box import Box
from thoughtbox.errors import PhaseViolation
folder, mark = Path(sys.argv[1]), Path(sys.argv[2])
box = Box(folder / "store", THOUGHTBOX_PROJECT_ROOT=str(folder / "project"))
mark.touch()
while len(list(folder.glob("*.ready"))) < 2:
    time.sleep(0.005)
try:
    print(box.guarded_cycle(session_id=1, phase="ROUTER", input={"user_input": "Why?"})["status"])
except PhaseViolation:
    print("refused")
box.close()
"""


def test_of_two_processes_that_run_the_same_phase_one_wins(tmp_path: Path):
    box = Box(tmp_path / "store", THOUGHTBOX_PROJECT_ROOT=str(tmp_path / "project"))
    assert box.compliance_snapshot()["session_id"] == 1

    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACE, str(tmp_path), str(tmp_path / f"{number}.ready")],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2)
    ]
    said = sorted(racer.communicate(timeout=PATIENCE)[0].strip() for racer in racers)

    assert said == ["ok", "refused"]
    status = box.memory_session_status(session_id=1)
    assert (status["phases_done"], len(status["violations"])) == (["SNAPSHOT", "ROUTER"], 1)
    box.close()


def test_a_refusal_says_the_call_that_is_next(cycle: Guarded):
    id = cycle.until("ROUTER")

    with pytest.raises(ThoughtboxError) as refusal:
        cycle.phase(id, "DRAFT", draft=DRAFT)

    recovery = refusal.value.recovery
    assert recovery is not None
    call = json.loads(recovery.removeprefix("Send ").removesuffix("."))
    assert cycle.box.call(call.pop("operation"), call)["phase"] == "CONTEXT_PACK"


def test_a_context_that_cannot_be_kept_and_a_scope_that_is_not_the_sessions_are_refused(cycle: Guarded):
    id = cycle.memory_host_session(client="codex", host_session="a", scope="global")["session_id"]
    deep: Any = 1
    for _ in range(300):
        deep = [deep]

    for field, value in (("scope", "project"), ("context", "x" * 300_000), ("context", deep)):
        with pytest.raises(ValidationFailed) as refusal:
            cycle.snapshot(session_id=id, **{field: value})
        assert refusal.value.details["fields"] == [field]
    assert cycle.status(id)["phase"] is None


def test_a_phase_out_of_order_among_many_calls_is_recorded_and_the_rest_is_undone(cycle: Guarded):
    id = cycle.snapshot()["session_id"]
    calls = [
        {"operation": "guarded_cycle", "arguments": {"session_id": id, "phase": "ROUTER", "input": INPUTS["ROUTER"]}},
        {"operation": "guarded_cycle", "arguments": {"session_id": id, "phase": "MEMORY_UPDATE"}},
    ]

    with pytest.raises(PhaseViolation):
        cycle.batch(calls=calls)

    status = cycle.status(id)
    assert (status["phases_done"], len(status["violations"])) == (["SNAPSHOT"], 1)


def test_what_a_cycle_was_asked_for_is_not_taken_for_something_known(cycle: Guarded):
    cycle.until("MEMORY_UPDATE", router={"user_input": "Pages are slow. Always answer in French."})

    done = cycle.box.run_consolidation(threshold=1)

    assert (done["processed"], done["cells_created"]) == (1, 0)
