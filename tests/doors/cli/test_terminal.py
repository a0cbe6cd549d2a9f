"""What was stored, on a terminal: it can neither drive it nor hide in it. Files and pipes get every byte."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.conftest import COMMAND, Cli
from thoughtbox.doors.terminal import printable, printable_json

EVIL = (
    "clear \x1b[2J title \x1b]0;x\x07 c1 \x9b2J del \x7f back \x08\r over \u202egnp\u202c"
    " isolate \u2066x\u2069 marks \u200e\u200f\u061c"
)
CONTROLS = [character for character in EVIL if not character.isprintable()]
COMMANDS = {
    "export": ["export"],
    "export as json": ["export", "--layout", "json", "--session", "latest"],
    "export as markdown": ["export", "--layout", "markdown", "--session", "latest"],
    "export as cipher": ["export", "--layout", "cipher", "--session", "latest"],
    "call": ["call", "session.get", "sessionId=latest"],
    "trail": ["call", "thought_tree", "sessionId=s1"],
    "sessions": ["sessions"],
    "show": ["show", "latest"],
    "show of a thought": ["show", "th:3"],
    "sessions search": ["sessions", "search", "clear"],
    "sessions export": ["sessions", "export", "latest"],
}


@pytest.fixture
def store(cli: Cli, tmp_path: Path) -> Cli:
    started = cli("call", "start_new", "--json", json.dumps({"sessionTitle": EVIL}))
    assert started.code == 0, started.err
    assert cli("call", "cipher", "sessionId=latest").code == 0
    thought = {"thought": EVIL, "sessionId": "latest", "nextThoughtNeeded": True}
    assert cli("call", "thought", "--json", json.dumps(thought)).code == 0
    trail = {"sessionId": "s1", "thoughtType": "note", "content": EVIL}
    assert cli("call", "thought_record", "--json", json.dumps(trail)).code == 0
    return cli


def on_a_terminal(words: list[str]) -> str:
    """What a command shows there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, *words], stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL) as running:
        os.close(theirs)
        shown = b""
        try:
            while some := os.read(ours, 1 << 16):
                shown += some
        except OSError:  # how Linux says that the last writer has gone
            pass
        os.close(ours)
    assert running.returncode == 0, shown
    return shown.decode()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_nothing_that_was_stored_drives_a_terminal_or_hides_in_it(store: Cli, words: list[str]):
    shown = on_a_terminal([*words, "--no-color"])

    assert "clear" in shown
    assert not [character for character in CONTROLS if character in shown.replace("\r\n", "\n")]


@pytest.mark.parametrize("layout", ["ledger", "markdown"])
def test_files_and_pipes_get_every_byte(store: Cli, tmp_path: Path, layout: str):
    words = COMMANDS["export"] if layout == "ledger" else COMMANDS["export as markdown"]
    piped = subprocess.run([*COMMAND, *words], capture_output=True, check=True).stdout

    assert store(*words, "-o", tmp_path / "written").code == 0

    assert "\u202e" in piped.decode()
    assert (tmp_path / "written").read_bytes() == piped


def test_an_export_on_a_terminal_still_means_the_same(store: Cli):
    shown = on_a_terminal(["export"]).split("\r\n")
    piped = subprocess.run([*COMMAND, "export"], capture_output=True, check=True).stdout.decode().splitlines()

    assert [json.loads(line) for line in shown if line.startswith("{")] == [json.loads(line) for line in piped]


def test_a_compressed_export_is_not_for_a_terminal(store: Cli):
    ours, theirs = pty.openpty()
    refused = subprocess.run(
        [*COMMAND, "export", "--gzip"], stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False
    )
    os.close(theirs)
    os.close(ours)

    assert refused.returncode == 2
    assert b"--output" in refused.stderr


def test_controls_are_written_out_and_all_else_stays():
    assert printable("a\tb\n\x1b[2J \x9b \u202e é 你好") == "a\tb\n\\x1b[2J \\x9b \\u202e é 你好"
    assert json.loads(printable_json(json.dumps({"x": EVIL}, ensure_ascii=False))) == {"x": EVIL}
