"""One tool that leads to all others: what it costs, where it leads, and in which order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp_types import LOG_LEVEL_META_KEY, LoggingMessageNotification

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartHttp, StartStdio
from tests.support.agent import Agent, ToolFailed
from tests.support.giving_up import give_up_after_the_first_report
from tests.support.preludes import slow_verify
from tests.support.servers import ENVELOPE, StdioServer, soon

GATEWAY = "thoughtbox_gateway"
LONGEST_ENTRY = 1_600
"""Characters of the gateway in `tools/list`: every model that connects reads it."""

DOCUMENTED = [
    *("get_state", "start_new", "load_context", "list_sessions", "navigate", "list_roots", "bind_root"),
    *("cipher", "session", "thought", "mental_models", "notebook"),
]
"""The document's operations."""

NOTE = {"sessionId": "s1", "thoughtType": "note", "content": "x"}

everywhere = pytest.mark.doors(engine="sqlite", every=True)


def gateway(agent: Agent, operation: str, **arguments: Any) -> dict[str, Any]:
    return agent.call(GATEWAY, {"operation": operation, **arguments})


@pytest.mark.doors(era="handshake", engine="sqlite")
def test_its_entry_in_the_list_is_short_at_every_stage(start_agent: StartAgent):
    agent = start_agent()
    steps: list[dict[str, Any]] = [
        {"operation": "get_state"},
        {"operation": "start_new", "sessionTitle": "Slow pages"},
        {"operation": "cipher"},
        {"operation": "navigate", "domain": "debugging"},
    ]
    for stage, step in enumerate(steps):
        assert agent.call(GATEWAY, step)["stage"] == stage
        tool, *_ = agent.list_tools()
        entry = tool.model_dump_json(by_alias=True, exclude_none=True)
        assert len(entry) <= LONGEST_ENTRY, f"{len(entry)} characters at stage {stage}"


def test_its_entry_says_what_it_is(start_agent: StartAgent):
    tool, *_ = start_agent().list_tools()

    assert tool.name == GATEWAY
    assert tool.output_schema is None, "it answers as the operation it leads to"
    properties = tool.input_schema["properties"]
    own = {"subOperation": "string", "args": "object"}
    typed = {
        "thought": "string",
        "sessionId": "string",
        "thoughtNumber": "integer",
        "nextThoughtNeeded": "boolean",
        "branchId": "string",
    }
    assert {name: part["type"] for name, part in properties.items() if name != "operation"} == {**own, **typed}
    assert properties["operation"] == {"anyOf": [{"enum": DOCUMENTED}, {"type": "string"}]}
    assert tool.input_schema["required"] == ["operation"]
    assert tool.input_schema["additionalProperties"] is True
    hints = tool.annotations
    assert hints
    assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (False, True, False)


@pytest.mark.parametrize(
    ("toolset", "among", "not_among"),
    [
        ("thoughts", {"thought", "session_get", "cipher"}, {GATEWAY, "thought_record", "ledger_verify"}),
        ("ledger", {"ledger_status", "ledger_verify"}, {GATEWAY, "thought"}),
        ("all", {GATEWAY, "thought", "session_get", "thought_record", "ledger_verify"}, set()),
    ],
)
def test_a_toolset_shows_its_rooms(start_agent: StartAgent, toolset: str, among: set[str], not_among: set[str]):
    tools = [tool.name for tool in start_agent(THOUGHTBOX_TOOLSET=toolset).list_tools()]

    assert among <= set(tools)
    assert not not_among & set(tools)
    assert len(set(tools)) == len(tools)


@everywhere
def test_it_leads_to_the_operations_of_every_room(agent: Agent):
    session = gateway(agent, "start_new", sessionTitle="Slow pages")["sessionId"]

    assert gateway(agent, "session", subOperation="get", sessionId=session)["session"]["title"] == "Slow pages"
    assert gateway(agent, "session", args={"operation": "get", "args": {"sessionId": session}})
    assert gateway(agent, "session.get", args={"sessionId": session})
    assert gateway(agent, "thought_record", **NOTE)["thought"]["thoughtId"] == "th:2"
    assert gateway(agent, "ledger_status")["records"] == 2
    assert gateway(agent, "describe", args={"operation": "thought"})["operation"] == "thought"
    assert gateway(agent, "describe", name="session")["operations"]


def test_an_operation_can_be_called_by_its_own_name_and_by_its_tools_name(agent: Agent):
    session = agent.start_new(sessionTitle="Slow pages")["sessionId"]

    for name in ("session.get", "session_get"):
        assert agent.call(name, {"sessionId": session})["session"]["title"] == "Slow pages"


@everywhere
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ({"operation": "thuoght", "thought": "x"}, "INVALID_OPERATION", "`thuoght`"),
        ({"operation": "session", "subOperation": "gte"}, "INVALID_OPERATION", "`session.gte`"),
        ({"operation": GATEWAY}, "INVALID_OPERATION", "not to itself"),
        ({}, "INVALID_PAYLOAD", "`operation` is missing"),
        ({"operation": "session"}, "INVALID_PAYLOAD", "`subOperation`"),
        ({"operation": 7}, "INVALID_PAYLOAD", "`operation` must be a text"),
        ({"operation": "get_state", "args": []}, "INVALID_PAYLOAD", "`args`"),
        ({"operation": "thought_record", **NOTE, "contents": "y"}, "INVALID_PAYLOAD", "unknown argument `contents`"),
    ],
)
def test_a_call_that_leads_nowhere_is_a_failed_tool_and_no_fault_of_the_protocol(
    agent: Agent, arguments: dict[str, Any], code: str, says: str
):
    result = agent.raw_call(GATEWAY, arguments)

    assert result.is_error
    assert result.structured_content
    assert result.structured_content["code"] == code
    assert says in result.structured_content["message"]


def test_a_name_that_no_text_can_hold_is_refused_in_one_that_can(start_http: StartHttp):
    refused = start_http().call(GATEWAY, operation="half of a pair: \ud800")

    assert refused["code"] == "INVALID_OPERATION"
    assert "half of a pair: ?" in refused["message"]


@everywhere
def test_options_of_a_call_apply_to_the_operation_it_leads_to(agent: Agent):
    first = agent.call(GATEWAY, {"operation": "thought_record", **NOTE}, key="k1")
    again = agent.call(GATEWAY, {"operation": "thought_record", "args": NOTE}, key="k1")
    gateway(agent, "thought_record", **NOTE)

    assert again == first
    assert agent.call(GATEWAY, {"operation": "ledger_status"}, as_of=1)["records"] == 1
    with pytest.raises(ToolFailed, match="only reads"):
        agent.call(GATEWAY, {"operation": "thought_record", **NOTE}, as_of=1)


@pytest.mark.doors(era="stateless", engine="sqlite", every=True)
def test_who_listens_hears_of_the_operation_that_wrote(agent: Agent):
    agent.raw_call(GATEWAY, {"operation": "thought_record", **NOTE}, **{LOG_LEVEL_META_KEY: "info"})

    messages = [agent.heard.get() for _ in range(agent.heard.qsize())]
    entries = [message.params.data for message in messages if isinstance(message, LoggingMessageNotification)]
    assert entries == ["thought_record th:1 step 0"]


@pytest.mark.doors(engine="sqlite")
def test_an_operation_that_takes_long_reports_its_progress_through_the_gateway(start_agent: StartAgent, tmp_path: Path):
    mark = tmp_path / "ended"
    agent = start_agent(prelude=slow_verify(mark))

    give_up_after_the_first_report(agent, GATEWAY, {"operation": "ledger_verify"})

    soon(mark.exists)


@pytest.mark.parametrize("envelope", [{}, ENVELOPE], ids=["handshake", "stateless"])
def test_thoughts_sent_without_waiting_land_in_one_session_in_the_order_sent(
    start_stdio: StartStdio, envelope: dict[str, Any]
):
    server = start_stdio()
    if envelope:
        server.envelope = envelope
    else:
        server.initialize()
    session = server.call(GATEWAY, operation="start_new", sessionTitle="Slow pages")["sessionId"]
    server.call(GATEWAY, operation="cipher", sessionId=session)
    named = {"sessionId": session} if envelope else {}

    sent = [ask(server, operation="thought", thought=f"thought {number}", **named) for number in range(1, 51)]
    answers = {message["id"]: message["result"]["structuredContent"] for message in server.answers(set(sent))}

    assert [answers[id]["thoughtNumber"] for id in sent] == list(range(1, 51))
    assert {answer["sessionId"] for answer in answers.values()} == {session}
    read = server.call(GATEWAY, operation="read_thoughts", sessionId=session, range=[1, 50])
    assert [thought["thought"] for thought in read["thoughts"]] == [f"thought {number}" for number in range(1, 51)]


def test_a_session_that_is_begun_without_waiting_takes_the_thoughts_behind_it(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    begun = ask(server, operation="start_new", sessionTitle="Slow pages")
    loaded = ask(server, operation="cipher")
    sent = [ask(server, operation="thought", thought=f"thought {number}") for number in range(20)]

    answers = {message["id"]: message for message in server.answers({begun, loaded, *sent})}

    session = answers[begun]["result"]["structuredContent"]["sessionId"]
    thoughts = [answers[id]["result"]["structuredContent"] for id in sent]
    assert {thought["sessionId"] for thought in thoughts} == {session}
    assert [thought["thoughtNumber"] for thought in thoughts] == list(range(1, 21))


def ask(server: StdioServer, **arguments: Any) -> str:
    return server.request("tools/call", {"name": GATEWAY, "arguments": arguments})
