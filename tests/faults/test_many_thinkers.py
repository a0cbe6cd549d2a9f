"""Many clients that think at once, each through its own server: all is there, numbers are unique, chains verify."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.faults.store import Store
from tests.support.forks import PATIENCE

pytestmark = pytest.mark.sampled(3)

CLIENTS = 8
LONGEST_LIFE = 300.0
AT_ONCE = 25
"""Thoughts that a client sends without waiting."""


class Thinker:
    """A client of the gateway over stdio."""

    def __init__(self, settings: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "thoughtbox", "serve", "--transport", "stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **settings, "THOUGHTBOX_DURABILITY": "normal", "DISABLE_THOUGHT_LOGGING": "true"},
        )
        self._alarm = threading.Timer(LONGEST_LIFE, self._process.kill)
        self._alarm.start()
        self._numbers = count(1)
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self._answers([self._send("initialize", client)])
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, **arguments: Any) -> dict[str, Any]:
        return self.ask_all([arguments])[0]

    def ask_all(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send all of them, then wait for the answers, in the order of the calls."""
        ids = [self._send("tools/call", {"name": "thoughtbox_gateway", "arguments": call}) for call in calls]
        answers = self._answers(ids)
        assert not [answer for answer in answers if answer.get("isError")]
        return [answer["structuredContent"] for answer in answers]

    def think(self, texts: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for start in range(0, len(texts), AT_ONCE):
            found += self.ask_all(
                [{"operation": "thought", "thought": text} for text in texts[start : start + AT_ONCE]]
            )
        return found

    def end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()
        self._alarm.cancel()

    def _send(self, method: str, params: dict[str, Any]) -> int:
        number = next(self._numbers)
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _answers(self, ids: list[int]) -> list[dict[str, Any]]:
        assert self._process.stdout
        found: dict[int, dict[str, Any]] = {}
        while not found.keys() >= set(ids):
            line = self._process.stdout.readline()
            assert line, "the server is gone"
            message = json.loads(line)
            if "id" in message:
                assert "result" in message, message
                found[message["id"]] = message["result"]
        return [found[number] for number in ids]


@pytest.mark.parametrize("thoughts", [25, pytest.param(500, marks=pytest.mark.torture)])
@pytest.mark.parametrize(
    ("engine", "shared"),
    [
        pytest.param("sqlite", True, id="sqlite-one session"),
        pytest.param("postgres", False, id="postgres-a session each"),
        pytest.param("sqlite", False, id="sqlite-a session each", marks=pytest.mark.torture),
        pytest.param("postgres", True, id="postgres-one session", marks=pytest.mark.torture),
    ],
)
def test_eight_clients_think_at_once_and_nothing_is_lost(
    engine: str, shared: bool, thoughts: int, tmp_path: Path, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    settings = {"THOUGHTBOX_DATA_DIR": str(tmp_path), "THOUGHTBOX_PROJECT": "tests"}
    if url:
        settings["THOUGHTBOX_DATABASE_URL"] = url
    with ThreadPoolExecutor(CLIENTS) as pool:
        thinkers = list(pool.map(lambda _: Thinker(settings), range(CLIENTS)))
        try:
            common = thinkers[0].ask(operation="start_new", sessionTitle="All of us")["sessionId"] if shared else None
            for thinker in thinkers:
                if common:
                    thinker.ask(operation="load_context", sessionId=common)
                else:
                    thinker.ask(operation="start_new", sessionTitle="Mine")
                thinker.ask(operation="cipher")

            def work(number: int) -> list[dict[str, Any]]:
                return thinkers[number].think([f"client {number} thought {place}" for place in range(thoughts)])

            answers = list(pool.map(work, range(CLIENTS)))
        finally:
            for thinker in thinkers:
                thinker.end()

    sessions = {answer["sessionId"] for own in answers for answer in own}
    assert len(sessions) == (1 if shared else CLIENTS)
    for session_id in sessions:
        numbers = sorted(a["thoughtNumber"] for own in answers for a in own if a["sessionId"] == session_id)
        assert numbers == list(range(1, (CLIENTS if shared else 1) * thoughts + 1))
    for own in answers:
        numbers = [answer["thoughtNumber"] for answer in own]
        assert numbers == sorted(numbers), "in the order sent"
    with Store(tmp_path, workspace="tests", database_url=url) as store:
        kept = sorted(record.text for record in store.by_number() if record.topic == "thoughts.thought")
        assert kept == sorted(f"client {n} thought {p}" for n in range(CLIENTS) for p in range(thoughts))
        store.assert_whole()
