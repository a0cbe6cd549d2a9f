"""Notebooks as they are measured: a server that runs cells, a kernel and busy programs outside of any box."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import orjson

from bench.client import Client
from bench.machine import children
from bench.servers import BIN, thoughtbox

NODE = BIN / "node"
GATEWAY = "thoughtbox_gateway"
ENDINGS = {"python": "py", "javascript": "mjs", "typescript": "mts"}
KERNEL_SECONDS = 60.0


def server(directory: Path) -> Client:
    """A server over stdio, with the Node that the tests run."""
    return Client(thoughtbox(directory, THOUGHTBOX_NODE=str(NODE)))


class Agent:
    """Whoever works with notebooks, through the gateway."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def begin(self) -> None:
        """Come to the stage that notebooks belong to."""
        self.call("start_new", sessionTitle="Notebooks")
        self.call("cipher", brief=True)

    def call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return told(self.client.call_tool(GATEWAY, {"operation": operation, **arguments}))

    def send(self, operation: str, **arguments: Any) -> int:
        """Send a call and go on."""
        return self.client.begin("tools/call", name=GATEWAY, arguments={"operation": operation, **arguments})

    def notebook(self, language: str) -> str:
        return self.call("notebook.create", name=f"A notebook in {language}", language=language)["notebookId"]

    def cell(self, notebook_id: str, language: str, content: str, name: str = "cell") -> str:
        """A new cell, by the filename that it is run by."""
        filename = f"{name}.{ENDINGS[language]}"
        self.call("notebook.add_cell", notebookId=notebook_id, type="code", content=content, filename=filename)
        return filename

    def run(self, notebook_id: str, filename: str) -> dict[str, Any]:
        ran = self.call("notebook.run_cell", notebookId=notebook_id, cellId=filename)
        if ran["status"] != "completed":
            raise RuntimeError(f"a cell that should have been well was not: {ran}")
        return ran


def told(result: dict[str, Any]) -> dict[str, Any]:
    """What an operation has answered."""
    return orjson.loads(result["content"][0]["text"])


class PlainKernel:
    """A Jupyter kernel in no box, spoken to by Jupyter's own client. Use it as a context manager."""

    def __init__(self) -> None:
        from jupyter_client.manager import start_new_kernel

        self._manager, self._client = start_new_kernel(startup_timeout=KERNEL_SECONDS, stderr=subprocess.DEVNULL)

    def __enter__(self) -> PlainKernel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def run(self, source: str) -> None:
        """Until the kernel has answered, and all that it shows has arrived."""
        self._client.execute_interactive(source, timeout=KERNEL_SECONDS, output_hook=lambda message: None)


@contextmanager
def busy(programs: Iterable[Sequence[str]]) -> Generator[None]:
    """Programs that run as long as this, each in a session of its own, as boxes are."""
    started = [
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for words in programs
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def program(language: str, path: Path) -> list[str]:
    """What runs a file as a cell of that language is run."""
    return [sys.executable if language == "python" else str(NODE), str(path)]


class Process(NamedTuple):
    """One that no other can be taken for, though numbers are given out again."""

    number: int
    started: str

    @property
    def is_there(self) -> bool:
        return _started(self.number) == self.started


def processes_of(number: int) -> list[Process]:
    """A process, and all that it has started, as far as they are its own."""
    return [Process(each, _started(each)) for each in (number, *children(number))]


def _started(number: int) -> str:
    try:
        fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[19]


def killed(client: Client) -> list[Process]:
    """End a server as nothing can be prepared for; all that it had started, and itself."""
    known = processes_of(client.pid)
    os.kill(client.pid, signal.SIGKILL)
    return known


def left_of(processes: Iterable[Process], seconds: float) -> list[Process]:
    """Those that are still there so many seconds later."""
    until = time.monotonic() + seconds
    while (left := [each for each in processes if each.is_there]) and time.monotonic() < until:
        time.sleep(0.01)
    return left
