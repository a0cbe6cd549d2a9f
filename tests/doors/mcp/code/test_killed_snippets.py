"""kill -9 while snippets write: of every snippet all records are there or none, and what was answered is there."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.support.forks import PATIENCE
from tests.support.servers import StdioServer, command, environment, soon
from tests.support.snippets import kinds, records_of, runs, sandboxes
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import load

SEED = 512
CLAIMS = 12
SNIPPETS = 80

CODE = {
    "javascript": "for (let i = 0; i < {claims}; i++) tb.claim('{name}');"
    " tb.trail.thought_plan({sessionId: 't', planDescription: '{name}'}); tb.claim('{name}')",
    "python": "for i in range({claims}):\n    tb.claim('{name}')\n"
    "tb.trail.thought_plan(sessionId='t', planDescription='{name}')\ntb.claim('{name}')",
}
WHOLE = ["claim"] * CLAIMS + ["plan", "claim"]


def die_in_snippets(told: dict[str, str], life: int, chance: Random) -> list[str]:
    """A server with snippets of both languages waiting, killed in the middle; the names of those that were answered."""
    server = StdioServer(told)
    names = {f"{life}-{number}": f"{life} {number}" for number in range(SNIPPETS)}

    def send_all() -> None:
        with suppress(BrokenPipeError, ValueError):
            for id, name in names.items():
                language = chance.choice(list(CODE))
                code = CODE[language].replace("{name}", name).replace("{claims}", str(CLAIMS))
                params = {"name": "execute", "arguments": {"code": code, "language": language}}
                server.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    sending = threading.Thread(target=send_all)
    answers: list[Mapping[str, Any]] = []
    try:
        server.initialize()
        sending.start()
        enough = chance.randrange(1, 12)
        while len(answers) < enough:
            answers.append(server.receive())
        left = sandboxes(server.pid)
        time.sleep(chance.uniform(0, 0.02))
        os.kill(server.pid, signal.SIGKILL)
        server.ends_within(PATIENCE)
        answers += server.rest()
        soon(lambda: not any(map(command, left)))
    finally:
        server.stop()
        sending.join(PATIENCE)
    answered = [answer for answer in answers if answer.get("id") in names]
    assert not any(answer["result"]["isError"] for answer in answered)
    return [names[answer["id"]] for answer in answered]


def assert_all_or_none(told: dict[str, str], acknowledged: list[str]) -> None:
    with Thoughtbox(load(told)) as box:
        workspace = box.settings.project

        def call(operation: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
            return box.dispatcher.call(Call(operation=operation, workspace=workspace, arguments=arguments))

        found = runs(records_of(call))
        verdict = box.engine.read(lambda sql: verify_workspace(sql, workspace, keys=[], notes=[])).result()
    assert verdict.valid
    assert [kinds(run) for run in found] == [WHOLE] * len(found)
    names = [{record["body"]["text"] for record in run} for run in found]
    assert all(len(each) == 1 for each in names), "nobody came in between"
    assert {name for each in names for name in each} >= set(acknowledged)


def kill_often(told: dict[str, str], lives: int, seed: int) -> None:
    chance = Random(seed)
    acknowledged: list[str] = []
    for life in range(lives):
        acknowledged += die_in_snippets(told, life, chance)
        assert_all_or_none(told, acknowledged)
    assert len(acknowledged) >= lives


@pytest.mark.sampled(3)
@pytest.mark.parametrize("part", range(4))
def test_a_server_killed_in_the_middle_of_snippets_has_written_each_whole_or_not_at_all(part: int, tmp_path: Path):
    """Twenty servers in all."""
    kill_often(environment(tmp_path / "data"), 5, SEED + part)


@pytest.mark.sampled(4)
def test_the_same_holds_on_postgres(tmp_path: Path, postgres_url: str):
    kill_often(environment(tmp_path / "data", THOUGHTBOX_DATABASE_URL=postgres_url), 3, SEED)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(8))
def test_a_server_killed_a_hundred_times_in_snippets_has_written_each_whole_or_not_at_all(part: int, tmp_path: Path):
    kill_often(environment(tmp_path / "data"), 13, SEED + 100 + part)
