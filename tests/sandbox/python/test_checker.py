"""The checker: what is sure to fail is refused before it runs, and nothing else ever is."""

from __future__ import annotations

import os
import signal
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.python.host import Host
from tests.sandbox.python.processes import engine_processes, resident
from tests.support.servers import pause
from thoughtbox.errors import SnippetError, SnippetFailed, SnippetInvalid
from thoughtbox.sandbox.python import checker
from thoughtbox.sandbox.python.sandbox import PythonSandbox

CHECKED = Path(__file__).parent / "checked"
STUBS = (CHECKED / "declarations.txt").read_text(encoding="utf-8")
RIGHT = tomllib.loads((CHECKED / "right.toml").read_text(encoding="utf-8"))["right"]
WRONG = tomllib.loads((CHECKED / "wrong.toml").read_text(encoding="utf-8"))["wrong"]
SEARCHING = """\
from typing import Any, TypedDict
class TbCatalog(TypedDict):
    operations: list[dict[str, Any]]
    kinds: list[dict[str, Any]]
catalog: TbCatalog
"""


def complaint(sandbox: PythonSandbox, code: str, **more: Any) -> SnippetInvalid:
    host = Host(sandbox)
    with pytest.raises(SnippetInvalid) as refused:
        host.run(code, stubs=more.pop("stubs", STUBS), **more)
    assert host.asked == []
    return refused.value


def is_refused(sandbox: PythonSandbox, code: str, stubs: str = STUBS) -> bool:
    try:
        Host(sandbox).run(code, stubs=stubs)
    except SnippetInvalid:
        return True
    except SnippetFailed:
        return False
    return False


@pytest.fixture(scope="module", autouse=True)
def _patient() -> Any:
    """On a busy machine a verdict may take its time, where the stories are about what it says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "PATIENCE", 10)
        patch.setattr(checker, "PATIENCE_AT_FIRST", 20)
        yield


def test_there_is_enough_to_judge_by():
    assert len(RIGHT) >= 30
    assert len(WRONG) >= 15


@pytest.mark.parametrize("code", RIGHT)
def test_a_snippet_that_is_right_is_never_refused(shared: PythonSandbox, code: str):
    assert not is_refused(shared, code)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong["code"])
def test_what_is_sure_to_fail_is_refused_with_its_line_and_what_is_wrong(shared: PythonSandbox, wrong: dict[str, Any]):
    refused = complaint(shared, wrong["code"])
    assert refused.details["line"] == wrong["line"]
    assert f"line {wrong['line']}: " in refused.message
    missing = [name for name in wrong["names"] if name not in refused.message]
    assert not missing, refused.message
    assert refused.recovery


def test_all_complaints_come_at_once_and_at_most_five(shared: PythonSandbox):
    refused = complaint(shared, "\n".join(f'tb.claim("x", nope{n}=1)' for n in range(8)))
    assert [f"line {n}: " in refused.message for n in range(1, 9)] == [True] * 5 + [False] * 3
    assert refused.details["line"] == 1
    assert refused.message.count("has no argument") == 5


def test_a_snippet_that_searches_is_checked_against_the_catalog(shared: PythonSandbox):
    catalog = b'{"operations": [{"name": "a"}]}'
    assert Host(shared).run('catalog["operations"][0]["name"]', stubs=SEARCHING, catalog=catalog).result == "a"
    assert '["operations"]' in complaint(shared, "catalog.operations", stubs=SEARCHING, catalog=catalog).message
    assert "`tb` is not defined" in complaint(shared, 'tb.claim("x")', stubs=SEARCHING, catalog=catalog).message


def test_without_declarations_nothing_is_checked(shared: PythonSandbox):
    with pytest.raises(SnippetFailed, match="INVALID_OPERATION"):
        Host(shared).run('tb.clam("x")')


def test_what_is_no_python_is_said_by_the_engine(shared: PythonSandbox):
    assert "line 2" in complaint(shared, "tb.nope()\nx = (").message
    assert "inheritance" in complaint(shared, "class A(int): pass").message


def test_nothing_that_is_checked_is_run_there_or_remembered(shared: PythonSandbox):
    host = Host(shared)
    assert host.run("x = 1\nx", stubs=STUBS).result == 1
    assert "`x` is not defined" in complaint(shared, "x").message


def test_other_declarations_are_taken_up_at_once(shared: PythonSandbox):
    assert is_refused(shared, "tb.nope()")
    assert not is_refused(
        shared, "tb.nope()", STUBS.replace("vars: TbVars", "vars: TbVars\n    def nope(self) -> None: ...")
    )
    assert is_refused(shared, "tb.nope()")


def test_a_comment_does_not_silence_the_checker_for_the_whole_snippet(shared: PythonSandbox):
    assert is_refused(shared, "# type: ignore\ntb.nope()")
    assert is_refused(shared, "int = str\ntb.nope()")


def test_a_checker_that_takes_too_long_has_no_say(own: PythonSandbox, monkeypatch: pytest.MonkeyPatch):
    assert is_refused(own, "tb.nope()")
    others = engine_processes()
    Host(own).run("1")
    monkeypatch.setattr(checker, "PATIENCE", 0.05)
    worker = own._checker._worker
    assert worker
    assert worker._pid in others
    pause(worker._pid)  # it would take for ever
    assert not is_refused(own, "tb.nope(1)")
    monkeypatch.undo()
    assert is_refused(own, "tb.nope(2)")


def test_a_checker_that_was_ended_is_replaced(own: PythonSandbox):
    others = engine_processes()
    assert is_refused(own, "tb.nope()")
    for process in engine_processes() - others:
        os.kill(process, signal.SIGKILL)
    is_refused(own, "tb.nope(1)")  # nobody could say
    assert is_refused(own, "tb.nope(2)")


@pytest.mark.parametrize(
    "code",
    [
        "x = (1,)\n" + "x = (x, x)\n" * 60,
        "x = [1]\n" + "x = [x, x]\n" * 60,
        "[" * 40_000,
        "1+" * 20_000 + "1",
        "x = 1\n" + "x = x * x + 1\n" * 60,
        "x = 'a'\n" + "x = x + x\n" * 60,
        "f = lambda x: x\n" + "f = (lambda g: lambda x: g(g(x)))(f)\n" * 40,
        "x = {" + ",".join(f"'a{n}': {n}" for n in range(4000)) + "}",
    ],
    ids=["tuples", "lists", "brackets", "sum", "numbers", "texts", "functions", "dict"],
)
def test_source_that_is_made_to_choke_a_checker_does_no_harm(own: PythonSandbox, code: str):
    others = engine_processes()
    own.warm()
    with suppress(SnippetError):
        Host(own).run(code, stubs=STUBS)
    assert all(resident(pid, "VmHWM") < 256 * 1024 * 1024 for pid in engine_processes() - others)
    assert is_refused(own, "tb.nope()")


def test_a_verdict_is_remembered(own: PythonSandbox):
    others = engine_processes()
    assert is_refused(own, "tb.nope()")
    for process in engine_processes() - others:
        os.kill(process, signal.SIGKILL)
    assert is_refused(own, "tb.nope()")
