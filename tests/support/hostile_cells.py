"""Cells that mean harm, the machine that they are let loose on, and what has to be true of it afterwards."""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.box import Box
from tests.support.forks import PATIENCE
from tests.support.notebooks import NODE

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "hostile_cells"
FILENAMES = {"python": "cell.py", "javascript": "cell.mjs", "typescript": "cell.mts"}
HARMLESS = {
    "python": "print(6 * 7)",
    "javascript": "console.log(6 * 7);",
    "typescript": "const six: number = 6; console.log(six * 7);",
}
SMALL = {
    "THOUGHTBOX_NOTEBOOK_WALL_SECONDS": "6",
    "THOUGHTBOX_NOTEBOOK_CPU_SECONDS": "2",
    "THOUGHTBOX_NOTEBOOK_MEMORY_MB": "256",
    "THOUGHTBOX_NOTEBOOK_FILE_MB": "5",
    "THOUGHTBOX_NOTEBOOK_PROCESSES": "40",
    "THOUGHTBOX_NOTEBOOK_OUTPUT_KB": "64",
}


@dataclass(frozen=True)
class Cell:
    """One of them, as it stands in the corpus."""

    name: str
    source: str
    status: str
    """A pattern of how its run ends."""
    error: str = ""
    output: str = ""
    never: str = "(?!)"
    """What must not be in its answer."""
    truncated: bool | None = None
    fresh: bool = False
    """Whether the next cell is another notebook's: this one leaves its folder or its memory full."""
    ends_kernel: bool = False
    """Whether what it leaves running has to end, though its cell has long ended well."""


@cache
def corpus(language: str) -> list[Cell]:
    read = tomllib.loads((CORPUS / f"{language}.toml").read_text(encoding="utf-8"))
    known = {field.name for field in fields(Cell)}
    found = []
    for entry in read["cell"]:
        assert entry.keys() <= known, entry.keys() - known
        found.append(Cell(**{**entry, "source": read["prelude"] + entry["source"]}))
    return found


class Attacked:
    """A server with notebooks, and beside it on the machine whatever must not be touched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.secret = f"secret-{secrets.token_hex(16)}"
        self.data = folder / "data"
        self._outside = folder / "outside"
        self._outside.mkdir()
        self._outside.chmod(0o755)
        self.secret_file = self._outside / "secret"
        self.secret_file.write_text(self.secret, encoding="utf-8")
        self.secret_file.chmod(0o644)
        os.environ["THOUGHTBOX_SECRET"] = self.secret
        self._bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)", self.secret])
        self._services = [_listening(socket.AF_INET, ("127.0.0.1", 0))]
        self.port = self._services[0].getsockname()[1]
        with suppress(OSError):
            self._services.append(_listening(socket.AF_INET6, ("::1", self.port)))
        self.abstract = f"thoughtbox-{secrets.token_hex(8)}"
        self._services.append(_listening(socket.AF_UNIX, f"\0{self.abstract}"))
        self.box = Box(self.data, THOUGHTBOX_NODE=NODE, **SMALL)
        self._other = self.notebook("python")
        self.run(self._other, "python", f"open('other-notebook', 'w').write({self.secret!r})")
        self._before = self._seen()

    def close(self) -> None:
        self.box.close()
        self._bystander.kill()
        self._bystander.wait()
        for service in self._services:
            service.close()
        del os.environ["THOUGHTBOX_SECRET"]

    def notebook(self, language: str) -> str:
        made = self.box.call("notebook.create", {"name": "attacked", "language": language})
        return made["notebookId"]

    def run(self, notebook: str, language: str, source: str) -> dict[str, Any]:
        cells = self.box.call("notebook.list_cells", {"notebookId": notebook})["cells"]
        known = next((cell["id"] for cell in cells if cell.get("filename") == FILENAMES[language]), None)
        if known is None:
            given = {"type": "code", "content": source, "language": language, "filename": FILENAMES[language]}
            known = self.box.call("notebook.add_cell", {"notebookId": notebook, **given})["cellId"]
        else:
            self.box.call("notebook.update_cell", {"notebookId": notebook, "cellId": known, "content": source})
        return self.box.call("notebook.run_cell", {"notebookId": notebook, "cellId": known})

    def put_in(self, source: str) -> str:
        """A cell's text with the places and numbers of this machine in it."""
        known = {
            "SECRET_FILE": self.secret_file,
            "DATA": self.data,
            "STORE": self.data / "thoughtbox.db",
            "PORT": self.port,
            "ABSTRACT": self.abstract,
            "SERVER": os.getpid(),
            "BYSTANDER": self._bystander.pid,
        }
        for name, value in known.items():
            source = source.replace("{{" + name + "}}", str(value))
        return source

    def judge(self, cell: Cell, answer: dict[str, Any]) -> None:
        """Whether a run has come to what it has to come to, and nowhere else."""
        said = json.dumps(answer, ensure_ascii=False)
        shown = (cell.name, said[:3000])
        assert "REACHED" not in said, shown
        assert self.secret not in said, shown
        assert re.fullmatch(cell.status, answer["status"]), shown
        assert re.search(cell.error, answer["error"] or ""), shown
        assert re.search(cell.output, answer["output"] or ""), shown
        for part in ("output", "error", "stderr"):
            assert not re.search(cell.never, answer[part] or ""), shown
        assert cell.truncated in (None, answer["truncated"]), shown
        assert len(said) < 2_000_000, cell.name

    def must_be_untouched(self) -> None:
        assert self._bystander.poll() is None
        assert self._seen() == self._before
        for service in self._services:
            with suppress(BlockingIOError):
                caller, _ = service.accept()
                caller.close()
                raise AssertionError("somebody has come to a service of the machine")

    def _seen(self) -> dict[str, Any]:
        """What is outside of all boxes, and does not change while cells run."""
        own = self.data / "notebooks"
        outside = {str(path): path.lstat().st_mode for path in self._outside.rglob("*")}
        folder_modes = {part.name: part.stat().st_uid for part in own.iterdir()}
        return {"outside": outside, "secret": self.secret_file.read_text(encoding="utf-8"), "folders": folder_modes}

    def folder_of(self, notebook: str) -> Path:
        return next(self.data.glob(f"notebooks/*/{notebook}"))

    def await_end(self, notebook: str) -> None:
        """Wait until nothing of a notebook's boxes is left."""
        await_nothing_left(self.folder_of(notebook))


@contextmanager
def attacked(folder: Path) -> Generator[Attacked]:
    with closing(Attacked(folder)) as found:
        yield found
    await_nothing_left(folder)


def await_nothing_left(folder: Path) -> None:
    until = time.monotonic() + PATIENCE
    while left := processes_of(folder):
        assert time.monotonic() < until, f"left running: {left}"
        time.sleep(0.02)


def _listening(family: int, address: Any) -> socket.socket:
    made = socket.socket(family)
    made.bind(address)
    made.listen()
    made.setblocking(False)
    return made


def processes_of(folder: Path) -> list[str]:
    """Processes that see a folder, or what is below it, from inside a box."""
    return [
        f"{entry.name}: {_read(entry / 'status')[:60]!r}"
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and _is_in_box(entry, str(folder))
    ]


def _is_in_box(process: Path, folder: str) -> bool:
    """A box has the folder mounted, at a place of its own; the machine has not."""
    for line in _read(process / "mountinfo").splitlines():
        source, target = line.split()[3:5]
        if folder in source and target.startswith(("/notebook", "/cell")):
            return True
    return False


def _read(path: Path) -> str:
    with suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""
