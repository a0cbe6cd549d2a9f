"""Keeps worker processes: one that is always warm, more while they are needed, never more than a few.

One thread starts them all and lives as long as they do: the kernel ends a worker when the thread ends that started it.
"""

from __future__ import annotations

import threading
import time
from typing import Final

from thoughtbox.errors import SandboxUnavailable
from thoughtbox.sandbox.javascript import launch
from thoughtbox.sandbox.javascript.compiled import Modules
from thoughtbox.sandbox.javascript.frames import Kind
from thoughtbox.sandbox.javascript.process import Gone, Late, WorkerProcess

MOST: Final = 4
START_SECONDS: Final = 30.0
"""For a worker to be ready; it takes a tenth of a second, unless the engine has to be compiled first."""
BUSY_SECONDS: Final = 5.0
"""For one of the workers to become free, when there may be no more of them."""
IDLE_SECONDS: Final = 10.0
"""After which a worker ends that nothing was given to, as long as another one stays."""
ATTEMPTS: Final = 3


class Keeper:
    def __init__(self, busy_seconds: float = BUSY_SECONDS, idle_seconds: float = IDLE_SECONDS) -> None:
        self._busy_seconds = busy_seconds
        self._idle_seconds = idle_seconds
        self._changed = threading.Condition()
        self._workers: set[WorkerProcess] = set()
        self._idle: list[WorkerProcess] = []
        self._waiting = 0
        self._is_wanted = False
        self._is_closed = False
        self._failure: str | None = None
        self._modules: Modules | None = None
        self._thread: threading.Thread | None = None

    def warm(self) -> None:
        """Have a worker, from now on."""
        with self._changed:
            self._want_one()

    def take(self) -> WorkerProcess:
        """A worker that is ready, the caller's alone."""
        for _ in range(ATTEMPTS):
            worker = self._taken()
            if not worker.is_alive and worker.is_ready:
                self.discard(worker)
            elif worker.is_ready or self._has_become_ready(worker):
                return worker
        raise _unavailable("the engine's compiled modules cannot be used, and could not be made again")

    def give_back(self, worker: WorkerProcess) -> None:
        worker.idle_since = time.monotonic()
        with self._changed:
            is_kept = not self._is_closed
            if is_kept:
                self._idle.append(worker)
                # Nobody is woken for nothing: the one who gives back has something to do, and would wait for its turn.
                if self._waiting or len(self._workers) > 1:
                    self._changed.notify_all()
        if not is_kept:
            self.discard(worker)

    def discard(self, worker: WorkerProcess) -> None:
        """End a worker that is of no use any more. The thread sees to another one."""
        worker.close()
        with self._changed:
            self._workers.discard(worker)
            self._changed.notify_all()

    @property
    def processes(self) -> tuple[int, ...]:
        with self._changed:
            return tuple(worker.pid for worker in self._workers)

    def close(self) -> None:
        """End all workers, also those that somebody is speaking to."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        with self._changed:
            workers, idle = list(self._workers), list(self._idle)
            self._idle.clear()
        for worker in workers:
            worker.end()
        for worker in idle:
            self.discard(worker)

    def _want_one(self) -> None:
        if self._is_closed:
            raise _unavailable("it was closed")
        self._is_wanted = True
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, name="javascript-sandbox", daemon=True)
            self._thread.start()
        if self._is_short:
            self._changed.notify_all()

    def _taken(self) -> WorkerProcess:
        with self._changed:
            if self._waiting == 0:
                self._failure = None
            self._waiting += 1
            try:
                self._want_one()
                return self._next_idle()
            finally:
                self._waiting -= 1

    def _next_idle(self) -> WorkerProcess:
        since = time.monotonic()
        while not self._idle:
            if self._is_closed or self._failure is not None:
                raise _unavailable(self._failure or "it was closed")
            is_full = len(self._workers) >= MOST
            left = since + (self._busy_seconds if is_full else START_SECONDS) - time.monotonic()
            if left <= 0:
                raise _unavailable(f"all {MOST} workers are busy" if is_full else "no worker started in time")
            self._changed.wait(left)
        return self._idle.pop()  # the one that was used last: the others may end

    def _has_become_ready(self, worker: WorkerProcess) -> bool:
        """Wait until a worker has started; False when its modules were not fit, and are gone."""
        try:
            frame = worker.receive(START_SECONDS)
        except (Gone, Late):
            self.discard(worker)
            raise _unavailable("the worker process did not start") from None
        if frame.kind == Kind.READY:
            worker.is_ready = True
            return True
        self.discard(worker)
        said = b" ".join(frame.parts).decode("utf-8", "replace")
        if frame.kind != Kind.UNFIT:
            raise _unavailable(said)
        if self._modules is not None:
            self._modules.discard(said)
        return False

    def _keep(self) -> None:
        """What the thread does."""
        while True:
            with self._changed:
                while not (self._is_closed or self._is_short):
                    self._changed.wait(self._until_next_retirement)
                    self._retire()
                if self._is_closed:
                    return
            self._start()

    @property
    def _is_short(self) -> bool:
        if self._failure is not None or len(self._workers) >= MOST:
            return False
        return self._waiting > len(self._idle) or (self._is_wanted and not self._workers)

    def _start(self) -> None:
        try:
            worker = self._started()
        except Exception as error:  # whoever waits for a worker hears of it
            with self._changed:
                self._failure = error.message if isinstance(error, SandboxUnavailable) else str(error)
                self._changed.notify_all()
            return
        with self._changed:
            self._workers.add(worker)
            self._idle.append(worker)
            self._changed.notify_all()

    def _started(self) -> WorkerProcess:
        engine = launch.installed()
        if engine is None:
            raise SandboxUnavailable("quickjs-rs is not installed")
        modules = self._modules = self._modules or Modules(engine)
        files = modules.files()
        if files is None and modules.prepare(lambda: not self._is_closed):
            files = modules.files()
        if self._is_closed:
            raise SandboxUnavailable("it was closed")
        return WorkerProcess(engine, files or modules.sources())

    @property
    def _until_next_retirement(self) -> float | None:
        if len(self._workers) < 2 or not self._idle:
            return None
        return max(0.0, min(worker.idle_since for worker in self._idle) + self._idle_seconds - time.monotonic())

    def _retire(self) -> None:
        """End who was idle for long, but for the last."""
        longest = time.monotonic() - self._idle_seconds
        for worker in sorted(self._idle, key=lambda each: each.idle_since):
            if worker.idle_since <= longest and len(self._workers) > 1:
                self._idle.remove(worker)
                self._workers.discard(worker)
                worker.close()


def _unavailable(why: str) -> SandboxUnavailable:
    return SandboxUnavailable(f"no sandbox for JavaScript could be had: {why}", recovery="Try again in a moment.")
