"""What a true start is like: quick to answer, and heard in UTF-8 wherever it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

import pytest

from tests.doors.mcp.conftest import StartStdio
from tests.support.forks import PATIENCE, Running, spawned
from tests.support.servers import ENVELOPE, STATELESS, StdioServer, environment

NOT_NEEDED = {"httptools", "jsonschema", "numpy", "psycopg", "rich", "urllib3", "uvloop"}
"""Packages that take their time, and that no answer to a first question needs."""

TEXT = "S1|O|∴ naïve “quotes” 漢字 🧠 \u2028"


def telling_imports(words: Sequence[str], environment: Mapping[str, str], stderr: int | TextIO | None) -> Running:
    """A true start that says on stderr what it imports, when it does."""
    return spawned(["-X", "importtime", *words], environment, stderr)


def imported(said: Path) -> set[str]:
    return set(re.findall(r"\|\s+([\w.]+)$", said.read_text(encoding="utf-8"), re.MULTILINE))


def test_nothing_slow_is_imported_before_the_first_answer(tmp_path: Path):
    said = tmp_path / "stderr.txt"
    with said.open("w", encoding="utf-8") as stderr:
        server = StdioServer(environment(tmp_path / "data"), stderr=stderr, start=telling_imports)
    try:
        server.envelope = ENVELOPE
        assert STATELESS in server.ask("server/discover")["result"]["supportedVersions"]
        packages = {name.partition(".")[0] for name in imported(said)}
    finally:
        server.stop()

    assert "thoughtbox" in packages
    assert packages & NOT_NEEDED == set()


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp936:strict"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["cp1252", "cp936", "C"],
)
def test_whatever_the_locale_only_messages_in_utf_8_come_out(spawn_stdio: StartStdio, locale: dict[str, str]):
    server = spawn_stdio(**locale)
    server.envelope = ENVELOPE

    server.call("thought_record", sessionId="s1", thoughtType="note", content=TEXT)

    assert server.call("thought_tree", sessionId="s1")["tree"][0]["content"] == TEXT
    server.close_stdin()
    assert [message for message in server.rest() if message["jsonrpc"] != "2.0"] == []
    assert server.ends_within(PATIENCE) == 0
