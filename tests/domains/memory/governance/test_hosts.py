"""The memory sessions of hosts: found, begun, validated, closed."""

from __future__ import annotations

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from thoughtbox.domains.memory.tokens.minting import verify as verify_token
from thoughtbox.errors import CycleComplete, ValidationFailed


def hosted(cycle: Guarded, name: str = "s1") -> int:
    return cycle.memory_host_session(client="claude-code", host_session=name)["session_id"]


def test_a_hosts_session_is_found_again_until_it_is_closed(stored: Guarded):
    nobody = stored.memory_host_session(client="claude-code", host_session="s1", create=False)
    assert nobody == {"session_id": None, "is_new": False, "phase": None}

    first = stored.memory_host_session(client="claude-code", host_session="s1")
    again = stored.memory_host_session(client="claude-code", host_session="s1")
    other = stored.memory_host_session(client="codex", host_session="s1")

    assert (first["is_new"], again["is_new"]) == (True, False)
    assert first["session_id"] == again["session_id"] != other["session_id"]
    stored.memory_host_close(session_id=first["session_id"])
    after = stored.memory_host_session(client="claude-code", host_session="s1")
    assert after["is_new"]
    assert after["session_id"] != first["session_id"]


def test_a_session_without_a_cycle_validates_on_its_chain_alone(stored: Guarded):
    id = hosted(stored)
    head = stored.record_invocation(session_id=id, tool_name="Bash", input={}, output={})["hash"]

    closed = stored.memory_host_close(session_id=id)

    assert (closed["valid"], closed["errors"], closed["chain_count"], closed["closed"]) == (True, [], 1, True)
    assert closed["receipt"]["payload"]["invocation_chain_head"] == head
    assert closed["token"] is None  # that some tools were called opens no gate
    assert stored.verify_receipt(receipt_id=closed["receipt"]["id"])["valid"]
    assert stored.status(id)["closed_at"] is not None


def test_a_cycle_that_was_begun_and_not_finished_is_not_valid_and_closed_all_the_same(cycle: Guarded):
    id = cycle.until("FINALIZE_RESPONSE", session=hosted(cycle))

    closed = cycle.memory_host_close(session_id=id)

    assert (closed["valid"], closed["receipt"], closed["token"]) == (False, None, None)
    assert closed["errors"] == ["phases are missing: GOVERNANCE_VALIDATE, MEMORY_UPDATE"]
    assert cycle.status(id)["closed_at"] is not None


def test_a_cycle_that_was_finished_is_valid_at_the_close(cycle: Guarded):
    id = cycle.until("MEMORY_UPDATE", session=hosted(cycle))
    cycle.record_invocation(session_id=id, tool_name="Bash", input={}, output={})

    closed = cycle.memory_host_close(session_id=id)

    assert (closed["valid"], closed["chain_count"], closed["token"]["type"]) == (True, 8, "session")
    assert cycle.inside(lambda tx: verify_token(tx, closed["token"]["token_id"])).status == "valid"
    assert len(cycle.status(id)["receipts"]) == 2


def test_a_closed_session_takes_neither_phases_nor_a_second_close(cycle: Guarded):
    id = hosted(cycle)
    cycle.memory_host_close(session_id=id)

    with pytest.raises(CycleComplete):
        cycle.snapshot(session_id=id)
    with pytest.raises(ValidationFailed, match="closed"):
        cycle.memory_host_close(session_id=id)
    assert cycle.status(id)["next_call"] == {"operation": "compliance_snapshot"}


def test_the_status_tells_all_that_is_needed_to_go_on(cycle: Guarded):
    id = cycle.until("DRAFT", session=hosted(cycle))

    status = cycle.status(id)

    assert (status["phase"], status["next_phase"]) == ("DRAFT", "FINALIZE_RESPONSE")
    assert (status["user_input"], status["draft"]) == (
        "Why are builds slow?",
        "The build cache is cold after every merge.",
    )
    assert (status["chain_count"], status["context_keys"], status["violations"]) == (4, ["build"], [])
    call = dict(status["next_call"])
    assert cycle.box.call(call.pop("operation"), call)["phase"] == "FINALIZE_RESPONSE"


def test_the_status_is_readable_as_of_any_record(stored: Guarded):
    id = stored.until("CONTEXT_PACK")
    last = stored.status(id)["chain_count"]
    newest = stored.inside(lambda tx: tx.ledger.last_seq())
    stored.phase(id, "DRAFT", draft="All is well.")

    then = stored.box.call("memory_session_status", {"session_id": id}, as_of=newest)

    assert (then["phase"], then["chain_count"], then["draft"]) == ("CONTEXT_PACK", last, None)
