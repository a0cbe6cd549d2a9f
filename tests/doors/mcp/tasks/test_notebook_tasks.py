"""Runs of notebooks as tasks, where a client declares that it knows them."""

from __future__ import annotations

from typing import Any

from tests.doors.mcp.conftest import StartHttp
from tests.support.notebooks import NODE
from tests.support.servers import soon
from tests.support.task_client import TaskClient

TICKS = "import time\nfor i in range({}):\n    print('tick', i, flush=True)\n    time.sleep(0.25)"


def test_a_long_run_becomes_a_task_where_the_client_declares_them(start_http: StartHttp):
    client = TaskClient(start_http(THOUGHTBOX_NODE=NODE, THOUGHTBOX_TASK_AFTER_MS="200"))
    made = client.call("notebook_create", name="Long")["structuredContent"]["notebookId"]
    client.call("notebook_add_cell", notebookId=made, type="code", content=TICKS.format(5), filename="a.py")
    client.call("notebook_add_cell", notebookId=made, type="code", content=TICKS.format(200), filename="b.py")

    task = client.begin("notebook_run_cell", notebookId=made, cellId="a.py")
    done = client.comes_to(task, "completed")
    assert done["result"]["structuredContent"]["output"].startswith("tick 0\ntick 1\n")

    endless = client.begin("notebook_run_cell", notebookId=made, cellId="b.py")
    client.ask("tasks/cancel", taskId=endless)
    client.comes_to(endless, "cancelled")

    def outcome() -> Any:
        history = client.call("notebook_history", notebookId=made)
        return history["structuredContent"]["events"][0].get("outcome")

    assert soon(outcome) == "interrupted"
