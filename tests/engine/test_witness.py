"""The witness: what it says, what it does not, and that it never says too much."""

from __future__ import annotations

import os
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.processes import writing
from tests.faults.store import Store
from tests.support.box import WORKSPACE
from thoughtbox.engine import witness as witness_module
from thoughtbox.engine.protocol import Head
from thoughtbox.engine.witness import ENTRY, Witness, boot, line, parse

HASH = bytes(range(32))


def heads(*named: tuple[str, int]) -> dict[str, Head]:
    return {name: Head(seq, HASH) for name, seq in named}


@pytest.fixture
def witness(tmp_path: Path) -> Witness:
    return Witness(tmp_path / "db", synced=True)


def test_it_says_what_was_written_last(witness: Witness):
    witness.write(heads(("a", 1)))
    witness.write(heads(("b/c", 7), ("a", 2)))
    assert witness.read().heads == heads(("a", 2), ("b/c", 7))
    assert witness.path.stat().st_size == 2 * ENTRY
    assert witness.path.stat().st_mode & 0o777 == 0o600


def test_where_there_is_none_it_says_nothing(witness: Witness):
    assert witness.read().heads == {}


def test_a_torn_entry_says_nothing_and_its_place_is_used_again(witness: Witness):
    witness.write(heads(("a", 1), ("b", 1)))
    content = witness.path.read_bytes()
    for torn in (
        b"x" * ENTRY,
        content[:40] + b"\0" * (ENTRY - 40),
        content[: ENTRY - 1] + b"!",
        b"9" + content[1:ENTRY],
    ):
        found = parse(torn + content[ENTRY:], boot())
        assert (found.heads, found.torn, found.free) == (heads(("b", 1)), 1, [0])
    found = parse(content[:-3], boot())
    assert (found.heads, found.torn) == (heads(("a", 1)), 1)
    witness.path.write_bytes(b"x" * ENTRY + content[ENTRY:])
    other = Witness(Path(str(witness.path).removesuffix("-witness")), synced=True)
    other.write(heads(("c", 3)))
    assert other.read().heads == heads(("c", 3), ("b", 1))


def test_blank_space_is_no_torn_entry():
    assert parse(bytes(3 * ENTRY), boot()).torn == 0


def test_every_changed_byte_of_an_entry_makes_it_say_nothing_or_the_same():
    entry = line("a", Head(12, HASH), "synced")
    for place in range(ENTRY):
        changed = bytearray(entry)
        changed[place] ^= 0x11
        found = parse(bytes(changed), boot())
        assert found.heads in ({}, heads(("a", 12)))


def test_what_was_not_synced_binds_until_the_machine_starts_again(tmp_path: Path):
    relaxed = Witness(tmp_path / "db", synced=False)
    relaxed.write(heads(("a", 5)))
    Witness(tmp_path / "db", synced=True).write(heads(("b", 6)))
    content = relaxed.path.read_bytes()
    assert parse(content, boot()).heads == heads(("a", 5), ("b", 6))
    assert parse(content, "another boot").heads == heads(("b", 6))


def test_writers_that_share_it_find_each_others_entries(tmp_path: Path):
    one, other = (Witness(tmp_path / "db", synced=True) for _ in range(2))
    one.write(heads(("a", 1)))
    other.write(heads(("b", 1)))
    one.write(heads(("c", 1)))
    other.write(heads(("c", 2), ("a", 2)))
    one.write(heads(("b", 2)))
    assert one.read().heads == other.read().heads == heads(("a", 2), ("b", 2), ("c", 2))


def test_one_that_was_moved_away_is_made_anew(witness: Witness, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(witness_module, "LOOK_AGAIN_SECONDS", 0.0)
    witness.write(heads(("a", 1), ("b", 1)))
    witness.path.rename(f"{witness.path}.away")
    witness.write(heads(("b", 2)))
    assert witness.read().heads == heads(("b", 2))


def test_one_that_cannot_be_written_fails_nobodys_call_and_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with Store(tmp_path) as store:
        (tmp_path / "thoughtbox.db-witness").mkdir()
        store.think("one")
        store.think("two")
        assert sum("witness cannot be written" in message for message in caplog.messages) == 1
        (tmp_path / "thoughtbox.db-witness").rmdir()
        store.think("three")
        assert store.engine.witnessed()[WORKSPACE].seq == 3


def test_a_call_that_is_answered_was_witnessed_and_verification_asks_for_it(tmp_path: Path):
    with Store(tmp_path) as store:
        for number in range(1, 6):
            store.think(f"thought {number}")
            assert store.engine.witnessed() == {WORKSPACE: Head(number, store.by_number()[-1].hash)}
        os.remove(tmp_path / "thoughtbox.db-witness")  # noqa: PTH107
        assert store.engine.witnessed() == {}
        store.assert_whole()


def test_a_failed_call_is_not_witnessed(tmp_path: Path):
    with Store(tmp_path) as store:
        store.think("one")

        def append_and_fail(sql: object) -> None:
            raise ValueError

        assert store.engine.write(WORKSPACE, append_and_fail).exception()
        assert store.engine.witnessed()[WORKSPACE].seq == 1


def test_it_is_never_ahead_of_a_snapshot_taken_after_it(tmp_path: Path):
    """While several processes write, verification never misses what it was told before."""
    with ExitStack() as stack:
        writers = [stack.enter_context(writing(tmp_path, f"life-{n}", threads=2, calls=60)) for n in range(2)]
        for writer in writers:
            assert writer.is_ready()
        listening = [threading.Thread(target=writer.listen) for writer in writers]
        for writer, thread in zip(writers, listening, strict=True):
            writer.go()
            thread.start()
        with Store(tmp_path) as store:
            while any(thread.is_alive() for thread in listening):
                verdict = store.verify()
                assert verdict.valid, verdict.problem
            assert store.engine.witnessed()[WORKSPACE].seq == store.verify().records
