"""What the product takes from outside: time and chance.

Both are injected, so that every test is deterministic and every record can be
reproduced. Nothing else in the product reads a clock or asks for random bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from time import gmtime, strftime, time_ns
from typing import NamedTuple


def _system_ms() -> int:
    return time_ns() // 1_000_000


class World(NamedTuple):
    """Time in milliseconds since 1970, and random bytes."""

    now_ms: Callable[[], int] = _system_ms
    random_bytes: Callable[[int], bytes] = os.urandom


def iso(ms: int) -> str:
    """Milliseconds since 1970 as ISO-8601 UTC, always with three decimals and a Z."""
    return f"{_to_the_second(ms // 1000)}.{ms % 1000:03d}Z"


def milliseconds(time: str) -> int:
    """ISO-8601 with an offset or a Z as milliseconds since 1970."""
    from datetime import UTC, datetime, timedelta  # a start has no time for it

    return (datetime.fromisoformat(time) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def uuid_of(random: bytes) -> str:
    """A UUID of version 4, made of sixteen random bytes."""
    number = int.from_bytes(random, "big") & ~(0xF << 76 | 0x3 << 62) | 4 << 76 | 2 << 62
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


@lru_cache(maxsize=16)
def _to_the_second(seconds: int) -> str:
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds))
