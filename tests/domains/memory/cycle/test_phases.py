"""The order of phases, by itself."""

from __future__ import annotations

from thoughtbox.domains.memory.cycle.phases import PHASES, missing, next_phase


def test_seven_phases_follow_each_other_and_nothing_follows_the_last():
    order = [None, *PHASES]

    assert [next_phase(phase) for phase in order] == [*PHASES, None]
    assert (
        *("SNAPSHOT", "ROUTER", "CONTEXT_PACK", "DRAFT"),
        *("FINALIZE_RESPONSE", "GOVERNANCE_VALIDATE", "MEMORY_UPDATE"),
    ) == PHASES


def test_what_is_skipped_is_behind_and_is_not_missing():
    assert missing(("SNAPSHOT", "ROUTER"), ("CONTEXT_PACK", "DRAFT")) == ["FINALIZE_RESPONSE"]
    assert missing(("SNAPSHOT",), ()) == ["ROUTER", "CONTEXT_PACK", "DRAFT", "FINALIZE_RESPONSE"]
