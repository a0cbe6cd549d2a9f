"""What each host reads: its files, its events, and how an entry for a hook or a server looks there."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

Client = Literal["claude-code", "codex"]
Scope = Literal["project", "user"]

CLIENTS: tuple[Client, ...] = ("claude-code", "codex")
SCOPES: tuple[Scope, ...] = ("project", "user")
SERVER = "thoughtbox"
"""What the server is called there."""
MARK = "THOUGHTBOX_INSTALLED_FOR"
"""A variable that tells a registration of ours from one that somebody made by hand. Nothing reads it."""


class Event(NamedTuple):
    """An event of a host, and which of our hooks hears of it."""

    name: str
    hook: str
    seconds: int
    matcher: str | None = None


FILE_TOOLS = ("Write", "Edit", "MultiEdit", "NotebookEdit")
"""Tools of Claude Code that write files."""

_SHARED = (
    Event("SessionStart", "session-start", 30),
    Event("UserPromptSubmit", "user-prompt-submit", 10),
    Event("PostToolUse", "post-tool-use", 10),
    Event("PreCompact", "pre-compact", 30),
    Event("Stop", "stop", 30),
)

EVENTS: dict[Client, tuple[Event, ...]] = {
    # A tool that fails is told of as an event of its own.
    "claude-code": (
        *_SHARED,
        Event("PreToolUse", "pre-tool-use", 10, "|".join(FILE_TOOLS)),
        Event("PostToolUseFailure", "post-tool-use", 10),
    ),
    # A patch may come as a command of the shell.
    "codex": (*_SHARED, Event("PreToolUse", "pre-tool-use", 10, "apply_patch|Bash")),
}

HOOKS = ("session-start", "user-prompt-submit", "pre-tool-use", "post-tool-use", "pre-compact", "stop")


class Files(NamedTuple):
    """Where a host looks."""

    hooks: Path
    servers: Path


def files(client: Client, scope: Scope, root: Path, environment: Mapping[str, str], home: Path) -> Files:
    """The files of a project are its user's own, where the host has such: they name a program on this machine."""
    if client == "claude-code":
        if scope == "project":
            return Files(root / ".claude" / "settings.local.json", root / ".mcp.json")
        told = environment.get("CLAUDE_CONFIG_DIR")
        folder = Path(told) if told else home / ".claude"
        return Files(folder / "settings.json", (folder if told else home) / ".claude.json")
    if scope == "project":
        folder = root / ".codex"
    else:
        told = environment.get("CODEX_HOME")
        folder = Path(told) if told else home / ".codex"
    return Files(folder / "hooks.json", folder / "config.toml")


def entry(event: Event, client: Client, program: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    """What stands for one event among the hooks."""
    command = shlex.join([*program, "hook", event.hook, "--client", client, *options])
    handler = {"type": "command", "command": command, "timeout": event.seconds}
    matcher = {} if event.matcher is None else {"matcher": event.matcher}
    return {**matcher, "hooks": [handler]}


def is_ours(entry: Any) -> bool:
    """Whether an entry among the hooks is one that this program has made: all that it runs is a hook of ours."""
    handlers = entry.get("hooks") if isinstance(entry, dict) else None
    return isinstance(handlers, list) and bool(handlers) and all(words(handler) is not None for handler in handlers)


def words(handler: Any) -> list[str] | None:
    """The words of a handler's command when it is one of our hooks: the program, `hook`, and what follows."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return None
    try:
        found = shlex.split(command)
    except ValueError:
        return None
    if len(found) < 3 or os.sep not in found[0]:
        return None
    named = found[1:] if Path(found[0]).name == SERVER else found[3:] if found[1:3] == ["-m", SERVER] else []
    return found if len(named) >= 2 and named[0] == "hook" and named[1] in HOOKS and "--client" in named else None


def server(client: Client, program: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    """How the server is started."""
    command, *before = program
    return {
        "command": command,
        "args": [*before, "serve", "--transport", "stdio", *options],
        "env": {MARK: client},
    }


def is_our_server(registered: Any) -> bool:
    return isinstance(registered, dict) and MARK in (registered.get("env") or {})
