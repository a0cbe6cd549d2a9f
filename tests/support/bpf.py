"""The kernel's small machine for filters, as far as ours uses it: says what becomes of a call."""

from __future__ import annotations

import struct

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
STEP = struct.Struct("=HBBI")
MOST_STEPS = 4096


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What the filter answers to a call."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    given = struct.pack("=IIQ6Q", number, architecture, 0, *(value & (2**64 - 1) for value in padded))
    steps = list(STEP.iter_unpack(program))
    assert len(steps) <= MOST_STEPS
    place, held = 0, 0
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == RETURN:
            return value
        if code == LOAD:
            held = int.from_bytes(given[value : value + 4], "little")
            continue
        is_so = {EQUAL: held == value, AT_LEAST: held >= value, ANY_BIT: bool(held & value)}[code]
        place += if_true if is_so else if_false
