"""docs/how-to-write-a-room.md builds a room that works, line for line, on both engines."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.postgres import fresh_schema, server_url

PAGE = Path(__file__).parent.parent / "docs" / "how-to-write-a-room.md"
BLOCKS = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.fixture(params=["sqlite", "postgres"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    with ExitStack() as kept:
        told = {**os.environ, "THOUGHTBOX_DATA_DIR": str(tmp_path / "data"), "PYTHONPATH": str(tmp_path)}
        if request.param == "postgres":
            told["THOUGHTBOX_DATABASE_URL"] = kept.enter_context(fresh_schema(server_url(request.config)))
        yield told


def test_the_room_of_the_page_works_as_it_stands(environment: dict[str, str], tmp_path: Path):
    for name, code in BLOCKS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code, encoding="utf-8")

    ran = subprocess.run(
        [sys.executable, "story.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert set(BLOCKS) == {
        "shelf/__init__.py",
        "shelf/models.py",
        "shelf/shelf.sql",
        "shelf/view.py",
        "shelf/operations.py",
        "story.py",
    }


def test_its_code_is_written_as_ours_is(tmp_path: Path):
    for name, code in BLOCKS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code, encoding="utf-8")

    for check in (["check", "--select", "E,F,UP,B,SIM,RET"], ["format", "--check"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *check, "--line-length", "120", "--isolated", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout
