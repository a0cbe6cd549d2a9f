"""Timing in turns: what is compared takes turns, so that a busy moment of the machine is shared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from statistics import median
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def medians(
    rounds: int, actions: Mapping[K, Callable[[], object]], *, warm_up: int = 0, at_once: int = 1
) -> dict[K, float]:
    """The median time of each action in seconds. One round runs every action in the order given, so often at once."""
    times: dict[K, list[float]] = {name: [] for name in actions}
    for number in range(-warm_up, rounds):
        for name, action in actions.items():
            for _ in range(at_once):
                began = time.perf_counter()
                action()
                taken = time.perf_counter() - began
                if number >= 0:
                    times[name].append(taken)
    return {name: median(taken) for name, taken in times.items()}


async def rate(callers: int, seconds: float, act: Callable[[int], Awaitable[object]]) -> float:
    """How often a second `act` ends, when that many callers do it again and again. It is told which caller asks."""
    done = 0
    began = time.perf_counter()

    async def call(number: int) -> None:
        nonlocal done
        while time.perf_counter() - began < seconds:
            await act(number)
            done += 1

    await asyncio.gather(*map(call, range(callers)))
    return done / (time.perf_counter() - began)
