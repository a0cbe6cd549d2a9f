"""Whether a session's tree takes time in proportion to its thoughts: ten times as many, in process and over stdio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from bench.client import Client
from bench.clock import medians
from bench.run import Run, settings_for
from bench.servers import thoughtbox
from bench.stores import CALLER, thought
from bench.table import Line, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call

SMALL, LARGE = 1_000, 10_000
BRANCH = 10
"""Every tenth thought goes back to where the last branch began; the others follow the one before."""


def measure(run: Run) -> Iterator[Line]:
    directory = run.new_directory()
    with Thoughtbox(settings_for(directory)) as box:
        _grow(box, SMALL, LARGE)

        def read(size: int) -> object:
            return box.dispatcher.call(
                Call(operation="thought_tree", workspace=box.settings.project, arguments=_asked(size), caller=CALLER)
            )

        yield _line("in process", run, read)
    with Client(thoughtbox(directory)) as client:
        yield _line("over stdio", run, lambda size: client.call_tool("thought_tree", _asked(size)))


def _asked(size: int) -> dict[str, object]:
    return {"sessionId": f"tree of {size}", "includeChildren": True}


def _grow(box: Thoughtbox, *sizes: int) -> None:
    """Record the sessions of a new store. Its ids are known beforehand, so no call waits for the one before."""
    answers = []
    ids = count(1)
    for size in sizes:
        session: list[str] = []
        for number in range(size):
            arguments = thought(f"tree of {size}", number)
            if session:
                arguments["parentId"] = session[-BRANCH] if number % BRANCH == 0 else session[-1]
            session.append(f"th:{next(ids)}")
            call = Call(operation="thought_record", workspace=box.settings.project, arguments=arguments, caller=CALLER)
            answers.append((session[-1], box.dispatcher.submit(call)))
    for id, answer in answers:
        assert answer.result()["thought"]["thoughtId"] == id


def _line(where: str, run: Run, read: Callable[[int], object]) -> Line:
    p50 = medians(run.rounds(21, 9), {size: lambda size=size: read(size) for size in (SMALL, LARGE)}, warm_up=2)
    return Line(
        what=f"thought_tree of {LARGE:,} thoughts with children, {where}, p50",
        value=p50[LARGE] * 1e3,
        unit="ms",
        against=p50[SMALL] * 1e3,
        against_what=f"of {SMALL:,}",
        bar=at_most(12),
    )
