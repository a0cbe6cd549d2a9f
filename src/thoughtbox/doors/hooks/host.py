"""What a host tells a hook, and what a hook may answer. Claude Code and Codex have this in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from thoughtbox import projects

BLOCKS = 2
"""The exit code by which a hook refuses; the reason stands on standard error."""


class Told(NamedTuple):
    """What a host has said, and where that leads."""

    event: str
    client: str
    input: Mapping[str, Any]
    place: Place
    takes_tools: bool = False
    """Whether the agent sees no gateway: each call is then a tool of its own."""

    @property
    def host_session(self) -> str:
        """What the host calls its session."""
        return self.text("session_id") or "unknown"

    @property
    def tool(self) -> str:
        return self.text("tool_name")

    @property
    def tool_input(self) -> Mapping[str, Any]:
        found = self.input.get("tool_input")
        return found if isinstance(found, dict) else {}

    def text(self, name: str) -> str:
        found = self.input.get(name)
        return found if isinstance(found, str) else ""


class Place(NamedTuple):
    """The project that an agent works in, and the store that goes with it."""

    root: Path | None
    data_dir: Path
    workspace: str
    database_url: str
    options: tuple[str, ...]
    """The same for another process of ours, as options."""
    cwd: Path


class Answer(NamedTuple):
    """What goes back to the host."""

    out: str = ""
    said: str = ""
    """For standard error."""
    code: int = 0


SILENCE = Answer()


def context(event: str, text: str) -> Answer:
    """Text that the host hands to the agent."""
    if not text:
        return SILENCE
    shown = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return Answer(out=json.dumps(shown, ensure_ascii=False) + "\n")


def notice(text: str) -> Answer:
    """Text that the host shows to the user."""
    return Answer(out=json.dumps({"systemMessage": text}, ensure_ascii=False) + "\n")


def refusal(reason: str) -> Answer:
    return Answer(said=reason, code=BLOCKS)


def place(input: Mapping[str, Any], client: str, given: Mapping[str, str], environment: Mapping[str, str]) -> Place:
    """Where an agent works: what the host was started for, or the project around the folder that it tells."""
    folder = input.get("cwd")
    cwd = Path(folder) if isinstance(folder, str) and "\0" not in folder and Path(folder).is_absolute() else Path.cwd()
    begun = environment.get("CLAUDE_PROJECT_DIR") if client == "claude-code" else None
    told = environment.get("THOUGHTBOX_PROJECT_ROOT")
    root = Path(told).expanduser().absolute() if told else projects.around(Path(begun) if begun else cwd)
    data_dir = given.get("data_dir") or environment.get("THOUGHTBOX_DATA_DIR") or "~/.thoughtbox"
    return Place(
        root=root,
        data_dir=Path(data_dir).expanduser().absolute(),
        workspace=given.get("project") or environment.get("THOUGHTBOX_PROJECT") or "_default",
        database_url=environment.get("THOUGHTBOX_DATABASE_URL", ""),
        options=tuple(word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)),
        cwd=cwd,
    )
