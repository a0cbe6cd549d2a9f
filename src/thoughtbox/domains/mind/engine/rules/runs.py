"""BM5 and BM8: tests that can be run, and the one to run next."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import open_card
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.freshness import State, runnable_tests, span
from thoughtbox.domains.mind.engine.reading import named
from thoughtbox.domains.mind.slice import Place

LONGEST_COMMAND = 200
"""Characters of a command that are shown; the test itself, when opened, has all of it."""


def runs_due(argument: Argument, place: Place) -> Iterator[Finding]:
    """Nothing here is run, and no evidence of a run that has not happened is suggested: the call opens the test."""
    runnable = runnable_tests(argument)
    if not runnable:
        return
    first = runnable[0]
    about = [first.test, *([first.evidence] if first.evidence else [])]
    values = {"test": named(first.test), "id": first.test.id, "command": _cut(first.command)}
    calls = [open_card(first.test, place)]
    if first.state is State.MISSING:
        yield action("run_test.missing", "high", about, calls, values)
    elif first.evidence is not None and first.state is State.STALE:
        values |= {"evidence": named(first.evidence), "window": span(first.window_ms)}
        yield signal("BM8_EVIDENCE_STALE", about, values)
        yield action("run_test.stale", "medium", about, calls, values)
    else:
        yield signal("BM5_RUNNABLE_TESTS_FRESH", about, {**values, "count": len(runnable)})


def _cut(command: str) -> str:
    return command if len(command) <= LONGEST_COMMAND else f"{command[: LONGEST_COMMAND - 1]}…"
