"""A Jupyter kernel in a box, and the client that speaks to it there: the server hears what it shows, and no more.

Everything that the kernel says may have been made up by what runs in it: it can say untrue things of its own notebook,
and reach nothing else.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from thoughtbox.confinement.frames import LONGEST, Message
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, HOME, RUN
from thoughtbox.confinement.warden import Breach, Pipes, Printed, Warden, put_files

if TYPE_CHECKING:
    from jupyter_client.blocking.client import BlockingKernelClient

OWN: Final = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON: Final = getattr(sys, "_base_executable", sys.executable)
CONNECTION: Final = {
    "transport": "ipc",
    "ip": f"{RUN}/kernel",
    **{f"{channel}_port": number for number, channel in enumerate(("hb", "shell", "iopub", "stdin", "control"), 1)},
    "signature_scheme": "hmac-sha256",
}
IDLE_SECONDS: Final = 0.5
"""How long outputs are waited for, once the kernel has said that a cell is done."""
START_SECONDS: Final = 30.0
LAST_WORDS: Final = 2_000
MOST_WAITING: Final = 200
"""Messages of a kernel that have come and were not read yet."""


PRELOADED: Final = (
    *("ipykernel.displayhook", "ipykernel.ipkernel", "ipykernel.kernelapp", "ipykernel.zmqshell"),
    *("IPython.core.completerlib", "IPython.core.magics", "IPython.core.debugger", "IPython.core.logger"),
    *("IPython.core.oinspect", "IPython.extensions.storemagic", "IPython.utils.wildcard", "stack_data", "executing"),
    *("pygments.formatters.terminal256", "tornado.platform.asyncio", "tornado.locks", "tornado.queues", "fractions"),
    *("encodings.ascii", "encodings.idna", "encodings.latin_1", "pwd", "faulthandler"),
    "jupyter_client.blocking.client",
)
"""What a kernel or its client imports on its way to the first answer."""


def preload() -> None:
    """Import all that a kernel and its client need, so that every box has it."""
    # The debugger patches the interpreter, takes longest to import, and nobody can reach it here.
    sys.modules["debugpy"] = None  # ty: ignore[invalid-assignment]
    for name in PRELOADED:
        import_module(name)


def inside(key: bytes) -> Callable[[], None]:
    """What the box's user runs: the kernel itself, until the box ends."""

    def run() -> None:
        import site

        from ipykernel.kernelapp import IPKernelApp
        from traitlets.config import Config

        signal.signal(signal.SIGINT, signal.default_int_handler)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        own = f"{ENVIRONMENT}/lib/{version}/site-packages"
        before = list(sys.path)
        sys.path[:] = []
        site.addsitedir(own)  # what is installed there later is found, too
        sys.path[:] = [*sys.path, *before]
        # This package is not there any more: the box has no sight of it.
        sys.path[:] = ["", *(path for path in sys.path if os.path.exists(path) and path != OWN)]
        sys.executable = f"{ENVIRONMENT}/bin/python" if os.path.exists(f"{ENVIRONMENT}/bin/python") else PYTHON
        sys.argv = ["python"]
        # That it looks for fonts, it says in a new folder only: a notebook that is replayed would not show the same.
        logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.xmode = "Context"
        config.IPKernelApp.log_level = 50
        app = IPKernelApp.instance(config=config, **CONNECTION_OF_KERNEL)
        app.session.key = key
        app.session.pack = _packing(app.session.pack)
        with suppress(SystemExit):
            app.initialize([])
            app.start()

    return run


def _packing(pack: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Have a kernel send also what is no text to others, such as half a character: its output would be lost."""
    from jupyter_client.jsonutil import json_default

    def packed(value: Any) -> bytes:
        try:
            return pack(value)
        except (TypeError, ValueError):
            return json.dumps(value, default=json_default).encode()

    return packed


CONNECTION_OF_KERNEL: Final[dict[str, Any]] = {
    **{name: value for name, value in CONNECTION.items() if name != "signature_scheme"},
    "connection_file": f"{RUN}/connection.json",
}


def watch(warden: Warden) -> None:
    """Run cells for the server, one after the other, as long as the kernel lives."""
    first = None
    while first is None:
        first = warden.wire.receive()
        time.sleep(0 if first else 0.001)
    Kernel(warden, first["key"].encode()).serve()


class LastWords:
    """The end of what a kernel has printed beside its protocol: it says why one has died."""

    def __init__(self) -> None:
        self.text = ""

    def add(self, name: str, text: str) -> None:
        self.text = (self.text + text)[-LAST_WORDS:]


class Kernel:
    """The client of one kernel."""

    def __init__(self, warden: Warden, key: bytes) -> None:
        import zmq
        from jupyter_client.blocking.client import BlockingKernelClient

        self._warden = warden
        self._wire = warden.wire
        self._client: BlockingKernelClient = BlockingKernelClient()
        connection: Any = {**CONNECTION, "key": key}
        self._client.load_connection_info(connection)
        # What a kernel sends waits with it until it is wanted: only so it is the kernel's memory that it takes up.
        self._client.context.setsockopt(zmq.MAXMSGSIZE, LONGEST)
        self._client.context.setsockopt(zmq.RCVHWM, MOST_WAITING)
        self._client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=False)
        self._shell = self._client.shell_channel.socket
        self._iopub = self._client.iopub_channel.socket
        self._poller = zmq.Poller()
        for socket in (
            self._shell,
            self._iopub,
            self._wire.channel.fileno(),
            warden.program.stdout,
            warden.program.stderr,
        ):
            self._poller.register(socket, zmq.POLLIN)
        self._aside = LastWords()
        self._pipes = Pipes(warden.program, self._aside)
        self._printed = Printed(self._wire, 0)

    def serve(self) -> None:
        self._warden.program.let_go()
        try:
            self._become_ready()
            self._wire.send({"ready": True})
            while True:
                self._rest()
        except Breach as beyond:
            self._printed.tell()
            self._pipes.drain()
            ended = {"ended": -signal.SIGKILL, "breach": beyond.args[0], "cut": self._printed.is_cut}
            self._wire.send({**ended, "said": self._aside.text})

    def _become_ready(self) -> None:
        """Wait until the kernel answers, and until what it publishes arrives here: that is another socket."""
        until = time.monotonic() + START_SECONDS
        heard: set[str] = set()
        while time.monotonic() < until:
            self._warden.reap()
            self._must_live()
            if not heard or "kernel_info_reply" in heard:
                self._client.kernel_info()
            heard |= {message["msg_type"] for message in self._arrived(20 if heard else 100)}
            if {"kernel_info_reply", "status"} <= heard:
                return
        raise Breach("start")

    def _rest(self) -> None:
        """Wait for the next cell; what an earlier one has left running is watched meanwhile."""
        self._arrived(1 + int(1000 * self._warden.rest))
        request = self._wire.receive()
        if request is not None and isinstance(request.get("run"), str):
            put_files(request.get("files"))
            self._run(request["run"])
        self._warden.look(is_running=False)
        self._must_live()

    def _run(self, source: str) -> None:
        warden = self._warden
        warden.begin()
        printed = self._printed = Printed(self._wire, warden.limits.output_kb * 1024)
        asked = self._client.execute(source, allow_stdin=False)
        reply: Mapping[str, Any] | None = None
        is_idle, replied = False, 0.0
        while reply is None or not (is_idle or time.monotonic() - replied > IDLE_SECONDS):
            for message in self._arrived(10 if reply is None else 2):
                if message["parent_header"].get("msg_id") != asked:
                    continue
                kind, content = message["msg_type"], message["content"]
                if kind == "execute_reply":
                    reply, replied = content, time.monotonic()
                elif kind == "status":
                    is_idle |= content.get("execution_state") == "idle"
                else:
                    self._show(kind, content)
            self._wire.receive()
            printed.tell_if_due()
            warden.look(is_running=True)
            self._must_live()
        printed.tell()
        code = 0 if reply.get("status") == "ok" else 1
        self._wire.send({"ended": code, "breach": None, "cut": printed.is_cut})
        warden.begin()  # what is still running spends its own time

    def _show(self, kind: str, content: Mapping[str, Any]) -> None:
        """Pass on what a cell shows."""
        printed = self._printed
        if kind == "stream":
            name = "stderr" if content.get("name") == "stderr" else "stdout"
            printed.add(name, _text(content.get("text")))
        elif kind in ("display_data", "execute_result", "update_display_data"):
            data = content.get("data")
            shown = {str(mime): _text(part) for mime, part in data.items()} if isinstance(data, dict) else {}
            printed.show("result" if kind == "execute_result" else "display", shown)
        elif kind == "error":
            trace = content.get("traceback")
            lines = [_text(line) for line in trace] if isinstance(trace, list) else []
            printed.fail(
                _text(content.get("ename"))[:1000],
                _text(content.get("evalue"))[:100_000],
                "\n".join(lines)[:200_000],
            )

    def _arrived(self, milliseconds: int) -> list[Message]:
        """Messages of the kernel, as far as they can be read."""
        import zmq

        found: list[Message] = []
        ready = dict(self._poller.poll(milliseconds))
        for descriptor in (self._warden.program.stdout, self._warden.program.stderr):
            if descriptor in ready and not self._pipes.take(descriptor):
                self._poller.unregister(descriptor)
        for socket in (self._iopub, self._shell):
            for _ in range(100 if socket in ready else 0):
                try:
                    _, message = self._client.session.recv(socket, zmq.NOBLOCK)
                except Exception:  # made up by what runs in the kernel: it is passed over
                    continue
                if message is None:
                    break
                if _is_whole(message):
                    found.append(message)
        return found

    def _must_live(self) -> None:
        if self._warden.died is not None:
            raise Breach("died")


def _is_whole(message: Any) -> bool:
    return (
        isinstance(message, dict)
        and isinstance(message.get("parent_header"), dict)
        and isinstance(message.get("content"), dict)
        and isinstance(message.get("msg_type"), str)
    )


def _text(value: Any) -> str:
    """A part of a message as text that can be stored."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "".join(value)
    if not isinstance(value, str):
        value = "" if value is None else json.dumps(value)
    return value.encode("utf-8", "replace").decode().replace("\0", "\N{SYMBOL FOR NULL}")


ENVIRONMENT_OF_KERNEL: Final = {"IPYTHONDIR": f"{HOME}/.ipython", "JUPYTER_RUNTIME_DIR": RUN, "PWD": FILES}
