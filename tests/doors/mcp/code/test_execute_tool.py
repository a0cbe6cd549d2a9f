"""`execute` as a tool: what it answers and refuses, whom it remembers, and in which order it is run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartStdio
from tests.support.agent import Agent, ToolFailed
from tests.support.alike import alike
from tests.support.snippets import BUILDS, LANGUAGES, Envelope, is_pair, kinds, records_of, runs, written

everywhere = pytest.mark.doors(engine="sqlite", every=True)
in_every_language = pytest.mark.parametrize("language", LANGUAGES)


def run(agent: Agent, code: str, language: str = "javascript", **more: Any) -> dict[str, Any]:
    return agent.execute(code=code, language=language, **more)


@in_every_language
@pytest.mark.doors(every=True)
@pytest.mark.sampled(6)
def test_the_answer_stands_in_the_text_and_beside_it_with_all_that_was_written(agent: Agent, language: str):
    result = agent.raw_call("execute", {"code": BUILDS[language], "language": language})

    answer = result.structured_content
    assert answer
    assert not result.is_error
    assert json.loads(getattr(result.content[0], "text", "")) == answer
    assert answer.keys() == {"result", "logs", "language", "records", "session"}
    call, claim, evidence, end = written(agent)
    assert answer["result"] == claim["id"]
    assert answer["logs"] == ["seen"]
    assert answer["language"] == language
    assert answer["records"] == [{"id": each["id"], "kind": each["kind"]} for each in (claim, evidence)]
    assert {each["session"] for each in (call, claim, evidence, end)} == {answer["session"]}
    assert is_pair(call, end, "ok")
    assert evidence["refs"] == [claim["id"]]


@pytest.mark.doors
def test_the_language_of_a_snippet_is_seen_from_it(agent: Agent):
    said = {name: agent.execute(code=code)["language"] for name, code in BUILDS.items()}

    assert said == {name: name for name in LANGUAGES}


THROWS = {
    "javascript": "tb.claim('x'); throw new Error('on purpose')",
    "typescript": "const c: any = tb.claim('x'); throw new Error('on purpose')",
    "python": "tb.claim('x')\nraise ValueError('on purpose')",
}
REFUSED = {
    "javascript": "tb.claim('x'); tb.ledger.ledger_record({id: 'th:9999'})",
    "typescript": "const id: string = 'th:9999'; tb.claim('x'); tb.ledger.ledger_record({id})",
    "python": "tb.claim('x')\ntb.ledger.ledger_record(id='th:9999')",
}
UNREADABLE = {"javascript": "const = 1", "typescript": "const x: = 1", "python": "x = = 1"}


@in_every_language
@pytest.mark.doors(every=True)
@pytest.mark.sampled(6)
def test_what_goes_wrong_is_a_tools_error_with_its_code_and_leaves_a_failed_pair(agent: Agent, language: str):
    failures = {"SNIPPET_FAILED": THROWS, "RECORD_NOT_FOUND": REFUSED, "SNIPPET_INVALID": UNREADABLE}

    for code, snippets in failures.items():
        result = agent.raw_call("execute", {"code": snippets[language], "language": language})

        assert result.is_error
        error = result.structured_content
        assert error
        assert error["code"] == code
        assert error["message"]
        assert json.loads(getattr(result.content[0], "text", "")) == error
        call, end = written(agent)[-2:]
        assert is_pair(call, end, "error")
        assert end["data"]["error"]["code"] == code
    assert len(written(agent)) == 6


WRONG = (
    ({"code": "1", "nonsense": 1}, "nonsense"),
    ({"code": "1", "lang": "python"}, "lang"),
    ({}, "code"),
    ({"code": 1}, "code"),
    ({"code": "1", "language": "perl"}, "language"),
    ({"code": "1", "session": 7}, "session"),
    ({"code": "1", "format": "xml"}, "format"),
)


@everywhere
@pytest.mark.sampled(2)
def test_what_is_not_its_argument_is_refused_by_name_and_leaves_nothing(agent: Agent):
    for arguments, named in WRONG:
        with pytest.raises(ToolFailed) as refused:
            agent.execute(**arguments)
        assert refused.value.code == "INVALID_PAYLOAD"
        assert named in str(refused.value.details.get("fields"))
    assert written(agent) == []


@everywhere
@pytest.mark.sampled(2)
def test_the_gateway_leads_to_search_and_execute_from_the_first_stage_on(agent: Agent):
    arguments = {"code": BUILDS["javascript"], "language": "javascript", "session": "s1"}

    by_tool = agent.execute(**arguments)
    by_gateway = agent.call("thoughtbox_gateway", {"operation": "execute", **arguments})
    by_args = agent.call("thoughtbox_gateway", {"operation": "execute", "args": arguments})
    found = agent.call("thoughtbox_gateway", {"operation": "search", "query": "merge two branches"})

    assert found == agent.search(query="merge two branches")
    assert by_tool.keys() >= by_gateway.keys() == by_args.keys()
    first, second, third = (runs(written(agent))[at] for at in range(3))
    assert (
        [shown(record) for record in first] == [shown(record) for record in second] == [shown(each) for each in third]
    )
    with pytest.raises(ToolFailed) as refused:
        agent.call("thoughtbox_gateway", {"operation": "execute", **arguments, "nonsense": 1})
    assert refused.value.code == "INVALID_PAYLOAD"


def shown(record: Envelope) -> Any:
    """A record apart from its ids."""
    return alike({**record, "id": "", "refs": len(record["refs"]), "attrs": sorted(record["attrs"])})


@pytest.mark.doors(every=True)
@pytest.mark.sampled(4)
def test_a_key_has_a_snippet_run_once(agent: Agent):
    arguments = {"code": "tb.claim('once').id", "language": "javascript"}

    first = agent.call("execute", arguments, key="k1")
    again = agent.call("execute", arguments, key="k1")

    assert again == first
    assert kinds(written(agent)).count("claim") == 1
    size = len(written(agent))
    with pytest.raises(ToolFailed) as refused:
        agent.call("execute", {**arguments, "code": "tb.claim('another').id"}, key="k1")
    assert refused.value.code == "IDEMPOTENCY_CONFLICT"
    assert len(written(agent)) == size, "what was not run has left nothing"


@pytest.mark.doors(engine="sqlite")
def test_a_snippet_that_has_failed_is_run_again_under_its_key(agent: Agent):
    arguments = {"code": "tb.ledger.ledger_record({id: 'th:5'}).record.id", "language": "javascript"}
    with pytest.raises(ToolFailed):
        agent.call("execute", arguments, key="k1")
    run(agent, "tb.claim('one'); tb.claim('two')")

    assert agent.call("execute", arguments, key="k1")["result"] == "th:5"


@everywhere
@pytest.mark.sampled(2)
def test_a_snippet_is_run_in_the_workspace_that_its_call_names(agent: Agent):
    elsewhere = {"thoughtbox/workspace": f"{agent.workspace}-b"}
    snippet = {"code": "tb.claim('there'); tb.ledger.ledger_status({}).workspace", "language": "javascript"}

    answer = agent.raw_call("execute", snippet, **elsewhere).structured_content

    assert answer
    assert answer["result"] == f"{agent.workspace}-b"
    assert written(agent) == []
    tail = agent.raw_call("ledger_tail", {}, **elsewhere).structured_content
    assert tail
    assert kinds(tail["records"]) == ["tool_call", "claim", "tool_result"]


@everywhere
def test_whoever_is_remembered_goes_on_where_the_last_snippet_was_and_others_name_its_session(agent: Agent):
    first = run(agent, "tb.vars.set('page', 3); tb.claim('first')")
    named = {} if agent.door.remembers else {"session": first["session"]}

    second = run(agent, "tb.claim('second'); tb.vars.get('page')", **named)
    read = run(agent, "tb.code.authored({}).records.map(record => record.text)", **named)

    assert "session" not in {**second, **read}, "it is known by then"
    assert second["result"] == 3
    assert read["result"] == ["first", "second"]


@pytest.mark.doors(transport="http", era="stateless")
def test_whoever_is_not_remembered_begins_a_session_of_its_own_each_time(agent: Agent):
    sessions = [run(agent, "tb.claim('x'); tb.vars.get('page')") for _ in range(2)]

    assert sessions[0]["session"] != sessions[1]["session"]
    assert [answer["result"] for answer in sessions] == [None, None]


@everywhere
@pytest.mark.sampled(2)
def test_a_client_that_is_in_a_session_of_thoughts_has_its_builders_records_there(agent: Agent):
    begun = agent.call("thoughtbox_gateway", {"operation": "start_new", "sessionTitle": "Slow pages"})["sessionId"]
    named = {} if agent.door.remembers else {"session": begun}

    answer = run(agent, "tb.claim('Reads dominate').id", **named)

    assert "session" not in answer, "it is known"
    claim = agent.ledger_record(id=answer["result"])["record"]
    assert claim["session"] == begun


@pytest.mark.doors(engine="sqlite")
def test_a_session_that_a_snippet_begins_is_the_clients_from_then_on(start_agent: StartAgent):
    agent = start_agent()
    begun = run(agent, "tb.thoughts.start_new({sessionTitle: 'Slow pages'}).sessionId")["result"]

    after = run(agent, "tb.claim('in it').id", **({} if agent.door.remembers else {"session": begun}))

    assert agent.ledger_record(id=after["result"])["record"]["session"] == begun


def test_what_is_sent_behind_a_snippet_without_waiting_is_run_behind_it(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    ids = []
    for number in range(6):
        code = f"tb.ledger.ledger_verify({{}}); for (let i = 0; i < 5; i++) tb.claim('{number}')"
        language = {"language": "javascript"}
        ids.append(server.request("tools/call", {"name": "execute", "arguments": {"code": code, **language}}))
        ids.append(server.request("tools/call", {"name": "ledger_status", "arguments": {}}))

    answers = {answer["id"]: answer["result"]["structuredContent"] for answer in server.answers(set(ids))}

    assert [answers[id]["records"] for id in ids[1::2]] == [7 * number for number in range(1, 7)]
    records = records_of(lambda tool, arguments: server.call(tool, **arguments))
    assert [{record["body"]["text"] for record in each} for each in runs(records)] == [{str(n)} for n in range(6)]
