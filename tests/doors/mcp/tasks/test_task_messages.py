"""What those who listen hear, and that the extension's own package knows every message."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tomllib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.tasks.conftest import Place
from tests.doors.mcp.test_conformance import Checks, results
from tests.support.clients import NODE, program, surroundings
from tests.support.servers import PATIENCE, STATELESS, HttpServer, StdioServer
from tests.support.task_client import TaskClient
from tests.support.task_room import SHORT_LEASES

EXPECTED = Path(__file__).with_name("conformance_expected.toml")
SCRIPT = Path(__file__).parents[3] / "clients" / "task_messages.mjs"
LENDING = {"sampling": {}}
SAYS = {"role": "assistant", "content": {"type": "text", "text": "Yes."}, "model": "some-model-1"}
SCENARIOS = (
    *("lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers"),
    *("dispatch-and-envelope", "status-notifications", "required-task-error", "mrtr-composition"),
)

on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@contextmanager
def listening(client: TaskClient, *tasks: str) -> Generator[Iterator[dict[str, Any]]]:
    """What comes on a stream that wants to hear of these tasks, message by message."""
    wanted = {"notifications": {"taskIds": list(tasks)}}
    server = client.server
    if isinstance(server, StdioServer):
        server.envelope = client.meta
        server.request("subscriptions/listen", wanted)
        yield iter(server.receive, None)
        return
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    body = {"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen", "params": {**wanted, "_meta": client.meta}}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    routing = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "subscriptions/listen"}
    connection.request("POST", "/mcp", json.dumps(body), {**headers, **routing})
    lines = connection.getresponse()
    try:
        yield (json.loads(line.removeprefix(b"data: ")) for line in lines if line.startswith(b"data: "))
    finally:
        connection.close()


def same(told: dict[str, Any], shown: dict[str, Any]) -> bool:
    """Whether a notification says what was answered to `tasks/get`."""
    apart = ("_meta", "resultType", "ttlMs", "pollIntervalMs")
    return {k: v for k, v in told.items() if k not in apart} == {k: v for k, v in shown.items() if k not in apart}


@both_transports
def test_those_who_listen_hear_how_their_tasks_stand_now_and_whenever_that_changes(place: Place, transport: str):
    server = place.start("http")
    client, listener = TaskClient(server, can=LENDING), server
    if transport == "stdio":
        listener = place.start("stdio")
    task, over = client.begin("confirm_delete", filename="f"), client.begin("failing_job")
    client.comes_to(over, "completed")
    asking = client.comes_to(task, "input_required")

    with listening(TaskClient(listener), over, task, over, "x.a") as heard:
        acknowledged = next(heard)
        assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
        assert acknowledged["params"]["notifications"] == {"taskIds": [over, task]}
        first = {one["params"]["taskId"]: one for one in (next(heard), next(heard))}
        assert {one["method"] for one in first.values()} == {"notifications/tasks"}
        assert same(first[over]["params"], client.get(over))
        assert same(first[task]["params"], asking)
        assert first[task]["params"]["_meta"] == acknowledged["params"]["_meta"]

        client.ask("tasks/update", taskId=task, inputResponses=dict.fromkeys(asking["inputRequests"], SAYS))

        statuses = []
        while (told := next(heard)["params"])["status"] != "completed":
            statuses.append(told["status"])
        assert set(statuses) <= {"working"}
        assert same(told, client.comes_to(task, "completed"))


def test_those_who_listen_hear_that_nobody_works_on_their_task_any_more(place: Place):
    worker, listener = place.start("http", SHORT_LEASES), place.start("http", SHORT_LEASES)
    task = TaskClient(worker).begin("slow_compute", until=place.never)

    with listening(TaskClient(listener), task) as heard:
        next(heard)
        assert next(heard)["params"]["status"] == "working"
        os.kill(worker.pid, signal.SIGKILL)
        failed = next(heard)["params"]

    assert (failed["status"], "has ended" in failed["error"]["message"]) == ("failed", True)


@on_sqlite
def test_the_extensions_own_package_knows_every_message(place: Place):
    program("mcp-inspector")  # which brings it
    server = place.start("http")
    client = TaskClient(server, can=LENDING)
    messages: list[dict[str, Any]] = [{"kind": "discovered", "message": client.ask("server/discover")}]

    def note(kind: str, message: dict[str, Any]) -> dict[str, Any]:
        messages.append({"kind": kind, "message": message})
        return message

    working = note("created", client.call("slow_compute", until=place.never))["taskId"]
    note("detailed", client.get(working))
    client.ask("tasks/cancel", taskId=working)
    note("detailed", client.comes_to(working, "cancelled"))
    note("detailed", client.comes_to(client.begin("failing_job"), "completed"))
    note("detailed", client.comes_to(client.begin("protocol_error_job"), "failed"))
    asking = client.begin("confirm_delete", filename="f")
    note("detailed", client.comes_to(asking, "input_required"))
    with listening(client, working, asking) as heard:
        note("acknowledged", next(heard))
        note("told", next(heard))
        note("told", next(heard))
    wrong = [
        {"kind": "detailed", "message": {**client.get(working), "status": "done"}},
        {"kind": "created", "message": client.get(working)},
    ]

    said = subprocess.run(
        [NODE / "node", SCRIPT],
        input="\n".join(map(json.dumps, [*messages, *wrong])),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=True,
    ).stdout.split()

    assert said == ["known"] * len(messages) + ["unknown"] * len(wrong), messages


@pytest.mark.sampled(2)
@on_sqlite
def test_the_official_suite_finds_nothing_in_tasks_but_what_is_listed(place: Place):
    suite, server = program("conformance"), place.start("http")
    assert isinstance(server, HttpServer)
    command = [suite, "server", "--url", server.url, "--spec-version", STATELESS, "--force", "-o", "found"]
    running = [
        subprocess.Popen(
            [*command, "--scenario", f"tasks-{name}"],
            cwd=place.directory,
            env=surroundings(place.directory),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for name in SCENARIOS
    ]
    for process in running:
        process.wait(PATIENCE)

    failed, passed = results(place.file("found"))
    assert len(passed) >= 35, "too little was checked"
    expected = listed()
    assert sorted(failed - expected) == [], "these are bugs"
    assert sorted(expected - failed) == [], "these pass, and need no entry any more"


def listed() -> Checks:
    entries = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))
    assert all(entry["reason"] for entry in entries.values())
    return {(scenario, check) for scenario, entry in entries.items() for check in entry["checks"]}
