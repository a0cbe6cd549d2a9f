"""What `docs/thoughts.md` shows is what happens, and what agents are given to read can be sent as it stands."""

from __future__ import annotations

import json
import re

import pytest

from tests.support import pages
from tests.support.box import Box
from tests.support.pages import THOUGHTS
from tests.support.senders import Sender
from tests.support.thinker import Client
from thoughtbox import content

DOCS = THOUGHTS.parent
PAGE = THOUGHTS.read_text(encoding="utf-8")


def test_every_answer_on_the_page_is_what_the_call_above_it_gets(sender: Sender):
    exchanges = pages.thoughts()
    assert len(exchanges) > 30
    assert PAGE.count("```json\n") == PAGE.count("```jsonl\n")
    if not sender.has_stages:
        exchanges = pages.without_stages(exchanges)

    answers = pages.tell(pages.word_for_word(exchanges, names_session=sender.names_session), sender.send)

    assert pages.unlike(exchanges, answers, exactly=sender.exactly) == []


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
