"""`docs/notebooks.md`, told by whatever client: calls as they stand there, and whether it gets what is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.support import pages
from tests.support.pages import ROOT, Answer, Call, Exchange, Script

PAGE_FILE = ROOT / "docs" / "notebooks.md"
PAGE = PAGE_FILE.read_text(encoding="utf-8")
_BLOCKS = re.compile(r"^```json( at once)?\n(.*?)^```\n\n^```jsonl\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_RECORD = re.compile(r"th:\d+")
_ABOVE = "‹content of the answer above›"
"""What export has answered; the page does not show all of it."""


class Group(NamedTuple):
    """Calls of one block, and what the page shows of their answers."""

    exchanges: list[Exchange]
    is_at_once: bool
    """Each is sent while the one before it is still under way."""


def groups() -> list[Group]:
    found = []
    for at_once, calls, answers in _BLOCKS.findall(PAGE):
        pairs = zip(map(json.loads, calls.splitlines()), map(json.loads, answers.splitlines()), strict=True)
        found.append(Group([Exchange(*pair) for pair in pairs], bool(at_once)))
    return found


def one_after_the_other() -> list[Exchange]:
    """All calls, for a client that waits for each answer: what it cannot interrupt runs out of time instead."""
    found: list[Exchange] = []
    for group in groups():
        if not group.is_at_once:
            found += group.exchanges
            continue
        running, interrupting = group.exchanges
        found.append(running._replace(shown={"status": "failed", "error": "timeout: …", "exitCode": 1}))
        found.append(interrupting._replace(shown={"success": True, "interrupted": False}))
    return found


def next_call(exchanges: Sequence[Exchange], answers: list[Answer], *, names_session: bool = False) -> Call:
    """The last of the exchanges as it is sent here: what chance has made of earlier answers stands in it."""
    known = [*exchanges[: len(answers)], exchanges[-1]]
    call = pages.word_for_word(known, names_session=names_session)(answers)
    assert call is not None
    numbers = _numbers(exchanges, answers)
    return {name: _content(answers) if value == _ABOVE else _numbered(value, numbers) for name, value in call.items()}


def script(exchanges: Sequence[Exchange]) -> Script:
    def call_after(answers: list[Answer]) -> Call | None:
        done = len(answers)
        return next_call(exchanges[: done + 1], answers) if done < len(exchanges) else None

    return call_after


def unlike(exchanges: Sequence[Exchange], answers: list[Answer]) -> list[str]:
    """Calls whose answers are not what the page shows."""
    expected, content, numbers = [], "", _numbers(exchanges, answers)
    for (call, shown), answer in zip(exchanges, answers, strict=True):
        assert shown is not None
        is_above = shown.get("content") == _ABOVE
        expected.append(Exchange(call, {**shown, "content": content} if is_above else _numbered(shown, numbers)))
        content = answer.get("content", content)
    return pages.unlike(expected, answers)


def _numbers(exchanges: Sequence[Exchange], answers: Sequence[Answer]) -> dict[str, str]:
    """Ids of records on the page, and what they are here: a run on a slow machine leaves more of them."""
    found: dict[str, str] = {}

    def learn(shown: Any, real: Any) -> None:
        if isinstance(shown, dict) and isinstance(real, dict):
            for name in shown.keys() & real.keys():
                learn(shown[name], real[name])
        elif isinstance(shown, list) and isinstance(real, list):
            for one, other in zip(shown, real, strict=False):
                learn(one, other)
        elif isinstance(shown, str) and isinstance(real, str) and _RECORD.fullmatch(shown) and _RECORD.fullmatch(real):
            found.setdefault(shown, real)

    for exchange, answer in zip(exchanges, answers, strict=False):
        learn(exchange.shown, answer)
    return found


def _numbered(value: Any, numbers: dict[str, str]) -> Any:
    """The same with the ids that records have here."""
    return json.loads(_RECORD.sub(lambda found: numbers.get(found[0], found[0]), json.dumps(value)))


def _content(answers: Sequence[Answer]) -> str:
    return next(answer["content"] for answer in reversed(answers) if "content" in answer)
