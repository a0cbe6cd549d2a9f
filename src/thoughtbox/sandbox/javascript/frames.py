"""What the server and a worker say to each other through two pipes: a kind, and parts, each with its length."""

from __future__ import annotations

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

_HEAD = struct.Struct("<BB")
_LENGTH = struct.Struct("<I")
LARGEST_PART = 64 * 1024 * 1024


class Kind(IntEnum):
    """What a frame says, and what its parts are."""

    RUN = 1
    """To the worker: run this. Settings (JSON), code, the catalog or nothing."""
    REPLY = 2
    """To the worker: the answer to what was asked (JSON)."""
    ABANDON = 3
    """To the worker: nobody waits for the snippet any more that waits for an answer."""
    READY = 10
    """From the worker, once: it is confined, and waits for snippets."""
    UNFIT = 11
    """From the worker, once: a file with a compiled module cannot be used; which."""
    BROKEN = 16
    """From the worker, once: it cannot work here; why."""
    BEGUN = 12
    """From the worker: from here on, the time of the snippet counts."""
    ASKED = 13
    """From the worker: microseconds of CPU so far, lines printed since the last frame (JSON), the question (JSON)."""
    ENDED = 14
    """From the worker: the same, with the result (JSON), and what builders have queued (JSON)."""
    FAILED = 15
    """From the worker: the same, with what went wrong (JSON)."""


class Frame(NamedTuple):
    kind: int
    parts: list[bytes]


def packed(kind: Kind, *parts: bytes) -> bytes:
    return b"".join([_HEAD.pack(kind, len(parts)), *(_LENGTH.pack(len(part)) for part in parts), *parts])


def unpacked(read: Callable[[int], bytes]) -> Frame:
    """The next frame, from a function that reads exactly so many bytes."""
    kind, count = _HEAD.unpack(read(_HEAD.size))
    lengths = [length for (length,) in _LENGTH.iter_unpack(read(_LENGTH.size * count))] if count else []
    if any(length > LARGEST_PART for length in lengths):
        raise ValueError("a part of a frame is longer than any can be")
    return Frame(kind, [read(length) if length else b"" for length in lengths])
