"""Many who watch all records: `watch.py PORT WATCHERS`. Says `ready`, and in the end how many of them each was told.

As little as can be is done with what comes, so that it is the server that is measured.
"""

from __future__ import annotations

import asyncio
import os
import sys
from base64 import b64encode

SUBSCRIBE = b'{"action":"subscribe","channel":"records"}'
TOLD = b'"event":"record:added"'
SETTLE_SECONDS = 2.0


async def watch(port: int, counts: list[int], number: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    key = b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    # The mask may be of zeros, which leaves the text as it is.
    writer.write(bytes([0x81, 0x80 | len(SUBSCRIBE)]) + bytes(4) + SUBSCRIBE)
    rest = b""
    while data := await reader.read(1 << 20):
        counts[number] += (rest + data).count(TOLD)
        rest = data[-len(TOLD) + 1 :]


async def main(port: int, watchers: int) -> None:
    counts = [0] * watchers
    tasks = [asyncio.create_task(watch(port, counts, number)) for number in range(watchers)]
    await asyncio.sleep(SETTLE_SECONDS)
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await asyncio.sleep(SETTLE_SECONDS)
    print(min(counts), max(counts), flush=True)
    for task in tasks:
        task.cancel()


asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
