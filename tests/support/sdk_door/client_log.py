"""What a client is told beside its answers, if it asks: which writes were made, and what went wrong inside.

Clients with a handshake ask once, with `logging/setLevel`; stateless ones with every request.
"""

from __future__ import annotations

from typing import get_args

from mcp_types import (
    LOG_LEVEL_META_KEY,
    EmptyResult,
    LoggingLevel,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    SetLevelRequestParams,
)

from tests.support.sdk_door.context import Context, connection_of, is_stateless

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
"""From the least to the most severe."""

_LEVEL = "thoughtbox/logLevel"


async def set_level(ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
    connection_of(ctx).state[_LEVEL] = params.level
    return EmptyResult()


async def tell(ctx: Context, level: LoggingLevel, text: str) -> None:
    """Send one entry, on the stream of the request it belongs to."""
    wanted = (ctx.meta or {}).get(LOG_LEVEL_META_KEY) if is_stateless(ctx) else connection_of(ctx).state.get(_LEVEL)
    if wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted):
        entry = LoggingMessageNotificationParams(level=level, logger="thoughtbox", data=text)
        await ctx.session.send_notification(LoggingMessageNotification(params=entry), related_request_id=ctx.request_id)
