"""Logs that SQLite wrote, read without it."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from random import Random

import apsw
import pytest

from thoughtbox.engine.wal import FRAME_HEADER, HEADER, Log, examine, read_log

PAGE = 4096
FRAME = FRAME_HEADER.size + PAGE


def written(path: Path, commits: int, *, rows: int = 3, checkpoint_after: int | None = None) -> bytes:
    """The log of a database with so many commits, while its connection is open."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.pragma("wal_autocheckpoint", 0)
    connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, data BLOB)")
    chance = Random(commits)
    for number in range(commits):
        with connection:
            for _ in range(rows):
                connection.execute("INSERT INTO things (data) VALUES (?)", (chance.randbytes(900),))
        if number == checkpoint_after:
            connection.execute("PRAGMA wal_checkpoint(RESTART)")
    taken = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()[0][1]
    content = Path(f"{path}-wal").read_bytes()
    assert read_log(BytesIO(content), "log").frames == taken
    connection.close()
    return content


def log_of(content: bytes | bytearray, taken: int = 0) -> Log:
    return read_log(BytesIO(content), "log", taken=taken)


def flipped(content: bytes, place: int) -> bytearray:
    damaged = bytearray(content)
    damaged[place] ^= 1
    return damaged


def test_every_frame_that_sqlite_takes_is_whole(tmp_path: Path):
    content = written(tmp_path / "db", 8)
    frames = len(content) // FRAME
    assert log_of(content) == Log("log", frames, None, 0, is_damaged=False, end=len(content))
    assert log_of(content, taken=frames) == log_of(content, taken=3) == log_of(content)


def test_frames_of_an_earlier_round_are_no_damage(tmp_path: Path):
    content = written(tmp_path / "db", 20, checkpoint_after=17)
    found = log_of(content)
    assert found.frames < len(content) // FRAME
    assert found.bad == found.frames + 1
    assert (found.following, found.is_damaged) == (0, False)


@pytest.mark.parametrize("place", [0, 4, 9, 17, 30, FRAME_HEADER.size + 100, FRAME - 1])
def test_a_flipped_bit_with_later_transactions_behind_it_is_damage(place: int, tmp_path: Path):
    content = written(tmp_path / "db", 12)
    found = log_of(flipped(content, HEADER.size + 6 * FRAME + place % FRAME))
    assert found.is_damaged
    assert found.bad == 7
    assert found.frames == 6
    assert found.following >= len(content) // FRAME - 8
    assert found.end == HEADER.size + 6 * FRAME
    assert str(found) == f"frame 7 of log has a bad checksum and {found.following} whole frames follow: damage"


@pytest.mark.parametrize("place", [0, 3, 17, 20, 24, 31])
def test_a_flipped_bit_in_the_header_is_damage(place: int, tmp_path: Path):
    found = log_of(flipped(written(tmp_path / "db", 12), place))
    assert (found.frames, found.bad, found.is_damaged) == (0, 0, True)
    assert str(found).startswith("the header of log has a bad checksum")


def test_a_log_cut_anywhere_is_a_torn_end_and_no_damage(tmp_path: Path):
    content = written(tmp_path / "db", 6)
    for size in [0, 1, 31, 32, 33, *range(32, len(content), 1111)]:
        found = log_of(content[:size])
        assert not found.is_damaged
        assert found.frames == max(0, size - HEADER.size) // FRAME


def test_a_last_transaction_of_which_any_frame_is_missing_is_no_damage(tmp_path: Path):
    """A power cut: none, some or all of its frames have reached the disk, in whichever order."""
    before = written(tmp_path / "before", 5, rows=30)
    content = written(tmp_path / "db", 6, rows=30)
    first, last = len(before) // FRAME, len(content) // FRAME
    assert last - first > 3
    for frame in range(first, last):
        holed = bytearray(content)
        holed[HEADER.size + frame * FRAME : HEADER.size + (frame + 1) * FRAME] = bytes(FRAME)
        found = log_of(holed)
        assert not found.is_damaged
        assert found.bad == frame + 1


def test_frames_that_a_rollback_left_behind_are_no_damage(tmp_path: Path):
    """A large transaction spills into the log, is rolled back, and a small one is written over its beginning."""
    path = tmp_path / "db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.pragma("cache_size", 10)
    connection.execute("CREATE TABLE things (id INTEGER PRIMARY KEY, data BLOB)")
    connection.execute("BEGIN")
    for _ in range(200):
        connection.execute("INSERT INTO things (data) VALUES (randomblob(900))")
    connection.execute("ROLLBACK")
    connection.execute("INSERT INTO things (data) VALUES ('small')")
    found = examine(Path(f"{path}-wal"))
    assert found.following > 10
    assert not found.is_damaged
    connection.close()


def test_there_may_be_no_log(tmp_path: Path):
    assert examine(tmp_path / "no-wal") == Log("no-wal")
