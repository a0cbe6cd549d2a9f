"""What `doctor` looks at. Each check stands alone: one that fails, or cannot be made, hinders no other."""

from __future__ import annotations

import errno
import os
import shlex
import socket
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from thoughtbox import installation
from thoughtbox.doors.cli.config import Effective
from thoughtbox.engine.file_system import DOUBTFUL, LOCAL_OR_POSTGRES, file_system_of, refuse_network
from thoughtbox.errors import ConfigurationError, ThoughtboxError
from thoughtbox.settings import Settings

Level = Literal["ok", "warn", "fail"]

MB = 1 << 20
NEARLY_FULL = 200 * MB
FULL = 10 * MB
ANSWER_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, in a sentence, and what to do about it."""

    check: str
    level: Level
    says: str
    do: str = ""


Check = Callable[[Settings], Iterator[Finding]]


def settings(found: list[Effective]) -> Iterator[Finding]:
    """Values that cannot be honoured."""
    bad = [one for one in found if one.fault]
    for one in bad:
        yield Finding("settings", "fail", f"{one.setting.variable}: {one.fault}.", one.setting.help)
    if not bad:
        own = [one.setting.variable for one in found if one.is_told]
        yield Finding("settings", "ok", f"Set here: {', '.join(own)}." if own else "All have their defaults.")


def python(settings: Settings) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", "ok", f"Python {version}.")  # an older one would not have come this far


def sqlite(settings: Settings) -> Iterator[Finding]:
    if settings.database_url is not None:
        return
    import apsw

    from thoughtbox.engine.sqlite import check_library

    check_library()
    yield Finding("sqlite", "ok", f"SQLite {apsw.sqlite_lib_version()}.")


def directory(settings: Settings) -> Iterator[Finding]:
    """Whether files can be made in the data directory: tried, not guessed from its mode."""
    if settings.storage == "memory":
        yield Finding("directory", "ok", "The store is in memory, and ends with its process.")
        return
    path = existing = settings.data_dir
    move = "set THOUGHTBOX_DATA_DIR to a directory that you may write to"
    try:
        existing = _existing(path)
        if not existing.is_dir():
            yield Finding("directory", "fail", f"{existing} is not a directory.", f"Remove it, or {move}.")
            return
        with tempfile.TemporaryFile(dir=existing) as probe:
            probe.write(b"?")
    except OSError as error:
        if settings.database.exists():
            yield Finding(
                "directory",
                "warn",
                f"{existing} cannot be written to ({error.strerror}); its store can be read, verified and exported.",
                f"To write to it, mount it for writing or let this user write to it, or {move}.",
            )
            return
        if error.errno == errno.EROFS:
            says, do = f"{existing} is on a read-only file system.", f"Mount it for writing, or {move}."
        else:
            says = f"{existing} cannot be written to ({error.strerror})."
            do = f"Let this user write to it (chown, chmod u+rwx), or {move}."
        yield Finding("directory", "fail", says, do)
        return
    if existing == path:
        yield Finding("directory", "ok", f"{path} can be written to.")
    else:
        yield Finding("directory", "ok", f"{path} does not exist yet; it is made at the first start.")


def disk(settings: Settings) -> Iterator[Finding]:
    existing = _existing(settings.data_dir)
    known = os.statvfs(existing)
    free = known.f_bavail * known.f_frsize
    do = "Free some space, or set THOUGHTBOX_DATA_DIR to another disk."
    if not known.f_blocks:
        return  # a file system without a size, such as /proc
    if free < FULL:
        yield Finding("disk", "fail", f"The disk is full: {_size(free)} left at {existing}.", do)
    elif known.f_files and not known.f_favail:
        yield Finding("disk", "fail", f"The disk has no room for more files (inodes) at {existing}.", do)
    elif free < NEARLY_FULL:
        yield Finding("disk", "warn", f"The disk is nearly full: {_size(free)} left at {existing}.", do)
    else:
        yield Finding("disk", "ok", f"{_size(free)} free.")


def file_system(settings: Settings) -> Iterator[Finding]:
    if settings.database_url is not None or settings.storage == "memory":
        return
    refuse_network(settings.data_dir)
    kind = file_system_of(settings.data_dir)
    if kind is None:
        yield Finding("file system", "ok", "Not known on this system; it must not be a network one.")
    elif kind == DOUBTFUL:
        yield Finding(
            "file system",
            "warn",
            f"{settings.data_dir} is shared by another system ({kind}), and SQLite's locks may not hold there.",
            LOCAL_OR_POSTGRES,
        )
    else:
        yield Finding("file system", "ok", f"Local ({kind}).")


def signing_key(settings: Settings) -> Iterator[Finding]:
    if settings.storage == "memory":
        return
    from thoughtbox.ledger.signing import SigningKey

    path = settings.signing_key
    if not path.exists():
        yield Finding("signing key", "ok", "There is none yet; it is made with the first checkpoint.")
        return
    mode = path.stat().st_mode & 0o777
    try:
        key = SigningKey.load(path)
    except (ThoughtboxError, OSError) as error:
        said = error.message if isinstance(error, ThoughtboxError) else f"it cannot be read ({error.strerror})"
        yield Finding(
            "signing key",
            "fail",
            f"The signing key is of no use: {said}",
            f"Restore {path} from a backup. A new key is made when the file is moved away;"
            " add the old public key to THOUGHTBOX_TRUSTED_KEYS then.",
        )
        return
    if mode & 0o077:
        yield Finding(
            "signing key", "fail", f"Others may read the signing key (mode {mode:04o}).", f"Run: chmod 600 {path}"
        )
    else:
        yield Finding("signing key", "ok", f"Present, readable by its owner only. Public key: {key.verifier_key}")


def permissions(settings: Settings) -> Iterator[Finding]:
    """Who else may read or write the files of the data directory. What is ours is put right whenever it is opened."""
    if settings.storage == "memory" or not settings.data_dir.is_dir():
        return
    found = installation.open_to_others(settings.data_dir)
    mode = stat.S_IMODE(settings.data_dir.stat().st_mode)
    if mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield Finding(
            "permissions",
            "warn",
            f"Others may put files in {settings.data_dir} (mode {mode:04o}).",
            f"Run: chmod 700 {settings.data_dir}",
        )
    if found:
        named = ", ".join(str(path.relative_to(settings.data_dir)) for path in found)
        do = f"Run, as their owner: chmod go= {' '.join(shlex.quote(str(path)) for path in found)}"
        yield Finding("permissions", "warn", f"Others may read or write {named}.", do)
    elif not mode & (stat.S_IWGRP | stat.S_IWOTH):
        yield Finding("permissions", "ok", "The files are for their owner only.")


def port(settings: Settings) -> Iterator[Finding]:
    if settings.transport != "http" or settings.port == 0:
        return
    where = f"{settings.host} port {settings.port}"
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and (version := _served_version(settings)):
                yield Finding("port", "ok", f"Thoughtbox {version} is serving on {where}.")
                return
            says = "is taken by another program" if error.errno == errno.EADDRINUSE else f"cannot be had ({error})"
            yield Finding(
                "port", "fail", f"{where} {says}.", "Set THOUGHTBOX_PORT to another one, or to 0 for any that is free."
            )
            return
    yield Finding("port", "ok", f"{where} is free.")


def exposure(settings: Settings) -> Iterator[Finding]:
    if settings.transport != "http":
        return
    from thoughtbox.doors.mcp.transports.gate import check_exposure

    try:
        check_exposure(settings)
    except ConfigurationError as error:
        yield Finding("exposure", "fail", f"{error.message}.", error.recovery or "")
        return
    from thoughtbox.settings import LOOPBACK

    reach = "this machine only" if settings.host in LOOPBACK else "other machines, with a token"
    yield Finding("exposure", "ok", f"Reachable from {reach}.")


def holders(settings: Settings) -> Iterator[Finding]:
    """Which processes have the database open, as far as this user may know."""
    if settings.database_url is not None or settings.storage == "memory" or not settings.database.exists():
        return
    if not Path("/proc/self/fd").is_dir():
        return
    found = sorted(holders_of(settings.database.resolve()))
    if not found:
        yield Finding("in use", "ok", "No other process has the store open. Lock files that are left over do no harm.")
        return
    named = ", ".join(f"{name} ({pid})" for pid, name in found)
    yield Finding("in use", "ok", f"Also open in {named}.")


def holders_of(database: Path) -> Iterator[tuple[int, str]]:
    for process in Path("/proc").iterdir():
        if not process.name.isdecimal() or int(process.name) == os.getpid():
            continue
        try:
            if any(entry.readlink() == database for entry in (process / "fd").iterdir()):
                command = (process / "cmdline").read_bytes().split(b"\0")
                yield int(process.name), b" ".join(command[:4]).decode(errors="replace").strip()
        except OSError:
            continue  # another user's, or gone by now


def postgres(settings: Settings) -> Iterator[Finding]:
    if settings.database_url is None:
        return
    if find_spec("psycopg") is None:
        yield Finding(
            "postgresql", "fail", "psycopg is not installed.", "Install Thoughtbox with its `postgres` extra."
        )
        return
    import psycopg

    from thoughtbox.engine.postgres_connection import connect, connection_parameters, translate

    try:
        with connect(connection_parameters(settings.database_url), settings.durability) as connection:
            version = connection.info.server_version // 10_000
    except psycopg.Error as error:
        raise translate(error) from error
    yield Finding("postgresql", "ok", f"PostgreSQL {version} answers.")


def _existing(path: Path) -> Path:
    """The path, or the nearest one above it that exists."""
    return next((place for place in (path, *path.parents) if place.exists()), Path("/"))


def _served_version(settings: Settings) -> str | None:
    """The version of the Thoughtbox that answers on the port; None when it is another program."""
    import json
    from http.client import HTTPConnection, HTTPException

    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)
    connection = HTTPConnection(host, settings.port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/health")
        answer = json.loads(connection.getresponse().read(1000))
        return str(answer["version"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        connection.close()


def _size(bytes: int) -> str:
    return f"{bytes / (1 << 30):,.1f} GB" if bytes >= 1 << 30 else f"{bytes // MB} MB"
