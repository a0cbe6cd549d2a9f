"""No snippet sees another one."""

from __future__ import annotations

import threading
from contextlib import ExitStack, closing

import pytest

from tests.sandbox.javascript.conftest import Tell
from tests.sandbox.javascript.telling import tell as tell_sandbox
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Asked, Ended, Limits, Reply, Snippet

POLLUTE = """
Object.prototype.polluted = "yes";
Array.prototype.map = () => "patched";
JSON.stringify = () => "patched";
console.log = () => {};
Math.max = () => "patched";
globalThis.left = 1;
Symbol.for("left");
Object.defineProperty(globalThis, "fixed", { value: 1 });
0
"""
LOOK = "[({}).polluted, [1].map((x) => x + 1), JSON.stringify(1), Math.max(1, 2), typeof left, typeof fixed]"


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_what_a_snippet_did_to_its_world_is_not_in_the_next_one(tell: Tell, language: str):
    before = tell(LOOK, language).result

    tell(POLLUTE, language)
    told = tell(f"console.log('heard'); {LOOK}", language)

    assert told.result == before == [None, [2], "1", 2, "undefined", "undefined"]
    assert told.logs == ["heard"]


def test_what_a_failed_snippet_did_is_not_in_the_next_one_either(tell: Tell):
    before = tell(LOOK).result
    for code in (f"{POLLUTE} throw 1", f"{POLLUTE} for (;;) {{}}", f"{POLLUTE} const f = () => f(); f()"):
        with pytest.raises(Exception, match=r"SNIPPET_FAILED|LIMIT_EXCEEDED"):
            tell(code)

        assert tell(LOOK).result == before


def test_records_of_a_failed_snippet_are_not_in_the_next_one(tell: Tell):
    with pytest.raises(Exception, match="SNIPPET_FAILED"):
        tell("tb.claim('lost'); throw 1")

    assert [record.text for record in tell("tb.claim('kept')").written] == ["kept"]


def test_snippets_at_once_are_in_worlds_of_their_own(fresh_sandbox: JavaScriptSandbox):
    code = "globalThis.mine = tb.a.b({}); tb.a.c({}); globalThis.mine"
    with ExitStack() as stack:
        runs = [
            stack.enter_context(closing(fresh_sandbox.run(Snippet(code, "javascript"), Limits()))) for _ in range(3)
        ]
        assert all(isinstance(run.start(), Asked) for run in runs)
        assert all(isinstance(run.resume(Reply(answer=number)), Asked) for number, run in enumerate(runs))
        ended = [run.resume(Reply()) for run in runs]

    assert [step.result for step in ended if isinstance(step, Ended)] == [0, 1, 2]


def test_many_threads_may_run_snippets(fresh_sandbox: JavaScriptSandbox):
    results: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            results.append(tell_sandbox(fresh_sandbox, f"tb.a.b({{}}); {number}").result)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(results) == sorted([0, 1, 2, 3] * 5)
