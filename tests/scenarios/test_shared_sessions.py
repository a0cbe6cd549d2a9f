"""Several connections and one session: what each remembers is its own, what was thought is everybody's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import ToolFailed


def ask(agent: Any, operation: str, **arguments: Any) -> dict[str, Any]:
    return agent.call("thoughtbox_gateway", {"operation": operation, **arguments})


@pytest.mark.doors(transport="http", era="handshake")
def test_two_clients_think_in_one_session_each_at_its_own_stage(agent: Any, doors: Any):
    started = ask(agent, "start_new", sessionTitle="Both of us")
    ask(agent, "cipher")
    ask(agent, "thought", thought="Mine")
    with doors.beside(agent) as other:
        assert ask(other, "get_state")["stage"] == 0
        assert ask(other, "load_context", sessionId=started["sessionId"])["stage"] == 1
        with pytest.raises(ToolFailed) as refused:
            ask(other, "thought", thought="Too early")
        assert refused.value.code == "STAGE_REQUIREMENT_NOT_MET"
        assert ask(agent, "get_state")["stage"] == 2, "the first one is not thrown back"
        ask(other, "cipher")
        assert ask(other, "thought", thought="Yours")["thoughtNumber"] == 2
    read = ask(agent, "read_thoughts", last=2)["thoughts"]
    assert [thought["thought"] for thought in read] == ["Mine", "Yours"]


@pytest.mark.doors(era="handshake", engine="sqlite")
def test_a_server_may_have_a_session_that_every_connection_works_on(start_agent: Any, tmp_path: Path):
    store = {"THOUGHTBOX_DATA_DIR": str(tmp_path / "shared"), "THOUGHTBOX_PROJECT": "ours"}
    session_id = ask(start_agent(**store), "start_new", sessionTitle="The one")["sessionId"]

    agent = start_agent(**store, THOUGHTBOX_REASONING_SESSION=session_id)

    state = ask(agent, "get_state")
    assert (state["stage"], state["session"]["id"]) == (1, session_id)
    ask(agent, "cipher")
    assert ask(agent, "thought", thought="Here")["sessionId"] == session_id
