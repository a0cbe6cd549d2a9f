"""What an append costs above its floor: one bare INSERT in its own transaction, with the same settings of SQLite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import apsw

from bench.clock import medians
from bench.run import Run, settings_for
from bench.stores import TEXT, record_thought
from bench.table import Line
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.ledger import COLUMNS

RECORD_BYTES = 480
"""About as long as the stored record of `record_thought`."""

CONTENT = (TEXT * 3)[:RECORD_BYTES].encode()


def measure(run: Run) -> Iterator[Line]:
    for durability in ("normal", "full"):
        yield from _measured(run, durability)


def _measured(run: Run, durability: str) -> Iterator[Line]:
    bare, empty, append = "a bare INSERT", "an empty write", "an append"
    directory = run.new_directory()
    with ExitStack() as stack:
        box = stack.enter_context(Thoughtbox(settings_for(directory, durability=durability)))
        box.keep()  # as in a server: where commits are synced, the log is written in advance
        numbers = count()
        p50 = medians(
            run.rounds(1000, 300),
            {
                bare: _inserting(stack, directory / "bare.db", durability),
                empty: lambda: box.engine.write(box.settings.project, lambda sql: None).result(),
                append: lambda: box.dispatcher.call(record_thought(box.settings.project, "session", next(numbers))),
            },
            warm_up=50,
        )
    yield Line(
        what=f"append in process, durability={durability}, p50",
        value=p50[append] * 1e6,
        unit="µs",
        against=p50[bare] * 1e6,
        against_what=bare,
    )
    yield Line(what=f"a write that writes nothing, durability={durability}, p50", value=p50[empty] * 1e6, unit="µs")


def _inserting(stack: ExitStack, path: Path, durability: str) -> Callable[[], None]:
    """Insert one row of the ledger's own table, without the ledger."""
    connection = apsw.Connection(str(path))
    stack.callback(connection.close)
    connection.pragma("journal_mode", "wal")
    connection.pragma("wal_autocheckpoint", 16_384)
    connection.pragma("synchronous", durability)
    connection.execute(
        "CREATE TABLE records (workspace TEXT, seq INTEGER, stream TEXT, stream_index INTEGER, content BLOB,"
        " content_hash BLOB, hash BLOB, PRIMARY KEY (workspace, seq)) STRICT, WITHOUT ROWID"
    )
    numbers = count()

    def insert() -> None:
        number = next(numbers)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            f"INSERT INTO records (workspace, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            ("w", number, "stream", number, CONTENT, bytes(32), bytes(32)),
        )
        connection.execute("COMMIT")

    return insert
