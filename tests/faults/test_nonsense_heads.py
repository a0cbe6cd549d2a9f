"""Heads, counts and cursors that say nonsense: verification names that, and never falls over it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.faults.forger import forging
from tests.faults.store import Store, fill
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import known_workspaces, verify_stream, verify_workspace

NUMBERS = (0, -1, 1, 7, 2**31, 2**62, -(2**63), 2**63 - 1)
NAMES = ("", " ", "s1", "trail/s1", "trail/", "a/../b", "x" * 5000, "\x00", "ü\u202e", "%", "'", "nowhere")
HASHES = (b"", b"\x00", b"\x00" * 32, b"\xff" * 33)
SEED = 20_260_728

HEAD = "streams (workspace, stream, length, head_hash, last_seq)"


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store") as store:
        fill(store, 60, sign_at=(20,))
        yield store


def looked_at_from_all_sides(store: Store) -> dict[str, Verdict]:
    """Every workspace and stream that anything names; whatever is said, nothing is raised."""

    def look(sql) -> dict[str, Verdict]:
        workspaces = known_workspaces(sql)
        for workspace, stream in sql.rows("SELECT workspace, stream FROM streams"):
            verify_stream(sql, workspace, stream)
        return {name: verify_workspace(sql, name, keys=store.app.keyring.verifiers) for name in workspaces}

    return store.engine.read(look).result(PATIENCE)


def nonsense(chance: Random) -> tuple[str, tuple[object, ...]]:
    number, name, hash = chance.choice(NUMBERS), chance.choice(NAMES), chance.choice(HASHES)
    return chance.choice(
        [
            ("UPDATE streams SET length = ? WHERE stream = 'trail/s1'", (number,)),
            ("UPDATE streams SET last_seq = ? WHERE stream = 'trail/s1'", (number,)),
            ("UPDATE streams SET head_hash = ? WHERE stream = 'trail/s2'", (hash,)),
            ("UPDATE streams SET stream = ? WHERE stream = 'trail/s1'", (name,)),
            ("UPDATE streams SET workspace = ? WHERE stream = 'trail/s1'", (name,)),
            (f"INSERT INTO {HEAD} VALUES (?, ?, ?, ?, ?)", (WORKSPACE, name + "!", number, hash, number)),
            (f"INSERT INTO {HEAD} VALUES (?, ?, ?, ?, ?)", (name, name, number, hash, number)),
            ("DELETE FROM streams WHERE stream = 'trail/s1'", ()),
            ("UPDATE workspaces SET last_seq = ?", (number,)),
            ("UPDATE workspaces SET workspace = ?", (name,)),
            ("INSERT INTO workspaces VALUES (?, ?)", (name, number)),
            ("DELETE FROM workspaces", ()),
            ("UPDATE records SET workspace = ? WHERE seq > 30", (name,)),
            ("UPDATE records SET stream_index = ? WHERE seq = 5", (number,)),
            ("UPDATE records SET prev_seq = ? WHERE seq = 9", (number,)),
            ("UPDATE checkpoints SET size = ?", (number,)),
            ("UPDATE checkpoints SET root = ?", (hash,)),
            ("UPDATE checkpoints SET note = ?", (name,)),
            ("UPDATE checkpoint_heads SET length = ? WHERE stream = 'trail/s1'", (number,)),
            ("UPDATE checkpoint_heads SET hash = ? WHERE stream = 'trail/s1'", (hash,)),
        ]
    )


@pytest.mark.parametrize("turn", range(40))
def test_whatever_heads_and_views_of_the_ledger_say_verification_ends_with_a_verdict(turn: int, store: Store):
    chance = Random(SEED + turn)
    done = [nonsense(chance) for _ in range(chance.randrange(1, 4))]
    with forging(store.app.settings.database, WORKSPACE) as forger:
        before = forger.run("SELECT * FROM streams"), forger.run("SELECT * FROM workspaces WHERE last_seq <> 0")
        for statement, parameters in done:
            try:
                forger.run(statement, *parameters)
            except Exception:
                continue
        after = forger.run("SELECT * FROM streams"), forger.run("SELECT * FROM workspaces WHERE last_seq <> 0")

    verdicts = looked_at_from_all_sides(store)

    assert before == after or any(not verdict.valid for verdict in verdicts.values()), done


def test_a_head_of_no_length_is_named(store: Store):
    with forging(store.app.settings.database, WORKSPACE) as forger:
        forger.run(f"INSERT INTO {HEAD} VALUES (?, 'trail/empty', 0, ?, 0)", WORKSPACE, b"\x00" * 32)

    problem = store.verify().problem

    assert problem
    assert (problem.wrong, problem.stream) == ("order", "trail/empty")
    assert not store.engine.read(lambda sql: verify_stream(sql, WORKSPACE, "trail/empty")).result().valid


@pytest.mark.parametrize("name", ["", "..", "\x1b[2J", "nowhere"])
def test_records_under_a_workspace_that_nothing_names_are_found_and_looked_at(name: str, store: Store):
    with forging(store.app.settings.database, WORKSPACE) as forger:
        forger.run("UPDATE records SET workspace = ? WHERE seq > 50", name)

    verdicts = looked_at_from_all_sides(store)

    assert set(verdicts) == {WORKSPACE, name}
    assert not verdicts[name].valid


@pytest.mark.parametrize("turn", range(10))
def test_whatever_cursors_say_comparing_ends_with_a_list_of_differences(turn: int, store: Store):
    chance = Random(SEED + turn)
    with forging(store.app.settings.database, WORKSPACE) as forger:
        for _ in range(3):
            forger.run(
                "INSERT INTO view_cursors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq",
                chance.choice((*NAMES, WORKSPACE)),
                chance.choice(("texts", "tree", "nothing")),
                chance.choice(NUMBERS),
            )

    store.engine.scratch(lambda sql: compare(sql, store.app.views)).result(PATIENCE)
