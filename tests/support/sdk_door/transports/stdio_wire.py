"""MCP over stdin and stdout: one JSON message a line.

The SDK's own transport drops what it cannot parse, reads lines of any length, and
leaves calls unanswered when stdin closes. This one answers every bad line with an
error, refuses lines that are too long, and lets calls under way be answered.

Standard output carries protocol only: while serving, descriptor 1 leads to stderr, so
that a library that prints does no harm.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator
from functools import partial
from types import TracebackType
from typing import NamedTuple

from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from tests.support.sdk_door.shutdown import LAST_ANSWERS_SECONDS
from tests.support.sdk_door.transports.bounded_lines import Lines, TooLong, waitable_input, waitable_output

MOST_OPEN = 256
"""Calls under way at once; the next is read when one of them has been answered."""

LONG = 1 << 16
MOST_OPEN_LONG = 8
"""A long message waits for more room than a short one, so that memory stays bounded."""

CANCELLED = "notifications/cancelled"
ENDLESS = "subscriptions/listen"
"""A request that is answered when the connection ends, and not before."""


class Wire:
    """Both directions of one stdio connection, as the SDK wants its streams."""

    def __init__(self, lines: Lines, writer: asyncio.StreamWriter) -> None:
        self._lines = lines
        self._writer = writer
        self._open = 0
        self._endless: set[str | int] = set()
        self._asked: set[str | int] = set()
        self._settled = asyncio.Event()
        self._metadata = ServerMessageMetadata(on_request_unanswered=self._one_settled)

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> SessionMessage:
        """The next message; a line that is none is answered at once, and passed over."""
        while (line := await self._lines.next()) is not None:
            if isinstance(line, TooLong):
                await self._answer(INVALID_REQUEST, "the message is too long (see THOUGHTBOX_MAX_BODY_BYTES)")
                continue
            if not line.strip():
                continue
            await self._until_open_requests_are_below(MOST_OPEN if len(line) < LONG else MOST_OPEN_LONG)
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError as error:
                await self._refuse(line, error)
                continue
            if isinstance(message, JSONRPCRequest):
                return SessionMessage(message, self._begun(message))
            if isinstance(message, JSONRPCNotification) and "id" in json.loads(line):
                await self._answer(INVALID_REQUEST, "an id is a text or a whole number")
                continue
            if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
                self._asked.discard(message.id)
            return SessionMessage(message)
        await self._let_calls_be_answered()
        raise StopAsyncIteration

    receive = __anext__

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._asks(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == CANCELLED:
            self._asked.discard((message.params or {}).get("requestId", ""))
        await self._write(message.model_dump_json(by_alias=True, exclude_unset=True).encode())
        if isinstance(message, JSONRPCResponse | JSONRPCError) and message.id is not None:
            await self._settle(message.id)

    def hang_up(self) -> None:
        """Read no further; what was read is still answered."""
        self._lines.end()

    async def aclose(self) -> None:
        """Nothing to do: the descriptors belong to `connected`."""

    async def __aenter__(self) -> Wire:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()

    def _begun(self, request: JSONRPCRequest) -> ServerMessageMetadata:
        """Take note of a request; what is returned tells when it will never be answered."""
        if request.method == ENDLESS:
            self._endless.add(request.id)
            return ServerMessageMetadata(on_request_unanswered=partial(self._settle, request.id))
        self._open += 1
        return self._metadata

    def _asks(self, id: str | int) -> None:
        """A call waits for the client now: what is read next may be the answer to it, and must not wait in turn."""
        if len(self._asked) < MOST_OPEN:
            self._asked.add(id)
            self._settled.set()

    async def _settle(self, id: str | int) -> None:
        if id in self._endless:
            self._endless.discard(id)
        else:
            await self._one_settled()

    async def _one_settled(self) -> None:
        self._open -= 1
        self._settled.set()

    async def _until_open_requests_are_below(self, count: int) -> None:
        while self._open - len(self._asked) >= count:
            self._settled.clear()
            await self._settled.wait()

    async def _let_calls_be_answered(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._until_open_requests_are_below(1), LAST_ANSWERS_SECONDS)

    async def _refuse(self, line: bytes, error: ValidationError) -> None:
        """Say what is wrong with a line that is no message, under its own id where it has one."""
        fault = error.errors(include_url=False, include_input=False)[0]
        try:
            found = json.loads(line)  # takes more than the parser of messages, so that the id can still be found
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            await self._answer(INVALID_REQUEST, "batches are not supported: send one message a line")
            return
        given = found.get("id") if isinstance(found, dict) else None
        id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        if fault["type"] == "json_invalid":
            reason = fault["ctx"]["error"]
            if found is not None and "hex escape" in reason:
                reason = r"a text holds half of a surrogate pair (\ud800 to \udfff)"
            await self._answer(PARSE_ERROR, f"this cannot be read as JSON: {reason}", id)
        else:
            await self._answer(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message", id)

    async def _answer(self, code: int, message: str, id: str | int | None = None) -> None:
        error = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}
        await self._write(json.dumps(error).encode())

    async def _write(self, line: bytes) -> None:
        self._writer.write(line + b"\n")
        try:
            await self._writer.drain()
        except ConnectionError:
            self.hang_up()  # who cannot hear us need not be listened to


class Descriptors(NamedTuple):
    """Private copies of standard input and output."""

    input: int
    output: int


def claim() -> Descriptors:
    """Take standard input and output for us alone; to everybody else they are nothing, and stderr."""
    private = Descriptors(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()  # what was printed before goes there, too
    return private


@contextlib.asynccontextmanager
async def connected(descriptors: Descriptors, longest: int) -> AsyncGenerator[Wire]:
    """A wire over these descriptors, which are closed at the end."""
    loop = asyncio.get_running_loop()
    wire_in = waitable_input(descriptors.input)
    wire_out, copying = waitable_output(descriptors.output)
    lines = Lines(longest)
    incoming, _ = await loop.connect_read_pipe(lambda: lines, os.fdopen(wire_in, "rb", buffering=0))
    outgoing, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(wire_out, "wb", buffering=0)
    )
    try:
        yield Wire(lines, asyncio.StreamWriter(outgoing, protocol, None, loop))
    finally:
        incoming.close()
        outgoing.close()
        if copying is not None:
            await asyncio.to_thread(copying.join, LAST_ANSWERS_SECONDS)
