"""A future that is done from the beginning."""

from __future__ import annotations

import asyncio
import weakref
from concurrent.futures import Future

import pytest

from thoughtbox.engine.settled import Settled


def test_it_is_done_and_stays_so():
    settled = Settled(7)
    assert (settled.done(), settled.running(), settled.cancelled(), settled.cancel()) == (True, False, False, False)
    assert (settled.result(0), settled.exception(0)) == (7, None)
    assert "7" in repr(settled)


def test_what_went_wrong_is_raised_each_time():
    settled: Settled[int] = Settled(error=ValueError("no"))
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            settled.result()
    assert isinstance(settled.exception(), ValueError)
    assert "ValueError" in repr(settled)


def test_whoever_asks_to_be_called_is_called_at_once():
    heard: list[Future[int]] = []
    settled = Settled(7)
    settled.add_done_callback(heard.append)
    assert heard == [settled]


def test_it_can_be_awaited_like_any_other():
    async def awaited() -> int:
        return await asyncio.wrap_future(Settled(7))

    assert asyncio.run(awaited()) == 7


def test_an_error_that_was_raised_does_not_keep_it():
    settled: Settled[int] | None = Settled(error=ValueError("no"))
    seen = weakref.ref(settled)
    try:
        settled.result()
    except ValueError:
        settled = None
    assert seen() is None
