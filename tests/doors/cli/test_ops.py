"""`thoughtbox ops`: which operations there are."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

domains.load()


def test_every_operation_is_listed_one_line_each_for_grep(cli: Cli):
    ran = cli("ops")

    assert ran.code == 0
    lines = [line for line in ran.out.splitlines() if line.strip()]
    assert {line.split()[0] for line in lines} >= set(TABLE.operations)
    assert len(lines) == len(TABLE.operations) + 2


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (["--room", "ledger"], lambda operation: operation.room == "ledger"),
        (["--writes"], lambda operation: operation.writes),
        (["--reads"], lambda operation: not operation.writes),
        (["--filter", "TREE"], lambda operation: "tree" in operation.description.lower() + operation.name),
    ],
    ids=["room", "writes", "reads", "filter"],
)
def test_the_list_can_be_narrowed(cli: Cli, words: list[str], wanted):
    shown = [operation["name"] for operation in cli("ops", "--json", *words).json()["operations"]]

    assert shown == [operation.name for operation in TABLE if wanted(operation)]
    assert shown


def test_one_operation_is_shown_in_full(cli: Cli):
    ran = cli("ops", "thought_tree")

    for part in (
        "sessionId",
        "required",
        "default false",
        "count",
        "SESSION_NOT_FOUND",
        "thoughtbox call thought_tree",
    ):
        assert part in ran.out


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", list(TABLE.operations))
def test_the_example_of_an_operation_can_be_typed_as_it_stands(
    cli: Cli, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("THOUGHTBOX_PROJECT_ROOT", str(tmp_path))  # some are about a project
    lines = cli("ops", name, "--json").json()["example"]

    runs = [cli(*shlex.split(line)[1:]) for line in lines]

    refusal = TABLE.operations[name].example.fails_with
    assert [ran.code for ran in runs] == [0] * (len(lines) - 1) + [1 if refusal else 0]


def test_an_unknown_name_gets_the_nearest_one(cli: Cli):
    ran = cli("ops", "ledger_prov")

    assert ran.code == 1
    assert "Did you mean `ledger_prove`?" in ran.err


def test_an_unknown_room_gets_the_known_ones(cli: Cli):
    ran = cli("ops", "--room", "attic")

    assert ran.code == 2
    assert "thoughts, mind, memory, trail, ledger" in ran.err


def test_a_filter_that_fits_nothing_says_so(cli: Cli):
    ran = cli("ops", "--filter", "zeppelin")

    assert ran.code == 0
    assert "No operation fits" in ran.err
