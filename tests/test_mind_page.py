"""What `docs/mind.md` shows is what happens, and what it says of the tools is so."""

from __future__ import annotations

import re

from tests.support import pages
from tests.support.pages import MIND
from tests.support.senders import Sender
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

PAGE = MIND.read_text(encoding="utf-8")


def test_every_answer_on_the_page_is_what_the_call_above_it_gets(sender: Sender):
    exchanges = pages.mind()
    assert len(exchanges) > 20
    assert PAGE.count("```json\n") == PAGE.count("```jsonl\n")

    answers = pages.tell(pages.word_for_word(exchanges), sender.send)

    assert pages.unlike(exchanges, answers, exactly=sender.exactly) == []


def test_every_page_that_it_names_exists():
    assert [name for name in re.findall(r"\]\(([^):#]+)\)", PAGE) if not (MIND.parent / name).exists()] == []


def test_what_it_says_of_the_tools_is_so():
    domains.load()
    counts = [len(TABLE.shown_in(toolset)) for toolset in ("mind-core", "mind-daily", "mind-full")]
    assert "`mind-core` shows {} tools, `mind-daily` {}, `mind-full` all {}.".format(*counts) in " ".join(PAGE.split())
    tools = TABLE.shown_in("mind-full")
    assert [name for name, tool in tools.items() if not tool.names_workspace] == ["help"]
    dated = re.search(r"\*\*As of\.\*\* (.*?) take `as_of`", PAGE, re.DOTALL)
    assert dated is not None
    named = re.findall(r"`(\w+)`", dated[1])
    assert named == [name for name, tool in tools.items() if "as_of" in tool.arguments]
