"""Long calls as tasks, for clients of the newest era that declare the extension: the plain answer, only later."""

from __future__ import annotations

import re

import pytest

from tests.doors.mcp.tasks.conftest import Place
from tests.support.servers import soon
from tests.support.task_client import EXTENSION, UNKNOWN, TaskClient

NOT_TO_BE_KEPT = """
from thoughtbox.errors import StorageError
from thoughtbox.operations import task_records

def begin(tx, stream, what):
    raise StorageError("no space left")

task_records.begin = begin
"""
ONE_AT_A_TIME = "from thoughtbox.doors.mcp import tasks; tasks.MOST_UNDER_WAY = 1"

on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@both_transports
def test_a_long_call_becomes_a_task_that_comes_to_the_plain_answer(place: Place, transport: str):
    client = TaskClient(place.start(transport))
    gate = place.file("gate")

    begun = client.call("slow_compute", label="it", until=str(gate))

    assert begun["resultType"] == "task"
    assert begun["status"] == "working"
    assert begun["ttlMs"] == 3_600_000
    assert begun["pollIntervalMs"] >= 100
    assert re.fullmatch(r"[!-~]{44,128}", begun["taskId"]), "longer ones, and others, are not taken by every client"
    assert begun.keys() - {"_meta"} == {
        *("resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs")
    }
    task = begun["taskId"]
    soon(lambda: client.get(task).get("statusMessage", "").endswith(" of 1000 records"))
    working = client.get(task)
    assert (working["resultType"], working["status"]) == ("complete", "working")
    assert (working["taskId"], working["createdAt"]) == (task, begun["createdAt"])
    gate.touch()
    ended = client.comes_to(task, "completed")
    assert ended["result"] == TaskClient(client.server, declares=False).call("slow_compute", label="it")
    assert ended["result"]["structuredContent"] == {"text": "it is done"}
    assert client.get(task) == ended, "what was kept is asked for as often as one likes"


@on_sqlite
def test_a_refused_call_is_a_completed_task_with_the_plain_refusal(place: Place):
    client = TaskClient(place.start("stdio"))

    ended = client.comes_to(client.begin("failing_job"), "completed")

    assert ended["result"]["isError"] is True
    assert ended["result"] == TaskClient(client.server, declares=False).call("failing_job")


@on_sqlite
def test_a_task_leaves_its_client_where_the_plain_call_does_and_is_echoed_as_that_is(place: Place):
    log = place.file("log")
    with log.open("w", encoding="utf-8") as stderr:
        client = TaskClient(place.start("stdio", stderr=stderr))

    begun = client.comes_to(client.begin("slow_start", name="In a task"), "completed")

    session = begun["result"]["structuredContent"]["text"]
    assert client.call("cipher")["structuredContent"]["sessionId"] == session
    soon(lambda: "slow_start" in log.read_text(encoding="utf-8"))


@on_sqlite
def test_no_task_is_made_for_those_who_do_not_declare_it_nor_of_what_is_short_or_malformed(place: Place):
    server = place.start("http")
    client, plain = TaskClient(server), TaskClient(server, declares=False)

    assert plain.call("slow_compute", label="plain")["structuredContent"] == {"text": "plain is done"}
    greeted = client.call("greet", name="Ada")
    assert greeted == plain.call("greet", name="Ada")
    refused = client.call("slow_compute", seconds="many")
    assert refused["isError"] is True
    assert refused == plain.call("slow_compute", seconds="many")
    assert client.refused("tools/call", name="no_such_tool", arguments={})["code"] == -32602
    assert not [topic for topic in client.topics() if topic.startswith("tasks.")]


@on_sqlite
def test_the_extension_is_advertised_and_asked_for(place: Place):
    server = place.start("http")
    client, plain = TaskClient(server), TaskClient(server, declares=False)
    capabilities = client.ask("server/discover")["capabilities"]
    assert capabilities["extensions"][EXTENSION] == {}
    assert "tasks" not in capabilities
    task = client.begin("slow_compute")

    for method, more in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
        error = plain.refused(method, taskId=task, **more)
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        assert EXTENSION in error["message"]
    assert plain.refused("subscriptions/listen", notifications={"taskIds": [task]})["code"] == -32021


@on_sqlite
def test_what_no_task_can_be_is_refused_in_words_and_with_the_codes_of_the_extension(place: Place):
    client = TaskClient(place.start("stdio"))
    task = client.begin("slow_compute")
    secret, _, where = task.partition(".")

    for no_task in (
        "",
        "x",
        ".",
        task + "x",
        f"{secret}.",
        f"{secret}.{where}/",
        f"x.{where}",
        "ü",
        "\0",
        "x" * 10_000,
    ):
        assert client.refused("tasks/get", taskId=no_task) == {"code": -32602, "message": UNKNOWN}
    for method in ("tasks/cancel", "tasks/update"):
        assert client.refused(method, taskId="x", inputResponses={})["message"] == UNKNOWN
    for params in ({}, {"taskId": None}, {"taskId": 1}, {"taskId": [task]}):
        assert client.refused("tasks/get", **params)["code"] == -32602
    for responses in (None, [], "x", {"asked-1": "yes"}, {"asked-1": None}):
        assert client.refused("tasks/update", taskId=task, inputResponses=responses)["code"] == -32602
    for ids in ("x", [1], [task] * 1001):
        assert client.refused("subscriptions/listen", notifications={"taskIds": ids})["code"] == -32602
    for method in ("tasks/list", "tasks/result"):
        assert client.refused(method, taskId=task)["code"] == -32601


@on_sqlite
def test_over_http_a_header_names_the_task_and_must_agree(place: Place):
    server = place.start("http")
    client = TaskClient(server)
    task = client.begin("slow_compute")
    asked = {"taskId": task, "_meta": client.meta}

    assert server.ask("tasks/get", asked, {"Mcp-Name": task}).json()["result"]["taskId"] == task
    for headers in ({}, {"Mcp-Name": "another"}):
        refused = server.ask("tasks/get", asked, headers)
        assert (refused.status, refused.json()["error"]["code"]) == (400, -32020)


@on_sqlite
def test_the_handshake_era_has_no_tasks_and_its_task_parameter_changes_nothing(place: Place):
    server = place.start("stdio")
    server.initialize()

    answer = server.ask("tools/call", {"name": "slow_compute", "arguments": {"label": "it"}, "task": {"ttl": 60_000}})

    assert answer["result"]["structuredContent"] == {"text": "it is done"}
    for method in ("tasks/get", "tasks/result", "tasks/list", "tasks/cancel"):
        assert server.ask(method, {"taskId": "x"})["error"]["code"] == -32601


@on_sqlite
def test_what_is_asked_before_a_task_is_asked_by_the_call_itself(place: Place):
    client = TaskClient(place.start("stdio"), can={"roots": {}})

    asking = client.call("long_roots")

    assert (asking["resultType"], "taskId" in asking) == ("input_required", False)
    roots = {"roots": [{"uri": "file:///work"}]}
    begun = client.ask(
        "tools/call",
        name="long_roots",
        arguments={},
        requestState=asking["requestState"],
        inputResponses=dict.fromkeys(asking["inputRequests"], roots),
    )
    assert (begun["resultType"], "requestState" in begun) == ("task", False)
    assert client.comes_to(begun["taskId"], "completed")["result"]["structuredContent"] == {"text": "file:///work"}


@both_transports
@on_sqlite
def test_what_is_done_within_a_moment_is_answered_like_any_call_and_leaves_no_task(place: Place, transport: str):
    client = TaskClient(place.start(transport, THOUGHTBOX_TASK_AFTER_MS="60000"), can={"sampling": {}})

    done = client.call("slow_compute", label="it")
    assert (done["resultType"], done["structuredContent"]) == ("complete", {"text": "it is done"})
    assert client.call("failing_job")["isError"] is True
    assert not [topic for topic in client.topics() if topic.startswith("tasks.")]
    asking = client.begin("confirm_delete", filename="f")
    assert client.comes_to(asking, "input_required"), "who has to be asked something need not wait"


@on_sqlite
def test_a_call_that_is_given_up_in_its_first_moment_is_stopped_and_leaves_no_task(place: Place):
    server, ended = place.start("stdio", THOUGHTBOX_TASK_AFTER_MS="60000"), place.file("ended")
    client = TaskClient(server)
    server.envelope = client.meta
    arguments = {"until": place.never, "ended": str(ended)}
    id = server.request("tools/call", {"name": "slow_compute", "arguments": arguments}, token=7)
    while server.receive().get("method") != "notifications/progress":
        pass

    server.notify("notifications/cancelled", {"requestId": id})

    soon(ended.exists)
    assert not [topic for topic in client.topics() if topic.startswith("tasks.")]


@on_sqlite
def test_what_is_not_done_after_a_moment_becomes_a_task(place: Place):
    client = TaskClient(place.start("http", THOUGHTBOX_TASK_AFTER_MS="50"))
    gate = place.file("gate")

    task = client.begin("slow_compute", label="it", until=str(gate))

    gate.touch()
    assert client.comes_to(task, "completed")["result"]["structuredContent"] == {"text": "it is done"}


@on_sqlite
def test_beyond_the_tasks_that_a_client_may_have_a_call_is_answered_plainly(place: Place):
    client = TaskClient(place.start("http", ONE_AT_A_TIME))
    task = client.begin("slow_compute", until=place.never)

    assert client.call("failing_job")["isError"] is True

    client.ask("tasks/cancel", taskId=task)
    client.comes_to(client.begin("failing_job"), "completed")


@on_sqlite
def test_in_a_workspace_with_a_name_too_long_for_an_id_a_call_is_answered_plainly(place: Place):
    server = place.start("stdio")
    longest, too_long = "w" * 84, "w" * 85

    task = TaskClient(server, workspace=longest).begin("slow_compute")
    assert len(task) == 128
    assert TaskClient(server).comes_to(task, "completed")
    plain = TaskClient(server, workspace=too_long).call("slow_compute", label="it")
    assert plain["structuredContent"] == {"text": "it is done"}


@on_sqlite
def test_an_answer_too_long_to_be_kept_fails_its_task_and_says_what_to_do(place: Place):
    client = TaskClient(place.start("stdio"))

    failed = client.comes_to(client.begin("protocol_error_job"), "failed")

    assert failed["error"]["code"] == -32603
    assert "2000011 characters, and of a task 1000000 are kept" in failed["error"]["message"]
    assert "without the tasks extension" in failed["error"]["message"]


@on_sqlite
def test_a_call_whose_task_cannot_be_written_down_is_answered_plainly(place: Place):
    client = TaskClient(place.start("stdio", NOT_TO_BE_KEPT))

    assert client.call("slow_compute", label="it")["structuredContent"] == {"text": "it is done"}
    assert "tasks.begun" not in client.topics()
