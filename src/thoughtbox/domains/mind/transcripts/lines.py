"""The lines of a transcript, a block at a time: as many at once as were read, and none longer than can be held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from thoughtbox.domains.mind.transcripts.files import Transcript
from thoughtbox.domains.mind.transcripts.models import MIB

LONGEST_LINE = 8 * MIB
"""A longer line is passed over: it holds a picture or a dump, and a server's memory is not its place."""

_AT_ONCE = MIB


class Block(NamedTuple):
    """Whole lines, and the number of the first."""

    number: int
    raw: bytes


def blocks(transcript: Transcript, head: bytes) -> Iterator[Block]:
    """All lines, those of the head first. A line that the allowance cuts off is not among them."""
    number, position, rest, passing_over = 1, len(head), head, False
    while True:
        at_end = position >= transcript.size
        stop = len(rest) if at_end else rest.rfind(b"\n") + 1
        raw, rest = rest[:stop], rest[stop:]
        if passing_over and raw:
            raw = raw.partition(b"\n")[2]
            number += 1
            passing_over = False
        if raw:
            yield Block(number, raw)
            number += raw.count(b"\n")
        if len(rest) > LONGEST_LINE:
            rest, passing_over = b"", True
        if passing_over:
            rest = b""
        if at_end or not (part := transcript.read(position, _AT_ONCE)):
            return
        rest += part
        position += len(part)
