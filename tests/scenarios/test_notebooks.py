"""Notebooks through real MCP clients and servers: every spelling, resources, progress, cancelling, tasks."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from mcp_types import BlobResourceContents, TextResourceContents

from tests.support.agent import Agent, ToolFailed
from tests.support.giving_up import give_up_after_the_first_report
from tests.support.notebooks import NODE, let_go
from tests.support.servers import soon

GATEWAY = "thoughtbox_gateway"
everywhere = pytest.mark.doors(every=True)
TICKS = "import time\nfor i in range({}):\n    print('tick', i, flush=True)\n    time.sleep(0.25)"


def ready(agent: Agent) -> None:
    """Come to the stage that notebooks belong to, where a client has one."""
    session = agent.call(GATEWAY, {"operation": "start_new", "sessionTitle": "Trial"})["sessionId"]
    agent.call(GATEWAY, {"operation": "cipher", "sessionId": session, "brief": True})


@pytest.mark.sampled(4)
@everywhere
def test_a_notebook_is_written_run_cited_and_replayed_through_every_door(start_agent: Callable[..., Agent]):
    agent = start_agent(THOUGHTBOX_NODE=NODE)
    ready(agent)
    made = agent.call(GATEWAY, {"operation": "notebook", "subOperation": "create", "title": "Primes"})
    named = {"notebookId": made["notebookId"]}
    agent.call(GATEWAY, {"operation": "notebook.add_cell", **named, "cellType": "title", "content": "Primes"})
    code = {"type": "code", "content": "export const six: number = 6;", "filename": "six.ts"}
    agent.call(GATEWAY, {"operation": "notebook", "args": {"operation": "add_cell", "args": {**named, **code}}})
    main = "import { six } from './six.ts'; console.log(six * 7);"
    agent.call("notebook_add_cell", {**named, "type": "code", "content": main, "filename": "main.ts", "position": 2})
    agent.call("notebook.add_cell", {**named, "type": "code", "content": "x = 6", "filename": "a.py"})
    last = {**named, "type": "code", "content": "x * 7", "filename": "b.py"}
    agent.call("notebook.add_cell", last)

    run = agent.call(GATEWAY, {"operation": "notebook", "subOperation": "run_cell", **named, "cellId": "main.ts"})
    assert (run["status"], run["output"]) == ("completed", "42\n")
    assert [each["output"] for each in agent.call("notebook.run_all", named)["runs"]] == ["", "42\n", "", "42\n"]
    claim = agent.call("claim", {"text": "It is 42.", "session": "s1"})["id"]
    cited = agent.call("notebook.cite", {"runId": run["runId"], "target": claim})
    assert agent.call("ledger_record", {"id": cited["id"]})["record"]["kind"] == "evidence"
    assert agent.call("notebook.replay", named)["same"] is True
    text = agent.call("notebook.export", {**named, "format": "src.md"})["content"]
    again = agent.call("notebook.import", {"content": text})
    assert agent.call("notebook.export", {"notebookId": again["notebookId"]})["content"] == text


@pytest.mark.doors(transport="stdio", era="handshake", engine="sqlite")
def test_notebooks_belong_to_stage_two_and_the_refusal_leads_there(start_agent: Callable[..., Agent]):
    agent = start_agent()
    with pytest.raises(ToolFailed) as refused:
        agent.call("notebook.create", {"name": "x"})
    assert refused.value.code == "STAGE_REQUIREMENT_NOT_MET"
    assert refused.value.details["requiredStage"] == 2
    agent.call(GATEWAY, refused.value.details["next"])
    with pytest.raises(ToolFailed) as refused:
        agent.call("notebook.create", {"name": "x"})
    agent.call(GATEWAY, refused.value.details["next"])
    assert agent.call("notebook.create", {"name": "x"})["success"] is True


@pytest.mark.doors(engine="sqlite")
def test_the_toolset_notebooks_shows_every_verb_as_a_tool(start_agent: Callable[..., Agent]):
    shown = {tool.name for tool in start_agent(THOUGHTBOX_TOOLSET="notebooks").list_tools()}
    assert {
        f"notebook_{verb}"
        for verb in (
            *("create", "list", "get", "load", "add_cell", "update_cell", "move_cell", "delete_cell", "list_cells"),
            *("get_cell", "run_cell", "run_all", "interrupt", "install_deps", "export", "import", "history", "replay"),
            *("delete", "cite", "search"),
        )
    } <= shown


@pytest.mark.sampled(4)
@everywhere
def test_outputs_are_resources_with_their_own_type(start_agent: Callable[..., Agent]):
    agent = start_agent(THOUGHTBOX_NODE=NODE)
    ready(agent)
    named = {"notebookId": agent.call("notebook.create", {"name": "Pictures", "language": "python"})["notebookId"]}
    source = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('long' * 5000)"
    agent.call("notebook.add_cell", {**named, "type": "code", "content": source, "filename": "a.py"})
    run = agent.call("notebook.run_cell", {**named, "cellId": "a.py"})

    outputs = {output["mime"]: output["uri"] for output in run["outputs"]}
    read = agent.run(lambda: agent.client.read_resource(outputs["image/png"], meta=agent.meta))
    [picture] = read.contents
    assert isinstance(picture, BlobResourceContents)
    assert picture.mime_type == "image/png"
    assert base64.b64decode(picture.blob)[:4] == b"\x89PNG"
    uri = next(output["uri"] for output in run["outputs"] if output["size"] == 20_001)
    [text] = agent.run(lambda: agent.client.read_resource(uri, meta=agent.meta)).contents
    assert isinstance(text, TextResourceContents)
    assert (text.mime_type, text.text) == ("text/plain", "long" * 5000 + "\n")
    [about] = agent.run(
        lambda: agent.client.read_resource(f"thoughtbox://run/{run['runId']}", meta=agent.meta)
    ).contents
    assert isinstance(about, TextResourceContents)
    assert run["runId"] in about.text
    listed = agent.run(lambda: agent.client.list_resources(meta=agent.meta)).resources
    assert f"thoughtbox://notebook/{named['notebookId']}" in {str(each.uri) for each in listed}


@pytest.mark.sampled(4)
@everywhere
def test_output_comes_as_progress_while_a_cell_runs(start_agent: Callable[..., Agent]):
    agent = start_agent(THOUGHTBOX_NODE=NODE)
    ready(agent)
    named = {"notebookId": agent.call("notebook.create", {"name": "Ticks"})["notebookId"]}
    wait = "import os, time\ndef go(number):\n  while not os.path.exists(f'go-{number}'): time.sleep(0.01)"
    ticks = "for number in range(3):\n  print('tick', number, flush=True)\n  go(number)"
    agent.call("notebook.add_cell", {**named, "type": "code", "content": f"{wait}\n{ticks}", "filename": "a.py"})
    data_dir = agent.settings.data_dir
    assert data_dir
    heard: list[tuple[float, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))
        let_go(data_dir, named["notebookId"], f"go-{(message or '')[-2:-1]}")

    given = {**named, "cellId": "a.py"}
    agent.run(lambda: agent.client.call_tool("notebook.run_cell", given, progress_callback=report, meta=agent.meta))

    assert [message for _, message in heard] == ["tick 0\n", "tick 1\n", "tick 2\n"]
    assert [progress for progress, _ in heard] == sorted(progress for progress, _ in heard)


@pytest.mark.sampled(4)
@everywhere
def test_a_run_that_its_client_gives_up_is_interrupted(start_agent: Callable[..., Agent]):
    agent = start_agent(THOUGHTBOX_NODE=NODE)
    ready(agent)
    named = {"notebookId": agent.call("notebook.create", {"name": "Ticks"})["notebookId"]}
    agent.call("notebook.add_cell", {**named, "type": "code", "content": TICKS.format(100), "filename": "a.py"})

    give_up_after_the_first_report(agent, "notebook.run_cell", {**named, "cellId": "a.py"})

    def outcome() -> Any:
        return agent.call("notebook.history", named)["events"][0].get("outcome")

    assert soon(outcome) == "interrupted"


@pytest.mark.sampled(4)
@everywhere
def test_edits_and_reads_are_answered_while_a_cell_of_the_same_client_runs(start_agent: Callable[..., Agent]):
    agent = start_agent(THOUGHTBOX_NODE=NODE)
    ready(agent)
    named = {"notebookId": agent.call("notebook.create", {"name": "Busy"})["notebookId"]}
    agent.call("notebook.add_cell", {**named, "type": "code", "content": TICKS.format(100), "filename": "a.py"})
    answers: list[Any] = []

    async def busy() -> None:
        import anyio

        async with anyio.create_task_group() as group:

            async def run() -> None:
                given = {**named, "cellId": "a.py"}
                answers.append(await agent.client.call_tool("notebook.run_cell", given, meta=agent.meta))

            group.start_soon(run)
            while True:
                shown = await agent.client.call_tool("notebook.list_cells", named, meta=agent.meta)
                if shown.structured_content["cells"][0]["status"] == "running":
                    break
            added = {**named, "type": "markdown", "content": "meanwhile"}
            assert not (await agent.client.call_tool("notebook.add_cell", added, meta=agent.meta)).is_error
            assert not answers
            await agent.client.call_tool("notebook.interrupt", named, meta=agent.meta)

    agent.run(busy)
    [answer] = answers
    assert answer.structured_content["status"] == "failed"
    assert answer.structured_content["error"].startswith("interrupted: ")
    assert answer.is_error is False
