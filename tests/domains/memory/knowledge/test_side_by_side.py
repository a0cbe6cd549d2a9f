"""Two processes that record on one store at the same time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.domains.memory.knowledge.drafts import DEPLOY, episodes, found, unlike
from tests.support.box import Box
from tests.support.servers import environment
from thoughtbox.ledger.replay import rebuild
from thoughtbox.search.texts import Texts

EACH = 15

RECORDING = """
import json, sys
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import load

with Thoughtbox(load()) as box:
    for arguments in json.load(open(sys.argv[1], encoding="utf-8")):
        answer = box.dispatcher.call(Call(operation="record_experience", workspace="tests", arguments=arguments))
        print(json.dumps(answer), flush=True)
"""


def test_nothing_is_lost_the_index_holds_and_what_both_say_is_recorded_once(tmp_path: Path):
    Box(tmp_path).close()
    settings = environment(tmp_path, THOUGHTBOX_PROJECT_ROOT=str(tmp_path / "project"))
    running = []
    for process in range(2):
        own = [unlike(process * EACH + number, situation=f"case {process} {number} of all") for number in range(EACH)]
        calls = tmp_path / f"calls-{process}.json"
        calls.write_text(json.dumps([DEPLOY, *own]), encoding="utf-8")
        command = [sys.executable, "-c", RECORDING, str(calls)]
        running.append(subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, text=True))
    answers = [json.loads(line) for started in running for line in started.communicate()[0].splitlines()]

    assert [started.returncode for started in running] == [0, 0]
    box = Box(tmp_path)
    ids = [answer["experience_id"] for answer in answers if answer["recorded"]]
    assert (len(ids), len(set(ids))) == (2 * EACH + 1, 2 * EACH + 1)
    assert [answer["recorded"] for answer in answers].count(False) == 1
    assert sorted(row["id"] for row in box.export_experiences(format="json")["output"]) == sorted(ids)
    assert sorted(found(box, "case deploy", limit=100)) == sorted(ids)
    assert len(episodes(box)) == len(ids)
    assert rebuild(box.app.engine, Texts)
    box.close()
