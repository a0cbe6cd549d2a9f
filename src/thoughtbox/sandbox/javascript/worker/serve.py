"""The worker: `serve PARENT GUEST TRANSFORM`. Loads the engine, gives up what it does not need, and runs snippets."""

from __future__ import annotations

import json
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

from thoughtbox.sandbox.javascript.frames import Frame, Kind
from thoughtbox.sandbox.javascript.worker.breaches import Breach
from thoughtbox.sandbox.javascript.worker.channel import Channel, Closed
from thoughtbox.sandbox.javascript.worker.confinement import confine, end_with
from thoughtbox.sandbox.javascript.worker.evaluation import Evaluation, Request
from thoughtbox.sandbox.javascript.worker.guest import Guest
from thoughtbox.sandbox.javascript.worker.machine import Machine, Unfit
from thoughtbox.sandbox.javascript.worker.spares import Beginning, Spares
from thoughtbox.sandbox.javascript.worker.typescript import Stripper

STACK_BYTES = 8 * 1024 * 1024
"""For the thread that snippets run in: what the machine gives them, and enough for ourselves."""
REST_SECONDS = 0.01
"""After which the next instance is made ready: until then the server is at work on what a snippet has come to, and it
would have to share the machine."""


def main() -> None:
    parent, guest, transform = sys.argv[3:6]
    end_with(int(parent))
    channel = Channel()
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=_serve, args=(channel, Path(guest), Path(transform)), name="snippets")
    thread.start()
    thread.join()


def _serve(channel: Channel, guest: Path, transform: Path) -> None:
    with suppress(Closed):
        if (worker := _started(channel, guest, transform)) is not None:
            channel.send(Kind.READY)
            worker.serve()
    os._exit(0)


def _started(channel: Channel, guest: Path, transform: Path) -> Worker | None:
    try:
        worker = Worker(channel, Machine(guest, transform))
        confine()
    except Unfit as unfit:
        channel.send(Kind.UNFIT, str(unfit).encode())
    except Exception as error:  # whatever it is, the server should be able to say it
        channel.send(Kind.BROKEN, f"{type(error).__name__}: {error}".encode())
    else:
        return worker
    return None


class Worker:
    def __init__(self, channel: Channel, machine: Machine) -> None:
        self._channel = channel
        self._machine = machine
        prelude = Path(__file__).with_name("prelude.js").read_bytes()
        self._spares = Spares(machine, prelude)
        # The first of a kind opens files, which will not be possible any more.
        Guest(machine, prelude).close()
        Stripper(machine).close()

    def serve(self) -> None:
        while True:
            if self._channel.is_quiet(REST_SECONDS):
                self._spares.refill()
            frame = self._channel.receive()
            if frame.kind == Kind.RUN:
                self._run(frame)

    def _run(self, frame: Frame) -> None:
        limits, code, settings, *catalog = frame.parts
        request = Request(code.decode(), **json.loads(limits))
        try:
            guest = self._spares.take(Beginning(settings, catalog[0] if catalog else None))
        except Breach as breach:
            self._channel.send(Kind.FAILED, bytes(8), b"", json.dumps({"limit": breach.limit}).encode())
            return
        self._channel.send(Kind.BEGUN)
        Evaluation(request, guest, self._machine, self._channel).run()
        guest.close()
