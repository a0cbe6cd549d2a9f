"""What a client hears beside its answers, if it asks for it."""

from __future__ import annotations

import pytest
from mcp_types import (
    LOG_LEVEL_META_KEY,
    EmptyResult,
    LoggingMessageNotification,
    SetLevelRequest,
    SetLevelRequestParams,
)

from tests.support.agent import Agent

NOTE = {"sessionId": "s1", "thoughtType": "note", "content": "my secret"}


def heard(agent: Agent) -> list[str]:
    messages = [agent.heard.get() for _ in range(agent.heard.qsize())]
    return [message.params.data for message in messages if isinstance(message, LoggingMessageNotification)]


@pytest.mark.doors(era="stateless", engine="sqlite", every=True)
def test_a_stateless_client_hears_of_a_write_when_its_request_asks_for_it(agent: Agent):
    agent.raw_call("thought_record", NOTE)
    agent.raw_call("thought_record", NOTE, **{LOG_LEVEL_META_KEY: "error"})
    assert heard(agent) == []

    agent.raw_call("thought_record", NOTE, **{LOG_LEVEL_META_KEY: "info"})
    assert heard(agent) == ["thought_record th:3 step 2"]


@pytest.mark.doors(era="handshake", engine="sqlite", every=True)
def test_a_client_with_a_handshake_hears_of_writes_from_the_level_it_set(fresh_agent: Agent):
    agent = fresh_agent

    def set_level(level: str) -> None:
        request = SetLevelRequest(params=SetLevelRequestParams.model_validate({"level": level}))
        agent.run(lambda: agent.client.session.send_request(request, EmptyResult))

    agent.raw_call("thought_record", NOTE)
    set_level("error")
    agent.raw_call("thought_record", NOTE)
    assert heard(agent) == []

    set_level("debug")
    agent.raw_call("thought_record", NOTE)
    assert heard(agent) == ["thought_record th:3 step 2"]
