"""The same calls on two fresh stores, at the same times, get the same answers to the byte."""

from __future__ import annotations

import json
from typing import Any

from tests.support.box import Box
from tests.support.boxes import OpenBox
from tests.support.mind_day import DAY, spend
from thoughtbox.errors import ThoughtboxError

EXAMPLES = 60
"""How many tools' examples follow the day: they run into what it left behind."""


def _told(box: Box) -> list[str]:
    def ask(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            return box.call(tool, arguments)
        except ThoughtboxError as error:
            return error.payload()

    answers = [answer for _, answer in spend(ask, DAY)]
    table = box.app.dispatcher.table
    tools = [table.operations[tool.name] for tool in table.shown_in("mind-full").values()]
    for tool in tools[:: max(1, len(tools) // EXAMPLES)]:
        answers += [ask(name, dict(arguments)) for name, arguments in tool.example.given]
        answers.append(ask(tool.name, dict(tool.example.arguments)))
    settings = box.app.settings
    data, project = str(settings.data_dir), str(settings.project_root)  # which some of them tell
    return [json.dumps(each, ensure_ascii=False).replace(data, "store").replace(project, "project") for each in answers]


def test_the_same_calls_on_two_stores_get_the_same_answers_to_the_byte(open_box: OpenBox):
    one, other = _told(open_box("one")), _told(open_box("other"))

    assert len(one) > 100
    assert sum('"success": true' in answer for answer in one) > 60
    assert [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]] == []
