"""What one real task costs a model: the twelve judged sessions through tools, the gateway and code mode, in tokens.

How each is told stands in `bench/tellings.py`. Read is what stands in front of the model: the tools it is shown, once,
and the text of every answer. Written are the arguments of its calls as JSON, a snippet is a string in them. The frame
that a client puts around each call is not counted, nor are the server's instructions: they are much the same in each.
A model reads all that came before with every call, from a cache or not: that is what is read over all turns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import orjson

from bench.client import Client
from bench.run import Run
from bench.servers import thoughtbox
from bench.table import Line
from bench.tellings import (
    Conversation,
    Telling,
    listed,
    through_code,
    through_the_gateway,
    through_the_gateway_by_lines,
    through_tools,
)
from tests.support.judged import Judged, load_judged

TOOLS, GATEWAY = "through tools", "through the gateway"
LINES = "through the gateway, lines together"
JAVASCRIPT, PYTHON = "in code mode, JavaScript", "in code mode, Python"
AT_ONCE = "in code mode, in one snippet"


class Way(NamedTuple):
    toolset: str
    tell: Telling


WAYS: Mapping[str, Way] = {
    TOOLS: Way("thoughts", through_tools),
    GATEWAY: Way("default", through_the_gateway),
    LINES: Way("default", through_the_gateway_by_lines),
    JAVASCRIPT: Way("default", through_code("javascript")),
    PYTHON: Way("default", through_code("python")),
    AT_ONCE: Way("default", through_code("javascript", at_once=True)),
}
AGAINST: Mapping[str, Sequence[str]] = {
    GATEWAY: [TOOLS],
    LINES: [GATEWAY],
    JAVASCRIPT: [TOOLS, GATEWAY],
    PYTHON: [TOOLS, GATEWAY],
    AT_ONCE: [JAVASCRIPT],
}
UNIT: Final = "tokens"
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")

MEASURES: Mapping[str, Callable[[Conversation], int]] = {
    "read": lambda told: told.read_in_all,
    "written": lambda told: told.written_in_all,
    "read over all turns": lambda told: told.read_again,
}


class Told(NamedTuple):
    """A session, told in one way."""

    session: str
    model: Conversation
    left: tuple[str, ...]
    """What is in the ledger then, and what it was in brief; without ids and times, which no two sessions share."""


def measure(run: Run) -> Iterator[Line]:
    told: dict[str, list[Told]] = {}
    for name, way in WAYS.items():
        with Client(thoughtbox(run.new_directory(), THOUGHTBOX_TOOLSET=way.toolset)) as client:
            size = listed(client)
            told[name] = [_told(client, way, size, judged) for judged in load_judged()]
        for each, first in zip(told[name], told[TOOLS], strict=True):
            assert each.left == first.left, f"{each.session} {name} is not what it is {TOOLS}"
        if name in (TOOLS, GATEWAY):
            yield Line(what=f"the tools of toolset `{way.toolset}` as a model is shown them", value=size, unit=UNIT)
    for what, of in MEASURES.items():
        yield from _lines(what, {name: sum(of(each.model) for each in found) for name, found in told.items()})
    run.notes.append(_by_session(told))


def _told(client: Client, way: Way, size: int, judged: Judged) -> Told:
    model = Conversation(client, size)
    brief = way.tell(model, judged)
    session_id = brief["sessionId"]
    exported = client.call_tool("session.export", {"sessionId": session_id, "format": "json", "maxChars": 200_000})
    content = exported["structuredContent"]["content"]
    texts = [node["data"]["thought"] for node in orjson.loads(content)["nodes"]]
    assert texts == [thought["text"] for thought in judged.thoughts if "text" in thought], judged.name
    left = (TIME.sub("", text.replace(session_id, "")) for text in (content, orjson.dumps(brief).decode()))
    return Told(judged.name, model, tuple(left))


def _lines(what: str, sums: Mapping[str, int]) -> Iterator[Line]:
    """What all sessions come to together in each way, against what they come to in others."""
    for name, value in sums.items():
        for other in AGAINST.get(name, [None]):
            yield Line(
                what=f"twelve judged sessions {name}: {what}",
                value=value,
                unit=UNIT,
                against=None if other is None else sums[other],
                against_what=other or "",
            )


def _by_session(told: Mapping[str, list[Told]]) -> str:
    """A table of one row for each session: read, written, and calls."""
    shown = {"tools": TOOLS, "gateway": GATEWAY, "JavaScript": JAVASCRIPT, "Python": PYTHON}
    rows = [
        ["read + written, calls", *shown],
        ["---", *("---:" for _ in shown)],
        *(
            [told[TOOLS][number].session, *(_cell(told[name][number].model) for name in shown.values())]
            for number in range(len(told[TOOLS]))
        ),
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(model: Conversation) -> str:
    return f"{model.read_in_all:,} + {model.written_in_all:,}, {len(model.written)}"
