"""Code mode: what a snippet costs above the same operation called directly, and what it saves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from bench.client import Client
from bench.clock import medians
from bench.machine import children, resident_mb
from bench.run import Run
from bench.servers import thoughtbox
from bench.table import Line, at_least, at_most

TEXT = "Reads dominate writes 40 to 1, so the first readers after a deployment pay for all of them."
MANY = 100
STARTS = 5
FIRST_MS = 250
ABOVE = {"python": 3, "javascript": 8}
"""Milliseconds above the same operation called directly."""

ONE = {
    "python": f'tb.claim("NUMBER. {TEXT}", confidence=0.8)',
    "javascript": f'tb.claim("NUMBER. {TEXT}", {{confidence: 0.8}})',
    "typescript": f'const text: string = "NUMBER. {TEXT}";\ntb.claim(text, {{confidence: 0.8}})',
}
"""One builder. No snippet is sent to a server twice: what is known of one that was seen before is no help."""
HUNDRED = {
    "python": f'for i in range({MANY}): tb.claim(f"NUMBER.{{i}}. {TEXT}", confidence=0.8)',
    "javascript": f"for (let i = 0; i < {MANY}; i++) tb.claim(`NUMBER.${{i}}. {TEXT}`, {{confidence: 0.8}})",
}


def measure(run: Run) -> Iterator[Line]:
    directory = run.new_directory()
    with Client(thoughtbox(directory)) as client:
        yield _listed(client)
        yield from _one(run, client)
        yield from _hundred(run, client)
        yield _memory(client)
    yield from _first(run, directory)


def _listed(client: Client) -> Line:
    tools = client.ask("tools/list")["tools"]
    size = len(orjson.dumps(tools).decode())
    return Line(what="`tools/list` of the default toolset", value=size, unit="characters", bar=at_most(4_000))


def _one(run: Run, client: Client) -> Iterator[Line]:
    """One builder in a snippet, above the same operation called by itself."""
    numbers = count(1)
    actions: dict[str, Callable[[], object]] = {
        "direct": lambda: client.call_tool("claim", {"text": f"{next(numbers)}. {TEXT}", "confidence": 0.8}),
        **{language: lambda language=language: _execute(client, ONE, language, next(numbers)) for language in ONE},
    }
    p50 = medians(run.rounds(300, 80), actions, warm_up=20)
    yield Line(what="`claim` called directly over stdio, p50", value=p50["direct"] * 1e3, unit="ms")
    for language in ONE:
        yield Line(
            what=f"a warm snippet with one builder, {language}, p50, above that",
            value=(p50[language] - p50["direct"]) * 1e3,
            unit="ms",
            bar=at_most(ABOVE[language]) if language in ABOVE else None,
        )


def _hundred(run: Run, client: Client) -> Iterator[Line]:
    """A hundred records in one snippet, against as many calls: bytes both ways, and time."""
    singles = [{"text": f"{number}. {TEXT}", "confidence": 0.8} for number in range(MANY)]
    numbers = count(1)
    actions: dict[str, Callable[[], object]] = {
        "singly": lambda: [client.call_tool("claim", arguments) for arguments in singles],
        **{
            language: lambda language=language: _execute(client, HUNDRED, language, next(numbers))
            for language in HUNDRED
        },
    }
    p50 = medians(run.rounds(15, 5), actions, warm_up=2)
    singly = sum(_bytes(client, "claim", arguments) for arguments in singles)
    for language in HUNDRED:
        together = _bytes(client, "execute", {"code": HUNDRED[language], "language": language})
        yield Line(
            what=f"{MANY} records singly, in bytes on the wire",
            value=singly,
            unit="characters",
            against=together,
            against_what=f"in one snippet, {language}",
            bar=at_least(10),
        )
        yield Line(
            what=f"{MANY} records singly, p50",
            value=p50["singly"] * 1e3,
            unit="ms",
            against=p50[language] * 1e3,
            against_what=f"in one snippet, {language}",
            bar=at_least(5),
        )


def _memory(client: Client) -> Line:
    """All processes of a server whose sandboxes are warm."""
    for language in ONE:
        _execute(client, ONE, language)
    held = sum(map(resident_mb, [client.pid, *children(client.pid)]))
    return Line(what="resident memory with warm sandboxes, all processes", value=held, unit="MB", bar=at_most(180))


def _first(run: Run, directory: Path) -> Iterator[Line]:
    """The first snippet that a server runs, sent as soon as it has answered the handshake."""
    for language in ONE:
        taken = []
        for _ in range(run.rounds(STARTS, 3)):
            with Client(thoughtbox(directory)) as client:
                before = client.age()
                _execute(client, ONE, language)
                taken.append(client.age() - before)
        yield Line(
            what=f"the first snippet after the start, {language}, median of {len(taken)} starts",
            value=median(taken) * 1e3,
            unit="ms",
            bar=at_most(FIRST_MS),
        )


def _execute(client: Client, code: dict[str, str], language: str, number: int = 0) -> dict[str, Any]:
    return client.call_tool("execute", {"code": code[language].replace("NUMBER", str(number)), "language": language})


def _bytes(client: Client, tool: str, arguments: dict[str, Any]) -> int:
    """Of a call and of its result."""
    asked = orjson.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    )
    return len(asked) + len(orjson.dumps(client.call_tool(tool, arguments)))
