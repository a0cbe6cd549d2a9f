"""The compact form: what long logs and some answers cost a model in tokens, and how long it takes to write and read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench.clock import medians
from bench.run import Run
from bench.table import Line, at_most
from tests.support.session_logs import RECORDS, answers, session_logs
from tests.support.tokens import tokens
from thoughtbox.tbx import decode, encode

PLAIN = "as plain JSON"


def measure(run: Run) -> Iterator[Line]:
    logs = session_logs()
    for room, log in logs.items():
        yield _tokens(f"TBX-C1: a log of {RECORDS} records of the {room} room", log, barred=True)
    for what, answer in answers():
        yield _tokens(f"TBX-C1: {what}", answer, barred=False)
    for room, log in logs.items():
        message = encode(log)
        actions = {"encode": partial(encode, log), "decode": partial(decode, message)}
        for name, seconds in medians(run.rounds(30, 10), actions, warm_up=2).items():
            yield Line(what=f"TBX-C1: {name}, per record of the {room} room", value=seconds / RECORDS * 1e6, unit="µs")


def _tokens(what: str, value: Any, *, barred: bool) -> Line:
    return Line(
        what=what,
        value=tokens(encode(value)),
        unit="tokens",
        against=tokens(value),
        against_what=PLAIN,
        bar=at_most(0.5) if barred else None,
    )
