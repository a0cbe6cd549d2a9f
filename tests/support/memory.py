"""The memory room with something in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.box import WORKSPACE, Box
from tests.support.old_stores import write_store
from thoughtbox.operations.caller import ANONYMOUS

HOST = {"client": "claude-code", "host_session": "host-1"}
DRAFT = "Always warm the cache before a release."


def experience(about: str, **more: Any) -> dict[str, Any]:
    """The arguments of a `record_experience`."""
    return {
        "type": "effective",
        "domain": "Debugging",
        "situation": f"The {about} was slow after a release",
        "approach": f"Look at the {about} first",
        "outcome": f"The {about} was quick again",
        "reasoning": f"Nobody had looked after the {about}",
        "tags": [about],
        **more,
    }


def fill_memory(box: Box) -> None:
    """Something in every table of the room."""
    first = box.record_experience(**experience("cache"))["experience_id"]
    box.tag_experience(id=first, tags=["release"])
    box.update_experience(id=first, changes={"outcome": "It stayed quick"}, reason="A month later")
    for summary in (DRAFT, "Never warm the cache before a release.", "You must not deploy on a Friday."):
        box.record_episode(summary=summary, outcome="success", source="user", context_keys=["cache"])
    box.run_consolidation(threshold=1)
    _cycle(box)
    begun = box.analyze_problem(problem="How to fix the slow cache")["session_id"]
    box.reason_through(session_id=begun, thought="The cache is cold", thought_number=1)
    verified = box.verify_compliance(current_phase="teach", action="write files", session_id="w1")
    assert verified["compliant"], verified
    box.authorize_operation(operation_token=verified["operation_token"], create_session_token=True)
    box.apply_preset(preset_name="three-gate", session_id="w1")
    box.memory_host_session(**HOST)
    box.memory_host_note(**HOST, kind="prompt", text="Warm the cache")
    box.save_before_compaction(**HOST, said="It is warm")
    _import(box)


def _cycle(box: Box) -> None:
    begun = box.compliance_snapshot(context="Slow pages", context_keys=["cache"])["session_id"]
    for phase in ("ROUTER", "CONTEXT_PACK", "DRAFT", "FINALIZE_RESPONSE"):
        given = {"user_input": "Why are pages slow?"} if phase == "ROUTER" else {"draft": "The pages are slow."}
        box.guarded_cycle(session_id=begun, phase=phase, input=given)
    box.record_invocation(session_id=begun, tool_name="Bash", input={"command": "make"}, output="ok")
    box.governance_validate(session_id=begun)
    box.guarded_cycle(session_id=begun, phase="MEMORY_UPDATE")


def _import(box: Box) -> None:
    root = box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, lambda tx: tx.project_root).result()
    assert isinstance(root, Path)
    write_store(root / "experiences.db")
    assert box.import_experience_store(path="experiences.db")
