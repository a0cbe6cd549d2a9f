"""The Observatory as a server: beside any transport, in a thread of its own, or alone."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from email.utils import formatdate
from typing import Final

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http import limits
from thoughtbox.doors.http.bounded_http import BoundedHttp, Served
from thoughtbox.doors.http.event_loop import new_loop
from thoughtbox.doors.http.http_request import HttpRequest
from thoughtbox.doors.http.listening import Acceptor, base_of
from thoughtbox.doors.http.shutdown import Shutdown
from thoughtbox.doors.observatory import frames
from thoughtbox.doors.observatory.api import PREFIX, WATCHER, Api
from thoughtbox.doors.observatory.audience import Hall
from thoughtbox.doors.observatory.gate import Gate, refuse
from thoughtbox.doors.observatory.page import Page
from thoughtbox.doors.observatory.watcher import Farewell, upgrade
from thoughtbox.errors import ThoughtboxError
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

TICK_SECONDS = 1.0
LOOK_SECONDS = 5
"""Ticks between two looks at whether all who watch are still there."""

GRACE_SECONDS = 0.3
"""How long answers under way may still take at the end."""

THE_END: Final = Farewell(frames.GOING_AWAY, "the server ends")
RESTART: Final = Farewell(frames.RESTARTING, "the server restarts: come back now")

SOCKETS = ("/", "/ws")


class Observatory:
    """Serves on one event loop until it is asked to end."""

    def __init__(self, box: Thoughtbox, listening: socket.socket, settings: Settings) -> None:
        """On the event loop. `settings` say who may come in; the box has what there is to see."""
        self._loop = asyncio.get_running_loop()
        self._listening = listening
        self._hall = Hall(box, WATCHER)
        port = listening.getsockname()[1]
        self._gate = Gate(settings, self._answer, port=port, seal=_seal(box))
        self._gate.admission.after_turn = lambda step: self._loop.call_soon(step)
        self._changes = self._gate.admission.changes
        self._served = Served(self._loop, self._gate.judge)
        self._api = Api(box, connections=lambda: len(self._hall), headers=self._gate.headers, tells=self._gate.tells)
        self._page = Page()
        self._ticks = 0

    @property
    def link(self) -> str:
        """What to open in a browser on this machine."""
        address = base_of(self._listening).replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        return self._gate.link(f"{address}/")

    async def serve(self, shutdown: Shutdown) -> None:
        acceptor = Acceptor(self._loop, self._listening, lambda: BoundedHttp(self._served))
        acceptor.begin()
        ticking = self._loop.create_task(self._tick())
        await shutdown.wait()
        await acceptor.stop()
        if not shutdown.is_end:
            self._hall.close(RESTART)
            self._served.leave()
            await shutdown.leave(self._emptied(), limits.LEAVING_SECONDS)
        self._hall.close(THE_END)
        for connection in self._served.connections:
            connection.finish()
        await asyncio.wait({asyncio.ensure_future(self._emptied())}, timeout=GRACE_SECONDS)
        ticking.cancel()
        for left in (*self._served.connections, *self._hall.watchers):
            left.drop()
        await asyncio.sleep(0)  # in which they are told that they are closed

    async def _emptied(self) -> None:
        await self._served.connections.emptied()
        await self._hall.emptied()

    def _answer(self, request: HttpRequest) -> None:
        headers = self._gate.headers(request)
        if b"upgrade" in request.headers and request.path in SOCKETS:
            upgrade(request, self._hall, headers)
        elif request.path.startswith(PREFIX):
            self._api.answer(request)
        elif not self._page.answer(request, headers):
            refuse(request, 404, "there is nothing here")

    async def _tick(self) -> None:
        while True:
            self._served.date = f"date: {formatdate(usegmt=True)}\r\n".encode()
            self._end_what_is_no_longer_admitted()
            self._ticks += 1
            if self._ticks % LOOK_SECONDS == 0:
                self._hall.tick()
            await asyncio.sleep(TICK_SECONDS)

    def _end_what_is_no_longer_admitted(self) -> None:
        """Send those away who came in with a token that has been removed."""
        admission = self._gate.admission
        admission.look_for_changes()
        if self._changes == admission.changes:
            return
        self._changes = admission.changes
        for watcher in self._hall.watchers:
            if not self._gate.still_admits(watcher.principal):
                watcher.end(frames.NOT_WELCOME, "the token was removed")


def _seal(box: Thoughtbox) -> bytes:
    """What cookies are sealed with: the same for all processes of an installation, where it can keep a secret."""
    try:
        return hmac.digest(box.keyring.signer.seed, b"thoughtbox observatory, visitors", "sha256")
    except (ThoughtboxError, OSError):
        return secrets.token_bytes(32)


class Running:
    """An Observatory in a thread of its own."""

    def __init__(self, box: Thoughtbox, listening: socket.socket, settings: Settings) -> None:
        self._box = box
        self._listening = listening
        self._settings = settings
        self._ready = threading.Event()
        self._shutdown: Shutdown | None = None
        self.link: str | None = None
        self._thread = threading.Thread(target=self._run, name="thoughtbox-observatory", daemon=True)

    def start(self) -> None:
        """Returns once it can be opened, or has failed."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        if self._shutdown is not None and self._thread.is_alive():
            self._shutdown.ask_to_end()
            self._thread.join(2 * GRACE_SECONDS)

    def leave(self) -> None:
        """Returns when nobody is here any more: another process goes on serving at the same address."""
        if self._shutdown is not None and self._thread.is_alive():
            self._shutdown.ask_to_leave()
            self._thread.join()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(self._serve())
        except Exception:
            logger.exception("the Observatory has ended")
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._shutdown = Shutdown()
        observatory = Observatory(self._box, self._listening, self._settings)
        self.link = observatory.link
        self._ready.set()
        await observatory.serve(self._shutdown)


@contextmanager
def running(box: Thoughtbox, listening: socket.socket, settings: Settings | None = None) -> Generator[Running]:
    """Serve the Observatory meanwhile."""
    found = Running(box, listening, settings or box.settings)
    found.start()
    try:
        yield found
    finally:
        found.stop()
