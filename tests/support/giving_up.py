"""A client that gives a call up as soon as it has heard how far that has come."""

from __future__ import annotations

from typing import Any

import anyio

from tests.support.agent import Agent


def give_up_after_the_first_report(agent: Agent, tool: str, arguments: dict[str, Any]) -> None:
    async def call_and_give_up() -> None:
        first = anyio.Event()

        async def report(progress: float, total: float | None, message: str | None) -> None:
            first.set()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: agent.client.call_tool(tool, arguments, progress_callback=report))
            await first.wait()
            tasks.cancel_scope.cancel()

    agent.run(call_and_give_up)
