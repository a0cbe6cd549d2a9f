"""What a snippet may use up, and how it ends when it wants more."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from tests.sandbox.javascript.conftest import Tell
from tests.sandbox.javascript.telling import tell as tell_sandbox
from tests.support.clocks import compute, later
from thoughtbox.errors import LimitExceeded
from thoughtbox.sandbox import exceeded
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Asked, Limits, Reply, Snippet


@pytest.mark.parametrize(
    ("code", "limits", "details"),
    [
        ("for (;;) {}", Limits(cpu_ms=20), {"limit": "cpu", "allowed": 20}),
        ("new ArrayBuffer(1 << 23)", Limits(memory_bytes=1 << 22), {"limit": "memory", "allowed": 1 << 22}),
        ("for (;;) tb.claim('x')", Limits(calls=7), {"limit": "calls", "allowed": 7}),
        ("print('x'.repeat(60)); print('x'.repeat(60))", Limits(output_chars=100), {"limit": "output", "allowed": 100}),
        ("'x'.repeat(101)", Limits(output_chars=100), {"limit": "output", "allowed": 100}),
        ("const f = () => f(); f()", Limits(), {"limit": "recursion", "allowed": 2000}),
        ("let d = []; for (let i = 0; i < 300; i++) d = [d]; d", Limits(), {"limit": "recursion", "allowed": 200}),
    ],
)
def test_each_limit_is_named_with_what_is_allowed_and_what_to_do(tell: Tell, code: str, limits: Limits, details: Any):
    with pytest.raises(LimitExceeded) as caught:
        tell(code, limits=limits)

    assert caught.value.details == details
    assert caught.value.recovery


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("for (let i = 0; i < 7; i++) tb.claim('x'); 1", Limits(calls=7)),
        ("tb.a.b({}); tb.a.c({}); tb.claim('x'); 1", Limits(calls=3)),
        ("print('x'.repeat(99))", Limits(output_chars=100)),
        ("'x'.repeat(98)", Limits(output_chars=100)),
        ("const a = new Uint8Array(3 << 20).fill(1); a.length", Limits(memory_bytes=1 << 22)),
        ("const f = (n) => (n ? f(n - 1) + 1 : 0); f(1500)", Limits()),
    ],
)
def test_up_to_its_limit_a_snippet_may_go(tell: Tell, code: str, limits: Limits):
    tell(code, limits=limits)


def test_waiting_for_an_answer_is_not_computing(tell: Tell):
    def slowly(_: Asked) -> Any:
        compute(0.03)

    assert tell("for (let i = 0; i < 5; i++) tb.a.b({}); 'done'", answer=slowly).result == "done"


def test_asking_often_is_not_computing_either(tell: Tell):
    assert tell("for (let i = 0; i < 300; i++) tb.a.b({ i }); 'done'").result == "done"


def test_what_was_computed_between_answers_adds_up(tell: Tell):
    asked: list[Asked] = []
    code = "for (;;) { for (let i = 0; i < 20000; i++); tb.a.b({}); }"

    with pytest.raises(LimitExceeded) as caught:
        tell(code, answer=asked.append, limits=Limits(cpu_ms=200))

    assert caught.value.details["limit"] == "cpu"
    assert len(asked) > 2


def test_time_in_all_is_limited_whoever_takes_it(sandbox: JavaScriptSandbox, monkeypatch: pytest.MonkeyPatch):
    with closing(sandbox.run(Snippet("tb.a.b({}); tb.a.c({})", "javascript"), Limits(wall_ms=60_000))) as run:
        run.start()
        monkeypatch.setattr(exceeded, "time", later(61))
        with pytest.raises(LimitExceeded) as caught:
            run.resume(Reply())

    assert caught.value.details == {"limit": "wall", "allowed": 60_000}


def test_time_in_all_is_limited_while_a_snippet_computes(sandbox: JavaScriptSandbox):
    run = sandbox.run(Snippet("for (;;) {}", "javascript"), Limits(cpu_ms=60_000, wall_ms=200))
    with closing(run), pytest.raises(LimitExceeded) as caught:
        run.start()

    assert caught.value.details == {"limit": "wall", "allowed": 200}


def test_after_any_limit_the_same_worker_serves_on(fresh_sandbox: JavaScriptSandbox):
    tell_sandbox(fresh_sandbox, "1")
    workers = fresh_sandbox.processes

    for code in ("for (;;) {}", "const f = () => f(); f()", "new ArrayBuffer(1e9)", "print('x'.repeat(1e6))"):
        with pytest.raises(LimitExceeded):
            tell_sandbox(fresh_sandbox, code)
        assert tell_sandbox(fresh_sandbox, "tb.claim('x').id").result == "th:1"

    assert fresh_sandbox.processes == workers


def test_an_allocation_that_was_refused_can_be_done_without(tell: Tell):
    assert tell("try { new ArrayBuffer(1e9); } catch { 'smaller, then' }").result == "smaller, then"
