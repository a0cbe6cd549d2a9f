"""`thoughtbox call`: any operation, from a shell."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli, Terminal


def test_a_call_in_a_shell_answers_in_one_line_of_json(cli: Cli):
    ran = cli.process("call", "thought_plan", "sessionId=s1", "planDescription=Move the cache.")

    assert ran.code == 0
    assert ran.json()["thought"]["thoughtId"] == "th:1"
    assert ran.out.count("\n") == 1
    assert ran.err == ""


def test_arguments_come_as_json_from_a_file_from_standard_input_or_one_by_one(cli: Cli, tmp_path: Path):
    arguments = {"sessionId": "s1", "planDescription": "Move the cache."}
    (tmp_path / "plan.json").write_text(json.dumps(arguments), encoding="utf-8")

    runs = [
        cli("call", "thought_plan", "--json", json.dumps(arguments)),
        cli("call", "thought_plan", "--json", "-", stdin=json.dumps(arguments).encode()),
        cli("call", "thought_plan", "--file", "plan.json"),
        cli("call", "thought_plan", "--file", "-", stdin=json.dumps(arguments).encode()),
        cli("call", "thought_plan", *(f"{name}={value}" for name, value in arguments.items())),
        cli("call", "thought_plan", "--file", "plan.json", "sessionId=s1"),
        cli("call", "thought_plan", "sessionId=s1", "--project", "_default", "planDescription=Move the cache."),
    ]

    assert [ran.code for ran in runs] == [0] * 7
    assert cli("call", "thought_tree", "sessionId=s1").json()["count"] == 7


def test_a_value_is_text_where_text_is_asked_for_and_json_elsewhere(cli: Cli):
    cli("call", "thought_plan", "sessionId=1", "planDescription=true")

    tree = cli("call", "thought_tree", "sessionId=1", "includeContent=true", "maxChars=5000").json()["tree"]
    tail = cli("call", "ledger_tail", "limit=10").json()["records"]

    assert tree[0]["content"] == "true"
    assert tail[0]["session"] == "1"


def test_an_operation_is_described_in_a_shell_too(cli: Cli):
    found = cli("call", "describe", "name=thought_tree").json()

    assert found["operation"] == "thought_tree"
    assert found["arguments"]["sessionId"].startswith("string, needed")


def test_people_at_a_terminal_get_it_laid_out(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setenv("NO_COLOR", "1")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", screen)
        cli("call", "ledger_status")
        cli("--json", "call", "ledger_status")

    laid_out, _, compact = screen.getvalue().partition("}\n")
    assert '\n  "records": 0,\n' in laid_out
    assert '"records":0,' in compact


def test_a_hidden_operation_can_be_called_too(cli: Cli):
    ran = cli("call", "link_thought_to_action", "thoughtId=th:1", "actionId=a")

    assert ran.code == 1
    assert ran.error()["code"] == "IMMUTABLE"


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (["thougt_tree"], "INVALID_OPERATION", "thought_tree"),
        (["thought_tree"], "INVALID_PAYLOAD", "sessionId"),
        (["thought_tree", "sesionId=s1"], "INVALID_PAYLOAD", "sessionId"),
        (["thought_tree", "sessionId=s1", "includeChildren=maybe"], "INVALID_PAYLOAD", "includeChildren"),
        (["thought_tree", "sessionId=s1"], "SESSION_NOT_FOUND", "s1"),
        (["thought_plan", "sessionId=s1", "planDescription=x", "--as-of", "1"], "INVALID_OPERATION", "writes"),
    ],
)
def test_nonsense_is_refused_with_the_error_as_json_for_programs(cli: Cli, words: list[str], code: str, hint: str):
    ran = cli("call", *words)

    assert ran.code == 1
    assert ran.out == ""
    assert ran.error()["code"] == code
    assert hint in ran.err


def test_people_get_the_error_in_words(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", screen)
        ran = cli("call", "thought_tre", "sessionId=s1")

    assert ran.code == 1
    assert screen.getvalue().splitlines() == [
        "thoughtbox: INVALID_OPERATION: there is no operation `thought_tre`",
        "  Did you mean `thought_tree`?",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["--json", "{"],
        ["--json", "[1]"],
        ["--file", "nowhere.json"],
        ["sessionId"],
        ["=s1"],
        ["sessionId=s1", "--as-of", "yesterday"],
    ],
)
def test_arguments_that_cannot_be_read_are_wrong_usage_and_touch_nothing(cli: Cli, words: list[str]):
    ran = cli("call", "thought_tree", *words)

    assert ran.code == 2
    assert ran.err.startswith("thoughtbox: ")
    assert not cli.directory.exists()


def test_the_same_key_again_returns_the_first_answer(cli: Cli):
    call = ("call", "thought_plan", "sessionId=s1", "planDescription=once", "--key", "k1")

    assert cli(*call).json() == cli(*call).json()
    assert cli("call", "thought_tree", "sessionId=s1").json()["count"] == 1


@pytest.mark.parametrize("seq", ["2", "th:2"])
def test_a_read_can_be_made_as_of_an_earlier_record(cli: Cli, seq: str):
    cli.think(3)

    assert cli("call", "thought_tree", "sessionId=s1", "--as-of", seq).json()["count"] == 2


def test_a_call_goes_to_the_workspace_that_is_named(cli: Cli):
    cli.think(2, workspace="team/a")

    assert cli("call", "ledger_status").json()["records"] == 0
    assert cli("call", "ledger_status", "--workspace", "team/a").json()["records"] == 2


def test_records_say_who_wrote_them_and_through_which_door(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    cli.think(1)
    monkeypatch.setenv("THOUGHTBOX_AGENT", "release bot")
    cli.think(1)

    records = cli("call", "ledger_tail").json()["records"]

    assert [record["agent"] for record in records] == ["cli", "release bot"]
    assert records[0]["source"]["transport"] == "cli"
