"""The first process of a box: starts what runs there, passes on what it says, and ends it when it goes too far.

When this process ends, the kernel ends all others of the box, wherever they have gone. It ends when the server does:
the wire between the two is then closed.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, Never, Protocol

from thoughtbox.confinement import holdings, usage
from thoughtbox.confinement.building import bring_up_loopback, build
from thoughtbox.confinement.entering import GIVEN_NAMESPACES, OWN_NAMESPACES, Ways, be_first_to_go
from thoughtbox.confinement.frames import Incoming, Message, packed
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, HOME, MEGABYTE, TEMPORARY, Plan
from thoughtbox.confinement.system_calls import end_with_parent
from thoughtbox.confinement.usage import Meter, Processes

LOOK_SECONDS: Final = 0.05
"""Between two looks at what is used up while something runs."""
REST_SECONDS: Final = 1.0
"""The same while nothing should."""
MANY: Final = 20
"""Processes that were started since the last look: then the next one comes soon, whatever should be running."""
FOLDER_LOOK_SECONDS: Final = 0.4
FOLDER_SHARE: Final = 10
"""Of the time at most a tenth goes into looking through folders."""
MESSAGE_BYTES: Final = 64
"""What anything that is passed on counts at least."""
TOLD_EVERY: Final = 0.02
"""Seconds for which output is put together before it is passed on."""
_BLOCK: Final = 1 << 16
_WRITABLE: Final = (FILES, HOME, TEMPORARY, ENVIRONMENT)


class Purpose(NamedTuple):
    """What a box is for."""

    inside: Callable[[], object]
    """What its user runs."""
    watch: Callable[[Warden], None]
    """What the first process does meanwhile."""


def open_box(channel: socket.socket, plan: Plan, purpose: Purpose) -> Never:
    """Be the first process of a new box: build it, and have it be for something."""

    def made() -> Started:
        if plan.user is not None:
            os.setgroups([])
        build(plan)
        if not plan.has_network:
            bring_up_loopback()
        return _started(plan, purpose.inside, channel, OWN_NAMESPACES)

    _watch_over(channel, plan, purpose, made)


def open_given_box(channel: socket.socket, plan: Plan, purpose: Purpose) -> Never:
    """Be the first process of a box that another program has built."""
    _watch_over(channel, plan, purpose, lambda: _started(plan, purpose.inside, channel, GIVEN_NAMESPACES))


def _watch_over(channel: socket.socket, plan: Plan, purpose: Purpose, made: Callable[[], Started]) -> Never:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    end_with_parent(signal.SIGKILL)
    wire = Wire(channel)
    try:
        program = made()
    except Exception as error:  # whoever waits for the box is told why there is none
        wire.send({"failed": f"{type(error).__name__}: {error}"})
        os._exit(1)
    purpose.watch(Warden(wire, plan, program))
    os._exit(0)


class Started:
    """The process that a box is for, and what it prints outside of any protocol. It waits until it is let go."""

    def __init__(self, process: int, gate: int, stdout: int, stderr: int) -> None:
        self.process = process
        self._gate = gate
        self.stdout = stdout
        self.stderr = stderr

    def let_go(self) -> None:
        os.write(self._gate, b".")
        os.close(self._gate)


def _started(plan: Plan, inside: Callable[[], object], channel: socket.socket, ways: Ways) -> Started:
    left, told = os.pipe(), os.pipe()
    out, err = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        try:
            channel.close()
            ways.leave()
            os.write(left[1], b".")
            if os.read(told[0], 1) != b".":
                os._exit(70)
            os.setsid()
            for source, target in ((out[1], 1), (err[1], 2)):
                os.dup2(source, target)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.closerange(3, 4096)
            ways.become_user(plan)
            os.environ.clear()
            os.environ.update(plan.environment)
            inside()
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        os._exit(70)
    for end in (left[1], told[0], out[1], err[1]):
        os.close(end)
    if os.read(left[0], 1) != b".":
        raise OSError("its process did not get a user of its own")
    ways.admit(process, plan)
    be_first_to_go(process)
    ways.become_warden(plan)
    end_with_parent(signal.SIGKILL)  # it was forgotten with the change of user
    os.close(left[0])
    return Started(process, told[1], out[0], err[0])


class Wire:
    """The way to the server."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._incoming = Incoming()

    def send(self, message: Message) -> None:
        try:
            self.channel.sendall(packed(message))
        except OSError:
            os._exit(0)  # nobody is there any more

    def receive(self) -> Message | None:
        """The next message, if one has come; ends the box when the server is gone."""
        if (known := self._incoming.message()) is not None:
            return known
        try:
            data = self.channel.recv(_BLOCK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return None
        except OSError:
            os._exit(0)
        if not data:
            os._exit(0)
        self._incoming.feed(data)
        return self._incoming.message()


class Breach(Exception):
    """Something has gone beyond a limit: `args[0]` is which."""


class Warden:
    """Watches over one box."""

    def __init__(self, wire: Wire, plan: Plan, program: Started) -> None:
        self.wire = wire
        self.plan = plan
        self.limits = plan.limits
        self.program = program
        self.died: int | None = None
        """How the program has ended, as `waitpid` says it."""
        self._begun = time.monotonic()
        self._meter = Meter()
        self._spent = 0.0
        self._next_look = self._next_folder_look = 0.0
        self._started = 0
        self._free = 0
        self._most_files = self._allowed()

    def begin(self) -> None:
        """From now on it is one run's time that is spent."""
        self._begun = time.monotonic()
        self._spent = self._meter.seconds(usage.now())
        self._next_look = 0.0
        self._free, _ = holdings.free_on(FILES)

    def _allowed(self) -> int:
        """Bytes that its files may take up. Where they are beyond the limit at the start, they may be put in order."""
        size, most = holdings.size_of(_WRITABLE), self.limits.folder_mb * MEGABYTE
        return max(most, size) if size < holdings.ENDLESS else most

    def await_start(self) -> None:
        """Wait until the server says that it may begin; put the files in place that it names."""
        while (message := self.wire.receive()) is None:
            select.select([self.wire.channel], [], [])
        put_files(message.get("files"))

    @property
    def seconds(self) -> float:
        """Since the run has begun."""
        return time.monotonic() - self._begun

    def look(self, *, is_running: bool) -> None:
        """Reap what has ended, and see whether a limit was passed."""
        self.reap()
        if is_running and self.seconds > self.limits.wall_seconds:
            raise Breach("wall")
        moment = time.monotonic()
        if moment < self._next_look:
            return
        self._next_look = moment + self._pause(is_running=is_running)
        processes = usage.now()
        if self._meter.seconds(processes) - self._spent > self.limits.cpu_seconds:
            raise Breach("cpu")
        self._look_at_memory(processes)
        if moment >= self._next_folder_look:
            self._look_at_holdings(processes)

    @property
    def rest(self) -> float:
        """Seconds until the next look, while nothing should be running."""
        return min(REST_SECONDS, max(0.0, self._next_look - time.monotonic()))

    def _pause(self, *, is_running: bool) -> float:
        """Until the next look, which comes when nobody can know: else one could always be somewhere else by then."""
        last, self._started = self._started, usage.last_number()
        seconds = LOOK_SECONDS if is_running or not 0 <= self._started - last <= MANY else REST_SECONDS
        return seconds * (0.5 + os.urandom(1)[0] / 255)

    def _look_at_memory(self, processes: Processes, aside: int = 0) -> None:
        most = self.limits.memory_mb * MEGABYTE - aside
        if usage.resident(processes) > most and usage.memory_of(processes) > most:
            raise Breach("memory")

    def _look_at_holdings(self, processes: Processes) -> None:
        begun = time.monotonic()
        held = holdings.held_by(number for number, _ in processes)
        if held.shared > self.limits.memory_mb * MEGABYTE:
            raise Breach("memory")
        self._look_at_memory(processes, held.aside + holdings.in_memory())
        size = held.files + holdings.size_of(_WRITABLE)
        free, reserve = holdings.free_on(FILES)
        has_filled_up = free < reserve and self._free - free > self.limits.folder_mb * MEGABYTE
        if size > self._most_files or free < holdings.NEARLY_FULL or has_filled_up:
            raise Breach("folder")
        ended = time.monotonic()
        self._next_folder_look = ended + max(FOLDER_LOOK_SECONDS, (ended - begun) * FOLDER_SHARE)

    def reap(self) -> None:
        """Wait for every process that has ended: all whose parents have gone are ours."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            if process == self.program.process:
                self.died = status


class Printed:
    """What a process prints, put together for a moment and passed on, up to a limit."""

    def __init__(self, wire: Wire, most: int) -> None:
        self._wire = wire
        self.left = most
        self.is_cut = False
        self._waiting: list[tuple[str, str]] = []
        self._since = 0.0
        self._has_failed = False

    def add(self, name: str, text: str) -> None:
        is_more = bool(self._waiting) and self._waiting[-1][0] == name
        room = self.left if is_more else self.left - MESSAGE_BYTES
        fitting = text if len(text) * 4 <= room else _fitting(text, room)
        self.is_cut |= len(fitting) < len(text)
        if not fitting:
            return
        self.left = room - len(fitting.encode("utf-8", "replace"))
        if not self._waiting:
            self._since = time.monotonic()
        if is_more:
            fitting = self._waiting.pop()[1] + fitting
        self._waiting.append((name, fitting))

    def show(self, kind: str, data: dict[str, str]) -> None:
        """Pass on what is more than text, if there is room for it."""
        self._pass_on({"shown": kind, "data": data}, sum(len(name) + len(content) for name, content in data.items()))

    def fail(self, name: str, value: str, trace: str) -> None:
        """Pass on what was raised: the first time in any case, whatever was printed before."""
        message, size = {"raised": name, "value": value, "trace": trace}, len(name) + len(value) + len(trace)
        if not self._has_failed:
            self._has_failed, self.left = True, max(self.left, size + MESSAGE_BYTES)
        self._pass_on(message, size)

    def _pass_on(self, message: Message, size: int) -> None:
        if size + MESSAGE_BYTES > self.left:
            self.is_cut = True
            return
        self.left -= size + MESSAGE_BYTES
        self.tell()
        self._wire.send(message)

    def tell(self) -> None:
        """Pass on what waits."""
        for name, text in self._waiting:
            self._wire.send({"printed": name, "text": text})
        self._waiting.clear()

    def tell_if_due(self) -> None:
        if self._waiting and time.monotonic() - self._since >= TOLD_EVERY:
            self.tell()


def _fitting(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[: max(0, most)].decode("utf-8", "ignore")


def watch_program(warden: Warden) -> None:
    """Run a program to its end: what is left of the box then ends with it."""
    printed = Printed(warden.wire, warden.limits.output_kb * 1024)
    warden.wire.send({"ready": True})
    try:
        warden.await_start()
    except Breach as beyond:
        warden.wire.send({"ended": 1, "breach": beyond.args[0], "cut": False})
        return
    warden.program.let_go()
    warden.begin()
    pipes = Pipes(warden.program, printed)
    poll = select.poll()
    ended = os.pidfd_open(warden.program.process)
    for descriptor in (ended, warden.wire.channel.fileno(), warden.program.stdout, warden.program.stderr):
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
    breach = None
    try:
        while warden.died is None:
            for descriptor, _ in poll.poll(20):
                if descriptor == ended:
                    continue
                if descriptor == warden.wire.channel.fileno():
                    warden.wire.receive()
                elif not pipes.take(descriptor):
                    poll.unregister(descriptor)
            printed.tell_if_due()
            warden.look(is_running=True)
    except Breach as beyond:
        breach = beyond.args[0]
    pipes.drain()
    printed.tell()
    code = os.waitstatus_to_exitcode(warden.died) if warden.died is not None else -signal.SIGKILL
    warden.wire.send({"ended": code, "breach": breach, "cut": printed.is_cut})


class Taker(Protocol):
    """Takes what is printed."""

    def add(self, name: str, text: str) -> None: ...


class Pipes:
    """What a program prints, read as far as it has come, and as the text that it is."""

    def __init__(self, program: Started, printed: Taker) -> None:
        self._names = {program.stdout: "stdout", program.stderr: "stderr"}
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {descriptor: decoder("replace") for descriptor in self._names}
        self._printed = printed
        for descriptor in self._names:
            os.set_blocking(descriptor, False)

    def take(self, descriptor: int) -> bool:
        """Read once; whether there may be more."""
        try:
            data = os.read(descriptor, _BLOCK)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        text = self._decoders[descriptor].decode(data, final=not data)
        if text:
            self._printed.add(self._names[descriptor], _storable(text))
        return bool(data)

    def drain(self) -> None:
        """Read what was printed before the end. Others may still hold the pipes: nobody waits for them."""
        for descriptor in self._names:
            for _ in range(64):
                if not select.select([descriptor], [], [], 0)[0] or not self.take(descriptor):
                    break


def put_files(files: Any) -> None:
    """Write the cells of a notebook as files: as the box's user, so that nothing outside can be reached with it."""
    try:
        for folder in (FILES, HOME, TEMPORARY):
            if os.stat(folder).st_mode & 0o700 != 0o700:
                os.chmod(folder, 0o700)  # an earlier cell has locked itself out
        for name, content in files.items() if isinstance(files, dict) else ():
            _put(name, content.encode("utf-8", "replace"))
    except OSError as error:
        raise Breach("files") from error


def _put(name: str, content: bytes) -> None:
    """Write a file in one step, in the place of whatever has its name; a folder there is kept under another."""
    path, fresh = f"{FILES}/{name}", f"{FILES}/.{os.urandom(8).hex()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        try:
            os.replace(fresh, path)
        except IsADirectoryError:
            os.rename(path, f"{fresh}.folder")
            os.replace(fresh, path)
    except OSError:
        os.unlink(fresh)
        raise


def _storable(text: str) -> str:
    return text.replace("\0", "\N{SYMBOL FOR NULL}")


def exec_program(argv: Sequence[str]) -> Callable[[], Any]:
    return lambda: os.execv(argv[0], list(argv))
