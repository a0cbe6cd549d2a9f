"""Names of workspaces lead nowhere: they are refused wherever one is taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from tests.doors.cli.conftest import cli as cli
from tests.support.servers import HttpServer, environment
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import WORKSPACE, load

REFUSED = [
    "a/../b",
    "a/..",
    "a/.",
    "a/./b",
    "a//b",
    "a/",
    "./a",
    "../a",
    "..",
    ".",
    "/a",
    "/",
    "",
    "a\\b",
    "a\0b",
    "a\nb",
    "a\n",
    "a b",
    "%2e%2e/a",
    "a/%2e%2e",
    "-a",
    "ä",
    "a" * 129,
    "a/" * 64 + "aa",
]
ALLOWED = ["_default", "a", "A", "a/b", "team/alice/x", "a.b", "a..b", "a/.hidden", "a/...", "a/-b", "9", "a" * 128]


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_a_name_stays_one(tmp_path: Path, name: str):
    assert load(environment(tmp_path, THOUGHTBOX_PROJECT=name)).project == name


@pytest.mark.parametrize("name", REFUSED)
def test_what_leads_somewhere_is_no_name(tmp_path: Path, name: str):
    assert not WORKSPACE.fullmatch(name)
    with pytest.raises(ConfigurationError, match="--project"):
        load(environment(tmp_path), project=name)


def test_no_request_can_name_one(tmp_path: Path):
    server = HttpServer(environment(tmp_path))
    try:
        for name in REFUSED:
            params = {"name": "ledger_status", "arguments": {}, "_meta": {"thoughtbox/workspace": name}}
            answer = server.ask("tools/call", params).json()["result"]
            assert answer["isError"], name
            assert answer["structuredContent"]["code"] == "INVALID_PAYLOAD"
    finally:
        server.stop()


@pytest.mark.parametrize("name", REFUSED)
def test_no_import_brings_one_in(cli: Cli, tmp_path: Path, name: str):
    cli.think(1)
    lines = cli("export").out.splitlines()
    header = {**json.loads(lines[0]), "workspace": name}
    (tmp_path / "export.jsonl").write_text("\n".join([json.dumps(header), *lines[1:], ""]), encoding="utf-8")

    refused = cli("--data-dir", "copy", "import", "export.jsonl")

    assert refused.code == 1
    assert "is no name for a workspace" in refused.err
