"""What `doctor` looks at inside the store. It changes nothing, and waits for nobody's turn: others may be writing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from thoughtbox.app import all_views, keyring_of
from thoughtbox.doors.cli.checks import Finding
from thoughtbox.doors.cli.notes import stranger_in_words
from thoughtbox.doors.cli.output import count
from thoughtbox.doors.cli.progress import Bar
from thoughtbox.engine.migrations import steps
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import shown_until
from thoughtbox.ledger.replay import SLICE, cursor, record_count
from thoughtbox.ledger.signing import Checkpoint
from thoughtbox.ledger.tree import WIDTH
from thoughtbox.ledger.verdict import Signatory, Verdict
from thoughtbox.ledger.verify import known_workspaces, verify_workspace
from thoughtbox.ledger.view import kind_of
from thoughtbox.settings import Settings
from thoughtbox.world import World

SQLITE_TABLE = "SELECT 1 FROM sqlite_schema WHERE name = ?"
POSTGRES_TABLE = "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
BUSY_MS = 2_000
VERIFIED_ANYWAY = 20_000
"""A ledger of so many records is verified whole without being asked: it takes no time."""


def store(settings: Settings) -> Iterator[Finding]:
    with _reading(settings) as sql:
        if sql is None:
            yield Finding("store", "ok", "There is none yet; it is made at the first start.")
            return
        row = sql.row("SELECT MAX(step) FROM schema_steps")
        done, known = (row[0] if row else 0), steps(sql.dialect)[-1][0]
        if done > known:
            yield Finding(
                "store",
                "fail",
                f"The store was written by a newer Thoughtbox (schema step {done}; this one knows {known}).",
                "Upgrade Thoughtbox.",
            )
            return
        size = f"{count(record_count(sql), 'record')} in {count(len(_workspaces(sql)), 'workspace')}"
        yield Finding("store", "ok", f"{size}.{' It is migrated at the next start.' if done < known else ''}")


def log(settings: Settings) -> Iterator[Finding]:
    """Whether anything that was answered is gone, and whether the log is whole."""
    if settings.database_url is not None or settings.storage != "fs":
        return
    from thoughtbox.engine.sqlite_damage import find_damage, refuse_lone_log, total_loss
    from thoughtbox.engine.witness import Witness

    refuse_lone_log(settings.database)
    # Before the snapshot is taken: what is written meanwhile is not missing.
    entries = Witness(settings.database, synced=True).read()
    if entries.torn:
        yield Finding(
            "log",
            "warn",
            f"Of the entries in {settings.database.name}-witness {entries.torn} cannot be read, and vouch for nothing.",
            "They are written anew with the next records of their workspaces.",
        )
    with _reading(settings) as sql:
        if sql is None and not entries.heads:
            return
        if sql is None:
            damage = total_loss(settings.database, entries)
        else:
            damage = find_damage(sql, settings.database, entries, synced=settings.durability == "full")
    if damage is not None:
        raise damage.error()
    yield Finding("log", "ok", "Nothing that was answered is missing.")


def chain(settings: Settings, *, deep: bool, bar: Callable[[str], Bar]) -> Iterator[Finding]:
    """Whether the ledger holds: where it ends, or all of it."""
    keyring = keyring_of(settings, World())
    with _reading(settings) as sql:
        if sql is None:
            return
        whole = deep or record_count(sql) <= VERIFIED_ANYWAY
        last_seqs = {**dict.fromkeys((*keyring.workspaces(), *known_workspaces(sql)), 0), **_workspaces(sql)}
        for workspace, last_seq in sorted(last_seqs.items()):
            if whole:
                verdict = _verdict(sql, workspace, keyring, bar)
                wrong = verdict.problem.message if verdict.problem else None
                yield from (_stranger(workspace, stranger) for stranger in verdict.strangers)
            else:
                wrong = _ends(sql, workspace, last_seq, keyring)
            if wrong is not None:
                yield Finding(
                    "chain",
                    "fail",
                    f"Workspace {workspace}: {wrong}.",
                    "Run `thoughtbox verify`, and restore from an export.",
                )
                return
    if whole:
        yield Finding("chain", "ok", "Every record is what was written.")
    else:
        yield Finding(
            "chain", "ok", "Every stream ends where it should. `thoughtbox doctor --deep` looks at all of it."
        )


def _verdict(sql: Sql, workspace: str, keyring: Keyring, bar: Callable[[str], Bar]) -> Verdict:
    with bar(f"Verifying {workspace}") as progress:
        return verify_workspace(
            sql, workspace, keys=keyring.verifiers, notes=keyring.recall(workspace), progress=progress
        )


def _stranger(workspace: str, stranger: Signatory) -> Finding:
    said, advice = stranger_in_words(stranger)
    return Finding("signers", "warn", f"Workspace {workspace} is {said}.", f"{advice[:1].upper()}{advice[1:]}")


def _ends(sql: Sql, workspace: str, last_seq: int, keyring: Keyring) -> str | None:
    """What is wrong with the heads, the numbers of records, or the note kept outside the store."""
    counted, highest = sql.row(
        "SELECT COUNT(*), MAX(seq) FROM records WHERE workspace = ? AND seq <= ?",
        (workspace, shown_until(sql, workspace)),
    ) or (0, 0)
    if (counted, highest or 0) != (last_seq, last_seq):
        return f"it should have {count(last_seq, 'record')}, but has {counted:,}, the last of them th:{highest}"
    signed = max((Checkpoint.parse(note).size for note in keyring.recall(workspace)), default=0)
    if signed > last_seq:
        return f"it has {count(last_seq, 'record')}, but {signed:,} were signed"
    wrong = sql.row(
        "SELECT s.stream FROM streams s LEFT JOIN records r"
        " ON r.workspace = s.workspace AND r.seq = s.last_seq"
        " WHERE s.workspace = ? AND (r.hash IS NULL OR r.hash <> s.head_hash OR r.stream <> s.stream) LIMIT 1",
        (workspace,),
    )
    if wrong is not None:
        return f"stream {wrong[0]} does not end with the record that its head remembers"
    lengths = sql.row("SELECT COALESCE(SUM(length), 0) FROM streams WHERE workspace = ?", (workspace,))
    if lengths is not None and lengths[0] != counted:
        return f"its streams should have {lengths[0]:,} records together, but have {counted:,}"
    return None


def compared_views(settings: Settings, *, bar: Callable[[str], Bar]) -> Iterator[Finding]:
    """Whether every view is what the ledger makes of it."""
    with _reading(settings) as sql:
        if sql is None:
            return
        with bar("Comparing views") as progress:
            found = compare(sql, all_views(), progress=progress)
    for workspace, view, why in found.differences:
        yield Finding(
            "compared",
            "fail",
            f"Workspace {workspace}: the view `{view}` {why}.",
            f"Run `thoughtbox rebuild {view}`: it is made anew from the ledger.",
        )
    if not found.differences:
        yield Finding("compared", "ok", "Every view is what the ledger makes of it.")


def views(settings: Settings) -> Iterator[Finding]:
    """Whether the views that follow the ledger's tail keep up with it."""
    known = all_views()
    # Without a server they move on when a checkpoint is signed, the tree in whole blocks.
    allowed = max(SLICE, settings.checkpoint_every + WIDTH)
    with _reading(settings) as sql:
        if sql is None:
            return
        outdated = [kind.name for kind in known.outdated(sql)]
        lagging = [
            (last_seq - cursor(sql, kind_of(view), workspace), view.name, workspace)
            for view in known.tails
            if view.name not in outdated
            for workspace, last_seq in _workspaces(sql).items()
        ]
    lag, view, workspace = max(lagging, default=(0, "", ""))
    if lag > allowed:
        yield Finding(
            "views",
            "warn",
            f"The view `{view}` of workspace {workspace} is {count(lag, 'record')} behind.",
            f"A running server lets it catch up; `thoughtbox checkpoint --workspace {workspace}` does so at once.",
        )
    elif outdated:
        yield Finding("views", "ok", f"To be replayed at the next start: {', '.join(outdated)}.")
    else:
        yield Finding("views", "ok", "They keep up with the ledger.")


def _workspaces(sql: Sql) -> dict[str, int]:
    """By name: the number of the last record."""
    return dict(sql.rows("SELECT workspace, last_seq FROM workspaces"))


@contextmanager
def _reading(settings: Settings) -> Generator[Sql | None]:
    """A snapshot of the store, to read and to make temporary tables in; None when there is no store."""
    if settings.database_url is not None:
        with _reading_postgres(settings.database_url, settings) as sql:
            yield sql if _is_made(sql, POSTGRES_TABLE) else None
    elif settings.storage == "fs" and settings.database.exists():
        from thoughtbox.engine.read_only import to_read
        from thoughtbox.engine.sqlite_damage import FOREIGN_TABLES, refuse_foreign

        with to_read(settings.database) as found, _reading_sqlite(found.address) as sql:
            refuse_foreign(settings.database, [row[0] for row in sql.rows(FOREIGN_TABLES)])
            yield sql if _is_made(sql, SQLITE_TABLE) else None
    else:
        yield None


def _is_made(sql: Sql, question: str) -> bool:
    return sql.row(question, ("schema_steps",)) is not None


@contextmanager
def _reading_sqlite(address: str) -> Generator[Sql]:
    import apsw

    from thoughtbox.engine.sqlite import SqliteSql, translate

    try:
        connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            connection.set_busy_timeout(BUSY_MS)
            connection.execute("BEGIN")
            sql = SqliteSql(connection)
            yield sql
            sql.close_scans()
        finally:
            connection.close(True)
    except apsw.Error as error:
        raise translate(error) from error


@contextmanager
def _reading_postgres(url: str, settings: Settings) -> Generator[Sql]:
    import psycopg

    from thoughtbox.engine.postgres import BEGIN_SCRATCH, PostgresSql
    from thoughtbox.engine.postgres_connection import connect, connection_parameters, translate

    try:
        with connect(connection_parameters(url), settings.durability) as connection:
            connection.execute(BEGIN_SCRATCH)
            yield PostgresSql(connection)
    except psycopg.Error as error:
        raise translate(error) from error
