"""A session in brief: as short and as fast for a long session as for a short one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson

from bench.clock import medians
from bench.measurements.thoughts import Thinker
from bench.run import Run, settings_for
from bench.table import Line, at_most
from thoughtbox.app import Thoughtbox

SHORT, MIDDLE, LONG = 30, 1_000, 50_000
LONGEST = 1_500

CHAIN = (
    "O||Checkout of release {n} fails for 2 % of users since Monday",
    "Q|S{a}|What do the users of release {n} share?",
    "A|The clocks of all nodes agree at release {n}",
    "H|S{a}|Expired tokens of release {n} are retried",
    "E|S{c}|412 of 430 failures of release {n} follow an expiry",
    "X|S{b}|No retry of release {n} is in the logs",
    "H|S{a}|Tokens of release {n} are never refreshed",
    "E|S{a}|Every failure of release {n} comes ten minutes after a sign-in",
    "C|S{a},S{b}|∴ Refresh the tokens of release {n} early",
    "P|S{a}|1. Refresh at eight minutes 2. Watch release {n} for a week",
)
"""Ten kinds of thoughts over and over, each linked to those before it."""


def measure(run: Run) -> Iterator[Line]:
    longest = LONG if not run.quick else LONG // 10
    with Thoughtbox(settings_for(run.new_directory())) as box:
        thinkers = {size: _thinker(box, size) for size in (SHORT, MIDDLE, longest)}
        for operation in ("session.brief", "load_context"):
            answers = [each.call(operation, sessionId=each.session_id) for each in thinkers.values()]
            sizes = [len(orjson.dumps(answer).decode()) for answer in answers]
            yield Line(
                what=f"`{operation}` of {SHORT}, {MIDDLE:,} and {longest:,} thoughts, the longest",
                value=max(sizes),
                unit="characters",
                bar=at_most(LONGEST),
            )

        def brief(thinker: Thinker) -> Callable[[], object]:
            return lambda: thinker.call("session.brief")

        p50 = medians(run.rounds(300, 100), {size: brief(thinker) for size, thinker in thinkers.items()}, warm_up=20)
    yield Line(
        what=f"`session.brief` of {longest:,} thoughts, p50",
        value=p50[longest] * 1e6,
        unit="µs",
        against=p50[SHORT] * 1e6,
        against_what=f"of {SHORT}",
        bar=at_most(3),
    )


def _thinker(box: Thoughtbox, size: int) -> Thinker:
    """An agent in a session of that many thoughts, every hundredth of them on a branch of its own."""
    thinker = Thinker(box, f"{size} thoughts")
    thinker.think_all(_thought(number) for number in range(1, size + 1))
    return thinker


def _thought(number: int) -> dict[str, Any]:
    line = CHAIN[(number - 1) % len(CHAIN)]
    before = {name: max(1, number - back) for name, back in (("a", 1), ("b", 2), ("c", 3))}
    branch = {"branchId": f"b{number}", "branchFromThought": 1} if number % 100 == 0 else {}
    return {"thought": f"S{number}|{line.format(n=number, **before)}", "thoughtNumber": number, **branch}
