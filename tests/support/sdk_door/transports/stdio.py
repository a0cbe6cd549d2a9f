"""Serving over stdio: until the client hangs up, a signal comes, or the parent dies."""

from __future__ import annotations

import asyncio

from tests.support.sdk_door.echo import unblocked_output
from tests.support.sdk_door.server import McpDoor
from tests.support.sdk_door.shutdown import CLOSING_SECONDS, end_within, told_to_end
from tests.support.sdk_door.transports.stdio_wire import Descriptors, claim, connected
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import Settings


def serve_stdio(settings: Settings) -> None:
    # The descriptors first: what is printed from here on can no longer get between the messages.
    descriptors = claim()
    with unblocked_output(), Thoughtbox(settings) as box:
        asyncio.run(_serve(box, descriptors))


async def _serve(box: Thoughtbox, descriptors: Descriptors) -> None:
    door = McpDoor(box, transport="stdio")
    async with connected(descriptors, box.settings.max_body_bytes) as wire, door.notifications.followed():
        box.keep()
        ending = asyncio.create_task(told_to_end())
        ending.add_done_callback(lambda _: wire.hang_up())
        try:
            await door.server.run(wire, wire, door.server.create_initialization_options())
        finally:
            end_within(CLOSING_SECONDS)
            ending.cancel()
