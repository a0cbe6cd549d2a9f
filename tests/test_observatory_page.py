"""What `docs/observatory.md` shows can be sent as it stands, and what it says of routes, events and settings is so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.box import Box
from tests.support.watching import Observed, observed
from thoughtbox.doors.cli import parser
from thoughtbox.settings import all_settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "observatory.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shown() -> Iterator[Observed]:
    box = Box()
    box.start_new(sessionTitle="Slow pages")
    with observed(box) as found:
        yield found
    box.close()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_every_request_on_the_page_is_answered(shown: Observed):
    requests = re.findall(r'\$ curl -s "([^"]+)"', "".join(blocks("console")))
    assert len(requests) >= 3

    for address in map(urlsplit, requests):
        assert shown.get(f"{address.path}?{address.query}").status == 200, address


def test_every_message_on_the_page_is_understood(shown: Observed):
    session = shown.ask("/api/sessions")["sessions"][0]["id"]
    messages = [json.loads(line.replace("…", session)) for line in "".join(blocks("json")).splitlines()]
    assert {message["channel"] for message in messages} == {"reasoning", "sessions", "records"}
    watcher = shown.watch()

    for message in messages:
        watcher.connection.send(json.dumps(message))

    assert [event["event"] for event in watcher.rest() if event["event"] != "record:added"] == [
        "sessions:list",
        "session:snapshot",
    ]


def test_it_names_every_route_and_no_other(shown: Observed):
    [table] = re.findall(r"\| path \| what it answers \|\n(.*?)\n\n", PAGE, re.DOTALL)
    named = {path for row in table.splitlines() for path in re.findall(r"`(/api/[^`]*)`", row.partition(" | ")[0])}
    served = set(shown.ask("/api/openapi.json")["paths"]) - {"/api/memory/cells/{id}"}

    assert named == served


def test_it_starts_with_commands_that_there_are():
    words = [line.split("#")[0].split() for line in "".join(blocks("sh")).splitlines()]
    commands = [line[1:] for line in words if line and line[0] == "thoughtbox"]
    assert len(commands) == 3

    for command in commands:
        parser.build().parse_args(command)


def test_settings_and_pages_that_it_names_exist():
    known = {setting.variable for setting in all_settings()}

    assert set(re.findall(r"\bTHOUGHTBOX_[A-Z_]+\b", PAGE)) - {"THOUGHTBOX_WRITE_PICTURES"} <= known
    assert [name for name in re.findall(r"\]\(([^):#]+)[^)]*\)", PAGE) if not (DOCS / name).exists()] == []
