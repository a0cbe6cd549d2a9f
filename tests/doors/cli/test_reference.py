"""The documentation tells what is: made from the tables, complete, and its examples run."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from argparse import PARSER, Action, ArgumentParser
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli, Ran
from thoughtbox.doors.cli import parser, reference

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the operations, the reference has one sentence, since it takes seconds to run all examples."""
    monkeypatch.setattr(reference, "operations_page", lambda: "Only reads.\n")


def test_the_reference_is_up_to_date():
    ran = subprocess.run(
        [sys.executable, "-m", "thoughtbox.doors.cli.reference", "--check"], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.usefixtures("short")
def test_a_reference_that_is_out_of_date_is_noticed_and_mended(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert reference.main(["--docs", str(tmp_path), "--check"]) == 1
    assert reference.main(["--docs", str(tmp_path)]) == 0
    assert reference.main(["--docs", str(tmp_path), "--check"]) == 0

    page = tmp_path / "reference" / "operations.md"
    page.write_text(page.read_text(encoding="utf-8").replace("Only reads.", "Reads."), encoding="utf-8")

    capsys.readouterr()
    assert reference.main(["--docs", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().err == f"{page} is out of date: run `make docs`\n"


@pytest.mark.usefixtures("short")
def test_what_people_wrote_around_the_table_of_settings_stays(tmp_path: Path):
    page = tmp_path / "settings.md"
    page.write_text(f"Before.\n{reference.BEGIN}\nold\n{reference.END}\nAfter.\n", encoding="utf-8")

    reference.main(["--docs", str(tmp_path)])

    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert "THOUGHTBOX_DATA_DIR" in text
    assert "\nold\n" not in text


def commands() -> dict[str, set[str]]:
    """Every command with its options, and those of its actions."""
    return {
        name: {option for action in actions(command) for option in action.option_strings if option.startswith("--")}
        for name, command in dict(next(within(parser.build())).choices or {}).items()
    }


def actions(command: ArgumentParser) -> list[Action]:
    inner = [part for action in within(command) for part in dict(action.choices or {}).values()]
    return [*command._actions, *(action for part in inner for action in part._actions)]


def within(command: ArgumentParser) -> Iterator[Action]:
    return (action for action in command._actions if action.dest in ("command", "action") and action.nargs == PARSER)


def test_every_command_and_option_is_documented():
    text = (DOCS / "cli.md").read_text(encoding="utf-8")

    missing = [name for name in commands() if f"`{name}`" not in text]
    missing += [
        f"{name} {option}"
        for name, options in commands().items()
        for option in options - {"--help"}
        if not re.search(rf"{option}\b", text)
    ]
    missing += [str(code) for code, meaning in parser.EXIT_CODES.items() if f"| {code} | {meaning} |" not in text]

    assert not missing


def test_the_examples_of_the_manual_run(cli: Cli):
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    said = ""
    for line in lines:
        if not line.startswith("$ "):
            assert line in said
            continue
        ran = run(cli, line[2:])
        said = ran.out + ran.err
        assert ran.code == (1 if "# exits with 1" in line else 0), f"{line}\n{said}"


def test_the_manual_is_run_by_this_very_python(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Also when its path has a blank in it."""
    elsewhere = tmp_path / "a path with blanks"
    elsewhere.mkdir()
    (elsewhere / "python").symlink_to(sys.executable)
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    monkeypatch.setattr(sys, "executable", str(elsewhere / "python"))

    ran = run(cli, "thoughtbox --version | cat")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("thoughtbox ")


def run(cli: Cli, line: str) -> Ran:
    """A line of the manual: in a shell when it needs one."""
    if "|" not in line:
        return cli(*shlex.split(line, comments=True)[1:])
    command = f'thoughtbox() {{ {shlex.quote(sys.executable)} -P -m thoughtbox "$@"; }}; set -o pipefail; {line}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)
