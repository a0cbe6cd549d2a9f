"""Snippets that take long because they wait: how far they are, who may end them, and who waits for them as a task."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartStdio
from tests.doors.mcp.tasks.conftest import Place, place
from tests.support.clocks import computed
from tests.support.forks import PATIENCE
from tests.support.giving_up import give_up_after_the_first_report
from tests.support.preludes import STEADY_VERIFY, slow_verify
from tests.support.servers import StdioServer, command, environment, soon
from tests.support.snippets import Envelope, is_pair, kinds, records_of, sandboxes, written
from tests.support.task_client import TaskClient
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.settings import load

__all__ = ["place"]

everywhere = pytest.mark.doors(engine="sqlite", every=True)
both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])
on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)

WALL_MS = 3_000
"""Short enough to wait for, and long enough for what comes to its end."""

LOOKING = '''
@room.operation("slow_look", example=Example({}))
def slow_look(slices: Slices, call: Wait) -> Steps[Said]:
    """Look again and again, so long, or until a file is there."""
    try:
        done = 0
        while done < call.seconds * 50 or (call.until and not Path(call.until).exists()):
            yield slices.read(lambda tx: time.sleep(0.02), long=True)
            done += 1
            slices.report(done, 1000)
    finally:
        if call.ended:
            Path(call.ended).write_text("ended", encoding="utf-8")
    return Said(text="seen")
'''
"""An operation of the tasks' room that only reads, and so can be part of a snippet."""

WAITS = "tb.ledger.ledger_verify({}); tb.claim('never')"


def looking(until: str = "", ended: str = "", seconds: float = 0) -> str:
    return f"tb.slowness.slow_look({{until: '{until}', ended: '{ended}', seconds: {seconds}}}).text"


def execute(code: str) -> dict[str, Any]:
    return {"code": code, "language": "javascript"}


@everywhere
@pytest.mark.sampled(2)
def test_a_snippet_that_waits_for_long_operations_reports_how_far_they_are_and_never_goes_back(
    start_agent: StartAgent,
):
    agent = start_agent(prelude=STEADY_VERIFY)
    reports: list[float] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        assert total is not None
        assert progress <= total
        reports.append(progress)

    code = "tb.ledger.ledger_verify({}); tb.ledger.ledger_verify({}); tb.claim('verified').kind"
    result = agent.run(
        lambda: agent.client.call_tool("execute", execute(code), progress_callback=report, meta=agent.meta)
    )

    assert result.structured_content
    assert result.structured_content["result"] == "claim"
    assert len(reports) >= 4
    assert all(earlier < later for earlier, later in pairwise(reports))


@everywhere
def test_a_snippet_that_its_client_gives_up_is_ended_and_leaves_a_failed_pair(start_agent: StartAgent, tmp_path: Path):
    mark = tmp_path / "ended"
    agent = start_agent(prelude=slow_verify(mark))

    give_up_after_the_first_report(agent, "execute", execute(WAITS))

    call, end = soon(lambda: len(found := written(agent)) == 2 and found)
    assert is_pair(call, end, "error")
    assert "given it up" in end["body"]["text"]
    soon(mark.exists)
    assert agent.execute(**execute("1 + 1"))["result"] == 2


@pytest.mark.parametrize("language", ["javascript", "python"])
def test_a_snippet_that_computes_when_it_is_given_up_loses_its_process(start_stdio: StartStdio, language: str):
    server = start_stdio(THOUGHTBOX_CODE_CPU_MS="60000", THOUGHTBOX_CODE_WALL_MS="60000")
    server.initialize()
    code = "for (;;) {}" if language == "javascript" else "while True:\n    pass"
    id = server.request("tools/call", {"name": "execute", "arguments": {"code": code, "language": language}})
    busy = soon(lambda: [pid for pid in sandboxes(server.pid) if computed(pid) > 0.3])

    server.notify("notifications/cancelled", {"requestId": id})

    soon(lambda: not set(busy) & set(sandboxes(server.pid)))
    soon(lambda: kinds(_records(server)) == ["tool_call", "tool_result"])
    again = server.call("execute", code="1 + 1", language=language)
    assert again["result"] == 2


def test_a_snippet_that_is_given_up_before_its_turn_was_never_run(start_stdio: StartStdio, tmp_path: Path):
    server = start_stdio(prelude=slow_verify(tmp_path / "ended"))
    server.initialize()
    first = server.request("tools/call", {"name": "execute", "arguments": execute(WAITS)}, token=1)
    while server.receive().get("method") != "notifications/progress":
        pass
    behind = server.request("tools/call", {"name": "execute", "arguments": execute("tb.claim('behind')")})

    server.notify("notifications/cancelled", {"requestId": behind})
    server.notify("notifications/cancelled", {"requestId": first})

    assert server.call("execute", **execute("3"))["result"] == 3
    records = soon(lambda: len(found := _records(server)) == 4 and found)
    assert {record["body"]["text"] for record in records if record["kind"] == "tool_call"} == {"3", WAITS}


@everywhere
@pytest.mark.sampled(2)
def test_a_snippet_that_waits_for_too_long_ends_in_time_with_its_limit_and_so_does_what_it_waits_for(
    start_agent: StartAgent, tmp_path: Path
):
    mark = tmp_path / "ended"
    agent = start_agent(prelude=slow_verify(mark), THOUGHTBOX_CODE_WALL_MS=str(WALL_MS))
    agent.execute(**execute("1"))
    size = len(written(agent))

    error = agent.raw_call("execute", execute(WAITS)).structured_content

    assert error
    assert (error["code"], error["details"]) == ("LIMIT_EXCEEDED", {"limit": "wall", "allowed": WALL_MS})
    soon(mark.exists)
    call, end = written(agent)[size : size + 2]
    assert is_pair(call, end, "error")
    assert agent.execute(**execute("2"))["result"] == 2


@both_transports
def test_a_snippet_that_takes_longer_than_a_moment_becomes_a_task_that_comes_to_the_plain_answer(
    place: Place, transport: str
):
    gate = place.file("gate")
    client = TaskClient(place.start(transport, LOOKING, THOUGHTBOX_TASK_AFTER_MS="50", THOUGHTBOX_CODE_WALL_MS="300"))

    task = client.begin("execute", **execute(f"const seen = {looking(str(gate))}; tb.claim('x'); seen"))

    soon(lambda: client.get(task).get("statusMessage", "").endswith(" records"))
    assert client.call("ledger_status")["structuredContent"]["records"] >= 0, "others are answered meanwhile"
    soon(lambda: int(client.get(task)["statusMessage"].split()[0]) > 30)  # longer than a plain call could have taken
    assert client.get(task)["status"] == "working"
    gate.touch()
    ended = client.comes_to(task, "completed")["result"]
    answer = ended["structuredContent"]
    assert not ended["isError"]
    assert (answer["result"], answer["language"]) == ("seen", "javascript")
    assert [record["kind"] for record in answer["records"]] == ["claim"]
    assert _run_of(client) == ["tool_call", "claim", "tool_result"]


@both_transports
@on_sqlite
def test_a_snippet_is_stopped_when_its_task_is_cancelled(place: Place, transport: str):
    client = TaskClient(place.start(transport, LOOKING))
    ended = place.file("ended")
    task = client.begin("execute", **execute(f"{looking(place.never, str(ended))}; tb.claim('never')"))

    soon(lambda: "statusMessage" in client.get(task))
    client.ask("tasks/cancel", taskId=task)

    assert client.comes_to(task, "cancelled")
    soon(ended.exists)
    assert soon(lambda: _run_of(client)) == ["tool_call", "tool_result"]


@both_transports
@on_sqlite
def test_what_a_snippet_may_compute_is_no_more_when_it_is_a_task(place: Place, transport: str):
    client = TaskClient(place.start(transport, LOOKING))

    for code in ("for (;;) {}", f"{looking(seconds=0.1)}; for (;;) {{}}"):
        ended = client.comes_to(client.begin("execute", **execute(code)), "completed")["result"]
        assert ended["isError"]
        assert ended["structuredContent"]["code"] == "LIMIT_EXCEEDED"
        assert ended["structuredContent"]["details"]["limit"] == "cpu"


@on_sqlite
def test_when_every_sandbox_is_taken_for_long_the_next_snippet_is_told_to_come_again(place: Place):
    client = TaskClient(place.start("http", LOOKING))
    waits = {"javascript": looking(place.never), "python": f"tb.slowness.slow_look(until='{place.never}')"}
    tasks = [
        client.begin("execute", code=code, language=language) for language, code in waits.items() for _ in range(4)
    ]
    for task in tasks:
        soon(lambda task=task: "statusMessage" in client.get(task))

    plain = TaskClient(client.server, declares=False)
    refused = plain.call("execute", code="1", language="python")

    assert refused["structuredContent"]["code"] == "SANDBOX_UNAVAILABLE"
    assert "again" in refused["structuredContent"]["recovery"]
    for task in tasks:
        client.ask("tasks/cancel", taskId=task)
    assert soon(lambda: plain.call("execute", code="1", language="python")["structuredContent"].get("result")) == 1


def test_a_server_that_ends_takes_a_waiting_snippet_with_it(start_stdio: StartStdio, tmp_path: Path):
    mark = tmp_path / "ended"
    server = start_stdio(prelude=slow_verify(mark))
    server.initialize()
    server.request("tools/call", {"name": "execute", "arguments": execute(WAITS)}, token=1)
    while server.receive().get("method") != "notifications/progress":
        pass
    boxes = sandboxes(server.pid)

    server.close_stdin()

    server.ends_within(PATIENCE)
    soon(lambda: not any(map(command, boxes)))
    with Thoughtbox(load(environment(tmp_path / "data"))) as box:
        verdict = box.engine.read(lambda sql: verify_workspace(sql, "_default", keys=[], notes=[])).result()
    assert verdict.valid
    assert verdict.records in (0, 2), "its failed pair, if there was time for that"


@on_sqlite
def test_without_tasks_the_same_snippet_ends_with_its_limit(place: Place):
    server = place.start("http", LOOKING, THOUGHTBOX_CODE_WALL_MS="300")
    plain = TaskClient(server, declares=False)

    ended = plain.call("execute", **execute(looking(place.never)))

    assert ended["isError"]
    assert ended["structuredContent"]["details"]["limit"] == "wall"


def _records(server: StdioServer) -> list[Envelope]:
    def call(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return server.call(tool, **arguments)

    return records_of(call)


def _run_of(client: TaskClient) -> list[str]:
    """The kinds of what snippets have left; tasks have records of their own."""
    records = records_of(lambda tool, arguments: client.call(tool, **arguments)["structuredContent"])
    return kinds(record for record in records if record["data"]["topic"].startswith("code."))
