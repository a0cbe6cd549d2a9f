"""The WebAssembly machine: its settings, the modules, and all that a module can reach outside.

The engine is built for WASI and asks for a dozen of its functions. It gets the time and chance, and a refusal for
everything else: there is no file, no environment and no output behind them.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import wasmtime

from thoughtbox.sandbox.javascript import module_files
from thoughtbox.sandbox.javascript.worker.breaches import Breach
from thoughtbox.sandbox.javascript.worker.clock import Clock

STACK_BYTES = 2 * 1024 * 1024
"""For the calls of a snippet, one inside the other: the most that wasmtime gives without asynchronous stacks."""
_BAD_DESCRIPTOR = 8
_NOT_POSSIBLE = 52
_CLOCK_OF_THE_DAY = 0
_MOST_CHANCE = 4096

_ENDS = {
    wasmtime.TrapCode.INTERRUPT: "cpu",
    wasmtime.TrapCode.STACK_OVERFLOW: "recursion",
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: "recursion",  # a part of the stack is kept at its start
}
"""Any other trap is the engine giving up, which it does when it cannot get the memory it needs."""


class Unfit(Exception):
    """A file cannot be used: its path."""


class Instance(Protocol):
    """Who is calling out: the one instance that is at work."""

    def write(self, address: int, data: bytes) -> None: ...

    def asked(self, name: str, argument_count: int, arguments: int) -> int: ...

    def read(self, address: int, length: int) -> bytes: ...


class Machine:
    """The modules, ready to make instances of."""

    def __init__(self, guest: Path, transform: Path) -> None:
        self.engine = compiler()
        self.clock = Clock(self.engine)
        self.guest = _loaded(self.engine, guest)
        self.transform = _loaded(self.engine, transform)
        self.at_work: Instance | None = None
        self._guest_linker = self._linker(self.guest)
        self._transform_linker = self._linker(self.transform)

    def new_guest(self, store: wasmtime.Store) -> wasmtime.Instance:
        return self._guest_linker.instantiate(store, self.guest)

    def new_transform(self, store: wasmtime.Store) -> wasmtime.Instance:
        return self._transform_linker.instantiate(store, self.transform)

    def _linker(self, module: wasmtime.Module) -> wasmtime.Linker:
        linker = wasmtime.Linker(self.engine)
        offered = self._offered()
        for needed in module.imports:
            if isinstance(needed.type, wasmtime.FuncType) and needed.name is not None:
                linker.define_func(needed.module, needed.name, needed.type, offered[needed.name])
        return linker

    def _offered(self) -> dict[str, Callable[..., Any]]:
        return {
            "host_call": self._host_call,
            "host_interrupt": lambda: 0,  # the epoch ends a snippet
            "host_module_normalize": lambda *_: 0,  # there is no module
            "host_module_load": lambda *_: 0,
            "random_get": self._random,
            "clock_time_get": self._clock,
            "environ_get": lambda *_: 0,
            "environ_sizes_get": self._no_environment,
            "fd_close": lambda *_: _BAD_DESCRIPTOR,
            "fd_fdstat_get": lambda *_: _BAD_DESCRIPTOR,
            "fd_seek": lambda *_: _BAD_DESCRIPTOR,
            "fd_write": lambda *_: _BAD_DESCRIPTOR,
            "proc_exit": self._exit,
        }

    def _host_call(self, name: int, name_length: int, _this: int, count: int, arguments: int) -> int:
        self.clock.pause()  # what we do for a snippet is not its time
        try:
            return self._caller.asked(self._caller.read(name, name_length).decode(), count, arguments)
        finally:
            self.clock.resume()

    def _random(self, address: int, length: int) -> int:
        if length > _MOST_CHANCE:
            return _NOT_POSSIBLE
        self._caller.write(address, os.urandom(length))
        return 0

    def _clock(self, clock: int, _precision: int, address: int) -> int:
        now = time.time_ns() if clock == _CLOCK_OF_THE_DAY else time.monotonic_ns()
        self._caller.write(address, struct.pack("<Q", now))
        return 0

    def _no_environment(self, count: int, size: int) -> int:
        self._caller.write(count, bytes(4))
        self._caller.write(size, bytes(4))
        return 0

    def _exit(self, _status: int) -> None:
        raise Breach("memory")  # the engine gives up for no other reason

    @property
    def _caller(self) -> Instance:
        if self.at_work is None:
            raise RuntimeError("an instance calls that is not at work")
        return self.at_work


def breach(trap: wasmtime.Trap) -> Breach:
    """What it means that an instance was ended. It is of no use any more."""
    return Breach(_ENDS.get(trap.trap_code, "memory"))


def compiler() -> wasmtime.Engine:
    """`compiled.FORM` changes with these settings."""
    settings = wasmtime.Config()
    settings.epoch_interruption = True
    settings.max_wasm_stack = STACK_BYTES
    return wasmtime.Engine(settings)


def _loaded(engine: wasmtime.Engine, path: Path) -> wasmtime.Module:
    """A module from the file that it was compiled into, or from its source, when there is no such file."""
    if path.suffix != module_files.SUFFIX:
        return wasmtime.Module(engine, path.read_bytes())
    if not module_files.is_sound(path):
        raise Unfit(str(path))
    try:
        return wasmtime.Module.deserialize_file(engine, str(path))
    except wasmtime.WasmtimeError as error:
        raise Unfit(str(path)) from error  # made by another release, or for another machine
