"""Processes: one is kept ready, at most four at once, and none is left in the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import ExitStack, closing
from typing import Any

import pytest

from tests.sandbox.python.host import BUILDERS, OPERATIONS, Host
from tests.sandbox.python.processes import engine_processes, resident
from tests.support.clocks import computed, once
from tests.support.forks import PATIENCE
from tests.support.servers import soon
from thoughtbox.errors import LimitExceeded, SandboxUnavailable, SnippetFailed
from thoughtbox.sandbox.protocol import Asked, Limits, Reply, Snippet
from thoughtbox.sandbox.python import workers
from thoughtbox.sandbox.python.sandbox import PythonSandbox
from thoughtbox.sandbox.python.watch import Watch

WAITS = Snippet("tb.thoughts.thought()", "python", OPERATIONS, BUILDERS)


@pytest.fixture
def others() -> set[int]:
    """Processes of sandboxes that are none of this story's business."""
    return engine_processes()


def test_a_new_sandbox_has_no_process_until_it_needs_one(others: set[int]):
    with closing(PythonSandbox()) as sandbox:
        assert engine_processes() <= others
        assert Host(sandbox).run("1 + 1").result == 2


def test_one_process_is_kept_and_used_again(own: PythonSandbox, others: set[int]):
    host = Host(own)
    host.run("1")
    [process] = engine_processes() - others
    for _ in range(5):
        host.run("1")
    assert engine_processes() - others == {process}


def test_a_warm_sandbox_has_a_process_for_snippets_and_one_for_the_checker(own: PythonSandbox, others: set[int]):
    own.warm()
    assert len(engine_processes() - others) == 2


def test_processes_are_small(own: PythonSandbox, others: set[int]):
    own.warm()
    Host(own).run("1", stubs="tb: int\n")
    assert sum(resident(pid) for pid in engine_processes() - others) < 60 * 1024 * 1024


def test_four_run_at_once_and_the_fifth_is_told_when_it_has_waited(own: PythonSandbox, monkeypatch: pytest.MonkeyPatch):
    with ExitStack() as runs:
        for _ in range(workers.MOST):
            run = runs.enter_context(closing(own.run(WAITS, Limits())))
            assert isinstance(run.start(), Asked)
        with monkeypatch.context() as patch:
            patch.setattr(workers, "PATIENCE", 0.2)
            with pytest.raises(SandboxUnavailable, match="all 4 Python sandboxes are busy"):
                own.run(WAITS, Limits())
    assert Host(own).run("1 + 1").result == 2


def test_a_fifth_snippet_runs_as_soon_as_another_has_ended(own: PythonSandbox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers, "PATIENCE", PATIENCE)
    runs = [own.run(WAITS, Limits()) for _ in range(workers.MOST)]
    ended = threading.Timer(0.1, runs[0].close)
    ended.start()
    assert Host(own).run("1 + 1").result == 2
    ended.join()
    for run in runs:
        run.close()


def test_processes_beyond_the_first_end_when_nobody_wants_them(
    own: PythonSandbox, others: set[int], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(workers, "IDLE", 0.1)
    runs = [own.run(WAITS, Limits()) for _ in range(3)]
    assert len(engine_processes() - others) == 3
    for run in runs:
        run.close()
    soon(lambda: len(engine_processes() - others) == 1)
    assert Host(own).run("1 + 1").result == 2


def test_upkeep_is_done_whenever_it_is_wanted():
    done: list[int] = []
    with closing(Watch(lambda: done.append(len(done)))) as watch:
        for times in range(1, 6):
            watch.want_upkeep()
            soon(lambda wanted=times: len(done) == wanted)


def test_several_snippets_at_once_do_not_see_each_other(own: PythonSandbox):
    results: dict[int, Any] = {}

    def go(number: int) -> None:
        host = Host(own, thoughts__thought=lambda told: {"n": told["n"]})
        results[number] = host.run(f"seen = [tb.thoughts.thought(n={number})['n'] for i in range(20)]\nseen").result

    threads = [threading.Thread(target=go, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: [number] * 20 for number in range(12)}


def test_a_process_that_was_ended_from_outside_is_replaced(own: PythonSandbox, others: set[int]):
    own.warm()
    for process in engine_processes() - others:
        os.kill(process, signal.SIGKILL)
    assert Host(own).run("1 + 1").result == 2


def test_a_process_that_ends_while_a_snippet_runs_fails_that_snippet_alone(own: PythonSandbox, others: set[int]):
    with closing(own.run(WAITS, Limits())) as run:
        run.start()
        for process in engine_processes() - others:
            os.kill(process, signal.SIGKILL)
        with pytest.raises(SnippetFailed, match="ended unexpectedly"):
            run.resume(Reply({}, base=1))
    assert Host(own).run("1 + 1").result == 2


def test_a_process_that_has_become_large_is_replaced(own: PythonSandbox, others: set[int]):
    Host(own).run("x = ['a' * 1000 + str(i) for i in range(25000)]\nlen(x)")
    soon(lambda: all(resident(pid) < 24 * 1024 * 1024 for pid in engine_processes() - others))
    assert Host(own).run("1 + 1").result == 2


def test_a_process_that_broke_a_limit_is_not_used_again(own: PythonSandbox, others: set[int]):
    Host(own).run("1")
    before = engine_processes() - others
    with pytest.raises(LimitExceeded):
        Host(own).run("def f():\n    f()\nf()")
    soon(lambda: not (engine_processes() & before))


def test_a_closed_sandbox_leaves_no_process(others: set[int]):
    sandbox = PythonSandbox()
    sandbox.warm()
    run = sandbox.run(WAITS, Limits())
    run.start()
    sandbox.close()
    soon(lambda: engine_processes() <= others)
    run.close()
    with pytest.raises(SandboxUnavailable):
        sandbox.run(WAITS, Limits())
    sandbox.close()


def test_a_snippet_that_runs_when_its_sandbox_is_closed_fails(others: set[int]):
    sandbox = PythonSandbox()
    with closing(sandbox.run(Snippet("while True:\n    pass", "python"), Limits(cpu_ms=60_000, wall_ms=60_000))) as run:
        [process] = engine_processes() - others
        before = computed(process)
        with once(lambda: computed(process) > before + 0.1, sandbox.close), pytest.raises(SnippetFailed):
            run.start()
    soon(lambda: engine_processes() <= others)


def test_a_server_that_is_killed_leaves_no_process():
    code = """
        from thoughtbox.sandbox.python.sandbox import PythonSandbox
        from thoughtbox.sandbox.protocol import Limits, Snippet
        from tests.sandbox.python.processes import engine_processes
        sandbox = PythonSandbox()
        sandbox.warm()
        run = sandbox.run(Snippet("nope", "python"), Limits())
        print(*engine_processes(), flush=True)
        input()
    """
    server = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with server:
        assert server.stdout
        processes = [int(pid) for pid in server.stdout.readline().split()]
        assert len(processes) >= 2
        server.kill()
    soon(lambda: not any(resident(pid) for pid in processes))


def test_a_process_that_computes_ends_soon_after_a_server_that_is_killed_however_long_it_might():
    code = """
        import threading
        from thoughtbox.sandbox.python.sandbox import PythonSandbox
        from thoughtbox.sandbox.protocol import Limits, Snippet
        from tests.sandbox.python.processes import engine_processes
        from tests.support.clocks import computed
        from tests.support.servers import soon
        run = PythonSandbox().run(Snippet("while True:\\n    pass", "python"), Limits(cpu_ms=1_000, wall_ms=600_000))
        [process] = engine_processes()
        begun = computed(process) + 0.1

        def tell():
            soon(lambda: computed(process) > begun)
            print(process, flush=True)

        threading.Thread(target=tell).start()
        run.start()
    """
    server = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    with server:
        assert server.stdout
        process = int(server.stdout.readline())
        server.kill()
    had: list[float] = []
    while resident(process):
        had.append(computed(process))
        time.sleep(0.01)
    assert max(had, default=0) < 5  # the engine's own clock gives it 20 s


def test_the_environment_of_a_process_is_empty(own: PythonSandbox, others: set[int]):
    own.warm()
    for process in engine_processes() - others:
        with open(f"/proc/{process}/environ", "rb") as environment:  # noqa: PTH123
            assert environment.read() == b""


@pytest.mark.parametrize("program", ["/nowhere/monty", "/bin/true"])
def test_a_sandbox_whose_program_cannot_be_started_says_so(monkeypatch: pytest.MonkeyPatch, program: str):
    monkeypatch.setenv("MONTY_BIN", program)
    with closing(PythonSandbox()) as sandbox:
        for _ in range(workers.MOST + 1):
            with pytest.raises(SandboxUnavailable, match="no process could be started"):
                Host(sandbox).run("1 + 1")
        monkeypatch.delenv("MONTY_BIN")
        assert Host(sandbox).run("1 + 1").result == 2
