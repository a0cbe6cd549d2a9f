"""The official conformance suite, run against a real server: what it finds is listed, with the reason, or is a bug."""

from __future__ import annotations

import json
import subprocess
import tomllib
from pathlib import Path

from tests.doors.mcp.conftest import StartHttp
from tests.support.clients import program, surroundings
from tests.support.forks import PATIENCE

REVISIONS = ("2025-06-18", "2025-11-25", "2026-07-28")
EXPECTED = Path(__file__).with_name("conformance_expected.toml")

Checks = set[tuple[str, str]]


def test_the_official_suite_finds_nothing_but_what_is_listed(start_http: StartHttp, tmp_path: Path):
    server = start_http()
    suite = program("conformance")
    running = {
        revision: subprocess.Popen(
            [suite, "server", "--url", server.url, "--suite", "all", "--spec-version", revision, "-o", revision],
            cwd=tmp_path,
            env=surroundings(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for revision in REVISIONS
    }
    failed: Checks = set()
    for revision, process in running.items():
        process.wait(PATIENCE)
        failures, passed = results(tmp_path / revision)
        failed |= failures
        assert len(passed) >= 12, f"too little was checked at {revision}"

    expected = listed()
    assert sorted(failed - expected) == [], "these are bugs"
    assert sorted(expected - failed) == [], "these pass, and need no entry any more"


def results(directory: Path) -> tuple[Checks, Checks]:
    """Checks that failed, and checks that passed, each with its scenario."""
    failed: Checks = set()
    passed: Checks = set()
    for file in directory.glob("*/checks.json"):
        # The folder is called server-SCENARIO-YEAR-MONTH-DAYT…
        scenario = file.parent.name.removeprefix("server-").rsplit("-", 6)[0]
        for check in json.loads(file.read_text(encoding="utf-8")):
            if check["status"] == "FAILURE":
                failed.add((scenario, check["id"]))
            elif check["status"] == "SUCCESS":
                passed.add((scenario, check["id"]))
    return failed, passed


def listed() -> Checks:
    entries = tomllib.loads(EXPECTED.read_text(encoding="utf-8"))
    assert all(entry["reason"] for entry in entries.values())
    return {(scenario, check) for scenario, entry in entries.items() for check in entry["checks"]}
