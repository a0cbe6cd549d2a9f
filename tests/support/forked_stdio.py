"""The SDK's client on the pipes of a forked server: as its own `stdio_client`, without the start."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO, TextIO

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from tests.support.forks import PATIENCE, forked
from tests.support.tap import Tap

LONGEST_LINE = 1 << 26

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def forked_stdio(
    words: Sequence[str], environment: Mapping[str, str], errors: TextIO | None = None
) -> AsyncGenerator[Streams]:
    """Messages to and from `python WORDS`; at the end its input is closed, and it has to end by itself."""
    process = await anyio.to_thread.run_sync(forked, words, environment, errors)
    assert process.stdin
    assert process.stdout
    reader = asyncio.StreamReader(LONGEST_LINE)
    reading, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), process.stdout
    )
    writer = await _writer(process.stdin)
    tap = Tap()
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, to_send = anyio.create_memory_object_stream[SessionMessage](0)

    async def receive() -> None:
        async with received:
            try:
                while line := await reader.readline():
                    tap.came(line)
                    await received.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                pass  # nobody listens any more
        while await reader.read(LONGEST_LINE):
            pass  # a server that cannot write cannot end

    async def send() -> None:
        try:
            async with to_send:
                async for message in to_send:
                    line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                    tap.sent(line)
                    writer.write(f"{line}\n".encode())
                    await writer.drain()
        except ConnectionError:
            pass  # the server is gone, which the other direction tells
        finally:
            writer.close()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(receive)
        tasks.start_soon(send)
        try:
            yield incoming, outgoing
        finally:
            incoming.close()
            outgoing.close()
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(process.wait, PATIENCE)
            reading.close()


async def _writer(pipe: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    return asyncio.StreamWriter(transport, protocol, None, loop)
