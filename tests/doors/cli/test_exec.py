"""`thoughtbox exec`: a snippet from a file or a pipe, as an agent would send it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import COMMAND, Cli, Terminal
from tests.support.forks import PATIENCE
from tests.support.servers import StdioServer, command, environment, soon
from tests.support.snippets import BUILDS, kinds, sandboxes

JAVASCRIPT, PYTHON = BUILDS["javascript"], BUILDS["python"]
IN_TYPESCRIPT = "const n: number = 2; n"


def written(cli: Cli) -> list[dict[str, Any]]:
    return cli("call", "ledger_tail", "limit=500").json()["records"]


def test_the_result_goes_to_standard_output_and_what_is_logged_to_standard_error(cli: Cli, tmp_path: Path):
    (tmp_path / "snippet.js").write_text(JAVASCRIPT, encoding="utf-8")

    ran = cli.process("exec", "snippet.js")

    assert ran.code == 0
    assert ran.out == '"th:2"\n'
    logged, wrote = ran.err.splitlines()
    assert logged == "seen"
    assert wrote.startswith("2 records written to session ")
    assert kinds(written(cli)) == ["tool_call", "claim", "evidence", "tool_result"]


@pytest.mark.parametrize(
    ("name", "code", "words", "language"),
    [
        ("a.js", "1 + 1", (), "javascript"),
        ("a.mjs", "1 + 1", (), "javascript"),
        ("a.ts", "1 + 1", (), "typescript"),
        ("a.py", "1 + 1", (), "python"),
        ("a.py", "1 + 1", ("--language", "javascript"), "javascript"),
        ("a.txt", PYTHON, (), "python"),
        ("a.txt", JAVASCRIPT, (), "javascript"),
        ("-", IN_TYPESCRIPT, (), "typescript"),
        ("-", PYTHON, (), "python"),
        ("-", "1 + 1", ("--language", "typescript"), "typescript"),
    ],
)
def test_the_language_is_that_of_the_option_of_the_name_or_of_the_snippet(
    cli: Cli, tmp_path: Path, name: str, code: str, words: tuple[str, ...], language: str
):
    if name != "-":
        (tmp_path / name).write_text(code, encoding="utf-8")

    answer = cli("--json", "exec", name, *words, stdin=code.encode()).json()

    assert answer["language"] == language


def test_a_program_gets_the_whole_answer_in_one_line_and_nothing_beside_it(cli: Cli):
    ran = cli("--json", "exec", "-", stdin=PYTHON.encode())

    assert ran.err == ""
    assert ran.out.count("\n") == 1
    answer = ran.json()
    assert answer.keys() == {"result", "logs", "language", "records", "session"}
    assert (answer["result"], answer["logs"]) == ("th:2", ["seen"])


def test_a_session_can_be_named_and_gone_on_with(cli: Cli):
    first = cli("--json", "exec", "-", stdin=b"tb.vars.set('page', 3)").json()
    second = cli("--json", "exec", "-", "--session", first["session"], stdin=b"tb.vars.get('page')").json()
    other = cli("--json", "exec", "-", stdin=b"tb.vars.get('page')").json()

    assert (second["result"], other["result"]) == (3, None)


def test_the_same_key_again_runs_nothing(cli: Cli):
    call = ("--json", "exec", "-", "--key", "k1")

    assert cli(*call, stdin=PYTHON.encode()).json() == cli(*call, stdin=PYTHON.encode()).json()
    assert kinds(written(cli)).count("claim") == 1
    conflict = cli(*call, stdin=b"tb.claim('another')")
    assert (conflict.code, conflict.error()["code"]) == (1, "IDEMPOTENCY_CONFLICT")


def test_a_snippet_is_run_in_the_workspace_that_is_named(cli: Cli):
    ran = cli("exec", "-", "--project", "other", stdin=b"tb.claim('there')\ntb.ledger.ledger_status()['workspace']")

    assert ran.out == '"other"\n'
    assert written(cli) == []


@pytest.mark.parametrize(
    ("code", "refused_with", "says"),
    [
        (b"1 / 0", "SNIPPET_FAILED", "division"),
        (b"tb.ledger.ledger_record(id='th:99')", "RECORD_NOT_FOUND", "th:99"),
        (b"x = = 1", "SNIPPET_INVALID", "line 2"),
        (b"while True: pass", "LIMIT_EXCEEDED", "50 ms"),
        (b"tb.memory.run_consolidation()", "INVALID_OPERATION", "thoughtbox call run_consolidation"),
    ],
    ids=["raised", "refused", "unreadable", "endless", "by itself"],
)
def test_a_snippet_that_fails_is_an_error_with_a_code_and_leaves_a_failed_pair(
    cli: Cli, code: bytes, refused_with: str, says: str
):
    ran = cli("exec", "-", "--language", "python", stdin=b"print('so far')\n" + code)

    assert (ran.code, ran.out) == (1, "")
    error = ran.error()
    assert error["code"] == refused_with
    assert says in ran.err
    assert error["details"].get("logs", ["so far"]) == ["so far"]
    assert kinds(written(cli)) == ["tool_call", "tool_result"]


@pytest.mark.parametrize("words", [("exec",), ("exec", "nowhere.py"), ("exec", "-", "--language", "perl")])
def test_what_cannot_be_read_is_wrong_usage_and_touches_nothing(cli: Cli, words: tuple[str, ...]):
    assert cli.process(*words).code == 2
    assert not cli.directory.exists()


def test_a_file_that_is_no_text_is_wrong_usage(cli: Cli, tmp_path: Path):
    (tmp_path / "a.py").write_bytes(b"\xff\xfe\x00")

    ran = cli("exec", "a.py")

    assert (ran.code, ran.err) == (2, "thoughtbox: a.py is not UTF-8\n")


def test_people_see_what_was_logged_the_line_that_failed_and_words_that_fit_eighty_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "80")
    screen = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen)
        ran = cli("exec", "-", "--language", "python", stdin=b"print('so far')\nx = tb.memory.run_consolidation()\n")

    assert ran.code == 1
    lines = screen.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "so far"
    assert lines[1].startswith("thoughtbox: INVALID_OPERATION: run_consolidation")
    assert "  2 | x = tb.memory.run_consolidation()" in lines
    assert any("`thoughtbox call run_consolidation`" in line for line in lines), "what is to be typed is in one piece"


def test_call_runs_a_snippet_too(cli: Cli):
    answer = cli("call", "execute", f"code={JAVASCRIPT}", "language=javascript").json()
    found = cli("call", "search", "query=merge two branches", "limit=3").json()

    assert (answer["result"], answer["logs"]) == ("th:2", ["seen"])
    assert found["result"][0]["name"].startswith("mind.")


def test_all_commands_leave_the_same_records(cli: Cli):
    cli("exec", "-", "--session", "s1", "--language", "javascript", stdin=JAVASCRIPT.encode())
    cli("call", "execute", f"code={JAVASCRIPT}", "language=javascript", "session=s1")
    arguments = {"operation": "execute", "code": JAVASCRIPT, "language": "javascript", "session": "s1"}
    cli("call", "thoughtbox_gateway", "--json", json.dumps(arguments))

    found = written(cli)
    assert len(found) == 12
    thirds = [
        [{**record, "id": "", "ts": "", "refs": "", "attrs": ""} for record in found[at : at + 4]] for at in (0, 4, 8)
    ]
    assert thirds[0] == thirds[1] == thirds[2]


def test_no_session_is_named_where_all_records_went_to_one_that_the_snippet_began(cli: Cli):
    code = "tb.thoughts.start_new({sessionTitle: 't'}); tb.claim('x').id"

    ran = cli("exec", "-", "--language", "javascript", stdin=code.encode())

    assert ran.err == "2 records written\n"


def test_a_command_leaves_the_records_that_the_tool_leaves(cli: Cli, tmp_path: Path):
    cli("exec", "-", "--session", "s1", "--language", "python", stdin=PYTHON.encode())
    server = StdioServer(environment(tmp_path / "served"))
    try:
        server.initialize()
        server.call("execute", code=PYTHON, language="python", session="s1")
        served = server.call("ledger_tail")["records"]
    finally:
        server.stop()

    def shown(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, "ts": "", "agent": "", "source": {**record["source"], "transport": ""}}

    assert list(map(shown, served)) == list(map(shown, written(cli)))


def test_a_command_that_is_interrupted_ends_at_once_and_leaves_no_process(cli: Cli, tmp_path: Path):
    cli.think(1)
    code = "for (let i = 0; i < 900; i++) tb.ledger.ledger_verify({}); for (;;) {}"
    (tmp_path / "long.js").write_text(code, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "exec", "long.js"],
        env={**os.environ, "THOUGHTBOX_CODE_WALL_MS": "600000", "THOUGHTBOX_CODE_CPU_MS": "60000"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # where tests run in the background, it is ignored
    )
    left = soon(lambda: sandboxes(process.pid))

    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=PATIENCE)

    assert process.returncode == 130, complaints
    soon(lambda: not any(map(command, left)))
    assert kinds(written(cli)) in (["plan"], ["plan", "tool_call", "tool_result"])
