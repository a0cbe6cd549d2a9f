"""`sessions` and `show`: what a person sees of the sessions of thought."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.doors.cli.conftest import Cli
from thoughtbox.doors.cli.session_page import reading_order
from thoughtbox.settings import all_settings

WIDE = "会議の記録：データベースの移行をどうするか、そして誰がそれをするのか"


def think(cli: Cli, **arguments: Any) -> None:
    ran = cli("call", "thought", "--json", json.dumps({"sessionId": "latest", **arguments}))
    assert ran.code == 0, ran.err


def start(cli: Cli, title: str, **arguments: Any) -> str:
    return cli("call", "start_new", "--json", json.dumps({"sessionTitle": title, **arguments})).json()["sessionId"]


@pytest.fixture
def session(cli: Cli) -> str:
    """A session with a branch, a rejection on it, a revision and a decision."""
    session_id = start(cli, "Slow pages after the release", sessionTags=["performance"], domain="debugging")
    think(cli, thought="S1|O|Users report pages that take 4 s")
    think(cli, thought="S2|H|S1|The release dropped an index")
    think(cli, thought="Or the connection pool?", branchId="pool", branchFromThought=1)
    think(cli, thought="S3|X|S2|The pool is half empty", branchId="pool")
    think(cli, thought="The index is there; it is not used", revisesThought=2)
    think(cli, thought="S4|C|S1,S3|∴ Rewrite the query (!)", nextThoughtNeeded=False)
    return session_id


def at(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))


def test_sessions_are_listed_with_short_id_title_thoughts_update_and_status(cli: Cli, session: str):
    start(cli, "Another")

    heading, _, *rows = cli("sessions").out.splitlines()

    assert heading.split() == ["id", "title", "thoughts", "updated", "status"]
    assert re.fullmatch(
        rf"{session[:8]} +Slow pages after the release +6 +\d{{4}}-\d\d-\d\d \d\d:\d\d +completed *", rows[1]
    )
    assert "Another" in rows[0], "the newest is first"
    assert cli("sessions", "list").out == cli("sessions").out


def test_a_list_can_be_narrowed_by_tag_words_project_and_number(cli: Cli, session: str):
    start(cli, "Another")

    def titles(*words: object) -> list[str]:
        return [one["title"] for one in cli("sessions", *words, "--json").json()["sessions"]]

    slow = ["Slow pages after the release"]
    assert titles("--tag", "performance") == titles("list", "--tag", "performance") == slow
    assert titles("--search", "release") == slow
    assert titles("--in-project", "nowhere") == []
    assert titles("--limit", "1") == ["Another"]
    assert "--limit 2" in cli("sessions", "--limit", "1").err
    assert "`thoughtbox sessions` lists all" in cli("sessions", "--tag", "nothing").out
    assert cli("sessions", "--limit", "none").code == 2


def test_more_sessions_than_one_answer_holds_are_listed(cli: Cli):
    calls = [{"operation": "start_new", "arguments": {"sessionTitle": f"Session {n}"}} for n in range(130)]
    for part in (calls[:65], calls[65:]):
        assert cli("call", "batch", "--json", json.dumps({"calls": part})).code == 0

    found = cli("sessions", "--limit", "125", "--json").json()

    assert (len(found["sessions"]), found["hasMore"]) == (125, True)
    assert len({one["id"] for one in found["sessions"]}) == 125


def test_before_the_first_session_it_is_said_how_to_begin_and_that_works(cli: Cli):
    ran = cli("sessions")
    assert ran.code == 0
    assert not cli.directory.exists(), "looking makes no store"
    commands = [line.strip() for line in ran.out.splitlines() if line.startswith("  thoughtbox")]
    assert len(commands) == 2

    for command in commands:
        assert cli(*shlex.split(command)[1:]).code == 0

    assert "My first session" in cli("sessions").out
    assert "What I am thinking about" in cli("show", "latest").out


def test_whoever_looks_into_an_empty_workspace_is_told_where_there_is_something(cli: Cli):
    assert cli("call", "start_new", "--workspace", "team").code == 0

    said = cli("sessions").out

    assert "thoughtbox sessions --workspace team" in said
    assert cli("sessions", "--workspace", "team", "--json").json()["count"] == 1
    assert cli("sessions", "--workspace", "team", "list", "--json").json()["count"] == 1


def test_a_session_is_shown_with_labels_and_links_in_words_and_each_branch_where_it_forks(cli: Cli, session: str):
    said = cli("show", session).out

    assert said.startswith(f"Slow pages after the release\n{session}\n6 thoughts · 1 branch · completed · updated ")
    assert "debugging · tags: performance" in said
    thoughts = said.partition("\n\n")[2]
    assert thoughts == (
        " 1  observation\n"
        "    Users report pages that take 4 s\n"
        "\n"
        "   branch pool, from 1\n"
        "    2  thought · rejected by 3\n"
        "       Or the connection pool?\n"
        "\n"
        "    3  rejection · rejects 2\n"
        "       The pool is half empty\n"
        "\n"
        " 2  hypothesis · from 1 · revised by 3\n"
        "    The release dropped an index\n"
        "\n"
        " 3  revision · revises 2\n"
        "    The index is there; it is not used\n"
        "\n"
        " 4  decision · 90% sure · from 1, 3\n"
        "    ∴ Rewrite the query (!)\n"
    )


def test_it_is_shown_what_became_of_branches_and_thoughts(cli: Cli):
    start(cli, "Where to cache")
    think(cli, thought="S1|Q|Where do we cache?")
    think(cli, thought="S2|H|S1|In Redis", branchId="redis", branchFromThought=1)
    think(cli, thought="S2|C|S1|∴ Cache in the service")
    think(cli, thought="S3|P|S2|Write it", actionId="deploy-7")
    think(cli, thought="Not in the service after all", revisesThought=2)
    assert cli("call", "branch.reject", "branchId=redis", "why=One more thing to run").code == 0

    said = cli("show", "latest").out

    assert "branch redis, from 1 (rejected)" in said
    assert "question · answered by 2" in said
    assert "decision · answers 1 · revised by 4" in said
    assert "plan · from 2 · rests on 2, revised by 4 · leads to deploy-7" in said


def test_show_takes_an_id_its_beginning_a_title_or_latest(cli: Cli, session: str):
    shown = cli("show", session).out

    for name in (session[:8], session[:8].upper(), "Slow pages after the release", "slow pages", "latest"):
        assert cli("show", name).out == shown, name
    assert cli("sessions", "show", session).out == shown


def test_a_name_that_several_sessions_have_is_refused_with_their_ids(cli: Cli, session: str):
    other = start(cli, "Slow pages again")

    ran = cli("show", "Slow pages")

    assert ran.code == 1
    assert session in ran.err
    assert other in ran.err


def test_what_cannot_be_shown_is_said_with_a_command_that_helps(cli: Cli, session: str, tmp_path: Path):
    ran = cli("--data-dir", cli.directory, "show", "nothing")

    assert ran.code == 1
    assert f"`thoughtbox --data-dir {cli.directory} sessions`" in ran.err
    assert cli("show", "th:999").code == 1


def test_show_of_a_thought_gives_it_with_its_session(cli: Cli, session: str):
    said = cli("show", "th:3").out

    assert said.startswith("Slow pages after the release\nth:3 · ")
    assert said.endswith(" 2  hypothesis · from 1 · revised by 3\n    The release dropped an index\n")
    assert cli("show", "th:3", "--json").json()["thought"] == "S2|H|S1|The release dropped an index"


def test_a_record_of_another_room_is_shown_too(cli: Cli):
    cli("call", "thought_plan", "sessionId=s1", "planDescription=Move the cache.")

    said = cli("show", "th:1").out

    assert re.fullmatch(r"th:1 · [\d :-]+ · trail/s1\nplan by cli\n  Move the cache\.\n", said)
    assert cli("show", "th:1", "--json").json()["record"]["body"]["text"] == "Move the cache."


def test_a_limit_shows_the_first_thoughts_and_says_how_many_are_left(cli: Cli, session: str):
    ran = cli("show", session, "--limit", "2")

    assert "The release dropped an index" in ran.out
    assert "connection pool" not in ran.out
    assert "4 thoughts more" in ran.err
    assert len(cli("show", session, "--limit", "2", "--json").json()["thoughts"]) == 2


def test_a_session_of_many_pages_is_shown_whole(cli: Cli):
    start(cli, "Long")
    calls = [{"operation": "thought", "arguments": {"thought": f"Thought {n} {'x' * 900}"}} for n in range(1, 61)]
    assert cli("call", "batch", "--json", json.dumps({"calls": calls})).code == 0

    said = cli("show", "latest").out

    assert re.findall(r"Thought (\d+)", said) == [str(n) for n in range(1, 61)]


def test_branches_of_branches_are_read_where_they_fork_however_deep():
    def thought(number: int, branch: str | None = None) -> dict[str, Any]:
        return {"thoughtNumber": number, **({"branchId": branch} if branch else {})}

    deep = 3_000
    branches: dict[str, dict[str, Any]] = {"b0": {"fromThought": 1}}
    for n in range(1, deep):
        branches[f"b{n}"] = {"fromThought": n + 1, "fromBranch": f"b{n - 1}"}
    thoughts = [thought(1), thought(2), *(thought(n + 2, f"b{n}") for n in range(deep)), thought(9, "astray")]

    read = list(reading_order(thoughts, branches))

    assert [one.thought for one in read] == [thoughts[0], *thoughts[2:-1], thoughts[1], thoughts[-1]]
    assert [one.depth for one in read[:3]] == [0, 1, 2]
    assert not read[0].opens
    assert all(one.opens for one in read[1 : deep + 1])


def test_a_search_shows_the_best_hit_of_each_session(cli: Cli, session: str):
    start(cli, "Another")
    think(cli, thought="The index of the book")

    said = cli("sessions", "search", "release").out
    assert said.startswith("Slow pages after the release\n")
    assert f"{session[:8]} · " in said
    assert "«release»" in said
    both = cli("sessions", "search", "index", "--json").json()
    assert both["count"] == 2
    assert "found" in cli("sessions", "search", "zebra").err


@pytest.mark.parametrize("form", ["markdown", "json", "cipher"])
def test_a_session_is_exported_as_the_operation_gives_it(cli: Cli, session: str, tmp_path: Path, form: str):
    given = cli("call", "session.export", f"sessionId={session}", f"format={form}").json()["content"]

    shown = cli("sessions", "export", "slow", "--format", form)
    assert cli("sessions", "export", session, "--format", form, "--to", tmp_path / "file").code == 0

    written = (tmp_path / "file").read_text(encoding="utf-8")
    if form == "json":
        assert json.loads(shown.out)["nodes"] == json.loads(written)["nodes"] == json.loads(given)["nodes"]
    else:
        assert shown.out == written == given


def test_an_export_of_several_pieces_is_put_together(cli: Cli):
    start(cli, "Long")
    for n in range(3):
        think(cli, thought=f"Thought {n} " + "x" * 40_000)

    exported = cli("sessions", "export", "latest", "--format", "json").out

    assert [node["data"]["thought"][:9] for node in json.loads(exported)["nodes"]] == [f"Thought {n}" for n in range(3)]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("words", [("sessions",), ("show", "latest"), ("sessions", "search", "データ*"), ("config",)])
def test_nothing_is_wider_than_the_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, width: int, words: tuple[str, ...]
):
    start(cli, f"{WIDE} \x1b[2J\nsecond line", sessionTags=["a tag", "another tag", "a third tag"])
    think(cli, thought=f"データ {WIDE} \x1b]0;x\x07 {'word ' * 40}{'x' * 100}")
    at(width, monkeypatch)

    said = cli(*words).out

    assert max(cell_len(line.rstrip()) for line in said.splitlines()) <= width
    assert "\x1b" not in said
    if words[0] != "config":
        assert "".join(WIDE.split()) in re.sub(r"[\s«»]|20\d\d-\d\d-\d\d|\d\d:\d\d|active|\b\d\b|[0-9a-f]{8}", "", said)


def test_on_eighty_columns_every_setting_takes_a_few_lines(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    at(80, monkeypatch)

    lines = cli("config").out.splitlines()

    assert len(lines) < 3 * len(all_settings())
    assert "transport: http (default)" in lines
    assert "  THOUGHTBOX_TRANSPORT. How MCP clients connect." in lines
