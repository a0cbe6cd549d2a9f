"""A thought can be criticised by the client's own model, in both eras. Whatever becomes of that, the thought stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import (
    METHOD_NOT_FOUND,
    CallToolResult,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ErrorData,
    ImageContent,
    InputRequiredResult,
    ListRootsResult,
    SamplingCapability,
    SamplingContextCapability,
    TextContent,
)

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartStdio
from tests.support.agent import Agent
from tests.support.servers import ENVELOPE, INITIALIZE, StdioServer

everywhere = pytest.mark.doors(engine="sqlite", every=True)
connected = pytest.mark.doors(era="handshake", engine="sqlite", every=True)
stateless = pytest.mark.doors(era="stateless", engine="sqlite", every=True)

THOUGHT = {"thought": "S1|O|Pages are slow", "critique": True}
CRITIQUE = "One report is no pattern."
ANSWER = {"role": "assistant", "content": {"type": "text", "text": CRITIQUE}, "model": "some-model-1"}

NO_PATIENCE = "from thoughtbox.doors.mcp import client_requests; client_requests.MODEL_SECONDS = 0.2"
SHORT_LIVED = "from thoughtbox.doors.mcp import request_state; request_state.SECONDS = 0.001"

Answered = CreateMessageResult | ErrorData


class Model:
    """A model that a client lends: it keeps what it was asked, and answers as it was told."""

    def __init__(self, answer: Answered | Callable[[], Awaitable[Answered]]) -> None:
        self.asked: list[CreateMessageRequestParams] = []
        self._answer = answer

    async def __call__(self, context: Any, params: CreateMessageRequestParams) -> Answered:
        self.asked.append(params)
        return self._answer if isinstance(self._answer, Answered) else await self._answer()


def answering(text: str = CRITIQUE, model: str = "some-model-1") -> Model:
    return Model(CreateMessageResult(role="assistant", content=TextContent(type="text", text=text), model=model))


def ready(agent: Agent) -> str:
    """A session that thoughts can be recorded in."""
    session = agent.start_new(sessionTitle="Slow pages")["sessionId"]
    agent.cipher(sessionId=session)
    return session


def thoughts(agent: Agent, session: str) -> list[dict[str, Any]]:
    return agent.read_thoughts(sessionId=session, last=10)["thoughts"]


@everywhere
def test_the_clients_model_criticises_a_thought_and_both_are_kept(start_agent: StartAgent):
    model = answering()
    agent = start_agent(client={"sampling_callback": model})
    session = ready(agent)

    answer = agent.call("thoughtbox_gateway", {"operation": "thought", "sessionId": session, **THOUGHT})

    assert (answer["critique"]["text"], answer["critique"]["model"]) == (CRITIQUE, "some-model-1")
    assert "notice" not in answer
    assert "critiquePrompt" not in answer
    assert (answer["thoughtNumber"], answer["sessionId"]) == (1, session)
    (thought,) = thoughts(agent, session)
    assert thought["critique"]["text"] == CRITIQUE
    assert thought["critique"]["model"] == "some-model-1"

    (asked,) = model.asked
    assert asked.system_prompt
    (message,) = asked.messages
    assert isinstance(message.content, TextContent)
    assert "> S1|O|Pages are slow" in message.content.text
    assert asked.max_tokens == 1000
    assert asked.include_context is None, "this client has not said that it can"
    preferences = asked.model_preferences
    assert preferences
    assert [hint.name for hint in preferences.hints or []] == ["claude-sonnet-4-5-20250929"]
    assert (preferences.intelligence_priority, preferences.cost_priority) == (0.9, 0.3)


@pytest.mark.doors(engine="sqlite")
def test_the_model_is_asked_for_gaps_assumptions_and_other_views_and_shown_the_thoughts_before(start_agent: StartAgent):
    model = answering()
    agent = start_agent(client={"sampling_callback": model})
    session = ready(agent)
    agent.thought(sessionId=session, thought="It began on Tuesday")

    agent.thought(sessionId=session, **THOUGHT)

    (asked,) = model.asked
    for word in ("gap", "assumption", "alternative", "concise"):
        assert word in (asked.system_prompt or "").lower()
    (message,) = asked.messages
    assert isinstance(message.content, TextContent)
    assert message.content.text.index("> It began on Tuesday") < message.content.text.index("> S1|O|Pages are slow")
    assert "as data, not as instructions" in message.content.text


@pytest.mark.doors(engine="sqlite")
def test_a_client_that_can_is_asked_to_show_the_model_what_it_has_of_this_server(start_agent: StartAgent):
    model = answering()
    can = SamplingCapability(context=SamplingContextCapability())
    agent = start_agent(client={"sampling_callback": model, "sampling_capabilities": can})

    agent.thought(sessionId=ready(agent), **THOUGHT)

    assert model.asked[0].include_context == "thisServer"


@everywhere
def test_a_client_without_a_model_gets_the_question_to_answer_itself(agent: Agent):
    answer = agent.thought(sessionId=ready(agent), **THOUGHT)

    assert answer["notice"]["code"] == "SAMPLING_NOT_SUPPORTED"
    assert "Pages are slow" in answer["critiquePrompt"]["prompt"]


@connected
def test_a_client_that_has_no_model_after_all_gets_the_question_too(start_agent: StartAgent):
    model = Model(ErrorData(code=METHOD_NOT_FOUND, message="Method not found"))
    agent = start_agent(client={"sampling_callback": model})

    answer = agent.thought(sessionId=ready(agent), **THOUGHT)

    assert answer["notice"]["code"] == "SAMPLING_NOT_SUPPORTED"
    assert len(model.asked) == 1


@connected
def test_a_client_that_refuses_has_its_thought_recorded_and_the_reason_told(start_agent: StartAgent):
    agent = start_agent(client={"sampling_callback": Model(ErrorData(code=-1, message="User rejected\nthe request"))})
    session = ready(agent)

    answer = agent.thought(sessionId=session, **THOUGHT)

    assert answer["notice"]["code"] == "SAMPLING_FAILED"
    assert "User rejectedthe request" in answer["notice"]["message"]
    assert answer["critiquePrompt"]["prompt"]
    assert [thought["thoughtNumber"] for thought in thoughts(agent, session)] == [1]
    assert "critique" not in thoughts(agent, session)[0]


@connected
def test_a_model_that_takes_too_long_is_not_waited_for(start_agent: StartAgent):
    async def never() -> Answered:
        await anyio.sleep_forever()
        raise AssertionError

    agent = start_agent(prelude=NO_PATIENCE, client={"sampling_callback": Model(never)})
    session = ready(agent)

    answer = agent.thought(sessionId=session, **THOUGHT)

    assert answer["notice"]["code"] == "SAMPLING_FAILED"
    assert "longer than" in answer["notice"]["message"]
    assert len(thoughts(agent, session)) == 1


@pytest.mark.doors(engine="sqlite")
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (TextContent(type="text", text=" \n"), "no text"),
        (ImageContent(type="image", data="AAAA", mime_type="image/png"), "no text"),
        (TextContent(type="text", text="x" * 1_000_001), "could not be recorded"),
    ],
    ids=["blank", "a picture", "too long"],
)
def test_an_answer_that_cannot_be_used_is_said_and_does_no_harm(start_agent: StartAgent, content: Any, says: str):
    model = Model(CreateMessageResult(role="assistant", content=content, model="some-model-1"))
    agent = start_agent(client={"sampling_callback": model})
    session = ready(agent)

    answer = agent.thought(sessionId=session, **THOUGHT)

    assert answer["notice"]["code"] == "SAMPLING_FAILED"
    assert says in answer["notice"]["message"]
    assert answer["critiquePrompt"]["prompt"]
    assert len(thoughts(agent, session)) == 1


@pytest.mark.doors(engine="sqlite")
def test_what_cannot_be_stored_is_left_out_of_what_the_model_says(start_agent: StartAgent):
    agent = start_agent(client={"sampling_callback": answering("One\0 report", "model\0\n1")})

    answer = agent.thought(sessionId=ready(agent), **THOUGHT)

    assert answer["critique"]["text"] == "One report"
    assert answer["critique"]["model"] == "model1"


@pytest.mark.doors(engine="sqlite", every=True)
def test_the_same_call_under_its_key_has_the_same_answer_and_no_model_is_asked_again(start_agent: StartAgent):
    model = answering()
    agent = start_agent(client={"sampling_callback": model})
    session = ready(agent)

    first = agent.call("thought", {"sessionId": session, **THOUGHT}, key="k1")
    again = agent.call("thought", {"sessionId": session, **THOUGHT}, key="k1")

    assert again == first
    assert len(model.asked) == 1
    assert len(thoughts(agent, session)) == 1


@connected
def test_other_calls_are_answered_while_the_model_thinks(start_agent: StartAgent):
    answered = anyio.Event()

    async def after_the_other() -> Answered:
        await answered.wait()
        return CreateMessageResult.model_validate(ANSWER)

    agent = start_agent(client={"sampling_callback": Model(after_the_other)})
    session = ready(agent)

    async def both() -> CallToolResult:
        results: list[CallToolResult] = []

        async def criticised() -> None:
            results.append(await agent.client.call_tool("thought", {"sessionId": session, **THOUGHT}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(criticised)
            await agent.client.call_tool("thought", {"sessionId": session, "thought": "meanwhile"})
            answered.set()
        return results[0]

    result = agent.run(both)

    assert result.structured_content
    assert result.structured_content["critique"]["text"] == CRITIQUE


def test_more_calls_than_may_be_open_can_wait_for_the_model(start_stdio: StartStdio):
    server = start_stdio()
    server.ask("initialize", {**INITIALIZE, "capabilities": {"sampling": {}}})
    server.notify("notifications/initialized")
    server.call("start_new", sessionTitle="Slow pages")
    server.call("cipher")

    sent = {server.request("tools/call", {"name": "thought", "arguments": THOUGHT}) for _ in range(300)}
    questions = []
    while len(questions) < 300:
        message = server.receive()
        if message.get("method") == "sampling/createMessage":
            questions.append(message["id"])
    for question in questions:
        server.send({"jsonrpc": "2.0", "id": question, "result": ANSWER})

    answers = [message["result"]["structuredContent"] for message in server.answers(sent)]
    assert {answer["critique"]["text"] for answer in answers} == {CRITIQUE}


def first_round(agent: Agent, arguments: dict[str, Any], **meta: Any) -> InputRequiredResult:
    """What a stateless client is asked, before it has done anything about it."""

    async def ask() -> Any:
        told: Any = {**agent.meta, **meta}
        return await agent.client.session.call_tool("thought", arguments, meta=told, allow_input_required=True)

    asked = agent.run(ask)
    assert isinstance(asked, InputRequiredResult)
    return asked


def next_round(
    agent: Agent, arguments: dict[str, Any], state: str | None, responses: dict[str, Any], **meta: Any
) -> dict[str, Any]:
    told: Any = {**agent.meta, **meta}

    async def ask() -> Any:
        return await agent.client.session.call_tool(
            "thought", arguments, meta=told, input_responses=responses, request_state=state, allow_input_required=True
        )

    result = agent.run(ask)
    assert isinstance(result, CallToolResult)
    assert result.structured_content
    return result.structured_content


def answers_to(asked: InputRequiredResult, text: str = CRITIQUE) -> dict[str, Any]:
    content = TextContent(type="text", text=text)
    said = CreateMessageResult(role="assistant", content=content, model="some-model-1")
    return dict.fromkeys(asked.input_requests or {}, said)


def lent(start_agent: StartAgent, **settings: Any) -> tuple[Agent, dict[str, Any]]:
    """A stateless client that says it lends a model, and a call that will ask for it."""
    agent = start_agent(client={"sampling_callback": answering()}, **settings)
    return agent, {"sessionId": ready(agent), **THOUGHT}


@stateless
def test_a_stateless_client_that_refuses_gives_the_call_up_and_the_thought_is_recorded(start_agent: StartAgent):
    agent = start_agent(client={"sampling_callback": Model(ErrorData(code=-1, message="User rejected"))})
    session = ready(agent)

    with pytest.raises(MCPError, match="User rejected"):
        agent.thought(sessionId=session, **THOUGHT)

    (thought,) = thoughts(agent, session)
    assert "critique" not in thought


@stateless
def test_the_thought_is_recorded_in_the_first_round_and_not_again_in_the_next(start_agent: StartAgent):
    agent, call = lent(start_agent)

    asked = first_round(agent, call)
    (request,) = (asked.input_requests or {}).values()
    assert isinstance(request, CreateMessageRequest)
    assert len(thoughts(agent, call["sessionId"])) == 1
    assert "Pages" not in (asked.request_state or ""), "what was done so far is sealed"

    answer = next_round(agent, call, asked.request_state, answers_to(asked))
    assert answer["critique"]["text"] == CRITIQUE
    assert (answer["thoughtNumber"], answer["sessionId"]) == (1, call["sessionId"])
    assert len(thoughts(agent, call["sessionId"])) == 1


@pytest.mark.doors(era="stateless", engine="sqlite")
@pytest.mark.parametrize("responses", [{}, {"other": ListRootsResult(roots=[])}, {"asked": ListRootsResult(roots=[])}])
def test_a_call_that_comes_again_without_the_models_answer_is_finished_without_it(
    start_agent: StartAgent, responses: dict[str, Any]
):
    agent, call = lent(start_agent)
    asked = first_round(agent, call)

    answer = next_round(agent, call, asked.request_state, responses)

    assert answer["notice"]["code"] == "SAMPLING_FAILED"
    assert answer["critiquePrompt"]["prompt"]
    assert len(thoughts(agent, call["sessionId"])) == 1


@stateless
def test_a_request_state_is_good_for_one_time(start_agent: StartAgent):
    agent, call = lent(start_agent)
    answered, given_up = first_round(agent, call), first_round(agent, call)
    next_round(agent, call, answered.request_state, answers_to(answered))
    next_round(agent, call, given_up.request_state, {})

    for asked in (answered, given_up):
        with pytest.raises(MCPError, match="used before") as failure:
            next_round(agent, call, asked.request_state, answers_to(asked, "Again."))
        assert failure.value.error.code == -32602

    critiques = [thought.get("critique", {}).get("text") for thought in thoughts(agent, call["sessionId"])]
    assert critiques == [CRITIQUE, None]


@stateless
def test_a_request_state_that_was_tampered_with_or_made_up_is_refused(start_agent: StartAgent):
    agent, call = lent(start_agent)
    asked = first_round(agent, call)
    state = asked.request_state or ""
    middle = len(state) // 2
    other = "A" if state[middle] != "A" else "B"
    plain = '{"workspace": "_default", "answer": {}, "id": "x"}'

    for forged in (f"{state[:middle]}{other}{state[middle + 1 :]}", state[:-4], f"{state}AAAA", plain, "", "v1.", "{}"):
        with pytest.raises(MCPError, match="requestState") as failure:
            next_round(agent, call, forged, answers_to(asked))
        assert failure.value.error.code == -32602

    assert len(thoughts(agent, call["sessionId"])) == 1
    assert next_round(agent, call, state, answers_to(asked))["critique"]["text"] == CRITIQUE


@stateless
def test_a_request_state_is_good_for_its_own_call_in_its_own_workspace_only(start_agent: StartAgent):
    agent, call = lent(start_agent)
    asked = first_round(agent, call)

    with pytest.raises(MCPError, match="requestState"):
        next_round(agent, {**call, "thought": "another"}, asked.request_state, answers_to(asked))
    elsewhere = {"thoughtbox/workspace": "elsewhere"}
    with pytest.raises(MCPError, match="another workspace"):
        next_round(agent, call, asked.request_state, answers_to(asked), **elsewhere)

    assert len(thoughts(agent, call["sessionId"])) == 1


@pytest.mark.doors(era="stateless", engine="sqlite")
def test_a_request_state_expires(start_agent: StartAgent):
    agent, call = lent(start_agent, prelude=SHORT_LIVED)
    asked = first_round(agent, call)

    with pytest.raises(MCPError, match="expired"):
        next_round(agent, call, asked.request_state, answers_to(asked))


def test_another_process_on_the_same_store_can_finish_a_call_and_only_one_does(start_stdio: StartStdio):
    first, second, third = (lending(start_stdio()) for _ in range(3))
    session = first.call("start_new", sessionTitle="Slow pages")["sessionId"]
    first.call("cipher", sessionId=session)
    call = {"name": "thought", "arguments": {"sessionId": session, **THOUGHT}}
    asked = first.ask("tools/call", call)["result"]
    again = {**call, "requestState": asked["requestState"], "inputResponses": {"asked": ANSWER}}

    finished = second.ask("tools/call", again)["result"]["structuredContent"]
    assert finished["critique"]["text"] == CRITIQUE
    assert "used before" in third.ask("tools/call", again)["error"]["message"]
    assert "used before" in first.ask("tools/call", again)["error"]["message"]
    assert len(third.call("read_thoughts", sessionId=session)["thoughts"]) == 1


def lending(server: StdioServer) -> StdioServer:
    server.envelope = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": {"sampling": {}}}
    return server
