"""Snippets that mean harm. The attacks are data, in `hostile/`: each must end in time, with an error by name."""

from __future__ import annotations

import gc
import json
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.python.host import Host
from tests.sandbox.python.processes import Watcher, engine_processes
from thoughtbox.errors import SnippetError
from thoughtbox.sandbox.protocol import Limits
from thoughtbox.sandbox.python.sandbox import PythonSandbox

ATTACKS = [
    pytest.param(attack, id=f"{path.stem}: {attack['name']}")
    for path in sorted((Path(__file__).parent / "hostile").glob("*.toml"))
    for attack in tomllib.loads(path.read_text(encoding="utf-8"))["attack"]
]
LIMITS = Limits()
IN_TIME = (LIMITS.cpu_ms + 250) / 1_000
"""Seconds of computing, in the sandbox and out of it, after which every attack has ended."""
MOST_MEMORY = 3 * LIMITS.memory_bytes + 16 * 1024 * 1024
"""Bytes of a process: values, what they become on their way out, and the engine itself."""
OF_A_CALL = 0.000_5
"""Seconds that the host takes to answer one."""


def test_there_are_enough_attacks():
    assert len(ATTACKS) >= 60


@pytest.mark.sampled(6)
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_ends_in_time_and_harms_nobody(shared: PythonSandbox, attack: dict[str, Any]):
    host = Host(shared, thoughts__thought={}, claim={"id": "th:9", "kind": "claim"})
    shared.warm()
    gc.freeze()  # a look at all that the tests have left in this process would count as the attack's time
    computed = time.thread_time()
    with Watcher() as watcher:
        meet(host, source(attack), attack)
    computed = time.thread_time() - computed + watcher.computed - len(host.asked) * OF_A_CALL
    assert computed <= IN_TIME
    assert watcher.memory <= MOST_MEMORY
    assert host.run('tb.claim("still here").kind').result == "claim"


def meet(host: Host, code: str, attack: dict[str, Any]) -> None:
    if "result" in attack:
        assert host.run(code, LIMITS).result == json.loads(attack["result"])
        return
    with pytest.raises(SnippetError) as failed:
        host.run(code, LIMITS)
    assert failed.value.code == attack["expects"], failed.value
    limit = failed.value.details.get("limit")
    assert limit in attack.get("limits", [None]), failed.value


def source(attack: dict[str, Any]) -> str:
    times = attack.get("times", 0)
    pieces = [attack["code"], attack.get("piece", "") * times, attack.get("end", ""), attack.get("close", "") * times]
    return "".join(pieces)


def test_nothing_is_left_of_a_sandbox_that_was_attacked(own: PythonSandbox):
    before = engine_processes()
    host = Host(own, thoughts__thought={})
    for code in ["while True:\n    pass", "'a' * 10**9", "tb.thoughts.thought()\n1 / 0", "while True:\n    print(1)"]:
        with pytest.raises(SnippetError):
            host.run(code, LIMITS)
    own.close()
    assert engine_processes() <= before
