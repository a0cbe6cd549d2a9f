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
import os
import sys
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Any

import orjson
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from thoughtbox.doors.mcp.lines import Lines, TooLong, waitable_input, waitable_output

LAST_ANSWERS_SECONDS = 1.0
"""How long calls under way may still take once stdin has closed."""


class Wire:
    """Both directions of one stdio connection, as the SDK wants its streams."""

    def __init__(self, lines: Lines, writer: asyncio.StreamWriter) -> None:
        self._lines = lines
        self._writer = writer
        self._open_requests: set[Any] = set()
        self._all_answered = asyncio.Event()

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> SessionMessage:
        """The next message; a line that is none is answered at once, and passed over."""
        while True:
            line = await self._lines.next()
            if line is None:
                await self._finish()
                raise StopAsyncIteration
            if isinstance(line, TooLong):
                await self._answer(INVALID_REQUEST, "the message is too long (see THOUGHTBOX_MAX_BODY_BYTES)")
                continue
            if not line.strip():
                continue
            try:
                message = jsonrpc_message_adapter.validate_json(line, by_name=False)
            except ValidationError:
                await self._refuse(line)
                continue
            if isinstance(message, JSONRPCRequest):
                self._open_requests.add(message.id)
            return SessionMessage(message)

    receive = __anext__

    async def send(self, item: SessionMessage, /) -> None:
        message = item.message
        self._writer.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        await self._writer.drain()
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._open_requests.discard(message.id)
            if not self._open_requests:
                self._all_answered.set()

    async def aclose(self) -> None:
        """Nothing to do: the descriptors belong to `connected`."""

    async def __aenter__(self) -> Wire:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _refuse(self, line: bytes) -> None:
        """Say what is wrong with a line that is no message, under its own id where it has one."""
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:
            await self._answer(PARSE_ERROR, "this is not JSON")
            return
        if isinstance(found, list):
            await self._answer(INVALID_REQUEST, "batches are not supported: send one message a line")
            return
        given = found.get("id") if isinstance(found, dict) else None
        id = given if isinstance(given, str | int) and not isinstance(given, bool) else None
        await self._answer(INVALID_REQUEST, "this is not a JSON-RPC 2.0 message", id)

    async def _answer(self, code: int, message: str, id: str | int | None = None) -> None:
        error = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}
        self._writer.write(orjson.dumps(error) + b"\n")
        await self._writer.drain()

    async def _finish(self) -> None:
        if self._open_requests:
            self._all_answered.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._all_answered.wait(), LAST_ANSWERS_SECONDS)


@contextlib.asynccontextmanager
async def connected(longest: int) -> AsyncGenerator[Wire]:
    """A wire over this process's standard input and output."""
    loop = asyncio.get_running_loop()
    wire_in = waitable_input(_claim(0, os.open(os.devnull, os.O_RDONLY)))
    wire_out, copying = waitable_output(_claim(1, os.dup(2)))
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


def _claim(descriptor: int, diversion: int) -> int:
    """A private copy of a standard descriptor, which from now on leads elsewhere."""
    sys.stdout.flush()
    private = os.dup(descriptor)
    os.dup2(diversion, descriptor)
    os.close(diversion)
    return private
