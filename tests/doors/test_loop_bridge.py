"""From other threads into an event loop."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from thoughtbox.doors.loop_bridge import LoopBridge


def test_results_and_errors_arrive_where_they_are_awaited():
    async def story() -> list[Any]:
        mailbox = LoopBridge(asyncio.get_running_loop())
        futures: list[Future[int]] = [Future() for _ in range(200)]
        waiting = [asyncio.ensure_future(mailbox.receive(future)) for future in futures]

        def resolve() -> None:
            for number, future in enumerate(futures):
                if number % 10 == 3:
                    future.set_exception(ValueError(number))
                else:
                    future.set_result(number)

        threading.Thread(target=resolve).start()
        return await asyncio.gather(*waiting, return_exceptions=True)

    results = asyncio.run(story())

    assert [r if isinstance(r, int) else r.args[0] for r in results] == list(range(200))


def test_many_threads_at_once_lose_nothing():
    async def story() -> list[int]:
        mailbox = LoopBridge(asyncio.get_running_loop())
        groups = [[Future[int]() for _ in range(300)] for _ in range(4)]
        waiting = [asyncio.ensure_future(mailbox.receive(future)) for group in groups for future in group]

        def resolve(group: list[Future[int]]) -> None:
            for future in group:
                future.set_result(1)

        for group in groups:
            threading.Thread(target=resolve, args=(group,)).start()
        return await asyncio.wait_for(asyncio.gather(*waiting), 10)

    assert sum(asyncio.run(story())) == 1200


def test_a_result_that_is_there_already_is_received_too():
    async def story() -> int:
        future: Future[int] = Future()
        future.set_result(7)
        return await LoopBridge(asyncio.get_running_loop()).receive(future)

    assert asyncio.run(story()) == 7


def test_whoever_gives_up_waiting_takes_back_the_call():
    async def story() -> Future[int]:
        future: Future[int] = Future()
        waiting = asyncio.ensure_future(LoopBridge(asyncio.get_running_loop()).receive(future))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return future

    assert asyncio.run(story()).cancelled()


def test_a_result_for_a_loop_that_is_gone_disturbs_nobody():
    future: Future[int] = Future()

    async def story() -> None:
        waiting = asyncio.ensure_future(LoopBridge(asyncio.get_running_loop()).receive(future))
        await asyncio.sleep(0)
        assert not waiting.done()
        assert future.set_running_or_notify_cancel()  # too late to take it back

    asyncio.run(story())
    future.set_result(1)
