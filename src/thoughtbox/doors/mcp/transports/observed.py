"""The Observatory beside a server: begun in the background, so that no client waits for it."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import echo
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Settings

if TYPE_CHECKING:
    import socket  # a start over stdio has no time for it
    from contextlib import AbstractContextManager

    from thoughtbox.doors.observatory.server import Running


def place_of_observatory(settings: Settings) -> AbstractContextManager[socket.socket | None]:
    """The socket of the Observatory, if there is to be one. Each client starts its own server: one of them has it."""
    if not settings.observatory_enabled:
        return nullcontext()
    from thoughtbox.doors.http.listening import listen_at

    try:
        return listen_at(settings.observatory_host, settings.observatory_port, variable="THOUGHTBOX_OBSERVATORY_PORT")
    except ConfigurationError as error:
        echo(f"no Observatory from here: {error.message}")
        return nullcontext()


class Observed:
    """The Observatory of a process, once it has begun."""

    def __init__(self, box: Thoughtbox, listening: socket.socket) -> None:
        self._box = box
        self._listening = listening
        self._running: Running | None = None
        self._is_over = False
        self._lock = threading.Lock()
        threading.Thread(target=self._begin, name="thoughtbox-observing", daemon=True).start()

    def _begin(self) -> None:
        from thoughtbox.doors.observatory.server import Running

        with self._lock:
            if self._is_over:
                return
            self._running = Running(self._box, self._listening, self._box.settings)
            self._running.start()
            if self._running.link is not None:
                echo(f"observatory  {self._running.link}")

    def leave(self) -> None:
        """Returns when nobody is here any more: another process goes on serving at the same address."""
        self._is_over = True
        with self._lock:
            running = self._running
        if running is not None:
            running.leave()

    def end(self) -> None:
        self._is_over = True
        with self._lock:
            if self._running is not None:
                self._running.stop()


@contextmanager
def observed(box: Thoughtbox) -> Generator[Observed | None]:
    """Serve the Observatory meanwhile, if the settings say so."""
    with place_of_observatory(box.settings) as place, observed_at(box, place) as found:
        yield found


@contextmanager
def observed_at(box: Thoughtbox, listening: socket.socket | None) -> Generator[Observed | None]:
    """Serve the Observatory meanwhile, if there is a place for it."""
    found = Observed(box, listening) if listening is not None else None
    try:
        yield found
    finally:
        if found is not None:
            found.end()
