"""What the README shows is what happens."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests.support.box import Box
from tests.support.thinker import Client

README = Path(__file__).resolve().parent.parent / "README.md"


def blocks() -> list[str]:
    return re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def steps() -> list[tuple[str, str]]:
    """Each command with the output shown below it, from all blocks, in order."""
    found = []
    for block in blocks():
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def masked(text: str) -> str:
    """Without what differs from run to run: hashes, signatures, and spaces at the ends of lines."""
    text = re.sub(r"[0-9a-f]{16}", "HASH", text)
    text = re.sub(r"[A-Za-z0-9+/]{43,}=*", "BASE64", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def test_the_session_in_the_readme_runs_as_shown(tmp_path: Path):
    variables = {
        **{name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")},
        "THOUGHTBOX_DATA_DIR": str(tmp_path),
        "COLUMNS": "100",
    }

    for command, shown in steps():
        program, *arguments = shlex.split(command)
        assert program == "thoughtbox"
        done = subprocess.run(
            [sys.executable, "-m", "thoughtbox", *arguments], capture_output=True, text=True, env=variables, check=True
        )
        assert masked(done.stdout) == masked(shown), command


def test_what_an_agent_sends_can_be_sent():
    calls = [
        json.loads(line)
        for block in re.findall(r"```json\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.splitlines()
    ]
    assert len(calls) > 5
    box = Box()
    try:
        mia = Client(box)
        answers = [mia.gateway(**call) for call in calls]
    finally:
        box.close()
    assert answers[-1]["pattern"]["derivedFromSessions"] == [answers[0]["sessionId"]]


def test_every_page_that_the_readme_names_exists():
    named = re.findall(r"\]\(([^):#]+)\)", README.read_text(encoding="utf-8"))

    assert [name for name in named if not (README.parent / name).exists()] == []
