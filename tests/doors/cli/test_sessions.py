"""`export --layout` and `import DIRECTORY`: sessions as files, and back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli

SESSION = "0b6f2c1e-8f6a-4a1f-9d43-5b7c2f1e9a10"


def think(cli: Cli, **arguments: Any) -> dict[str, Any]:
    ran = cli("call", "thought", "--json", json.dumps({"sessionId": "latest", **arguments}))
    assert ran.code == 0, ran.err
    return ran.json()


@pytest.fixture
def session(cli: Cli) -> str:
    """A session with a branch, a revision that leads to an action, and a critique."""
    session_id = cli("call", "start_new", "sessionTitle=Slow pages").json()["sessionId"]
    cli("call", "cipher", "sessionId=latest")
    think(cli, thought="S1|O|Users report slow pages")
    think(cli, thought="S2|H|S1|An index is missing")
    think(cli, thought="Or the pool?", branchId="pool", branchFromThought=1)
    think(cli, thought="The index is there; it is not used", revisesThought=2, actionId="deploy-1")
    cli("call", "critique", "--json", json.dumps({"sessionId": "latest", "thoughtNumber": 2, "text": "Says who?"}))
    cli("call", "session.tag", "--json", json.dumps({"sessionId": "latest", "add": ["performance"]}))
    return session_id


def elsewhere(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From here on, commands use another store."""
    monkeypatch.setenv("THOUGHTBOX_DATA_DIR", str(tmp_path / "another"))


def thoughts(cli: Cli, session_id: str) -> list[dict[str, Any]]:
    found = cli("call", "session.get", f"sessionId={session_id}").json()["thoughts"]
    left_out = {"id", "refs", "relations"}
    return [{name: value for name, value in thought.items() if name not in left_out} for thought in found]


def test_a_session_goes_out_as_files_and_comes_in_again_as_it_was(
    cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    before, structure = thoughts(cli, session), cli("call", "get_structure", f"sessionId={session}").json()
    assert [thought.get("actionId") for thought in before] == [None, None, None, "deploy-1"]
    exported = cli("export", "--layout", "files", "-o", tmp_path / "files")
    assert exported.code == 0, exported.err

    elsewhere(cli, monkeypatch, tmp_path)
    imported = cli("import", tmp_path / "files", "--json").json()["imported"]

    assert [(row["session"], row["added"], row["workspace"]) for row in imported] == [(session, 4, "_default")]
    assert thoughts(cli, session) == before
    assert cli("call", "get_structure", f"sessionId={session}").json() == structure
    assert len(cli("call", "thought_reasoning_trail", "actionId=deploy-1").json()["trails"][0]) == 3
    assert cli("verify").code == 0


def test_importing_twice_adds_nothing(cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    cli("export", "--layout", "files", "-o", tmp_path / "files")
    elsewhere(cli, monkeypatch, tmp_path)
    cli("import", tmp_path / "files")
    before = cli("call", "ledger_status").json()

    again = cli("import", tmp_path / "files", "--json").json()["imported"]

    assert [row["added"] for row in again] == [0]
    assert cli("call", "ledger_status").json() == before


def test_thoughts_that_came_later_are_added(cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    cli("export", "--layout", "files", "-o", tmp_path / "early")
    think(cli, thought="One more")
    cli("export", "--layout", "files", "-o", tmp_path / "late")
    elsewhere(cli, monkeypatch, tmp_path)
    cli("import", tmp_path / "early")

    late = cli("import", tmp_path / "late", "--json").json()["imported"]

    assert [row["added"] for row in late] == [1]
    assert thoughts(cli, session)[-1]["thought"] == "One more"


def test_a_directory_with_a_session_that_is_not_whole_is_refused_and_nothing_is_taken_in(
    cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    cli("call", "start_new", "sessionTitle=Another")
    cli("export", "--layout", "files", "-o", tmp_path / "files")
    [missing] = (tmp_path / "files").rglob(f"{session}/002.json")
    missing.unlink()
    elsewhere(cli, monkeypatch, tmp_path)

    ran = cli("import", tmp_path / "files", "--json")

    assert ran.code == 1
    assert ran.error()["details"]["sessions"][session]["missingThoughtFiles"] == ["002.json"]
    assert cli("call", "list_sessions").json()["count"] == 0


@pytest.mark.parametrize(
    ("granularity", "folder"),
    [("monthly", "20??-??"), ("weekly", "20??-W??"), ("daily", "20??-??-??"), ("none", SESSION[:0])],
)
def test_sessions_are_put_into_folders_by_time(cli: Cli, session: str, tmp_path: Path, granularity: str, folder: str):
    cli("export", "--layout", "files", "-o", tmp_path / "files", "--partition", granularity)

    sessions = tmp_path / "files" / "projects" / "_default" / "sessions"
    pattern = f"{folder}/{session}/manifest.json" if folder else f"{session}/manifest.json"
    assert len(list(sessions.glob(pattern))) == 1


def test_a_workspace_can_be_named_for_what_comes_in(
    cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    cli("export", "--layout", "files", "-o", tmp_path / "files")
    elsewhere(cli, monkeypatch, tmp_path)
    cli("import", tmp_path / "files", "--workspace", "old")

    assert cli("call", "list_sessions").json()["count"] == 0
    assert cli("call", "list_sessions", "--workspace", "old").json()["count"] == 1


def test_a_directory_written_by_the_typescript_thoughtbox_is_taken_in(cli: Cli, tmp_path: Path):
    """Its nodes have no `next`, its branches sit under `branches/`, each pointing at the fork."""
    folder = tmp_path / "data" / "projects" / "shop" / "sessions" / "2025-12" / SESSION
    (folder / "branches" / "alt").mkdir(parents=True)

    def node(name: str, number: int, text: str, prev: str | None, **more: Any) -> None:
        data = {
            "thought": text,
            "thoughtNumber": number,
            "totalThoughts": 3,
            "nextThoughtNeeded": number < 3,
            "timestamp": f"2025-12-07T10:0{number}:00.000Z",
            **{key: value for key, value in more.items() if key in ("branchId", "branchFromThought")},
        }
        branch = f"{more['branchId']}:" if "branchId" in more else ""
        found = {"id": f"{SESSION}:{branch}{number}", "data": data, "prev": prev, "next": [], "revisesNode": None}
        found |= {"branchOrigin": prev if branch else None, "branchId": more.get("branchId")}
        (folder / name).write_text(json.dumps(found), encoding="utf-8")

    node("001.json", 1, "first", None)
    node("002.json", 2, "second", f"{SESSION}:1")
    node("003.json", 3, "third", f"{SESSION}:2")
    node("branches/alt/002.json", 2, "other", f"{SESSION}:1", branchId="alt", branchFromThought=1)
    node("branches/alt/003.json", 3, "further", f"{SESSION}:1", branchId="alt", branchFromThought=1)
    manifest = {
        "id": SESSION,
        "version": "1.0.0",
        "thoughtFiles": ["001.json", "002.json", "003.json"],
        "branchFiles": {"alt": ["002.json", "003.json"]},
        "metadata": {
            "title": "Old one",
            "tags": ["old"],
            "createdAt": "2025-12-07T10:00:00.000Z",
            "updatedAt": "2025-12-07T10:03:00.000Z",
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    ran = cli("import", tmp_path / "data", "--json")

    assert ran.code == 0, ran.err
    structure = cli("call", "get_structure", f"sessionId={SESSION}", "--workspace", "shop").json()
    assert structure["mainChain"] == {"length": 3, "head": 1, "tail": 3}
    assert structure["branches"] == {"alt": {"length": 2, "head": 2, "tail": 3, "fromThought": 1}}
    assert {"from": "alt:3", "to": "alt:2", "type": "next"} in structure["edges"], "a fan has become a chain"
    listed = cli("call", "list_sessions", "--workspace", "shop").json()["sessions"]
    assert [(one["title"], one["tags"], one["createdAt"]) for one in listed] == [
        ("Old one", ["old"], "2025-12-07T10:00:00.000Z")
    ]


@pytest.mark.parametrize("form", ["json", "markdown", "cipher"])
def test_one_session_goes_out_as_one_document(cli: Cli, session: str, tmp_path: Path, form: str):
    shown = cli("export", "--layout", form, "--session", "latest").out
    cli("export", "--layout", form, "--session", session, "-o", tmp_path / "document")

    assert "Or the pool?" in shown
    written = (tmp_path / "document").read_text(encoding="utf-8")
    if form == "json":
        assert json.loads(shown)["nodes"] == json.loads(written)["nodes"]
    else:
        assert written == shown


@pytest.mark.parametrize("form", ["json", "cipher"])
def test_one_session_goes_out_as_a_document_and_comes_in_again(
    cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
):
    cli("call", "branch.reject", f"sessionId={session}", "branchId=pool", "why=Never full")
    cli("export", "--layout", form, "--session", session, "-o", tmp_path / f"session.{form}")
    structure = cli("call", "get_structure", f"sessionId={session}").json()
    elsewhere(cli, monkeypatch, tmp_path)

    [row] = cli("import", tmp_path / f"session.{form}", "--json").json()["imported"]
    again = cli("import", tmp_path / f"session.{form}", "--json").json()["imported"][0]

    assert (row["thoughts"], row["added"]) == (4, 4)
    found = cli("call", "get_structure", f"sessionId={row['session']}").json()
    assert {**found, "sessionId": session} == structure
    if form == "json":
        assert (row["session"], again["added"]) == (session, 0)
    else:
        assert again["session"] != row["session"]


def test_documents_are_taken_in_together_or_not_at_all(cli: Cli, tmp_path: Path):
    (tmp_path / "whole.cipher").write_text("# One\nS1|O|a\n", encoding="utf-8")
    (tmp_path / "broken.txt").write_text("# Two\n# Branch a from S1\n", encoding="utf-8")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "other.jsonl").write_text("{}", encoding="utf-8")

    broken = cli("import", tmp_path / "whole.cipher", tmp_path / "broken.txt")
    unread = cli("import", tmp_path / "whole.cipher", tmp_path / "bytes.txt")
    mixed = cli("import", tmp_path / "whole.cipher", tmp_path / "other.jsonl")

    assert (broken.code, unread.code, mixed.code) == (1, 1, 2)
    assert "broken.txt" in broken.err
    assert "line 2" in broken.err
    assert "UTF-8" in unread.err
    assert cli("call", "list_sessions").json()["count"] == 0


def test_an_export_of_the_ledger_may_be_called_json(
    cli: Cli, session: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    cli("export", "-o", tmp_path / "all.json")
    elsewhere(cli, monkeypatch, tmp_path)

    assert cli("import", tmp_path / "all.json").code == 0
    assert cli("call", "list_sessions").json()["sessions"][0]["id"] == session


@pytest.mark.parametrize(
    "words",
    [
        ("--layout", "markdown"),
        ("--session", "latest"),
        ("--layout", "files", "--gzip"),
        ("--partition", "daily"),
    ],
)
def test_options_that_do_not_go_together_are_refused(cli: Cli, session: str, words: tuple[str, ...]):
    assert cli("export", *words).code == 2


def test_a_directory_without_sessions_is_refused(cli: Cli, tmp_path: Path):
    (tmp_path / "nothing").mkdir()
    ran = cli("import", tmp_path / "nothing")
    assert ran.code == 1
    assert "no session" in ran.err


def test_a_deleted_session_stays_deleted(cli: Cli, session: str, tmp_path: Path):
    cli("export", "--layout", "files", "-o", tmp_path / "files")
    cli("call", "session.delete", f"sessionId={session}")
    ran = cli("import", tmp_path / "files", "--json")
    assert ran.json()["imported"][0]["added"] == 0
    assert "deleted" in ran.json()["imported"][0]["notices"][0]
    shutil.rmtree(tmp_path / "files")
