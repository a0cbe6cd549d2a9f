"""Lines that several processes write for each other in a file that all of them map: the last few megabytes of them.

What one process has written, every other one reads from the next moment on, in the same order. Nothing of it lasts.
"""

from __future__ import annotations

import mmap
import os
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where one process serves
    fcntl = None

SIZE = 1 << 22
"""Bytes for lines; of more than that, the oldest are written over."""

_END = struct.Struct("<Q")
_LENGTH = struct.Struct("<I")


class SharedLog:
    """One log, as one process sees it; the first that opens the file makes it. A process opens it once."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        if os.fstat(self._descriptor).st_size < _END.size + SIZE:
            os.ftruncate(self._descriptor, _END.size + SIZE)
        self._memory = mmap.mmap(self._descriptor, _END.size + SIZE)
        self._lock = threading.RLock()
        self._read = 0

    def close(self) -> None:
        self._memory.close()
        os.close(self._descriptor)

    @property
    def has_news(self) -> bool:
        return self._end() != self._read

    @contextmanager
    def alone(self) -> Generator[None]:
        """While nobody else writes or reads."""
        with self._lock:
            if fcntl is not None:
                fcntl.lockf(self._descriptor, fcntl.LOCK_EX)
            try:
                yield
            finally:
                if fcntl is not None:
                    fcntl.lockf(self._descriptor, fcntl.LOCK_UN)

    def append(self, line: Any) -> None:
        """Write a line. Only inside `alone`, and after all there was has been read: one's own are not read again."""
        written = orjson.dumps(line)
        if len(written) > SIZE // 4:
            raise ValueError(f"a line of {len(written)} bytes is too long")
        end = self._end()
        self._put(end, _LENGTH.pack(len(written)) + written)
        self._read = end + _LENGTH.size + len(written)
        self._memory[: _END.size] = _END.pack(self._read)

    def news(self) -> list[Any]:
        """What others have written since the last time, but for what was written over. Only inside `alone`."""
        end = self._end()
        if end - self._read > SIZE:
            # Where the oldest line begins is not known any more: what is left of them is passed over.
            self._read = end
        lines = []
        while self._read < end:
            (length,) = _LENGTH.unpack(self._get(self._read, _LENGTH.size))
            lines.append(orjson.loads(self._get(self._read + _LENGTH.size, length)))
            self._read += _LENGTH.size + length
        return lines

    def _end(self) -> int:
        return _END.unpack(self._memory[: _END.size])[0]

    def _put(self, at: int, data: bytes) -> None:
        begin = at % SIZE
        first = data[: SIZE - begin]
        self._memory[_END.size + begin : _END.size + begin + len(first)] = first
        rest = data[len(first) :]
        self._memory[_END.size : _END.size + len(rest)] = rest

    def _get(self, at: int, length: int) -> bytes:
        begin = at % SIZE
        first = self._memory[_END.size + begin : _END.size + min(begin + length, SIZE)]
        return first + self._memory[_END.size : _END.size + length - len(first)]
