"""The worker processes: what they can do, how many there are, and that none is left."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.sandbox.javascript.conftest import is_running
from tests.sandbox.javascript.telling import tell
from tests.support.clocks import computed, once
from tests.support.forks import PATIENCE
from tests.support.servers import pause, soon, states
from thoughtbox.errors import LimitExceeded, SandboxUnavailable, SnippetFailed
from thoughtbox.sandbox.javascript import compiled
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.javascript.watch import Watch
from thoughtbox.sandbox.protocol import Asked, Ended, Limits, Reply, Snippet

ASK = Snippet("tb.a.b({}); 'answered'", "javascript")
LOOP = Snippet("for (;;) {}", "javascript")
FOR_LONG = Limits(cpu_ms=60_000, wall_ms=60_000)

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_nothing_is_started_before_it_is_needed(fresh_sandbox: JavaScriptSandbox):
    assert fresh_sandbox.processes == ()


def test_a_warm_worker_is_there_before_the_first_snippet(fresh_sandbox: JavaScriptSandbox):
    fresh_sandbox.warm()
    (worker,) = soon(lambda: fresh_sandbox.processes)

    assert tell(fresh_sandbox, "1").result == 1
    assert fresh_sandbox.processes == (worker,)


def test_one_worker_serves_many_snippets(fresh_sandbox: JavaScriptSandbox):
    assert [tell(fresh_sandbox, f"{n}").result for n in range(20)] == list(range(20))
    assert len(fresh_sandbox.processes) == 1


def test_more_are_started_while_they_are_needed_and_end_when_they_are_not(fresh_sandbox: JavaScriptSandbox):
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(closing(fresh_sandbox.run(ASK, Limits()))).start()
        workers = fresh_sandbox.processes
        assert len(workers) == 3

    soon(lambda: len(fresh_sandbox.processes) == 1)
    assert len([worker for worker in workers if is_running(worker)]) == 1


def test_when_all_stay_busy_a_snippet_is_refused(fresh_sandbox: JavaScriptSandbox):
    with ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(closing(fresh_sandbox.run(ASK, Limits())))
        with pytest.raises(SandboxUnavailable, match="all 4 workers are busy"):
            fresh_sandbox.run(ASK, Limits())


def test_when_all_are_busy_a_snippet_is_run_as_soon_as_one_is_free():
    assert compiled.prepare()
    with closing(JavaScriptSandbox(busy_seconds=PATIENCE)) as sandbox, ExitStack() as stack:
        runs = [stack.enter_context(closing(sandbox.run(ASK, Limits()))) for _ in range(4)]
        pool = stack.enter_context(ThreadPoolExecutor(1))
        waiting = pool.submit(tell, sandbox, "1")
        soon(lambda: sandbox._keeper._waiting)
        runs[0].close()
        assert waiting.result(PATIENCE).result == 1


def test_a_run_that_is_closed_while_it_waits_for_an_answer_gives_its_worker_back(fresh_sandbox: JavaScriptSandbox):
    run = fresh_sandbox.run(ASK, Limits())
    assert isinstance(run.start(), Asked)
    run.close()

    assert tell(fresh_sandbox, "1").result == 1
    assert len(fresh_sandbox.processes) == 1
    with pytest.raises(SnippetFailed, match="over"):
        run.resume(Reply())


def test_a_run_that_was_never_started_gives_its_worker_back(fresh_sandbox: JavaScriptSandbox):
    fresh_sandbox.run(ASK, Limits()).close()

    assert tell(fresh_sandbox, "1").result == 1
    assert len(fresh_sandbox.processes) == 1


def test_a_run_that_is_closed_while_it_computes_ends_at_once(fresh_sandbox: JavaScriptSandbox):
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    run = fresh_sandbox.run(LOOP, FOR_LONG)
    before = computed(worker)

    with once(lambda: computed(worker) > before + 0.1, run.close), pytest.raises(SnippetFailed, match="over"):
        run.start()

    soon(lambda: not is_running(worker))
    assert tell(fresh_sandbox, "1").result == 1


def test_a_run_goes_step_by_step_through_any_thread(fresh_sandbox: JavaScriptSandbox):
    steps: list[object] = []
    with closing(fresh_sandbox.run(ASK, Limits())) as run:
        for move in (run.start, lambda: run.resume(Reply())):
            thread = threading.Thread(target=lambda move=move: steps.append(move()))
            thread.start()
            thread.join()

    assert isinstance(steps[0], Asked)
    assert isinstance(steps[1], Ended)


def test_a_run_that_is_over_takes_no_reply(fresh_sandbox: JavaScriptSandbox):
    with closing(fresh_sandbox.run(Snippet("1", "javascript"), Limits())) as run:
        run.start()
        with pytest.raises(SnippetFailed, match="over"):
            run.resume(Reply())


@linux
def test_a_worker_that_does_not_keep_the_limit_is_ended_and_replaced(fresh_sandbox: JavaScriptSandbox):
    """The worker is told that it may go on for long; whoever waits for it has not heard of that."""
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    with closing(fresh_sandbox.run(LOOP, FOR_LONG)) as run:
        run._watch = Watch(Limits(), run._deadline, run._worker)
        with pytest.raises(LimitExceeded) as caught:
            run.start()

    assert caught.value.details == {"limit": "cpu", "allowed": 50}
    assert not is_running(worker)
    assert tell(fresh_sandbox, "1").result == 1


@linux
def test_a_worker_that_stands_still_is_ended_and_replaced(fresh_sandbox: JavaScriptSandbox):
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    with closing(fresh_sandbox.run(ASK, Limits())) as run:
        run.start()
        pause(worker)
        with pytest.raises(LimitExceeded, match="machine is busy") as caught:
            run.resume(Reply())

    assert caught.value.details == {"limit": "wall", "allowed": 1000}
    assert not is_running(worker)
    assert tell(fresh_sandbox, "1").result == 1


def test_a_worker_that_dies_under_a_snippet_is_told_of_and_replaced(fresh_sandbox: JavaScriptSandbox):
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    with closing(fresh_sandbox.run(ASK, Limits())) as run:
        run.start()
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(SnippetFailed, match="the sandbox ended"):
            run.resume(Reply())

    assert tell(fresh_sandbox, "1").result == 1
    assert worker not in fresh_sandbox.processes


@linux
def test_a_worker_that_dies_while_it_is_idle_is_replaced(fresh_sandbox: JavaScriptSandbox):
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    os.kill(worker, signal.SIGKILL)
    soon(lambda: has_ended(worker))

    assert tell(fresh_sandbox, "1").result == 1


def test_after_closing_no_process_is_left_and_none_is_started():
    sandbox = JavaScriptSandbox()
    waiting = sandbox.run(ASK, Limits())
    waiting.start()
    tell(sandbox, "1")
    workers = sandbox.processes
    sandbox.close()

    assert len(workers) == 2
    assert not [worker for worker in workers if is_running(worker)]
    with pytest.raises(SandboxUnavailable):
        sandbox.run(ASK, Limits())
    with pytest.raises(SnippetFailed):
        waiting.resume(Reply())
    waiting.close()


def test_closing_ends_a_snippet_that_computes():
    sandbox = JavaScriptSandbox()
    run = sandbox.run(LOOP, FOR_LONG)
    (worker,) = sandbox.processes
    before = computed(worker)

    with once(lambda: computed(worker) > before + 0.1, sandbox.close), pytest.raises(SnippetFailed):
        run.start()
    run.close()


@linux
def test_a_worker_has_nothing_that_a_snippet_could_use(fresh_sandbox: JavaScriptSandbox):
    tell(fresh_sandbox, "1")
    (worker,) = fresh_sandbox.processes
    proc = Path(f"/proc/{worker}")
    opened = [str(each.readlink()) for each in (proc / "fd").iterdir()]
    status = dict(line.split(":\t") for line in (proc / "status").read_text(encoding="utf-8").splitlines())

    assert (proc / "environ").read_bytes() == b""
    assert (proc / "cwd").readlink() == Path("/")
    assert all(name == "/dev/null" or name.startswith("pipe:") or name.endswith(".cwasm") for name in opened)
    assert status["NoNewPrivs"] == "1"
    assert os.getsid(worker) == worker
    assert resource.prlimit(worker, resource.RLIMIT_NOFILE) == (len(opened), len(opened))
    for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        assert resource.prlimit(worker, limit) == (0, 0)
    assert 0 < resource.prlimit(worker, resource.RLIMIT_DATA)[1] <= 256 * 1024 * 1024


@linux
def test_a_worker_that_computes_ends_with_its_server(tmp_path: Path):
    code = """
import sys, threading, time
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Limits, Snippet
sandbox = JavaScriptSandbox()
run = sandbox.run(Snippet("for (;;) {}", "javascript"), Limits(cpu_ms=60_000, wall_ms=60_000))
threading.Thread(target=run.start, daemon=True).start()
print(*sandbox.processes, flush=True)
time.sleep(60)
"""
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    with server.stdout:
        worker = int(server.stdout.readline())
        server.kill()
        server.wait()

    soon(lambda: has_ended(worker))


def test_the_server_imports_nothing_of_the_engine():
    code = """
import sys
from thoughtbox.sandbox.javascript import compiled
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Limits, Snippet
compiled.prepare()
sandbox = JavaScriptSandbox()
run = sandbox.run(Snippet("1", "typescript"), Limits())
assert run.start().result == 1
run.close()
sandbox.close()
print([name for name in sys.modules if name.partition(".")[0] in {"wasmtime", "quickjs_rs"}])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def has_ended(process: int) -> bool:
    """Whether it is gone, or waits to be reaped by somebody else."""
    return states(process) <= {"Z", "X"}
