"""`observe`: serve the Observatory alone, on the store or on an export."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from thoughtbox import __version__
from thoughtbox.doors.cli.output import Output, UsageError
from thoughtbox.doors.cli.store import is_there, opened, opened_to_read, settings_of
from thoughtbox.doors.http.admission import check_exposure
from thoughtbox.doors.http.listening import listen_at
from thoughtbox.doors.terminal import PrintableFormatter
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox

_SQLITE = b"SQLite format 3\0"


class Shown(NamedTuple):
    """What is there to see, and what it is called."""

    box: Thoughtbox
    name: str


def observe(args: Namespace) -> int:
    settings, out = settings_of(args), Output(args)
    logging.basicConfig(stream=sys.stderr, level=settings.log_level.upper())
    for handler in logging.getLogger().handlers:
        handler.setFormatter(PrintableFormatter("thoughtbox: %(levelname)s %(name)s: %(message)s"))
    host, port = settings.observatory_host, settings.observatory_port
    check_exposure(settings, host, "THOUGHTBOX_OBSERVATORY_HOST")
    with (
        listen_at(host, port, variable="THOUGHTBOX_OBSERVATORY_PORT") as listening,
        _shown(args.file, settings, out) as shown,
    ):
        from thoughtbox.doors.observatory.server import running

        asked = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: asked.set())
        with running(shown.box, listening, settings) as observatory:
            if observatory.link is None:
                return 1
            _announce(shown, observatory.link)
            asked.wait()
    return 0


def _announce(shown: Shown, link: str) -> None:
    what = "" if shown.box.is_writable else ", which does not change"
    sys.stderr.write(
        f"Thoughtbox {__version__} shows {shown.name}{what}, workspace {shown.box.settings.project}\n"
        f"  observatory  {link}\n\nCtrl-C ends it.\n"
    )
    sys.stderr.flush()


@contextmanager
def _shown(file: str | None, settings: Settings, out: Output) -> Generator[Shown]:
    if file is not None:
        with _export(file, settings, out) as box:
            yield Shown(box, file)
        return
    name = "PostgreSQL" if settings.database_url else str(settings.database)
    if not is_there(settings):
        with opened(settings) as box:
            yield Shown(box, name)
        return
    with opened_to_read(settings) as reading:
        yield Shown(reading.box, name)


@contextmanager
def _export(file: str, settings: Settings, out: Output) -> Generator[Thoughtbox]:
    """An exported file, verified and taken into a store of its own that is gone afterwards."""
    from thoughtbox.app import keyring_of
    from thoughtbox.doors.cli.transfer import import_export

    _must_be_export(file)
    with TemporaryDirectory(prefix="thoughtbox-") as folder:
        private = settings._replace(
            data_dir=Path(folder),
            database_url=None,
            storage="fs",
            durability="normal",
            workspace_lock=False,
            workspace_allowlist=(),
        )
        with opened(private) as box:
            found = import_export(box, file, out)
            box.settings = private._replace(project=found.workspace)
            box.is_writable = False
            # Whose signatures count is for this installation to say, not for the copy.
            box.keep_keys(keyring_of(settings, box.world))
            yield box


def _must_be_export(file: str) -> None:
    try:
        with Path(file).open("rb") as opened_file:
            begins = opened_file.read(len(_SQLITE))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    if begins == _SQLITE:
        raise UsageError(f"{file} is a database, not an export: name its folder with --data-dir, and no file")
