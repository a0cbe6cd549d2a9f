"""A project with a preset, and hooks that are told of it as a host does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.box import Box
from thoughtbox.domains.memory.configuration import BUILT_IN
from thoughtbox.domains.memory.project import ProjectFolder, write_object
from thoughtbox.doors.hooks.host import Told, place
from thoughtbox.doors.hooks.main import hook

SESSION = "bc099591-be76-4f42-874d-53d65fbe21b9"


class Host:
    """A host that works in a project; what it sends is what Claude Code 2.1 and Codex 0.166 send."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = directory / "project"
        self.root.mkdir()
        (self.root / ".git").mkdir()
        self.data = directory / "data"
        self.folder = ProjectFolder(self.root)
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.variables = {"THOUGHTBOX_DATA_DIR": str(self.data), "THOUGHTBOX_PROJECT": "tests"}
        for name in ("CLAUDE_PROJECT_DIR", "THOUGHTBOX_PROJECT_ROOT", "THOUGHTBOX_DATABASE_URL"):
            monkeypatch.delenv(name, raising=False)
        for name, value in self.variables.items():
            monkeypatch.setenv(name, value)

    def apply(self, preset: str, **changes: Any) -> None:
        content = json.loads((BUILT_IN / f"{preset}.json").read_text(encoding="utf-8"))
        write_object(self.folder.config, {**content, **changes})

    def input(self, event: str, **fields: Any) -> dict[str, Any]:
        return {
            "session_id": SESSION,
            "transcript_path": str(self.root / "transcript.jsonl"),
            "cwd": str(self.root),
            "permission_mode": "default",
            "hook_event_name": event,
            **fields,
        }

    def told(self, event: str, *, client: str = "claude-code", **fields: Any) -> Told:
        input = self.input(event, **fields)
        return Told(event, client, input, place(input, client, {}, os.environ))

    def writes(self, file: str = "a.txt", **fields: Any) -> Told:
        return self.told("PreToolUse", tool_name="Write", tool_input={"file_path": file, "content": "x"}, **fields)

    def hears(self, *words: str, sent: bytes) -> tuple[int, str, str]:
        """What a hook of this process says to what the host sent: exit code, standard output, standard error."""
        import io
        import sys

        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent), encoding="utf-8"))
        self._capsys.readouterr()
        code = hook(words)
        said = self._capsys.readouterr()
        assert code is not None
        return code, said.out, said.err

    def box(self) -> Box:
        """The store that the hooks write to."""
        return Box(self.data, THOUGHTBOX_PROJECT_ROOT=str(self.root))


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Host:
    return Host(tmp_path, monkeypatch, capsys)
