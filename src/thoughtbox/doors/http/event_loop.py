"""The event loop that HTTP is served on."""

from __future__ import annotations

import asyncio


def new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # pragma: no cover - it is not to be had everywhere
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
