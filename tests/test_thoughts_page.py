"""What `docs/thoughts.md` shows is what happens, and what agents are given to read can be sent as it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox import content
from thoughtbox.errors import ThoughtboxError

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = (DOCS / "thoughts.md").read_text(encoding="utf-8")


def shows(shown: Any, real: Any) -> bool:
    """Whether what is shown is so; it may leave out fields, the ends of lists, and the ends of texts."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(name in real and shows(part, real[name]) for name, part in shown.items())
    if isinstance(shown, list):
        return isinstance(real, list) and len(shown) <= len(real) and all(map(shows, shown, real))
    if isinstance(shown, str) and shown.endswith("…") and isinstance(real, str):
        return real.startswith(shown[:-1])
    return shown == real


def test_every_answer_on_the_page_is_what_the_call_above_it_gets():
    exchanges = re.findall(r"```json\n(.*?)```\n\n```jsonl\n(.*?)```", PAGE, re.DOTALL)
    assert len(exchanges) == PAGE.count("```json\n") == PAGE.count("```jsonl\n") > 10
    box = Box()
    mia = Client(box, agent="tester")
    try:
        for calls, answers in exchanges:
            for call, shown in zip(calls.splitlines(), answers.splitlines(), strict=True):
                try:
                    real = mia.gateway(**json.loads(call))
                except ThoughtboxError as error:
                    real = error.payload()
                assert shows(json.loads(shown), real), (call, real)
    finally:
        box.close()


def test_every_page_that_it_names_exists():
    assert [name for name in re.findall(r"\]\(([^):#]+)\)", PAGE) if not (DOCS / name).exists()] == []


PATTERNS = re.findall(r"^## (.*?)\n.*?```\n(.*?)```", content.text("patterns-cookbook.md"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("name", "calls"), PATTERNS, ids=[name for name, _ in PATTERNS])
def test_every_pattern_of_the_cookbook_can_be_sent_as_it_stands(name: str, calls: str):
    box = Box()
    mia = Client(box, agent="tester")
    try:
        mia.ready()
        answers = [mia.gateway(**json.loads(line)) for line in calls.splitlines()]
    finally:
        box.close()
    assert len(answers) >= 3
    assert not [answer for answer in answers if "notes" in answer], "nothing in it is misread"
