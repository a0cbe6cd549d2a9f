"""Advice leads somewhere: no command sends people to itself, and what they are told to type works."""

from __future__ import annotations

import re
import shlex
import sqlite3
from contextlib import closing

import pytest

from tests.doors.cli.conftest import Cli
from thoughtbox.doors.cli.shell_words import command
from thoughtbox.settings import load

COMMANDS = {
    "verify": ["verify"],
    "verify --deep": ["verify", "--deep"],
    "doctor": ["doctor"],
    "doctor --deep": ["doctor", "--deep"],
    "call": ["call", "thought_tree", "sessionId=s1"],
    "export": ["export"],
    "rebuild": ["rebuild"],
    "checkpoint": ["checkpoint"],
    "prove": ["prove", "th:1"],
    "sessions": ["sessions"],
    "show": ["show", "latest"],
}


def damage_pages(cli: Cli) -> None:
    cli.think(3)
    whole = bytearray(cli.database.read_bytes())
    for at in range(4096, len(whole), 512):
        whole[at : at + 64] = b"\xff" * 64
    cli.database.write_bytes(whole)


def replace_by_text(cli: Cli) -> None:
    cli.directory.mkdir()
    cli.database.write_text("Dear diary, " * 500, encoding="utf-8")


def make_foreign(cli: Cli) -> None:
    cli.directory.mkdir()
    with closing(sqlite3.connect(cli.database)) as connection:
        connection.execute("CREATE TABLE bookmarks (address TEXT)")
        connection.execute("INSERT INTO bookmarks VALUES ('https://example.com')")
        connection.commit()


def change_a_record(cli: Cli) -> None:
    cli.think(3)
    cli.change_record(2)


def lose_records(cli: Cli) -> None:
    cli.think(3)
    cli.tamper("DELETE FROM records WHERE seq = 3")


DAMAGES = {
    "damaged pages": damage_pages,
    "a text file": replace_by_text,
    "another program's database": make_foreign,
    "a changed record": change_a_record,
    "lost records": lose_records,
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_no_command_sends_people_to_itself(cli: Cli, damage, words: list[str]):
    damage(cli)

    ran = cli(*words)

    said = ran.out + ran.err
    assert f"thoughtbox {words[0]}`" not in said
    assert f"thoughtbox {words[0]} " not in said.replace(f"thoughtbox {words[0]} --deep`", "")


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_the_doctor_finds_what_the_others_trip_over(cli: Cli, damage):
    damage(cli)

    ran = cli("doctor", "--json")

    assert ran.code == 1
    wrong = [one for one in ran.json()["checks"] if one["level"] == "fail"]
    assert wrong
    assert all(one["do"] for one in wrong)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_a_database_of_another_program_is_named_and_left_as_it_is(cli: Cli, words: list[str]):
    make_foreign(cli)
    before = cli.database.read_bytes()

    ran = cli(*words)

    assert ran.code in (1, 3)
    assert "is a database of another program (with bookmarks)" in (ran.out + ran.err).replace("\n", " ")
    assert cli.database.read_bytes() == before


def test_an_empty_database_file_is_a_place_for_a_store(cli: Cli):
    cli.directory.mkdir()
    cli.database.touch()

    cli.think(1)

    assert cli("verify").code == 0


RECOVERED = {
    "an unknown session": (["call", "session.get", "sessionId=nothing"], '"title":"Here"'),
    "an unknown branch": (["call", "read_thoughts", "branchId=nothing"], '"totalThoughts":1'),
    "an unknown thought": (["call", "read_thoughts", "thoughtNumber=99"], '"totalThoughts":1'),
    "an unknown note": (["call", "knowledge.get_note", "noteId=nothing"], '"notes":[]'),
    "an unknown session to show": (["show", "nothing"], "Here"),
}


@pytest.mark.parametrize(("words", "shown"), RECOVERED.values(), ids=RECOVERED)
@pytest.mark.parametrize("options", [(), ("--workspace", "team")], ids=["here", "in another workspace"])
def test_a_way_out_is_a_command_that_works_when_it_is_pasted(
    cli: Cli, words: list[str], shown: str, options: tuple[str, ...]
):
    assert cli("call", "start_new", "sessionTitle=Here", *options).code == 0
    assert cli("call", "thought", "thought=y", *options).code == 0

    ran = cli(*words, *options)

    assert ran.code == 1
    assert '{"operation"' not in ran.err
    assert r"{\"operation\"" not in ran.err
    [line] = re.findall(r"`(thoughtbox [^`]*)`", ran.err)
    pasted = cli(*shlex.split(line)[1:])
    assert pasted.code == 0, (line, pasted.err)
    assert shown in pasted.out


def test_a_store_named_on_the_command_line_is_named_in_the_way_out(cli: Cli, tmp_path):
    place = tmp_path / "with a blank"

    ran = cli("--data-dir", place, "call", "session.get", "sessionId=nothing")

    assert f"`thoughtbox --data-dir '{place}' call list_sessions`" in ran.error()["recovery"]


def test_a_call_is_written_as_the_line_to_type():
    assert command({"operation": "start_new"}) == "thoughtbox call start_new"
    assert command({"operation": "session", "subOperation": "get", "sessionId": "a b"}) == (
        "thoughtbox call session.get 'sessionId=a b'"
    )
    assert command({"operation": "thought", "thought": "it's", "thoughtNumber": 3, "nextThoughtNeeded": False}) == (
        """thoughtbox call thought 'thought=it'"'"'s' thoughtNumber=3 nextThoughtNeeded=false"""
    )
    assert command({"operation": "no such thing"}) is None


def test_the_operations_of_a_family_are_listed_by_its_name(cli: Cli):
    listed = [one["name"] for one in cli("ops", "session", "--json").json()["operations"]]

    assert "session.get" in listed
    assert all(name.startswith("session.") for name in listed)
    chosen = cli("ops", "session", "--writes", "--filter", "another title", "--json").json()["operations"]
    assert [one["name"] for one in chosen] == ["session.rename"]
    assert "knowledge.promote" in cli("ops", "knowledge").out


def test_host_and_port_of_other_programs_change_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    before = cli("config", "--json").json()
    monkeypatch.setenv("HOST", "x86_64-conda-linux-gnu")
    monkeypatch.setenv("PORT", "tcp://10.0.0.1:80")

    assert cli("call", "list_sessions").code == 0
    assert cli("doctor").code == 0
    assert cli("config", "--json").json()["settings"] == [
        {**one, "from": "config.json"} if one["name"] in ("disable_thought_logging", "partition") else one
        for one in before["settings"]
    ]


def test_the_doctor_calls_set_what_somebody_has_set(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    cli.think(1)

    def said() -> str:
        return next(one["says"] for one in cli("doctor", "--json").json()["checks"] if one["check"] == "settings")

    assert said() == "Set here: THOUGHTBOX_PORT, THOUGHTBOX_DATA_DIR, THOUGHTBOX_DURABILITY."
    config = cli.directory / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("monthly", "weekly"), encoding="utf-8")
    assert said().endswith("THOUGHTBOX_DURABILITY, THOUGHTBOX_PARTITION.")


@pytest.mark.parametrize(("text", "is_off"), [("true", True), ("false", False), ("", False)])
def test_a_switch_says_what_its_name_says(cli: Cli, monkeypatch: pytest.MonkeyPatch, text: str, is_off: bool):
    monkeypatch.setenv("DISABLE_THOUGHT_LOGGING", text)

    found = {one["variable"]: one for one in cli("config", "--json").json()["settings"]}
    shown = found["DISABLE_THOUGHT_LOGGING"]
    assert (shown["name"], shown["value"]) == ("disable_thought_logging", text or "false")
    assert load().disable_thought_logging is is_off
    assert load({}, disable_thought_logging="true", data_dir=str(cli.directory)).disable_thought_logging
