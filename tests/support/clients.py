"""Programs that other people wrote: MCP clients from npm, as `make setup` installs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forks import PATIENCE

NODE = Path(sys.executable).parent
CLIENTS = Path(__file__).parent.parent / "clients" / "node_modules" / ".bin"


def program(name: str) -> str:
    """The program's path; the test is skipped where it is not installed."""
    path = CLIENTS / name
    if not path.exists() or not (NODE / "node").exists():
        pytest.skip(f"{name} is not installed: run `make setup`")
    return str(path)


def run(
    name: str, *arguments: str, home: Path, seconds: float = PATIENCE, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run it with a home of its own and nothing of the tester's settings."""
    return subprocess.run(
        [program(name), *arguments],
        env={**surroundings(home), **variables},
        cwd=home,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def surroundings(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
