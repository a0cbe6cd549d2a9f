"""What `doctor` says of the Observatory, where it is turned on."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.doors.cli.checks import Finding
from thoughtbox.doors.http.admission import check_exposure
from thoughtbox.doors.http.listening import listen_at
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Settings


def observatory(settings: Settings) -> Iterator[Finding]:
    if not settings.observatory_enabled:
        return
    from thoughtbox.doors.observatory.page import FOLDER, INDEX

    if not (FOLDER / INDEX).exists():
        yield Finding("observatory", "fail", "Its page was not built.", "Run: make setup")
        return
    host, port = settings.observatory_host, settings.observatory_port
    try:
        check_exposure(settings, host, "THOUGHTBOX_OBSERVATORY_HOST")
    except ConfigurationError as error:
        yield Finding("observatory", "fail", f"{error.message}.", error.recovery or "")
        return
    try:
        listen_at(host, port, variable="THOUGHTBOX_OBSERVATORY_PORT").close()
    except ConfigurationError:
        yield Finding(
            "observatory",
            "warn",
            f"{host} port {port} is taken: a server that is started now goes on without it.",
            "If that is another Thoughtbox, all is well: it shows what all of them write."
            " Otherwise set THOUGHTBOX_OBSERVATORY_PORT.",
        )
        return
    yield Finding("observatory", "ok", f"{host} port {port} is free.")
