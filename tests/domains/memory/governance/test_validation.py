"""Validation finds what was changed behind the ledger's back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from tests.support.box import Box
from thoughtbox.domains.memory.governance.validation import validate

Tampering = Callable[[sqlite3.Connection], None]


def view_row(db: sqlite3.Connection) -> None:
    db.execute("UPDATE invocations SET input_hash = ? WHERE position = 2", ("0" * 64,))


def view_meta(db: sqlite3.Connection) -> None:
    db.execute("""UPDATE invocations SET meta_json = '{"exit":0}' WHERE position = 2""")


def view_session(db: sqlite3.Connection) -> None:
    db.execute("UPDATE memory_sessions SET integrity = 'OK', scope_mode = 'global'")


def record_meta(db: sqlite3.Connection) -> None:
    (seq,) = db.execute("SELECT id FROM invocations WHERE position = 2").fetchone()
    (content,) = db.execute("SELECT content FROM records WHERE seq = ?", (seq,)).fetchone()
    assert b"exit" in content
    db.execute("UPDATE records SET content = ? WHERE seq = ?", (content.replace(b"exit", b"exot"), seq))


def record_out_of_the_middle(db: sqlite3.Connection) -> None:
    (seq,) = db.execute("SELECT id FROM invocations WHERE position = 2").fetchone()
    db.execute("DELETE FROM records WHERE seq = ?", (seq,))


def tail(db: sqlite3.Connection) -> None:
    """The last invocation is gone, from the records as well as from the table, as if it had never been."""
    (seq,) = db.execute("SELECT MAX(id) FROM invocations").fetchone()
    db.execute("DELETE FROM records WHERE seq = ?", (seq,))
    db.execute("DELETE FROM invocations WHERE id = ?", (seq,))


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (view_row, "table of invocations"),
        (view_meta, "table of invocations"),
        (view_session, "table of sessions"),
        (record_meta, "ledger of session"),
        (record_out_of_the_middle, "ledger of session"),
        (tail, "ledger of session"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_was_changed_in_the_file_is_found(tmp_path: Path, tamper: Tampering, found: str):
    box = Box(tmp_path / "store", THOUGHTBOX_PROJECT_ROOT=str(tmp_path / "project"))
    cycle = Guarded(box, tmp_path / "project")
    id = cycle.memory_host_session(client="claude-code", host_session="s")["session_id"]
    for number in range(3):
        cycle.record_invocation(session_id=id, tool_name="Bash", input=number, output={}, meta={"exit": number})
    cycle.memory_host_session(client="codex", host_session="later")  # so that the session's end is not the store's
    assert cycle.inside(lambda tx: validate(tx, id)).valid
    box.close()

    (file,) = (path for path in (tmp_path / "store").iterdir() if path.suffix in (".db", ".sqlite", ".sqlite3"))
    db = sqlite3.connect(file)
    tamper(db)
    db.commit()
    db.close()

    box = Box(tmp_path / "store", THOUGHTBOX_PROJECT_ROOT=str(tmp_path / "project"))
    validation = Guarded(box, tmp_path / "project").inside(lambda tx: validate(tx, id))
    box.close()

    assert not validation.valid
    assert any(found in error for error in validation.errors), validation.errors


def test_a_sound_session_is_valid_on_both_engines(stored: Guarded):
    id = stored.until("FINALIZE_RESPONSE")
    stored.record_invocation(session_id=id, tool_name="Bash", input={}, output={}, meta={"exit": 0})

    validation = stored.inside(lambda tx: validate(tx, id))

    assert (validation.errors, validation.chain_count) == ([], 6)
    assert validation.chain_head == stored.status(id)["chain_head"]


def test_phases_that_are_missing_are_named(cycle: Guarded):
    id = cycle.until("CONTEXT_PACK")

    validation = cycle.inside(lambda tx: validate(tx, id))

    assert validation.errors == ["phases are missing: DRAFT, FINALIZE_RESPONSE"]


def test_a_context_hash_is_compared_when_it_is_given(cycle: Guarded):
    id = cycle.until("FINALIZE_RESPONSE")
    packed = cycle.status(id)["context_hash"]

    right, wrong, none = (
        cycle.inside(lambda tx, given=given: validate(tx, id, given)) for given in (packed, "0" * 64, None)
    )

    assert (right.valid, right.context_hash_match) == (True, True)
    assert (wrong.valid, wrong.context_hash_match) == (False, False)
    assert (none.valid, none.context_hash_match) == (True, None)
