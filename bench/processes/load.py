"""Many clients over HTTP, each with one call under way: `load.py PORT PID CLIENTS SECONDS ERA [TOOL]`.

In a process of its own and in few steps per call, so that it is the server that limits. Every client sends the same
bytes again and again on a connection that stays open. What it prints is the calls of the measured time, how long they
took, and the CPU that the server had meanwhile.
"""

from __future__ import annotations

import select
import socket
import sys
import time

import orjson

from bench.http_client import LENGTH, Era, begin, connect, request
from bench.machine import cpu_seconds
from bench.stores import thought

CLOSES = b"\r\nconnection: close\r\n"
DONE = b'"isError":false'
WARM_UP_SECONDS = 0.3


class Caller:
    """One client: its connection, what it sends, and what has come of the answer."""

    def __init__(self, port: int, era: Era, number: int, tool: str) -> None:
        self._port = port
        self.connection = connect(port)
        self.is_to_come_back = False
        """Whether the server has said that the connection is used no more."""
        arguments = thought(f"session-{number}", number) if tool == "thought_record" else {}
        params = {"name": tool, "arguments": arguments}
        self._request = request(era, "tools/call", params, session=begin(self.connection, era))
        self._found = b""
        self._whole = 0
        self._sent_at = 0.0

    def send(self) -> None:
        self._sent_at = time.perf_counter()
        self.connection.send(self._request)

    def received(self) -> float | None:
        """How long the call took, if its answer is whole now."""
        self._found += self.connection.recv(1 << 16)
        if not self._whole:
            end = self._found.find(b"\r\n\r\n")
            if end < 0:
                return None
            length = LENGTH.search(self._found, 0, end + 2)
            if length is None:
                raise RuntimeError(f"an answer without a length: {self._found[:300]!r}")
            self._whole = end + 4 + int(length[1])
            self.is_to_come_back = self._found.find(CLOSES, 0, end + 2) >= 0
        if len(self._found) < self._whole:
            return None
        if DONE not in self._found:
            raise RuntimeError(f"a call failed: {self._found[:1000]!r}")
        self._found, self._whole = b"", 0
        return time.perf_counter() - self._sent_at

    def come_back(self) -> None:
        """Take another connection."""
        self.is_to_come_back = False
        self.connection.close()
        self.connection = connect(self._port)


def load(port: int, pid: int, clients: int, seconds: float, era: Era, tool: str) -> dict[str, float]:
    callers = {caller.connection.fileno(): caller for caller in (Caller(port, era, n, tool) for n in range(clients))}
    waiting = select.epoll()
    for descriptor, caller in callers.items():
        caller.connection.setblocking(True)
        caller.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        waiting.register(descriptor, select.EPOLLIN)
        caller.send()
    taken: list[float] = []
    _go_on(callers, waiting, time.perf_counter() + WARM_UP_SECONDS, taken)
    taken.clear()
    began, spent = time.perf_counter(), cpu_seconds(pid)
    _go_on(callers, waiting, began + seconds, taken)
    lasted, spent = time.perf_counter() - began, cpu_seconds(pid) - spent
    taken.sort()
    return {
        "rate": len(taken) / lasted,
        "cpu_us": spent / len(taken) * 1e6,
        "p50_us": taken[len(taken) // 2] * 1e6,
        "p99_us": taken[len(taken) * 99 // 100] * 1e6,
        "most_us": taken[-1] * 1e6,
        "own_cpu": time.process_time() / (lasted + WARM_UP_SECONDS),
    }


def _go_on(callers: dict[int, Caller], waiting: select.epoll, until: float, taken: list[float]) -> None:
    """Have every client call again as soon as it is answered."""
    while time.perf_counter() < until:
        for descriptor, _ in waiting.poll(1):
            caller = callers[descriptor]
            lasted = caller.received()
            if lasted is not None:
                taken.append(lasted)
                if caller.is_to_come_back:
                    waiting.unregister(descriptor)
                    caller.come_back()
                    callers[caller.connection.fileno()] = callers.pop(descriptor)
                    waiting.register(caller.connection, select.EPOLLIN)
                caller.send()


if __name__ == "__main__":
    port, pid, clients, seconds, named, *more = sys.argv[1:]
    era: Era = "newest" if named == "newest" else "handshake"
    found = load(int(port), int(pid), int(clients), float(seconds), era, more[0] if more else "thought_record")
    sys.stdout.buffer.write(orjson.dumps(found))
