"""Limits: each has a name, none can be caught, and time is counted by what a snippet computes itself."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from tests.sandbox.python.host import BUILDERS, OPERATIONS, Host, Told
from tests.sandbox.python.processes import Watcher
from tests.support.clocks import compute, computed, later, once
from tests.support.servers import pause
from thoughtbox.errors import LimitExceeded, SnippetFailed
from thoughtbox.sandbox import exceeded as exceeding
from thoughtbox.sandbox.protocol import Asked, Ended, Limits, Reply, Snippet
from thoughtbox.sandbox.python.sandbox import PythonSandbox

Run = Callable[..., Told]


def exceeded(run: Run, code: str, limits: Limits) -> dict[str, Any]:
    with pytest.raises(LimitExceeded) as failed:
        run(code, limits)
    assert failed.value.recovery
    return failed.value.details


@pytest.mark.parametrize(
    ("code", "limits", "details"),
    [
        ("while True:\n    pass", Limits(cpu_ms=30), {"limit": "cpu", "allowed": 30}),
        ("while True:\n    pass", Limits(cpu_ms=60_000, wall_ms=200), {"limit": "wall", "allowed": 200}),
        ("'a' * 10**8", Limits(memory_bytes=5_000_000), {"limit": "memory", "allowed": 5_000_000}),
        ("for i in range(11):\n    tb.claim('x')", Limits(calls=10), {"limit": "calls", "allowed": 10}),
        ("print('x' * 101)", Limits(output_chars=100), {"limit": "output", "allowed": 100}),
        ("'x' * 99", Limits(output_chars=100), {"limit": "output", "allowed": 100}),
        ("tb.thoughts.thought(x='x' * 5_000_000)", Limits(), {"limit": "output", "allowed": 4_000_000}),
        ("tb.thoughts.thought(x=[[]] * 250_000)", Limits(), {"limit": "output", "allowed": 4_000_000}),
        ("def f():\n    f()\nf()", Limits(), {"limit": "recursion", "allowed": 1_000}),
    ],
)
def test_a_breach_names_the_limit_and_what_is_allowed(run: Run, code: str, limits: Limits, details: dict[str, Any]):
    assert exceeded(run, code, limits) == details


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("for i in range(10):\n    tb.claim('x')", Limits(calls=10)),
        ("for i in range(10):\n    tb.thoughts.thought()", Limits(calls=10)),
        ("print('x' * 99)", Limits(output_chars=100)),
        ("'x' * 98", Limits(output_chars=100)),
        ("print('x' * 99)\n'x' * 98", Limits(output_chars=100)),
    ],
)
def test_what_is_allowed_can_be_used_up(run: Run, host: Host, code: str, limits: Limits):
    host.answers["thoughts.thought"] = {}
    run(code, limits._replace(cpu_ms=500))


def test_every_call_counts_whether_it_is_queued_asked_for_or_refused(run: Run, host: Host):
    host.answers["thoughts.thought"] = {}
    code = "tb.claim('a')\ntb.thoughts.thought()\ntry:\n    tb.thoughts.nope()\nexcept tb.Error as e:\n    pass\n"
    run(code, Limits(calls=3, cpu_ms=500))
    assert exceeded(run, code, Limits(calls=2, cpu_ms=500)) == {"limit": "calls", "allowed": 2}


@pytest.mark.parametrize("kind", ["BaseException", "TimeoutError", "MemoryError", "RuntimeError"])
@pytest.mark.parametrize("code", ["while True:\n        pass", "'a' * 10**9", "while True:\n        tb.claim('x')"])
def test_a_breach_cannot_be_caught(run: Run, host: Host, kind: str, code: str):
    with pytest.raises(LimitExceeded):
        run(f"try:\n    {code}\nexcept {kind} as e:\n    print('caught')\nprint('went on')", Limits(calls=50))
    assert host.logs == []


def test_a_snippet_that_computes_is_ended_soon_after_its_limit(shared: PythonSandbox, run: Run):
    """Of computing: on a machine that has much else to do, that may take much longer. Its own clock lets it go on."""
    shared.warm()
    with Watcher() as watcher:
        exceeded(run, "while True:\n    pass", Limits(cpu_ms=500))
    assert 0.25 <= watcher.computed <= 0.75


def test_waiting_for_an_answer_is_not_computing(shared: PythonSandbox):
    def slow(arguments: Any) -> dict[str, Any]:
        compute(0.1)
        return {}

    assert Host(shared, thoughts__thought=slow).run("tb.thoughts.thought()\n1", Limits(cpu_ms=50)).result == 1


def test_a_thousand_calls_are_not_taken_for_computing(shared: PythonSandbox):
    host = Host(shared, thoughts__thought={})
    assert host.run("for i in range(1000):\n    tb.thoughts.thought()\n1", Limits(wall_ms=30_000)).result == 1


def test_waiting_for_an_answer_counts_for_the_wall(shared: PythonSandbox, monkeypatch: pytest.MonkeyPatch):
    def slow(arguments: Any) -> dict[str, Any]:
        monkeypatch.setattr(exceeding, "time", later(61))
        return {}

    with pytest.raises(LimitExceeded) as failed:
        Host(shared, thoughts__thought=slow).run("tb.thoughts.thought()\n1", Limits(wall_ms=60_000))
    assert failed.value.details == {"limit": "wall", "allowed": 60_000}


def test_on_a_busy_machine_a_snippet_still_has_all_of_its_time(own: PythonSandbox):
    """The machine is busy: for longer than the snippet may compute, its process does not get a turn."""
    snippet = Snippet("tb.thoughts.thought()\nsum(range(1000))", "python", OPERATIONS, BUILDERS)
    with closing(own.run(snippet, Limits(cpu_ms=500))) as run:
        run.start()
        process = run._worker._pid
        assert process
        pause(process)
        turn_comes = threading.Timer(1, os.kill, (process, signal.SIGCONT))
        turn_comes.start()
        ended = run.resume(Reply({}, base=1))
        turn_comes.join()
    assert isinstance(ended, Ended)
    assert ended.result == 499_500


def test_a_run_goes_on_in_whatever_thread_it_is_driven_by(shared: PythonSandbox):
    run = shared.run(
        Snippet("tb.thoughts.thought()\ntb.thoughts.thought()\n5", "python", OPERATIONS, BUILDERS), Limits()
    )
    steps: list[Any] = []
    with closing(run):
        for advance in [run.start, lambda: run.resume(Reply({}, base=1)), lambda: run.resume(Reply({}, base=1))]:
            thread = threading.Thread(target=lambda advance=advance: steps.append(advance()))
            thread.start()
            thread.join()
    assert [type(step) for step in steps] == [Asked, Asked, Ended]
    assert steps[-1].result == 5


def test_a_run_that_is_closed_from_another_thread_ends_at_once(own: PythonSandbox):
    run = own.run(Snippet("while True:\n    pass", "python"), Limits(cpu_ms=60_000, wall_ms=60_000))
    process = run._worker._pid
    assert process
    before = computed(process)
    with once(lambda: computed(process) > before + 0.1, run.close), pytest.raises(SnippetFailed, match="closed"):
        run.start()
    run.close()


def test_a_run_can_be_closed_while_it_waits_for_an_answer(shared: PythonSandbox):
    run = shared.run(Snippet("tb.thoughts.thought()", "python", OPERATIONS, BUILDERS), Limits())
    assert isinstance(run.start(), Asked)
    run.close()
    run.close()
    with pytest.raises(SnippetFailed, match="closed"):
        run.resume(Reply({}, base=1))
    assert Host(shared).run("1 + 1").result == 2


def test_a_run_that_was_never_started_can_be_closed(shared: PythonSandbox):
    shared.run(Snippet("1", "python"), Limits()).close()
    assert Host(shared).run("1 + 1").result == 2
