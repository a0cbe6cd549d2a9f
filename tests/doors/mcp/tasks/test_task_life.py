"""What becomes of a task: when its server ends, when others ask for it, when it is cancelled, and whose it is."""

from __future__ import annotations

import os
import signal

import pytest

from tests.doors.mcp.tasks.conftest import Place
from tests.support.forks import PATIENCE
from tests.support.servers import soon
from tests.support.task_client import UNKNOWN, TaskClient
from tests.support.task_room import SHORT_LEASES
from thoughtbox.tokens import Tokens
from thoughtbox.world import World

LENDING = {"sampling": {}}
SAYS = {"role": "assistant", "content": {"type": "text", "text": "Yes."}, "model": "some-model-1"}
TOKENS = {"mine": ["a", "b"], "theirs": ["a", "b"], "narrow": ["b"]}

on_sqlite = pytest.mark.parametrize("place", ["sqlite"], indirect=True)
both_transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@both_transports
def test_a_finished_task_is_there_after_a_killed_server_with_its_answer(place: Place, transport: str):
    server = place.start(transport)
    client = TaskClient(server)
    task = client.begin("slow_compute", label="it")
    ended = client.comes_to(task, "completed")

    os.kill(server.pid, signal.SIGKILL)

    assert TaskClient(place.start(transport)).get(task) == ended


def test_a_task_whose_server_was_killed_fails_once_nobody_is_at_work_on_it(place: Place):
    server = place.start("stdio", SHORT_LEASES)
    task = TaskClient(server).begin("slow_compute", label="it", until=place.never)
    soon(lambda: TaskClient(server).get(task).get("statusMessage"))

    os.kill(server.pid, signal.SIGKILL)

    client = TaskClient(place.start("http", SHORT_LEASES))
    failed = client.comes_to(task, "failed")
    assert "the server that worked on it has ended" in failed["error"]["message"]
    assert failed["statusMessage"] == failed["error"]["message"]
    assert failed["error"]["code"] == -32603
    assert client.thoughts() == ["it begun"], "what it had written stays"


@both_transports
def test_a_server_that_is_told_to_end_says_so_of_its_tasks_and_stops_their_work(place: Place, transport: str):
    server = place.start(transport)
    client, ended = TaskClient(server), place.file("ended")
    task = client.begin("slow_compute", until=place.never, ended=str(ended))
    soon(lambda: client.get(task).get("statusMessage"))

    os.kill(server.pid, signal.SIGTERM)

    server.ends_within(PATIENCE)
    failed = TaskClient(place.start(transport)).get(task)
    assert (failed["status"], "has ended" in failed["error"]["message"]) == ("failed", True)


def test_every_process_on_a_store_answers_for_a_task_and_can_end_it(place: Place):
    worker, other = place.start("http"), TaskClient(place.start("http", "from thoughtbox.doors.mcp import tasks"))
    ended = place.file("ended")
    task = TaskClient(worker).begin("slow_compute", label="it", until=place.never, ended=str(ended))
    assert other.get(task)["status"] == "working"

    assert other.ask("tasks/cancel", taskId=task).keys() == {"resultType", "_meta"}

    assert other.get(task)["status"] == "cancelled"
    soon(ended.exists)
    cancelled = TaskClient(worker).get(task)
    assert "stays written" in cancelled["statusMessage"]
    assert not {"result", "error"} & cancelled.keys()
    assert other.topics().count("tasks.ended") == 1


@on_sqlite
def test_how_far_a_task_has_come_is_known_to_other_processes(place: Place):
    worker, other = place.start("http", SHORT_LEASES), TaskClient(place.start("http"))
    task = TaskClient(worker).begin("slow_compute", until=place.never)

    soon(lambda: other.get(task).get("statusMessage", "").endswith(" of 1000 records"))


def test_a_task_asks_its_client_by_way_of_any_process(place: Place):
    client = TaskClient(place.start("http"), can=LENDING)
    other = TaskClient(place.start("http"), can=LENDING)
    task = client.begin("confirm_delete", filename="notes.txt")

    asking = other.comes_to(task, "input_required")

    ((key, request),) = asking["inputRequests"].items()
    assert request["method"] == "sampling/createMessage"
    assert request["params"]["messages"][0]["content"]["text"] == "Delete notes.txt?"
    assert other.ask("tasks/update", taskId=task, inputResponses={"another": SAYS}).keys() == {"resultType", "_meta"}
    assert other.get(task)["inputRequests"] == asking["inputRequests"]
    other.ask("tasks/update", taskId=task, inputResponses={key: SAYS})
    ended = client.comes_to(task, "completed")
    assert ended["result"]["structuredContent"] == {"text": "notes.txt", "word": "some-model-1: Yes."}
    other.ask("tasks/update", taskId=task, inputResponses={key: SAYS})
    assert other.get(task) == ended, "what comes too late changes nothing"


@pytest.mark.parametrize("when", ["at once", "at work", "done"])
def test_a_cancelled_task_stops_and_a_finished_one_stays_what_it_is(place: Place, when: str):
    client, ended = TaskClient(place.start("stdio")), place.file("ended")
    until = "" if when == "done" else place.never
    task = client.begin("slow_compute", label="it", until=until, ended=str(ended))
    if when == "at work":
        soon(lambda: client.get(task).get("statusMessage"))
    elif when == "done":
        client.comes_to(task, "completed")

    for _ in range(2):
        assert client.ask("tasks/cancel", taskId=task).keys() == {"resultType", "_meta"}

    assert client.get(task)["status"] == ("completed" if when == "done" else "cancelled")
    if when == "at work":
        soon(ended.exists)
    assert client.topics().count("tasks.ended") == 1
    assert ("it done" in client.thoughts()) == (when == "done")


@on_sqlite
def test_a_task_is_there_for_nobody_but_the_token_and_the_workspaces_that_began_it(place: Place):
    tokens = Tokens(place.directory / "data")
    place.file("data").mkdir()
    mine, theirs, narrow = (tokens.add(name, where, World()) for name, where in TOKENS.items())
    server = place.start("http")
    me = TaskClient(server, token=mine, workspace="a")
    task = me.begin("slow_compute", label="it")
    ended = me.comes_to(task, "completed")

    for stranger in (TaskClient(server, token=theirs), TaskClient(server, token=theirs, workspace="a")):
        assert stranger.refused("tasks/get", taskId=task) == stranger.refused("tasks/get", taskId="x.a")
        assert stranger.refused("tasks/get", taskId=task) == {"code": -32602, "message": UNKNOWN}
        assert stranger.refused("tasks/cancel", taskId=task)["message"] == UNKNOWN
        assert stranger.refused("tasks/update", taskId=task, inputResponses={})["message"] == UNKNOWN
    assert TaskClient(server, token=narrow).refused("tasks/get", taskId=task)["message"] == UNKNOWN
    assert TaskClient(server, token=mine, workspace="b").get(task) == ended, "the id says where it is kept"
    tail = me.call("ledger_tail")["content"][0]["text"]
    assert "tasks/" not in tail
    assert task.partition(".")[0] not in tail, "who reads the ledger learns no id"
