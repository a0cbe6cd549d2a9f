"""Numbered SQL steps that build the ledger's own tables.

`0007_name.sql` serves both engines; where they must differ, `0007_name.sqlite.sql` and
`0007_name.postgres.sql` stand in its place. Views are not migrated: a view whose
schema changed is dropped and replayed.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from thoughtbox.engine.protocol import Dialect, Sql
from thoughtbox.errors import SchemaTooNew, StorageDamaged

EPOCHS = 3
"""The step from which on processes notice that another has changed the store under them."""


@cache
def steps(dialect: Dialect) -> list[tuple[int, str]]:
    """Every step for this engine, in order: its number and its statements."""
    found = []
    for file in Path(__file__).parent.iterdir():
        parts = file.name.split(".")
        if parts[-1] == "sql" and (len(parts) == 2 or parts[1] == dialect):
            found.append((int(file.name[:4]), file.read_text(encoding="utf-8")))
    return sorted(found)


def statements(script: str) -> list[str]:
    """The statements of a script; none of ours has a semicolon inside one."""
    without_comments = "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("--"))
    return [statement.strip() for statement in without_comments.split(";") if statement.strip()]


def migrate(sql: Sql) -> None:
    """Take the store to the newest step, inside the transaction given."""
    sql.run("CREATE TABLE IF NOT EXISTS schema_steps (step BIGINT PRIMARY KEY)")
    known = steps(sql.dialect)
    done = must_be_known(sql)
    if 0 < done < known[-1][0]:
        sql.hold(patient=True)
    for number, script in known:
        if number > done:
            for statement in statements(script):
                sql.run(statement)
            sql.run("INSERT INTO schema_steps (step) VALUES (?)", (number,))
    if EPOCHS <= done < known[-1][0]:
        raise_epoch(sql)


def must_be_known(sql: Sql) -> int:
    """The step that the store is at, if this Thoughtbox knows it."""
    row = sql.row("SELECT MAX(step) FROM schema_steps")
    done = row[0] if row and row[0] is not None else 0
    if not isinstance(done, int):
        raise StorageDamaged("the store's schema step cannot be read", recovery="Restore from a copy or an export.")
    newest = steps(sql.dialect)[-1][0]
    if done > newest:
        raise SchemaTooNew(
            f"the store is at schema step {done}; this Thoughtbox knows steps up to {newest}",
            recovery="Upgrade Thoughtbox, or point it at another store.",
        )
    return done


def raise_epoch(sql: Sql) -> None:
    """Let everybody look again whether the store is still theirs to use. The store is held."""
    sql.learnt.clear()
    sql.run("UPDATE store SET epoch = epoch + 1")
    sql.run("UPDATE workspaces SET epoch = (SELECT epoch FROM store)")
