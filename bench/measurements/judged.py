"""Whether what is said of a session is true: analysis and learnings beside what a careful reader says."""

from __future__ import annotations

from collections.abc import Iterator

from bench.run import Run
from bench.table import Bar, Line, at_least
from tests.support.box import Box
from tests.support.judged import load_judged, record_judged
from tests.support.judging import Tally, analysis_tallies, learning_tally
from tests.support.thinker import Client

PRECISION, RECALL = at_least(90), at_least(80)
ROOMS = {"": {}, " in full": {"maxChars": 50_000}}
"""How learnings are asked for."""


def measure(run: Run) -> Iterator[Line]:
    lists: dict[str, Tally] = {}
    learnt: dict[str, Tally] = {name: Tally() for name in ROOMS}
    for judged in load_judged():
        box = Box()
        try:
            client = Client(box, stateless=True)
            session_id = record_judged(client, judged)
            for name, tally in analysis_tallies(judged, client.call("session.analyze", sessionId=session_id)):
                lists.setdefault(name, Tally()).add(tally)
            for name, room in ROOMS.items():
                answer = client.call("session.extract_learnings", sessionId=session_id, **room)
                learnt[name].add(learning_tally(judged, answer["learnings"]))
        finally:
            box.close()
    together = Tally()
    for tally in lists.values():
        together.add(tally)
    yield from _lines("analysis", together, PRECISION, RECALL)
    for name, tally in learnt.items():
        yield from _lines(f"learnings{name}", tally, PRECISION, RECALL)
    for name, tally in lists.items():
        yield from _lines(f"{name.replace('_', ' ')}", tally, None, None)


def _lines(what: str, tally: Tally, precision: Bar | None, recall: Bar | None) -> Iterator[Line]:
    yield Line(what=f"judged sessions: {what}, precision", value=100 * tally.precision, unit="%", bar=precision)
    yield Line(what=f"judged sessions: {what}, recall", value=100 * tally.recall, unit="%", bar=recall)
