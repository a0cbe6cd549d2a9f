"""What only a client has: the directories it works in, and a model to lend.

A client of the handshake era is sent a request, and waited for. A stateless one finds the same request in
the result of its call, and sends the call again with the answer in it: that is what `request_state.py` is for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    METHOD_NOT_FOUND,
    REQUEST_TIMEOUT,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResultWithTools,
    InputResponse,
    ListRootsRequest,
    ListRootsResult,
    ModelHint,
    ModelPreferences,
    SamplingMessage,
    TextContent,
)

from tests.support.sdk_door.context import Context
from thoughtbox.operations.caller import Root

logger = logging.getLogger(__name__)

ROOTS_SECONDS = 5.0
MODEL_SECONDS = 60.0

MOST_ROOTS = 100
LONGEST_URI = 2_000
LONGEST_NAME = 200

MOST_TOKENS = 1_000
PREFERENCES = ModelPreferences(
    hints=[ModelHint(name="claude-sonnet-4-5-20250929")], intelligence_priority=0.9, cost_priority=0.3
)


class NotLent(Exception):
    """The client has no model to lend after all."""


class NoAnswer(Exception):
    """The client's model was asked and has not answered. The text says why."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a model answered, and which one it was."""

    text: str
    model: str


def tells_roots(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.roots is not None


def lends_model(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and capabilities.sampling is not None


async def roots(ctx: Context) -> list[Root] | None:
    """The client's root directories, asked for on its connection; None when it does not tell."""
    try:
        answer = await ctx.session.send_request(
            ListRootsRequest(), ListRootsResult, ROOTS_SECONDS, ServerMessageMetadata(related_request_id=ctx.request_id)
        )
    except (MCPError, ValueError) as error:
        return _not_told(error)
    return _bounded(answer)


def roots_in(response: InputResponse | None) -> list[Root] | None:
    """The root directories that a stateless client sent with its call; None when it did not."""
    if response is None:
        return _not_told("there is no answer")
    try:
        return _bounded(ListRootsResult.model_validate(_plain(response)))
    except ValueError as error:
        return _not_told(error)


def question(ctx: Context, asked: Mapping[str, str]) -> CreateMessageRequest:
    """The request to the client's model: `asked` has its `system` and `prompt`."""
    capabilities = ctx.session.client_capabilities
    sampling = capabilities.sampling if capabilities is not None else None
    return CreateMessageRequest(
        params=CreateMessageRequestParams(
            messages=[SamplingMessage(role="user", content=TextContent(type="text", text=asked["prompt"]))],
            system_prompt=asked["system"],
            model_preferences=PREFERENCES,
            include_context="thisServer" if sampling is not None and sampling.context is not None else None,
            max_tokens=MOST_TOKENS,
        )
    )


async def model(ctx: Context, request: CreateMessageRequest) -> Said:
    """What the client's model says, asked on the client's connection; raises `NotLent` or `NoAnswer`."""
    try:
        answer = await ctx.session.send_request(
            request,
            CreateMessageResultWithTools,
            MODEL_SECONDS,
            ServerMessageMetadata(related_request_id=ctx.request_id),
        )
    except MCPError as error:
        if error.code == METHOD_NOT_FOUND:
            raise NotLent from error
        if error.code == REQUEST_TIMEOUT:
            raise NoAnswer(f"it took longer than {MODEL_SECONDS:.0f} s") from error
        raise NoAnswer(f"the client refused ({_line(error.message, LONGEST_NAME)})") from error
    except ValueError as error:
        raise NoAnswer("what the client sent is no answer of a model") from error
    return _said(answer)


def said_in(response: InputResponse | None) -> Said:
    """What the model said, as a stateless client sent it with its call; raises `NoAnswer`."""
    if response is None:
        raise NoAnswer("the client sent the call again without it")
    try:
        return _said(CreateMessageResultWithTools.model_validate(_plain(response)))
    except ValueError as error:
        raise NoAnswer("what the client sent is no answer of a model") from error


def _said(answer: CreateMessageResultWithTools) -> Said:
    texts = [block.text for block in answer.content_as_list if isinstance(block, TextContent)]
    # What no engine can store goes: NUL, and halves of surrogate pairs.
    text = "\n\n".join(texts).replace("\0", "").encode("utf-8", "ignore").decode()
    if not text.strip():
        raise NoAnswer("its answer has no text")
    return Said(text, _line(answer.model, LONGEST_NAME) or "unknown")


def _bounded(answer: ListRootsResult) -> list[Root]:
    """As many as anybody works in, under addresses that can be shown and stored."""
    cleaned = [(_line(str(root.uri)), _line(root.name or "", LONGEST_NAME) or None) for root in answer.roots]
    return [Root(uri, name) for uri, name in cleaned if len(uri) <= LONGEST_URI][:MOST_ROOTS]


def _not_told(why: object) -> None:
    logger.warning("the client offers its roots and did not tell them: %s", _line(str(why), 500))


def _line(text: str, longest: int | None = None) -> str:
    return "".join(filter(str.isprintable, text))[:longest].strip()


def _plain(response: InputResponse) -> dict[str, Any]:
    return response.model_dump(mode="json", by_alias=True, exclude_none=True)
