"""What holds for every command: exit codes, where words go, and what is imported."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doors.cli.conftest import COMMAND, Cli, Terminal
from thoughtbox import __version__
from thoughtbox.doors.cli import parser
from thoughtbox.doors.cli.output import Output, Styled
from thoughtbox.doors.cli.progress import Bar

HEAVY = ("mcp", "mcp_types", "psycopg", "uvicorn", "starlette")


@pytest.mark.parametrize("words", [["--version"], ["config"], ["ops"], ["ops", "thought_tree"]], ids=" ".join)
def test_a_short_command_does_not_import_what_only_servers_need(cli: Cli, words: list[str]):
    script = (
        "import sys; from thoughtbox.doors.cli.main import main; code = main(sys.argv[1:]);"
        f"print(*[name for name in {HEAVY} if name in sys.modules], file=sys.stderr); sys.exit(code)"
    )

    ran = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)

    assert (ran.returncode, ran.stderr.strip()) == (0, "")


def test_the_version_is_told_without_even_loading_the_operations(cli: Cli):
    script = (
        "import sys; from thoughtbox.doors.cli.main import main; main(['--version']); print('pydantic' in sys.modules)"
    )

    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.split("\n")[:2] == [f"thoughtbox {__version__}", "False"]


def test_help_explains_the_exit_codes(cli: Cli):
    ran = cli("--help")

    assert ran.code == 0
    assert all(meaning in ran.out for meaning in parser.EXIT_CODES.values())


def test_no_command_at_all_shows_the_help_and_is_wrong_usage(cli: Cli):
    ran = cli()

    assert ran.code == 2
    assert "commands:" in ran.err
    assert not ran.out


@pytest.mark.parametrize(
    "words", [["fly"], ["verify", "--fast"], ["ops", "a", "b"], ["prove"], ["import"]], ids=" ".join
)
def test_what_cannot_be_parsed_is_wrong_usage(cli: Cli, words: list[str]):
    ran = cli(*words)

    assert ran.code == 2
    assert "usage:" in ran.err


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("THOUGHTBOX_STORAGE", "tape"),
        ("THOUGHTBOX_DURABILITY", "eternal"),
        ("THOUGHTBOX_PORT", "many"),
        ("THOUGHTBOX_PROJECT", "-rf"),
        ("THOUGHTBOX_DATABASE_URL", "mysql://here"),
        ("THOUGHTBOX_TRUSTED_KEYS", "me"),
    ],
)
def test_a_setting_that_cannot_be_honoured_is_said_in_words(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
):
    monkeypatch.setenv(variable, value)

    ran = cli("call", "ledger_status")

    assert ran.code == 2
    assert ran.err.startswith("thoughtbox: CONFIGURATION_ERROR: ")
    assert variable in ran.err
    assert "Traceback" not in ran.err
    assert not cli.directory.exists()


def test_an_option_goes_before_the_environment_wherever_it_stands(cli: Cli, tmp_path: Path):
    cli.think(1)

    before = cli("--data-dir", tmp_path / "other", "call", "ledger_status")
    behind = cli("call", "ledger_status", "--data-dir", tmp_path / "other", "--project", "team")

    assert before.json()["records"] == 0
    assert behind.json()["workspace"] == "team"


@pytest.mark.parametrize(
    "words", [["verify"], ["export"], ["rebuild"], ["checkpoint"], ["prove", "th:1"]], ids=" ".join
)
def test_a_store_that_is_not_there_is_not_made_by_looking_at_it(cli: Cli, words: list[str]):
    ran = cli(*words)

    assert ran.code == 3
    assert "there is no store" in ran.err
    assert not cli.directory.exists()


def test_a_store_that_cannot_be_opened_has_an_exit_code_of_its_own(cli: Cli):
    cli.directory.mkdir()
    cli.database.write_bytes(b"this is no database at all" * 1000)

    ran = cli("verify", "--json")

    assert ran.code == 3
    assert ran.error()["code"] == "STORAGE_DAMAGED"


def test_looking_into_a_store_in_memory_makes_no_sense(cli: Cli):
    assert cli("verify", "--storage", "memory").code == 2
    assert cli("call", "ledger_status", "--storage", "memory").json()["records"] == 0


def test_a_bug_is_told_without_a_stack_trace_for_people(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("thoughtbox.doors.cli.config.effective", lambda given: {}["no such thing"])

    ran = cli("config")

    assert ran.code == 1
    assert "INTERNAL_ERROR" in ran.err
    assert "Traceback" not in ran.err
    assert "KeyError" in caplog.text


def test_a_reader_that_goes_away_ends_the_command_quietly(cli: Cli):
    for _ in range(3):
        cli("call", "thought_plan", "sessionId=s1", f"planDescription={'x' * 100_000}")

    with subprocess.Popen([*COMMAND, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as export:
        assert export.stdout
        assert export.stderr
        export.stdout.readline()
        export.stdout.close()
        said = export.stderr.read()

    assert export.returncode == 141
    assert said == b""


@pytest.mark.parametrize("words", [["export"], ["ops"], ["call", "ledger_tail"]], ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
def test_an_answer_that_cannot_be_written_is_no_success(cli: Cli, words: list[str], unbuffered: str):
    cli.think(1)

    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            check=False,
        )

    assert ran.returncode == 2
    assert ran.stderr.decode().splitlines() == ["thoughtbox: No space left on device"]


def test_what_is_stored_cannot_drive_the_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    out = Output(parser.build().parse_args(["verify"]))

    out.say("a\x1b[2Jb")
    out.say(Styled("c\x9b2Jd", "bold"))
    out.table(["name"], [["e\x1b]0;f"]])

    assert "\x1b[2J" not in screen.getvalue()
    assert "\x9b" not in screen.getvalue()
    assert "\x1b]0" not in screen.getvalue()


def test_colours_are_for_terminals_that_want_them(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in painted(monkeypatch, "verify")
    assert "\x1b[" not in painted(monkeypatch, "verify", "--no-color")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in painted(monkeypatch, "verify")


def painted(monkeypatch: pytest.MonkeyPatch, *words: str) -> str:
    screen = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", screen)
        out = Output(parser.build().parse_args(list(words)))
        out.say(Styled("good", "green"))
        out.table(["name"], [[Styled("bad", "red")]])
    return screen.getvalue()


def test_progress_is_shown_to_people_who_have_waited_a_second(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with Bar("Verifying", plain=True) as bar:
        bar(1000, 5000)
        assert not screen.getvalue()
        monkeypatch.setattr("thoughtbox.doors.cli.progress.PATIENCE_SECONDS", 0.0)
        bar(2000, 5000)

    assert "Verifying" in screen.getvalue()
    assert "40%" in screen.getvalue()


def test_progress_is_not_shown_to_programs(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    monkeypatch.setattr("thoughtbox.doors.cli.progress.PATIENCE_SECONDS", 0.0)
    with Bar("Verifying", plain=True) as bar:
        bar(2000, 5000)

    assert not pipe.getvalue()
