"""A first snippet finds its sandbox begun: what takes longest is started while the rest is still being imported."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forks import PATIENCE
from tests.support.servers import StdioServer, children, command, environment, soon
from tests.support.snippets import BUILDS, LANGUAGES, sandboxes
from thoughtbox.domains.code import ahead
from thoughtbox.operations import Lasting, Table


@pytest.fixture
def lasting() -> Iterator[Lasting]:
    made = Lasting()
    yield made
    made.close()


def begun(found: list[int], others: list[int]) -> str:
    """What runs in the processes that were started since."""
    return " ".join(command(pid) for pid in found if pid not in others)


@pytest.mark.parametrize(
    ("operation", "arguments", "process"),
    [
        ("execute", {"code": "tb.claim('x');", "language": "javascript"}, "thoughtbox.sandbox"),
        ("execute", {"code": "tb.claim('x')", "language": "python"}, "monty"),
        ("execute", {"code": "for i in range(3):\n    tb.claim(str(i))"}, "monty"),
        ("search", {"code": "catalog.operations.length", "language": "typescript"}, "thoughtbox.sandbox"),
        ("execute", {"code": "const a = 1;", "language": "no such language"}, "thoughtbox.sandbox"),
    ],
)
def test_a_sandbox_is_begun_for_the_language_of_the_snippet(
    table: Table, lasting: Lasting, operation: str, arguments: dict[str, Any], process: str
):
    others = children(os.getpid())

    ahead.begin(table, lasting, operation, arguments)

    soon(lambda: process in begun(children(os.getpid()), others))


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("search", {"query": "merge"}),
        ("execute", {}),
        ("execute", {"code": 3}),
        ("execute", {"code": "1;" * 40_000}),
        ("claim", {"code": "x", "text": "y"}),
    ],
)
def test_nothing_is_begun_for_what_runs_no_snippet(
    table: Table, lasting: Lasting, operation: str, arguments: dict[str, Any]
):
    others = children(os.getpid())

    ahead.begin(table, lasting, operation, arguments)

    assert begun(children(os.getpid()), others) == ""
    assert "sandbox-ahead" not in [thread.name for thread in threading.enumerate()]


def test_it_needs_none_of_what_takes_long_to_import():
    """Else it would wait for the very things that it is meant to run beside."""
    code = (
        "import sys, thoughtbox.domains.code.ahead, thoughtbox.domains.code.declarations, thoughtbox.sandbox.sandboxes"
    )
    heavy = "[name for name in ('pydantic', 'asyncio', 'thoughtbox.operations.dispatch') if name in sys.modules]"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}; print({heavy})"], capture_output=True, text=True, check=True, timeout=PATIENCE
    )

    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_server_starts_no_sandbox_before_it_is_given_a_snippet(tmp_path: Path, language: str):
    server = StdioServer(environment(tmp_path))
    try:
        server.initialize()
        server.call("claim", text="Reads dominate", session="s")
        server.call("search", query="link evidence")
        before = sandboxes(server.pid)
        answer = server.call("execute", code=BUILDS[language], language=language, session="s")
        after = sandboxes(server.pid)
    finally:
        server.stop()

    assert before == []
    assert after
    assert len(answer["records"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "thoughtbox_gateway"},
        {"operation": ["execute"], "code": "1"},
        {"operation": None, "code": "1"},
        {"code": "1"},
    ],
)
def test_a_first_call_that_leads_nowhere_begins_nothing_and_is_refused(tmp_path: Path, arguments: dict[str, Any]):
    server = StdioServer(environment(tmp_path))
    try:
        server.initialize()
        answer = server.ask("tools/call", {"name": "thoughtbox_gateway", "arguments": arguments})["result"]
        found = sandboxes(server.pid)
    finally:
        server.stop()

    assert answer["isError"]
    assert "INTERNAL_ERROR" not in answer["content"][0]["text"]
    assert found == []


def test_a_first_call_that_is_a_snippet_is_answered(tmp_path: Path):
    for language in LANGUAGES:
        server = StdioServer(environment(tmp_path))
        try:
            server.initialize()
            answer = server.call("execute", code=BUILDS[language], language=language, session="s")
        finally:
            server.stop()
        assert len(answer["records"]) == 2
