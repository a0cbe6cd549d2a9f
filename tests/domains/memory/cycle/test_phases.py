"""The order of phases, by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.domains.memory.cycle.phases import PHASES, State, missing, moved, next_phase


def test_seven_phases_follow_each_other_and_nothing_follows_the_last():
    order = [None, *PHASES]

    assert [next_phase(phase) for phase in order] == [*PHASES, None]
    assert (
        *("SNAPSHOT", "ROUTER", "CONTEXT_PACK", "DRAFT"),
        *("FINALIZE_RESPONSE", "GOVERNANCE_VALIDATE", "MEMORY_UPDATE"),
    ) == PHASES


@pytest.mark.parametrize("status", ["blocked", "waiting", "failed"])
def test_what_is_not_ok_moves_nothing(status):
    assert moved(State(), "SNAPSHOT", status) == State()


@given(st.lists(st.tuples(st.sampled_from(PHASES), st.sampled_from(["ok", "blocked", "waiting", "failed"]))))
def test_a_session_moves_by_its_next_phase_alone(calls):
    state = State()
    for phase, status in calls:
        before, state = state, moved(state, phase, status)
        is_move = status == "ok" and phase == next_phase(before.last)
        assert state == (State(phase, (*before.done, phase)) if is_move else before)
    assert state.done == PHASES[: len(state.done)]


def test_what_is_skipped_is_behind_and_is_not_missing():
    state = moved(moved(State(), "SNAPSHOT", "ok"), "ROUTER", "ok", ("CONTEXT_PACK", "DRAFT"))

    assert next_phase(state.last) == "FINALIZE_RESPONSE"
    assert missing(state.done, state.skipped) == ["FINALIZE_RESPONSE"]
    assert missing(("SNAPSHOT",), ()) == ["ROUTER", "CONTEXT_PACK", "DRAFT", "FINALIZE_RESPONSE"]
