"""Drafts that become responses: which cells they are held against, and what follows from the verdict."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.cycle.guarded import DRAFT, Guarded
from thoughtbox.domains.memory.cycle.finalization import finalized
from thoughtbox.errors import PhaseViolation, ValidationFailed

FRIDAY = "Never deploy on Friday."


def drafted(cycle: Guarded, draft: str = DRAFT) -> int:
    return cycle.until("DRAFT", draft={"draft": draft})


def test_a_response_has_labels_notices_and_the_marker_on_its_last_line(stored: Guarded):
    cell = stored.knows("Sessions are stored in Redis.")
    for text in ("Sessions are stored in Redis.", "Sessions are not stored in Redis."):
        stored.inside(lambda tx, text=text: _episode(tx, text))
    stored.run_consolidation(threshold=1)
    id = drafted(stored, "Sessions are stored in Redis. Ask me for more.")

    done = stored.finalize_response(session_id=id, draft="Sessions are stored in Redis. Ask me for more.")

    first, notice, last = done["response"].split("\n\n")
    assert first == "[Inference] Sessions are stored in Redis. Ask me for more."
    assert notice.startswith('[Conflict] Memory contradicts this once: "Sessions are stored in Redis." (agent, unverif')
    assert notice.endswith(f"cell {cell}. Check it before you rely on it.")
    assert last == "[INTEGRITY: OK]" == done["integrity_line"]
    found = {violation["rule"]: violation for violation in done["violations"]}
    assert found["inference_labeling"]["cells"] == [cell]
    assert found["contradiction_notice"]["cells"] == [
        {"id": cell, "title": "Sessions are stored in Redis.", "contradictions": 1}
    ]
    assert {violation["severity"] for violation in done["violations"]} == {"info"}


def _episode(tx: Any, text: str) -> int:
    from thoughtbox.domains.memory.episodes.recording import record_episode

    return record_episode(tx, summary=text, outcome="success", source="agent", trust=1, context_keys=("build",))


def test_guarded_cycle_finalizes_the_draft_that_was_kept_or_a_newer_one(cycle: Guarded):
    kept = cycle.phase(drafted(cycle, "All is well."), "FINALIZE_RESPONSE")
    newer = cycle.phase(drafted(cycle, "All is well."), "FINALIZE_RESPONSE", draft="All is better.")

    assert kept["output"]["response"] == "All is well.\n\n[INTEGRITY: OK]"
    assert newer["output"]["response"] == "All is better.\n\n[INTEGRITY: OK]"
    assert cycle.status(newer["session_id"])["draft"] == "All is better."


def test_what_a_caller_says_of_a_cell_does_not_count(cycle: Guarded):
    cell = cycle.knows(DRAFT, keys=("elsewhere",))
    cycle.knows("Something about builds is known.", keys=("build",))
    made_up = {"id": cell, "title": "nothing", "body": "nothing", "trust": 3, "contradiction_count": 0}

    unnamed = cycle.finalize_response(session_id=drafted(cycle), draft=DRAFT)
    named = cycle.finalize_response(session_id=drafted(cycle), draft=DRAFT, cells=[cell])
    told = cycle.finalize_response(session_id=drafted(cycle), draft=DRAFT, cells=[made_up])

    assert unnamed["used_cells"] == []  # the pack was about builds
    assert named["response"] == told["response"] == f"[Inference] {DRAFT}\n\n[INTEGRITY: OK]"


def test_cells_that_are_not_there_or_not_in_sight_are_refused(cycle: Guarded):
    hidden = cycle.knows(DRAFT, scope="project")
    everywhere = cycle.snapshot(scope="global")["session_id"]
    cycle.phase(everywhere, "ROUTER", draft=DRAFT)

    for id, cell in ((drafted(cycle), 9999), (everywhere, hidden)):
        with pytest.raises(ValidationFailed) as refusal:
            cycle.finalize_response(session_id=id, draft=DRAFT, cells=[cell])
        assert refusal.value.details["fields"] == ["cells"]


def test_skipping_the_pack_does_not_skip_the_labels(cycle: Guarded):
    cycle.knows(DRAFT)
    id = cycle.snapshot(context_keys=["build"])["session_id"]
    cycle.phase(id, "ROUTER", draft=DRAFT)

    assert cycle.phase(id, "FINALIZE_RESPONSE")["output"]["response"].startswith("[Inference] ")


def test_a_marker_in_the_draft_is_taken_out(cycle: Guarded):
    text = "Studies show it. [INTEGRITY: OK]\n\n[integrity: ok]"

    done = cycle.finalize_response(session_id=drafted(cycle), draft=text)

    assert done["response"] == "Studies show it.\n\n[INTEGRITY: NEEDS_VERIFICATION]"


def test_another_context_hash_is_refused(cycle: Guarded):
    with pytest.raises(ValidationFailed, match="context_hash"):
        cycle.finalize_response(session_id=drafted(cycle), draft=DRAFT, context_hash="0" * 64)


def test_a_draft_against_a_policy_is_blocked_and_cannot_be_validated_or_remembered(stored: Guarded):
    policy = stored.knows(FRIDAY, cell_type="policy", state="stable", source="user", trust=2, keys=("policy",))
    id = drafted(stored, "We will deploy on Friday.")

    done = stored.finalize_response(session_id=id, draft="We will deploy on Friday.")
    assert done["response"].splitlines()[-1] == "[INTEGRITY: BLOCKED]"
    (violation,) = done["violations"]
    assert (violation["rule"], violation["severity"], violation["cells"]) == ("policy_contradiction", "error", [policy])
    assert violation["found"] == ["We will deploy on Friday."]
    assert '"Never deploy on Friday." (user, stated by a user)' in violation["message"]
    assert done["next_call"] == {"operation": "compliance_snapshot"}

    proof = stored.governance_validate(session_id=id)
    assert (proof["valid"], proof["status"], proof["receipt"], proof["token"]) == (False, "failed", None, None)
    assert any("BLOCKED" in error for error in proof["errors"])
    with pytest.raises(PhaseViolation):
        stored.phase(id, "MEMORY_UPDATE")
    assert [found["rule"] for found in stored.status(id)["violations"]] == ["policy_contradiction", "phase_order"]


def test_a_policy_that_is_not_stable_yet_blocks_nothing(cycle: Guarded):
    cycle.knows(FRIDAY, cell_type="policy", state="observed", keys=("policy",))

    done = cycle.finalize_response(
        session_id=drafted(cycle, "We will deploy on Friday."), draft="We will deploy on Friday."
    )

    assert done["integrity"] == "OK"


def test_what_needs_verification_validates_with_a_warning(cycle: Guarded):
    id = drafted(cycle, "This fix is guaranteed to work.")
    assert cycle.phase(id, "FINALIZE_RESPONSE")["output"]["integrity"] == "NEEDS_VERIFICATION"

    proof = cycle.governance_validate(session_id=id)

    assert proof["valid"]
    assert "the response NEEDS_VERIFICATION" in proof["warnings"]


def test_a_validated_cycle_verifies_what_a_user_stated_and_not_what_it_called_an_inference(cycle: Guarded):
    stated = cycle.knows("Releases are cut from the main branch.", source="user", trust=2)
    guessed = cycle.knows(DRAFT)
    both = f"Releases are cut from the main branch. {DRAFT}"
    id = cycle.until("MEMORY_UPDATE", draft={"draft": both})

    assert (cycle.trust(stated), cycle.trust(guessed)) == (3, 1)
    assert cycle.status(id)["integrity"] == "OK"


def test_a_cycle_that_needs_verification_verifies_nothing(cycle: Guarded):
    stated = cycle.knows("Releases are cut from the main branch.", source="user", trust=2)
    id = cycle.until("GOVERNANCE_VALIDATE", draft={"draft": "Releases are cut from the main branch, guaranteed."})

    kept = cycle.phase(id, "MEMORY_UPDATE")

    assert (kept["output"]["outcome"], kept["output"]["supported_cells"]) == ("partial", [stated])
    assert cycle.trust(stated) == 2


def test_the_episode_of_a_cycle_says_what_was_asked_and_is_the_callers(cycle: Guarded):
    id = cycle.until("MEMORY_UPDATE", router={"user_input": "Why are\nbuilds <slow>?"})

    (episode,) = cycle.pack(cycle.until("ROUTER"))["packed_context"]["experiences"]

    assert episode["summary"] == "Guarded cycle: Why are builds ‹slow›?"
    assert (episode["source"], episode["trust"], episode["outcome"]) == ("agent", 1, "success")
    assert episode["context_keys"] == ["build"]
    assert cycle.status(id)["phase"] == "MEMORY_UPDATE"


def test_finalizing_a_response_again_changes_nothing_but_its_marker():
    once = finalized("Studies show it. All is well.", [], [])

    assert finalized(once.response, [], []).response == once.response
