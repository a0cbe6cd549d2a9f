"""What the product takes from outside: time and chance.

Both are injected, so that every test is deterministic and every record can be
reproduced. Nothing else in the product reads a clock or asks for random bytes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple


def _system_ms() -> int:
    return time.time_ns() // 1_000_000


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class World(NamedTuple):
    """Time in milliseconds since 1970, and random bytes."""

    now_ms: Callable[[], int] = _system_ms
    random_bytes: Callable[[int], bytes] = os.urandom


def iso(ms: int) -> str:
    """Milliseconds since 1970 as ISO-8601 UTC, always with three decimals and a Z."""
    return f"{_to_the_second(ms // 1000)}.{ms % 1000:03d}Z"


def milliseconds(time: str) -> int:
    """ISO-8601 with an offset or a Z as milliseconds since 1970."""
    return (datetime.fromisoformat(time) - _EPOCH) // _MILLISECOND


@lru_cache(maxsize=16)
def _to_the_second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
