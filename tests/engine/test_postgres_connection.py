"""The URL, and PostgreSQL's errors as ours. The password is in no message."""

from __future__ import annotations

import traceback

import psycopg
import pytest
from psycopg import errors

from thoughtbox.engine.postgres import PostgresEngine
from thoughtbox.engine.postgres_connection import connection_parameters, translate
from thoughtbox.errors import (
    ConfigurationError,
    StorageBusy,
    StorageDamaged,
    StorageError,
    StorageFull,
    ThoughtboxError,
)

SECRET = "hush"


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (errors.LockNotAvailable, StorageBusy),
        (errors.DeadlockDetected, StorageBusy),
        (errors.SerializationFailure, StorageBusy),
        (errors.TooManyConnections, StorageBusy),
        (errors.CannotConnectNow, StorageBusy),
        (errors.DiskFull, StorageFull),
        (errors.DataCorrupted, StorageDamaged),
        (errors.IndexCorrupted, StorageDamaged),
        (errors.QueryCanceled, StorageError),
        (errors.AdminShutdown, StorageError),
        (errors.InsufficientPrivilege, StorageError),
        (errors.UniqueViolation, StorageError),
        (errors.UndefinedTable, StorageError),
        (psycopg.OperationalError, StorageError),
        (psycopg.InterfaceError, StorageError),
    ],
)
def test_an_error_of_postgresqls_becomes_ours(theirs: type[psycopg.Error], ours: type[StorageError]):
    error = theirs("what the server said")
    translated = translate(error)
    assert type(translated) is ours
    assert translated.__cause__ is error
    assert isinstance(translated, StorageError)
    assert translated.recovery


def test_an_error_of_somebody_elses_stays_as_it_is():
    error = ValueError("mine")
    assert translate(error) is error


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}@127.0.0.1:1/db?sslmode=nonsense",
        f"postgresql://me:{SECRET}@nowhere.invalid/db",
        f"postgresql://me:a@{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}@a@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}/a@127.0.0.1:1/db",
        f"postgresql://me:1/{SECRET}@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}%zz@127.0.0.1:1/db",
        f"postgresql://me:{SECRET}@[::1/db",
        f"postgres//me:{SECRET}@127.0.0.1/db",
        f"host=127.0.0.1 port=1 password={SECRET}",
        f"host=127.0.0.1 port=1 password='{SECRET}",
    ],
)
def test_the_password_is_in_no_message(url: str):
    with pytest.raises(ThoughtboxError) as caught:
        PostgresEngine(url)
    assert SECRET not in "".join(traceback.format_exception(caught.value)).replace(url, "")
    assert SECRET not in str(caught.value.payload())


def test_a_password_that_was_not_percent_encoded_is_explained():
    with pytest.raises(ConfigurationError, match="percent-encode"):
        connection_parameters("postgresql://me:p@ss@host/db")


def test_what_the_url_says_stands_above_our_defaults():
    parameters = connection_parameters("postgresql://me:p%40ss@host:5433/db?connect_timeout=3&application_name=mine")
    assert parameters["password"] == "p@ss"
    assert (parameters["connect_timeout"], parameters["application_name"]) == ("3", "mine")
    assert parameters["keepalives_count"]


@pytest.mark.parametrize("url", ["postgresql:///db?host=/run/sockets", "postgresql://a:1,b:2/db", "postgresql://h:/db"])
def test_unusual_addresses_are_fine(url: str):
    assert connection_parameters(url)["dbname"] == "db"
