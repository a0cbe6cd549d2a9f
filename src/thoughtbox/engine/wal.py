"""SQLite's write-ahead log, read without SQLite: whether what it leaves of a log is a torn end or damage.

SQLite takes frames up to the last commit before the first frame that is not whole, and
never says what it left. Frames are written in order, and with `durability=full` a commit is
synced before the next transaction begins: a process that was killed, or a power cut, leaves
at most one transaction that is not whole. Where a later one stands behind a frame that is not
whole, that frame was whole once: it is damaged. Without syncs a power cut may leave any holes.

Frames of an earlier round of the log have other salts. Those of a transaction that was rolled
back have the same, and may stand behind a shorter one that came after it; they hold no
commit, or one at their very end.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO, NamedTuple

HEADER = struct.Struct(">8I")
FRAME_HEADER = struct.Struct(">6I")
WORDS = {0x377F0682: "<", 0x377F0683: ">"}
"""The magic number says in which byte order the checksums take their words: that of the machine that wrote the log."""

NATIVE = "<" if sys.byteorder == "little" else ">"

_MASK = 0xFFFFFFFF
Pair = tuple[int, int]
File = BinaryIO | RawIOBase


class Header(NamedTuple):
    """The beginning of a log."""

    page_size: int
    salts: Pair
    sums: Pair
    words: str
    """The byte order of the checksums' words, as `struct` writes it."""
    is_whole: bool


class Frame(NamedTuple):
    """A page in the log."""

    is_whole: bool
    """It belongs to this round of the log, and its checksum follows from that of the frame before it."""
    is_commit: bool


class Log(NamedTuple):
    """How much of a log is whole, and what stands behind that."""

    name: str
    frames: int = 0
    """Whole frames from the beginning on."""
    bad: int | None = None
    """The first frame that is not whole, counted from 1; 0 is the header."""
    following: int = 0
    """Whole frames of the same round of the log behind it."""
    is_damaged: bool = False
    end: int = 0
    """Where the whole frames end, in bytes."""

    def __str__(self) -> str:
        what = f"frame {self.bad}" if self.bad else "the header"
        return f"{what} of {self.name} has a bad checksum and {self.following} whole frames follow: damage"


def examine(path: Path, *, taken: int = 0) -> Log:
    """Read a log. The first `taken` frames are known to be whole, because SQLite has taken them."""
    try:
        with path.open("rb", buffering=0) as file:
            while True:
                header = _at(file, 0, HEADER.size)
                found = read_log(file, path.name, taken=taken)
                # Another round may have begun meanwhile, over the frames of this one.
                if not found.is_damaged or _at(file, 0, HEADER.size) == header:
                    return found
    except FileNotFoundError:
        return Log(path.name)


def read_log(file: File, name: str, *, taken: int = 0) -> Log:
    header = _header(_at(file, 0, HEADER.size))
    if header is None:
        return Log(name)
    whole = taken if header.is_whole else 0
    bad = None if header.is_whole else 0
    following, commits, is_damaged = 0, 0, False
    for number, frame in enumerate(_frames(file, header, behind=whole), whole + 1):
        if bad is None and frame.is_whole:
            whole = number
        elif bad is None:
            bad = number
        elif frame.is_whole:
            following += 1
            is_damaged = is_damaged or commits > 0
            commits += frame.is_commit
    end = HEADER.size + whole * (FRAME_HEADER.size + header.page_size)
    return Log(name, whole, bad, following, is_damaged, end)


def _header(content: bytes) -> Header | None:
    """None where there is not enough of it to find a frame."""
    if len(content) < HEADER.size:
        return None
    magic, _, page_size, _, *rest = HEADER.unpack(content)
    if page_size & (page_size - 1) or not 512 <= page_size <= 65536:
        return None
    words = WORDS.get(magic, "")
    salts, sums = (rest[0], rest[1]), (rest[2], rest[3])
    if words and checksum(content[:24], (0, 0), words) == sums:
        return Header(page_size, salts, sums, words, is_whole=True)
    return Header(page_size, salts, sums, NATIVE, is_whole=False)


def _frames(file: File, header: Header, *, behind: int) -> Iterator[Frame]:
    """The frames behind the one given, each held against the checksum that stands in the one before it."""
    size = FRAME_HEADER.size + header.page_size
    place = HEADER.size + behind * size
    salts, sums = header.salts, header.sums
    if behind:
        _, sums = _told(_at(file, place - size, FRAME_HEADER.size))
    elif not header.is_whole:
        salts, _ = _told(_at(file, place, FRAME_HEADER.size))  # the header cannot be asked
    while len(head := _at(file, place, FRAME_HEADER.size)) == FRAME_HEADER.size:
        before, (own_salts, sums) = sums, _told(head)
        is_whole = False
        if own_salts == salts:
            page = _at(file, place + FRAME_HEADER.size, header.page_size)
            is_whole = len(page) == header.page_size and sums == checksum(
                page, checksum(head[:8], before, header.words), header.words
            )
        yield Frame(is_whole, is_commit=head[4:8] != bytes(4))
        place += size


def _told(head: bytes) -> tuple[Pair, Pair]:
    """The salts and the checksum in a frame's header; nothing fits where there is none."""
    if len(head) < FRAME_HEADER.size:
        return (-1, -1), (-1, -1)
    _, _, *rest = FRAME_HEADER.unpack(head)
    return (rest[0], rest[1]), (rest[2], rest[3])


def _at(file: File, place: int, size: int) -> bytes:
    file.seek(place)
    return file.read(size) or b""


def checksum(content: bytes, before: Pair, words: str) -> Pair:
    """SQLite's checksum of a piece of the log that follows another: two sums over pairs of words."""
    first, second = before
    values = struct.unpack(f"{words}{len(content) // 4}I", content)
    for one, other in zip(values[::2], values[1::2], strict=True):
        first = (first + one + second) & _MASK
        second = (second + other + first) & _MASK
    return first, second
