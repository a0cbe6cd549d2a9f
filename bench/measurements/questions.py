"""Whether questions find what answers them, and how long that takes as a workspace grows."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import quantiles
from typing import Any

from bench.measurements.postgres import server
from bench.questions import fill
from bench.run import Run, settings_for
from bench.stores import CALLER
from bench.table import Bar, Line, at_least, at_most
from tests.support.questions import questions
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.replay import catch_up_all
from thoughtbox.operations.dispatch import Answer, Call

FEW, SOME, MANY = 602, 6_000, 100_000
MANY_IN_A_HURRY = 20_000
BARS = {SOME: at_most(15), MANY: at_most(60)}
SESSIONS, THOUGHTS = 5, 10
PERCENT_OF_SESSIONS, PERCENT_OF_THOUGHTS = 90, 80
P95 = 94
"""Which of the hundredths."""


def measure(run: Run) -> Iterator[Line]:
    with Thoughtbox(settings_for(run.new_directory())) as box:
        keys = fill(box, FEW)
        asking = Asking(box)
        sessions = [question["session"] in asking.sessions(question["ask"], keys) for question in questions()]
        thoughts = [_is_answered(question, asking.thoughts(question["ask"], keys)) for question in questions()]
    yield _share(f"questions whose session is among the first {SESSIONS}", sessions, at_least(PERCENT_OF_SESSIONS))
    yield _share(f"questions whose thought is among the first {THOUGHTS}", thoughts, at_least(PERCENT_OF_THOUGHTS))
    for size in (SOME, MANY_IN_A_HURRY if run.quick else MANY):
        run.say(f"making a workspace of {size:,} thoughts to ask")
        with Thoughtbox(settings_for(run.new_directory())) as box:
            yield _asked(f"a question at {size:,} thoughts, p95", run, box, size, BARS.get(size))
    with server() as url:
        if not url:
            run.notes.append("There is no PostgreSQL to be had: questions to it were left out.")
            return
        settings = settings_for(run.new_directory(), database_url=url)
        settings.data_dir.mkdir(parents=True)
        with Thoughtbox(settings) as box:
            yield _asked(f"a question at {SOME:,} thoughts on PostgreSQL, p95", run, box, SOME, None)


class Asking:
    """Somebody with a question."""

    def __init__(self, box: Thoughtbox) -> None:
        self._box = box

    def search(self, query: str, **arguments: Any) -> Answer:
        given = {"query": query, **arguments}
        workspace = self._box.settings.project
        return self._box.dispatcher.call(
            Call(operation="session.search", workspace=workspace, arguments=given, caller=CALLER)
        )

    def sessions(self, query: str, keys: dict[str, str]) -> list[str | None]:
        return [keys.get(each["id"]) for each in self.search(query, limit=SESSIONS)["sessions"]]

    def thoughts(self, query: str, keys: dict[str, str]) -> list[tuple[str | None, int]]:
        found = self.search(query, what="thoughts", limit=THOUGHTS)["thoughts"]
        return [(keys.get(each["sessionId"]), each["thoughtNumber"]) for each in found]


def _is_answered(question: dict[str, Any], found: list[tuple[str | None, int]]) -> bool:
    return any(session == question["session"] and number in question["thoughts"] for session, number in found)


def _share(what: str, right: list[bool], bar: Bar) -> Line:
    return Line(what=what, value=100 * sum(right) / len(right), unit="%", bar=bar)


def _asked(what: str, run: Run, box: Thoughtbox, size: int, bar: Bar | None) -> Line:
    fill(box, size)
    catch_up_all(box.engine, box.views, box.settings.project)
    asking = Asking(box)
    times: list[float] = []
    for turn in range(-1, run.rounds(4, 2)):
        for question in questions():
            began = time.perf_counter()
            asking.search(question["ask"])
            if turn >= 0:
                times.append(time.perf_counter() - began)
    return Line(what=what, value=quantiles(times, n=100)[P95] * 1e3, unit="ms", bar=bar)
