"""The thoughts room: whether a session's length, or the number of sessions, makes anything slower than it need be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson

from bench.client import Client
from bench.clock import medians
from bench.measurements.start import EMPTY_STORE, Started, started
from bench.run import Run, settings_for
from bench.servers import thoughtbox
from bench.stores import CALLER, TEXT
from bench.table import Line, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.domains.thoughts.standing import Standing
from thoughtbox.doors.mcp.tools import Tools
from thoughtbox.operations.caller import Focus, Landing
from thoughtbox.operations.dispatch import Answer, Call

SHORT, LONG = 100, 50_000
SMALL, LARGE = 500, 5_000
SESSIONS = 5_000
LISTED = 2_000
FORMATS = ("json", "markdown", "cipher")
TIMES_AS_MANY = 12
"""Ten times the thoughts may take this many times as long: linear, with something to spare."""


def measure(run: Run) -> Iterator[Line]:
    with Thoughtbox(settings_for(run.new_directory())) as box:
        yield from _sizes(box)
    yield from _thinking(run)
    yield from _reading(run)
    yield from _looking_back(run)
    yield from _start(run)


class Thinker:
    """An agent in one session."""

    def __init__(self, box: Thoughtbox, title: str) -> None:
        self._box = box
        self._focus = box.first_focus("connection")
        self.session_id: str = self.call("start_new", sessionTitle=title)["sessionId"]
        self.call("cipher")

    def call(self, operation: str, **arguments: Any) -> Answer:
        landing = Landing()
        answer = self._box.dispatcher.call(self._call(operation, arguments)._replace(landing=landing))
        self._focus = landing.focus or self._focus
        return answer

    def think(self, count: int) -> None:
        """Think that many thoughts, without waiting for each."""
        self.think_all({"thought": f"{number}. {TEXT}"} for number in range(count))

    def think_all(self, thoughts: Iterable[dict[str, Any]]) -> None:
        """The same, of thoughts that are given."""
        calls = [self._call("thought", thought) for thought in thoughts]
        for answer in [self._box.dispatcher.submit(call) for call in calls]:
            answer.result()

    def _call(self, operation: str, arguments: dict[str, Any]) -> Call:
        workspace = self._box.settings.project
        return Call(operation=operation, workspace=workspace, arguments=arguments, caller=CALLER, focus=self._focus)


def _sizes(box: Thoughtbox) -> Iterator[Line]:
    thinker = Thinker(box, "Sizes")
    thinker.call("thought", thought=TEXT)
    longest = thinker.call("thought", thought=TEXT, branchId="b" * 64, branchFromThought=1, nextThoughtNeeded=False)
    size = len(orjson.dumps(longest).decode())
    yield Line(what="a `thought` reply, on a branch that it ends", value=size, unit="characters", bar=at_most(300))
    tools = Tools(box.dispatcher.table, "default")
    places = [box.first_focus("none"), *(Focus().on(Standing(stage=stage)) for stage in range(4))]
    shown = [orjson.dumps(one).decode() for at in places for one in orjson.loads(orjson.dumps(tools.listed(at)))]
    yield Line(
        what="`thoughtbox_gateway` in tools/list, at its longest",
        value=max(map(len, shown)),
        unit="characters",
        bar=at_most(1_600),
    )


def _thinking(run: Run) -> Iterator[Line]:
    directory = run.new_directory()
    longer = LONG if not run.quick else LONG // 10
    with Thoughtbox(settings_for(directory)) as box:
        thinkers = {size: Thinker(box, f"{size} thoughts") for size in (SHORT, longer)}
        for size, thinker in thinkers.items():
            thinker.think(size)

        def think(thinker: Thinker) -> Callable[[], object]:
            return lambda: thinker.call("thought", thought=TEXT)

        actions = {size: think(thinker) for size, thinker in thinkers.items()}
        yield _slower("in process", medians(run.rounds(800, 300), actions, warm_up=30), SHORT, longer)
        ids = {size: thinker.session_id for size, thinker in thinkers.items()}
    with Client(thoughtbox(directory)) as client:

        def think_over_stdio(session_id: str) -> Callable[[], object]:
            arguments = {"operation": "thought", "sessionId": session_id, "thought": TEXT}
            return lambda: client.call_tool("thoughtbox_gateway", arguments)

        actions = {size: think_over_stdio(session_id) for size, session_id in ids.items()}
        yield _slower("over stdio", medians(run.rounds(400, 150), actions, warm_up=30), SHORT, longer)


def _slower(where: str, p50: dict[int, float], short: int, longer: int) -> Line:
    return Line(
        what=f"thought in a session of {longer:,}, {where}, p50",
        value=p50[longer] * 1e6,
        unit="µs",
        against=p50[short] * 1e6,
        against_what=f"of {short:,}",
        bar=at_most(1.3),
    )


def _reading(run: Run) -> Iterator[Line]:
    with Thoughtbox(settings_for(run.new_directory())) as box:
        thinkers = {size: Thinker(box, f"{size} thoughts") for size in (SMALL, LARGE)}
        for size, thinker in thinkers.items():
            thinker.think(size)
        yield _linear("session.get", run, {size: _pages(each, "session.get") for size, each in thinkers.items()})
        for form in FORMATS:
            read = {size: _pages(each, "session.export", format=form) for size, each in thinkers.items()}
            yield _linear(f"session.export as {form}", run, read)


def _pages(thinker: Thinker, operation: str, **arguments: Any) -> Callable[[], object]:
    """Read all of it, page by page."""

    def read() -> None:
        cursor: str | None = None
        while True:
            answer = thinker.call(operation, **arguments, **({"cursor": cursor} if cursor else {}))
            cursor = answer.get("cursor")
            if cursor is None:
                return

    return read


def _linear(what: str, run: Run, actions: dict[int, Callable[[], object]]) -> Line:
    p50 = medians(run.rounds(7, 3), actions, warm_up=1)
    return Line(
        what=f"{what} of {LARGE:,} thoughts, all pages, p50",
        value=p50[LARGE] * 1e3,
        unit="ms",
        against=p50[SMALL] * 1e3,
        against_what=f"of {SMALL:,}",
        bar=at_most(TIMES_AS_MANY),
    )


def _looking_back(run: Run) -> Iterator[Line]:
    count = LISTED if not run.quick else LISTED // 10
    with Thoughtbox(settings_for(run.new_directory())) as box:
        workspace = box.settings.project
        for session_id in _begin_sessions(box, count):
            call = Call(operation="cipher", workspace=workspace, arguments={"sessionId": session_id}, caller=CALLER)
            box.dispatcher.call(call)
        middle = box.dispatcher.call(Call(operation="ledger_status", workspace=workspace))["records"] // 2

        def listed(as_of: int | None) -> Callable[[], object]:
            call = Call(operation="list_sessions", workspace=workspace, caller=CALLER, as_of=as_of)
            return lambda: box.dispatcher.call(call)

        p50 = medians(run.rounds(400, 100), {"then": listed(middle), "now": listed(None)}, warm_up=20)
    yield Line(
        what=f"list_sessions at {count:,} sessions, as of the middle, p50",
        value=p50["then"] * 1e6,
        unit="µs",
        against=p50["now"] * 1e6,
        against_what="now",
        bar=at_most(2),
    )


def _begin_sessions(box: Thoughtbox, count: int) -> list[str]:
    """Begin that many sessions, without waiting for each; their ids."""
    begun = [
        box.dispatcher.submit(
            Call(
                operation="start_new",
                workspace=box.settings.project,
                arguments={"sessionTitle": f"Session {number}", "sessionTags": ["bench", f"tag-{number % 50}"]},
                caller=CALLER,
            )
        )
        for number in range(count)
    ]
    return [answer.result()["sessionId"] for answer in begun]


def _start(run: Run) -> Iterator[Line]:
    directory = run.new_directory()
    count = SESSIONS if not run.quick else SESSIONS // 10
    with Thoughtbox(settings_for(directory)) as box:
        _begin_sessions(box, count)
    full = f"{count:,} sessions on disk"
    servers = {EMPTY_STORE: lambda: thoughtbox(run.new_directory()), full: lambda: thoughtbox(directory)}
    found: dict[str, Started] = started(servers, run.rounds(15, 7))
    yield Line(
        what=f"start to `initialize` answer, {full}",
        value=found[full].ms,
        unit="ms",
        against=found[EMPTY_STORE].ms,
        against_what=EMPTY_STORE,
        bar=at_most(1.1),
    )
