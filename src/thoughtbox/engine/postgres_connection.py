"""How to reach PostgreSQL: its address, the settings and value types of a connection, its errors as ours."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import psycopg
from psycopg import errors
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, NumericBinaryLoader

from thoughtbox.engine.protocol import CONSTRAINT
from thoughtbox.errors import ConfigurationError, StorageBusy, StorageDamaged, StorageError, StorageFull

Connection = psycopg.Connection[tuple[Any, ...]]
Parameters = dict[str, Any]

Durability = Literal["full", "normal"]

LOCK_SECONDS = 10
PREPARED = 500
"""Statements that a connection keeps prepared: more than all that we have."""

_DURABILITY: dict[Durability, bytes] = {
    # A server that asks for more than `on` (a standby's answer, say) keeps asking for it.
    "full": b"SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
    "normal": b"SET synchronous_commit = off",
}

_DEFAULTS: Parameters = {
    "application_name": "thoughtbox",
    "client_encoding": "utf-8",
    "connect_timeout": 10,
    # A peer that vanished without a word is noticed within a minute.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}


def connection_parameters(url: str) -> Parameters:
    """What the URL says, with our defaults below it. What is wrong with it is told without showing it."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise _unreadable_url() from None
    # A password with @ or / in it that is not percent-encoded ends up in the other parts, and would be
    # shown by any message that names the host.
    ports = str(given.get("port", "")).replace(",", "")
    if (ports and not ports.isdigit()) or "@" in f"{given.get('host', '')}{given.get('dbname', '')}":
        raise _unreadable_url()
    return {**_DEFAULTS, **given}


def _unreadable_url() -> ConfigurationError:
    return ConfigurationError(
        "the database URL cannot be read",
        recovery="Write it as postgresql://user:password@host/database, and percent-encode"
        " special characters in the password: @ is %40, / is %2F.",
    )


def connect(parameters: Parameters, durability: Durability) -> Connection:
    """A connection that sends no transaction verbs of its own, and gives and takes values as SQLite does."""
    connection = psycopg.connect(autocommit=True, cursor_factory=psycopg.RawCursor, **parameters)
    try:
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise ConfigurationError(
                f"the database's encoding is {encoding}, which cannot hold every text",
                recovery="Create the database with ENCODING 'UTF8' TEMPLATE template0.",
            )
        connection.execute(b"SET lock_timeout = '%ds'; %s" % (LOCK_SECONDS, _DURABILITY[durability]))
    except BaseException:
        connection.close()
        raise
    connection.prepared_max = PREPARED
    adapters = connection.adapters
    adapters.register_dumper(int, Int8BinaryDumper)
    adapters.register_dumper(bool, _TruthDumper)
    adapters.register_loader("bool", _TruthLoader)
    adapters.register_loader("numeric", _NumberLoader)
    return connection


class _TruthDumper(Dumper):
    """Truth is 1 or 0, as in SQLite."""

    format = Format.BINARY
    oid = Int8BinaryDumper.oid

    def dump(self, obj: bool) -> Buffer:
        return b"\0\0\0\0\0\0\0\1" if obj else b"\0\0\0\0\0\0\0\0"


class _TruthLoader(Loader):
    format = Format.BINARY

    def load(self, data: Buffer) -> int:
        return int(data != b"\0")


class _NumberLoader(NumericBinaryLoader):
    """Sums and averages of integers are numbers like any other."""

    def load(self, data: Buffer) -> Any:
        number: Decimal = super().load(data)
        return int(number) if number == number.to_integral_value() else float(number)


_BUSY = (
    errors.LockNotAvailable,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.TooManyConnections,
    errors.CannotConnectNow,
)


def translate(error: Exception) -> Exception:
    """A psycopg error as one of ours; any other as it is."""
    if not isinstance(error, psycopg.Error):
        return error
    ours = _ours(error)
    ours.__cause__ = error
    return ours


def _ours(error: psycopg.Error) -> StorageError:
    said = error.diag.message_primary or " ".join(str(error).split())
    match error:
        case errors.DiskFull():
            return StorageFull("PostgreSQL's disk is full", recovery="Free some space, then send the call again.")
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return StorageDamaged(
                f"PostgreSQL found damaged data ({said})",
                recovery="Restore it from a backup, or an export into an empty database: `thoughtbox import FILE`.",
            )
        case errors.LockNotAvailable():
            return StorageBusy(
                f"another server held the workspace for more than {LOCK_SECONDS} seconds",
                recovery="Send the call again; `thoughtbox doctor` shows who holds the store.",
            )
        case _ if isinstance(error, _BUSY):
            return StorageBusy(f"PostgreSQL is busy ({said})", recovery="Send the call again.")
        case errors.QueryCanceled():
            return StorageError(f"PostgreSQL broke it off ({said})", recovery="Send the call again.")
        case errors.InsufficientPrivilege() | errors.InvalidSchemaName():
            return StorageError(
                f"the database role may not use the store ({said})",
                recovery="Let it create tables in its schema: GRANT USAGE, CREATE ON SCHEMA … TO …",
            )
        case errors.ReadOnlySqlTransaction():
            return StorageError(f"the store cannot be written to here ({said})", recovery="Run `thoughtbox doctor`.")
        case psycopg.OperationalError():
            return StorageError(
                f"PostgreSQL cannot be reached, or closed the connection ({said})",
                recovery="Check THOUGHTBOX_DATABASE_URL and that the server is up, then send the call again.",
            )
        case _:
            breaks_a_rule = isinstance(error, psycopg.IntegrityError | psycopg.DataError)
            return StorageError(
                f"the store failed ({said})",
                recovery="Run `thoughtbox doctor`.",
                details={"reason": CONSTRAINT} if breaks_a_rule else None,
            )
