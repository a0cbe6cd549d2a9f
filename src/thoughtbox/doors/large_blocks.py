"""Memory of large texts, which goes back to the system as soon as they are gone."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from typing import Final

LARGE: Final = 1 << 18
"""Bytes."""

_M_MMAP_THRESHOLD: Final = -3


@cache
def return_large_blocks() -> None:
    """Have the C library map each large block by itself, and unmap it when it is freed.

    Left alone, glibc ceases to do so after the first ones. Then they lie among small blocks that last, in the arenas
    of several threads: after 2,000 hostile messages, 141 MB were free there and still belonged to the process.
    """
    if sys.platform != "linux":
        return
    import ctypes  # which takes longer than a small message

    with suppress(AttributeError):  # not every C library has it
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE)
