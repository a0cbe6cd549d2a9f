"""The guarded cycle, told through a real MCP client: every tool is called by its own name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agent import Agent, ToolFailed

DRAFT = "The cache is cold after every merge. Warm it in the pipeline."


def test_a_cycle_from_the_snapshot_to_what_is_remembered_through_its_tools(
    start_agent: Callable[..., Agent], tmp_path: Path
):
    agent = start_agent(THOUGHTBOX_PROJECT_ROOT=str(tmp_path / "project"))
    begun = agent.call("compliance_snapshot", {"context": {"question": "builds"}, "context_keys": ["build"]})
    id = begun["session_id"]
    with pytest.raises(ToolFailed) as refused:
        agent.call("finalize_response", {"session_id": id, "draft": DRAFT})
    assert refused.value.code == "PHASE_VIOLATION"

    routed = agent.call(
        "compliance_router",
        {"session_id": str(id), "snapshot_hash": begun["snapshot_hash"], "user_input": "Why are builds slow?"},
    )
    assert routed["next_call"]["operation"] == "memory.context_pack"
    pack = agent.call("memory_context_pack", {"session_id": id, "byte_budget": 2000})
    assert pack["byte_count"] <= 2000
    agent.call("guarded_cycle", {"session_id": id, "phase": "DRAFT", "input": {"draft": DRAFT}})
    done = agent.call("finalize_response", {"session_id": id, "draft": DRAFT})
    assert done["response"] == f"{DRAFT}\n\n[INTEGRITY: OK]"

    called = agent.call(
        "record_invocation", {"session_id": id, "tool_name": "Bash", "input": {}, "output": {"exit": 0}}
    )
    proof = agent.call("governance_validate", {"session_id": id, "context_hash": pack["context_hash"]})
    assert (proof["valid"], proof["chain_count"]) == (True, called["chain_count"])
    assert proof["receipt"]["payload"]["invocation_chain_head"] == called["hash"]
    assert proof["token"]["token_version"] == 2
    kept = agent.call("guarded_cycle", {"session_id": id, "phase": "MEMORY_UPDATE"})

    assert (kept["output"]["outcome"], kept["next_phase"]) == ("success", None)
    assert agent.call("verify_receipt", {"receipt": proof["receipt"]})["valid"] is True
    status = agent.call("memory_session_status", {"session_id": id})
    assert [violation["rule"] for violation in status["violations"]] == ["phase_order"]
    assert [file.name for file in (tmp_path / "project" / ".claude" / "tokens").iterdir()] == [
        f"{proof['token']['token_id']}.json"
    ]
    with pytest.raises(ToolFailed) as over:
        agent.call("guarded_cycle", {"session_id": id, "phase": "MEMORY_UPDATE"})
    assert over.value.code == "CYCLE_COMPLETE"
