"""Serving: start the door on its transport, and end when the client, the parent or a signal says so."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Coroutine
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp.server import McpDoor
from thoughtbox.doors.mcp.stdio import connected
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

PARENT_SECONDS = 0.5
"""How often a stdio server looks whether its parent still lives."""


def serve_stdio(settings: Settings) -> None:
    with Thoughtbox(settings) as box:
        asyncio.run(_stdio(box))


async def _stdio(box: Thoughtbox) -> None:
    door = McpDoor(box, transport="stdio")
    async with connected(box.settings.max_body_bytes) as wire:
        box.keep()
        await _until_first(
            door.server.run(wire, wire, door.initialization()),
            _signal(),
            _orphaned(),
            background=door.changes.follow(),
        )


async def _until_first(*ends: Coroutine[Any, Any, Any], background: Coroutine[Any, Any, Any]) -> None:
    """Run all of these until the first of them ends, then stop the others."""
    tasks = [asyncio.create_task(end) for end in ends]
    following = asyncio.create_task(background)
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in (*pending, following):
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    for task in done:
        task.result()


async def _signal() -> None:
    """Wait for a signal that asks the process to end."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, asked.set)
    await asked.wait()


async def _orphaned() -> None:
    """Wait for the parent to die: a client that was killed cannot close anything."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 - no event tells of a parent's death
        await asyncio.sleep(PARENT_SECONDS)
    logger.info("the parent process is gone")
