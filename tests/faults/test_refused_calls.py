"""Calls are refused in the middle of what they do, alone and beside others: what they had come to is nowhere.

Whatever a call has done before it fails (written, searched, called others) must be gone from the rows,
from what the connection has learnt, and from the witness outside. A start after every few calls looks.
"""

from __future__ import annotations

from concurrent.futures import Future
from random import Random
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.boxes import open_box_on_both as open_box
from tests.support.thinker import Client
from thoughtbox.errors import ThoughtboxError

__all__ = ["open_box"]

Arguments = dict[str, Any]


def part(chance: Random, number: int) -> tuple[Arguments, int]:
    """One call of a batch, and how many records it writes; fewer than none when it is refused."""
    session = {"sessionId": f"s{chance.randrange(3)}"}
    plan = {"operation": "thought_plan", "arguments": {**session, "planDescription": f"plan {number}"}}
    choices: list[tuple[Arguments, int]] = [
        (plan, 1),
        ({"operation": "session.search", "arguments": {"query": f"plan OR {number}"}}, 0),
        ({"operation": "ledger_status", "arguments": {}}, 0),
        ({"operation": "batch", "arguments": {"calls": [plan, plan]}}, 2),
        ({"operation": "batch", "arguments": {"calls": [plan, {"operation": "thought_plan"}]}}, -1),
        ({"operation": "thought_plan", "arguments": {**session, "planDescription": "x", "parentId": "th:1000000"}}, 1),
        ({"operation": "thought_plan", "arguments": session}, -1),
        ({"operation": "thought_link", "arguments": {}}, -1),
    ]
    return chance.choice(choices)


def batch(chance: Random, number: int) -> tuple[list[Arguments], int | None]:
    """The calls of a batch, and how many records it writes; None when it is refused."""
    parts = [part(chance, number) for _ in range(chance.randint(1, 4))]
    written = [count for _, count in parts]
    return [call for call, _ in parts], None if min(written) < 0 else sum(written)


def submit(box: Box, calls: list[Arguments]) -> Future[Any]:
    return box.submit("batch", {"calls": calls}, focus=box.app.first_focus("none"))


def go_through(open_box: OpenBox, seed: int, *, starts: int) -> None:
    chance, records = Random(seed), 0
    for start in range(starts):
        box = open_box()
        # Some wait for each other, some share a commit.
        drawn = [batch(chance, 100 * start + number) for number in range(chance.randint(1, 8))]
        waiting = [(submit(box, calls), count) for calls, count in drawn]
        for future, count in waiting:
            if count is None:
                with pytest.raises(ThoughtboxError):
                    future.result()
            else:
                future.result()
                records += count
        client = Client(box, stateless=True)
        assert client.records() == records, (seed, start)
        assert box.app.engine.witnessed().get(WORKSPACE, (records,))[0] == records, (seed, start)
        if start % 10 == 9:
            assert client.ledger_verify(deep=True)["valid"], (seed, start)
        box.close()


def test_calls_that_are_refused_leave_nothing_that_the_next_start_would_miss(open_box: OpenBox):
    go_through(open_box, 1, starts=20)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 110))
def test_hundreds_of_refused_calls_leave_nothing(open_box: OpenBox, seed: int):
    go_through(open_box, seed, starts=60)
