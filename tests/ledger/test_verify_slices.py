"""A workspace is verified slice by slice: others write and verify in between, and nothing is missed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import apsw
import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Sql
from thoughtbox.engine.steps import Steps, in_steps
from thoughtbox.ledger import verify
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import verify_in_steps, verify_workspace

SLICE = 10


@pytest.fixture(autouse=True)
def short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "SLICE", SLICE)


def think(box: Box, count: int) -> None:
    for number in range(count):
        box.thought_record(sessionId=f"s{number % 3}", thoughtType="analysis", content=f"thought {number}")


def sign(box: Box) -> None:
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)


def verified(box: Box, between: Callable[[int], object]) -> Verdict:
    """Verify, doing something behind every slice."""
    slices = 0

    def read(work: Callable[[Sql], Any]) -> Future[Any]:
        nonlocal slices
        done = box.app.engine.read(work, long=True)
        done.result()
        slices += 1
        between(slices)
        return done

    keyring = box.app.keyring
    steps = verify_in_steps(read, WORKSPACE, keys=lambda: keyring.verifiers, notes=keyring.recall(WORKSPACE))
    return in_steps(steps).result()


def change(box: Box, statement: str, *parameters: object) -> None:
    box.app.engine.write(WORKSPACE, lambda sql: sql.run(statement, parameters)).result()


@pytest.mark.parametrize("count", [0, 1, SLICE - 1, SLICE, SLICE + 1, 5 * SLICE])
def test_slices_find_what_one_walk_finds(box: Box, count: int):
    think(box, count)
    if count:
        sign(box)
    keyring = box.app.keyring
    whole = box.app.engine.read(lambda sql: verify_workspace(sql, WORKSPACE, keys=keyring.verifiers)).result()
    assert whole.valid
    assert verified(box, lambda _: None) == whole
    answer = box.ledger_verify()
    assert (answer["records"], answer["root"]) == (whole.records, whole.root.hex() if whole.root else None)


def test_what_is_written_and_signed_between_two_slices_is_verified_too(box: Box):
    think(box, 3 * SLICE)

    def write(slices: int) -> None:
        if slices <= 4:
            think(box, SLICE // 2)
            sign(box)

    verdict = verified(box, write)
    assert verdict.valid
    assert (verdict.records, verdict.checkpoints) == (5 * SLICE + 4, 4)
    assert [found.trusted for found in verdict.signatories] == [True]


def test_a_key_that_is_trusted_only_meanwhile_vouches_for_nothing_that_it_did_not_check(box: Box):
    think(box, 2 * SLICE)
    sign(box)
    known: list[VerifierKey] = []

    def read(work: Callable[[Sql], Any]) -> Future[Any]:
        done = box.app.engine.read(work, long=True)
        done.result()
        known[:] = box.app.keyring.verifiers
        return done

    verdict = in_steps(verify_in_steps(read, WORKSPACE, keys=lambda: list(known))).result()
    assert (verdict.standing, [found.trusted for found in verdict.signatories]) == ("untrusted", [False])


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        ("UPDATE records SET content_hash = hash WHERE seq = 25", "content"),
        ("UPDATE records SET prev_seq = 0 WHERE seq = 25", "link"),
        ("DELETE FROM records WHERE seq = 25", "order"),
        ("DELETE FROM records WHERE seq >= 25", "missing tail"),
        ("UPDATE streams SET length = 99", "missing tail"),
        ("UPDATE records SET seq = -1 WHERE seq = 25", "order"),
        ("UPDATE streams SET first_seq = 25", "order"),
    ],
)
def test_damage_ahead_of_the_walk_is_found_whenever_it_is_done(box: Box, statement: str, wrong: str):
    think(box, 4 * SLICE)
    verdict = verified(box, lambda slices: change(box, statement) if slices == 1 else None)
    assert verdict.problem is not None
    assert verdict.problem.wrong == wrong


def test_a_checkpoint_that_was_forged_between_two_slices_is_found(box: Box):
    think(box, 2 * SLICE)

    def forge(slices: int) -> None:
        if slices == 1:
            sign(box)
            change(box, "UPDATE checkpoints SET root = ?", bytes(32))

    verdict = verified(box, forge)
    assert verdict.problem is not None
    assert verdict.problem.wrong == "content"


def test_no_snapshot_is_kept_from_one_slice_to_the_next(tmp_path: Path):
    """Else the log of a busy SQLite store would grow for as long as somebody verifies."""
    box = Box(tmp_path)
    (database,) = tmp_path.glob("*.db")
    aside = apsw.Connection(str(database))
    try:
        think(box, 3 * SLICE)
        busy: list[int] = []

        def fold(slices: int) -> None:
            think(box, 1)
            busy.extend(row[0] for row in aside.execute("PRAGMA wal_checkpoint(TRUNCATE)"))

        assert verified(box, fold).valid
        assert busy == [0, 0, 0, 0]
    finally:
        aside.close()
        box.close()


def test_those_who_verify_take_turns(box: Box):
    think(box, 5 * SLICE)
    turns: list[str] = []

    def steps(name: str) -> Steps[Verdict]:
        def read(work: Callable[[Sql], Any]) -> Future[Any]:
            def look(sql: Sql) -> Any:
                turns.append(name)
                return work(sql)

            return box.app.engine.read(look, long=True)

        return verify_in_steps(read, WORKSPACE, keys=lambda: box.app.keyring.verifiers)

    both = [in_steps(steps(name)) for name in ("first", "second")]
    assert all(verdict.result().valid for verdict in both)
    assert turns.count("first") == turns.count("second") == 6
    assert turns.index("second") < 6 - 1


def test_whoever_gives_up_ends_it_at_the_next_slice(box: Box):
    think(box, 5 * SLICE)
    is_begun = threading.Event()
    looks: list[Sql] = []

    def read(work: Callable[[Sql], Any]) -> Future[Any]:
        def look(sql: Sql) -> Any:
            is_begun.wait(PATIENCE)
            looks.append(sql)
            if len(looks) == 2:
                verifying.cancel()
            return work(sql)

        return box.app.engine.read(look, long=True)

    verifying = in_steps(verify_in_steps(read, WORKSPACE, keys=list))
    is_begun.set()
    with pytest.raises(CancelledError):
        verifying.result(PATIENCE)
    box.app.engine.read(lambda sql: None, long=True).result(PATIENCE)
    assert len(looks) == 2
