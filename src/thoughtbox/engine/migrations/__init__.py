"""Numbered SQL steps that build the ledger's own tables.

`0007_name.sql` serves both engines; where they must differ, `0007_name.sqlite.sql` and
`0007_name.postgres.sql` stand in its place. Views are not migrated: a view whose
schema changed is dropped and replayed.
"""

from __future__ import annotations

from importlib.resources import files

from thoughtbox.engine.protocol import Dialect, Sql
from thoughtbox.errors import SchemaTooNew, StorageDamaged


def steps(dialect: Dialect) -> list[tuple[int, str]]:
    """Every step for this engine, in order: its number and its statements."""
    found = []
    for file in files(__name__).iterdir():
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
    row = sql.row("SELECT MAX(step) FROM schema_steps")
    done = row[0] if row and row[0] is not None else 0
    if not isinstance(done, int):
        raise StorageDamaged("the store's schema step cannot be read", recovery="Restore from a copy or an export.")
    known = steps(sql.dialect)
    if done > known[-1][0]:
        raise SchemaTooNew(
            f"the store is at schema step {done}; this Thoughtbox knows steps up to {known[-1][0]}",
            recovery="Upgrade Thoughtbox, or point it at another store.",
        )
    for number, script in known:
        if number > done:
            for statement in statements(script):
                sql.run(statement)
            sql.run("INSERT INTO schema_steps (step) VALUES (?)", (number,))
