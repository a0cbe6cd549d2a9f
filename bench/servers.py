"""The servers that are compared, as a client starts them: the empty one, ours, and the peers from npm."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.stores import TEXT, thought

HERE = Path(__file__).resolve().parent
BIN = Path(sys.executable).parent
PACKAGES = HERE.parent / "tests" / "clients" / "node_modules" / "@modelcontextprotocol"


@dataclass(frozen=True, slots=True)
class Server:
    """How a server is started, and one call that it answers."""

    name: str
    command: list[str]
    tool: str
    arguments: Callable[[int], dict[str, Any]]
    """What the nth call says."""
    settings: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    """Where it is started; None is here."""

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the user's own settings gets in."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")}
        return {**kept, **self.settings}


def empty_server() -> Server:
    # The very arguments that ours is called with: reading them is not free.
    return Server(
        "an empty tool",
        [sys.executable, str(HERE / "processes" / "empty_server.py")],
        "nothing",
        lambda number: thought("session", number),
    )


def thoughtbox(directory: Path, **settings: str) -> Server:
    return Server(
        "thought_record",
        [str(BIN / "thoughtbox"), "serve", "--transport", "stdio"],
        "thought_record",
        lambda number: thought("session", number),
        {"THOUGHTBOX_DATA_DIR": str(directory), **settings},
    )


def before(directory: Path, **settings: str) -> Server:
    """The state before: the same operations behind the official SDK."""
    return replace(
        thoughtbox(directory, **settings),
        name="thought_record on the SDK",
        command=[sys.executable, "-m", "tests.support.sdk_door", "stdio"],
        directory=HERE.parent,
    )


def with_rooms(directory: Path, *rooms: str) -> Server:
    """Ours with these rooms alone; with none named, with all."""
    command = [sys.executable, str(HERE / "processes" / "rooms.py"), *rooms]
    return replace(thoughtbox(directory), command=command)


def thinking_peer(directory: Path) -> Server | None:
    """The one that stores nothing, if it is there."""
    return next(iter(peers(directory)), None)


def peers(directory: Path) -> list[Server]:
    """None when Node or the packages are not there."""
    node = BIN / "node"
    scripts = {name: PACKAGES / name / "dist" / "index.js" for name in ("server-sequential-thinking", "server-memory")}
    if not node.exists() or not all(script.exists() for script in scripts.values()):
        return []
    directory.mkdir(parents=True, exist_ok=True)
    thinking, memory = scripts
    return [
        Server(
            thinking,
            [str(node), str(scripts[thinking])],
            "sequentialthinking",
            lambda number: {
                "thought": f"{number}. {TEXT}",
                "thoughtNumber": number,
                "totalThoughts": number + 1,
                "nextThoughtNeeded": True,
            },
        ),
        Server(
            memory,
            [str(node), str(scripts[memory])],
            "create_entities",
            lambda number: {
                "entities": [{"name": f"thought {number}", "entityType": "thought", "observations": [TEXT]}]
            },
            {"MEMORY_FILE_PATH": str(directory / "memory.jsonl")},
        ),
    ]
