"""The gate before tools that write files: open to whoever holds a live session token, or where nobody asks for one.

It looks at the project's files alone. What cannot be read closes nothing: a broken file must not stop the work.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from thoughtbox.domains.memory.configuration import Gate, active_config, gates_of, ttl_of
from thoughtbox.domains.memory.hosts.clients import FILE_TOOLS as WRITING
from thoughtbox.domains.memory.project import ProjectFolder, existing_key
from thoughtbox.domains.memory.tokens.files import live_session_token
from thoughtbox.doors.hooks.host import SILENCE, Answer, Told, refusal
from thoughtbox.doors.hooks.texts import how_to_call, text

PATCH = "apply_patch"
FILE_TOOLS = frozenset({*WRITING, PATCH})

_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_PATCHES = re.compile(r"\bapply_patch\b|^\*\*\* Begin Patch", re.MULTILINE)
_NAMES = ("file_path", "notebook_path")

OWN = ("config.json", "signing.key", "tokens", "presets", "settings.json", "settings.local.json")
"""What the gate itself stands on, in `.claude`."""
STRICT = "strict"


def pre_tool_use(told: Told) -> Answer:
    """Whether a tool may run: exit code 2 and the way on when it may not."""
    files = files_written(told)
    if told.place.root is None or (told.tool not in FILE_TOOLS and not files):
        return SILENCE
    folder = ProjectFolder(told.place.root)
    if not folder.config.exists():
        return SILENCE
    config = active_config(folder)
    closed = [gate for gate in gates_of(config) if gate.required_tools and gate.level != "lenient"]
    if not closed:
        return SILENCE
    if any(gate.level == STRICT for gate in closed) and (own := _own(folder, told.place.cwd, files)):
        return refusal(text("own-files", file=own, preset=str(config.get("name"))))
    existing_key(folder)  # one that cannot be read is told of, and closes nothing: no token could be checked
    if live_session_token(folder, time.time_ns() // 1_000_000) is not None:
        return SILENCE
    return refusal(_reason(told, config.get("name"), closed, ttl_of(config).session))


def files_written(told: Told) -> list[str]:
    """The files that a tool would write, as it names them."""
    if told.tool in WRITING:
        return [name for key in _NAMES if isinstance(name := told.tool_input.get(key), str)]
    command = told.tool_input.get("command")
    if not isinstance(command, str) or (told.tool != PATCH and not _PATCHES.search(command)):
        return []
    return _PATCHED.findall(command)


def _own(folder: ProjectFolder, cwd: Path, files: Sequence[str]) -> str | None:
    """The first of these files that the gate stands on, where links lead there as well."""
    guarded = [Path(os.path.realpath(folder.claude / name)) for name in OWN]
    for file in files:
        path = Path(os.path.realpath(cwd / file)) if "\0" not in file else None
        if path is not None and any(path == each or each in path.parents for each in guarded):
            return file
    return None


def _reason(told: Told, preset: object, closed: Sequence[Gate], session_ms: int) -> str:
    return text(
        "blocked",
        tool=told.tool,
        preset=str(preset),
        gates="; ".join(f"{gate.name}: {', '.join(gate.required_tools)}" for gate in closed),
        how=how_to_call(takes_tools=told.takes_tools),
        minutes=str(max(session_ms // 60_000, 1)),
    )
