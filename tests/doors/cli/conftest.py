"""The command line, in this process and as a process of its own, on a store of the test's own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import pytest

from thoughtbox.doors.cli.main import main
from thoughtbox.settings import all_settings

COMMAND = [sys.executable, "-P", "-m", "thoughtbox"]


@dataclass(frozen=True)
class Ran:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def error(self) -> dict[str, Any]:
        return json.loads(self.err)


class Cli:
    """Runs commands on one store."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    @property
    def database(self) -> Path:
        return self.directory / "thoughtbox.db"

    def __call__(self, *words: object, stdin: bytes = b"") -> Ran:
        """Run a command in this process."""
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        self._capsys.readouterr()
        code = main([str(word) for word in words])
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)

    def process(self, *words: object, stdin: bytes = b"", **variables: str) -> Ran:
        """Run a command as people do."""
        done = subprocess.run(
            [*COMMAND, *map(str, words)], input=stdin, capture_output=True, env={**os.environ, **variables}, check=False
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def think(self, count: int = 3, *, session: str = "s1", **options: object) -> None:
        """Have something in the ledger."""
        flags = [f"--{name}={value}" for name, value in options.items()]
        for number in range(1, count + 1):
            ran = self("call", "thought_plan", *flags, f"sessionId={session}", f"planDescription=Step {number}.")
            assert ran.code == 0, ran.err

    def tamper(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Change the database file behind everybody's back."""
        connection = apsw.Connection(str(self.database))
        try:
            connection.execute(statement, parameters)
        finally:
            connection.close()

    def change_record(self, seq: int) -> None:
        self.tamper("UPDATE records SET content = CAST(replace(content, 'Step', 'Stop') AS BLOB) WHERE seq = ?", (seq,))


class Terminal(io.StringIO):
    """Something that people look at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    for setting in all_settings():
        monkeypatch.delenv(setting.variable, raising=False)
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THOUGHTBOX_DATA_DIR", str(tmp_path / "store"))
    monkeypatch.setenv("THOUGHTBOX_DURABILITY", "normal")
    monkeypatch.setenv("THOUGHTBOX_PORT", "0")
    monkeypatch.chdir(tmp_path)
    return Cli(tmp_path / "store", capsys, monkeypatch)
