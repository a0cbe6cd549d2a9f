"""One instance of the engine: a JavaScript world of its own, used for one snippet and thrown away.

Speaks to the functions that the WebAssembly of quickjs-rs exports. Values are handles: numbers that stand for something
inside the instance. Whatever ends the instance comes out as a `Breach`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

import wasmtime

from thoughtbox.sandbox.javascript.worker.breaches import Breach, Thrown
from thoughtbox.sandbox.javascript.worker.machine import Machine, breach

HOST_FUNCTIONS = ("ask", "log", "seed")
PRELUDE_FUNCTIONS = ("begin", "numberFrom", "finish", "outcome", "explain")
LARGEST_TEXT = 8 * 1024 * 1024
"""Bytes of anything that an instance says at once."""
_OK, _THROWN = 0, 1
_PENDING, _FULFILLED = 0, 1
_WHOLE_QUEUE = 100_000
"""Reactions of promises that the engine runs before it says how many they were."""
_NEVER = 1 << 40
_NUMBER = 4
_MOST_GIVEN = 2
_DOUBLE, _DOUBLE_AS_INTEGER = struct.Struct("<d"), struct.Struct("<q")
_PAGE = 65_536
_BLOCK = 4_096

Answer = Callable[[str, str], str | None]
"""What a host function does: its name and what it was given, to what it returns."""


class Image(NamedTuple):
    """All that an instance holds in memory."""

    size: int
    spans: list[tuple[int, bytes]]
    """What is not zero, and where."""
    stack_pointer: int
    known: Known


class Known(NamedTuple):
    """Where things are that every call needs. They are asked for once: the way into the engine takes longer than most
    of what is done there."""

    scratch: int
    """Room for one number that is returned, and a few that are given."""
    undefined: int
    prelude: dict[str, int]
    """Its functions."""


class Guest:
    """`answer` is called when the prelude asks for something."""

    def __init__(self, machine: Machine, source: bytes | Image) -> None:
        """Made by evaluating the prelude, or from the image of an instance that has done so."""
        self._machine = machine
        self._store = wasmtime.Store(machine.engine)
        self._store.set_epoch_deadline(_NEVER)
        machine.at_work = self  # what it does to start needs no limit: it is our own code
        self._exports = machine.new_guest(self._store).exports(self._store)
        self._functions: dict[str, wasmtime.Func] = {}
        self._memory = cast("wasmtime.Memory", self._exports["memory"])
        self.answer: Answer = lambda _name, _text: None
        if isinstance(source, Image):
            self._restore(source)
        else:
            self._scratch = self._call("qjs_alloc", _NUMBER * (1 + _MOST_GIVEN))
            self._known = Known(self._scratch, self._call("new_undefined"), self._evaluated_prelude(source))

    # What a snippet's run needs.

    def begin(self, settings: bytes, catalog: bytes | None) -> None:
        given = [self._text(settings)] if catalog is None else [self._text(settings), self._text(catalog)]
        self._called("begin", *given)

    def number_from(self, base: int) -> None:
        """Tell builders the number of the next record."""
        self._called("numberFrom", self._call("new_number", *_DOUBLE_AS_INTEGER.unpack(_DOUBLE.pack(base))))

    def limit(self, memory_bytes: int) -> None:
        """From here on, code runs until the epoch turns, and takes no more memory than this."""
        self._store.set_limits(memory_size=self.memory_size + memory_bytes)
        self._store.set_epoch_deadline(1)

    def evaluate(self, code: bytes) -> int:
        """Start a script, and return the promise of what it comes to. `Thrown` is what is wrong with its syntax."""
        return self._result("eval_async", *self._written(code))

    def go_on(self) -> None:
        """Until everything that can happen has happened."""
        while self._call("execute_pending_jobs") >= _WHOLE_QUEUE:
            pass

    def is_kept(self, promise: int) -> bool:
        """Whether it was fulfilled; `Thrown` is what it was rejected with."""
        self._call("promise_state", promise, self._scratch)
        state = self._number_at(self._scratch)
        if state in (_PENDING, _FULFILLED):
            return state == _FULFILLED
        self._call("promise_result", promise, self._scratch)
        raise Thrown(self._number_at(self._scratch))

    def finish(self, script: int) -> int:
        """Have the result made of what a script has come to; the promise that it is."""
        return self._called("finish", script)

    def outcome(self) -> list[bytes]:
        """The result, and what builders have queued, both as JSON."""
        return self.text(self._called("outcome")).split(b"\n")

    def explain(self, thrown: int) -> bytes:
        """What can be told of an error, as JSON."""
        return self.text(self._called("explain", thrown))

    def text(self, handle: int) -> bytes:
        if self._call("get_string", handle) != _OK:
            raise Breach("memory")
        length = self._call("qjs_last_len")
        if length > LARGEST_TEXT:
            raise Breach("output")
        return self.read(self._call("qjs_last_ptr"), length)

    @property
    def memory_size(self) -> int:
        return self._memory.data_len(self._store)

    def image(self) -> Image:
        pointer = cast("wasmtime.Global", self._exports["__stack_pointer"]).value(self._store)
        spans = list(_spans(self.read(0, self.memory_size)))
        return Image(self.memory_size, spans, int(pointer), self._known)

    def close(self) -> None:
        self._store.close()

    # What the machine asks of the instance at work.

    def read(self, address: int, length: int) -> bytes:
        return bytes(self._memory.read(self._store, address, address + length)) if length else b""

    def write(self, address: int, data: bytes) -> None:
        self._memory.write(self._store, data, address)

    def asked(self, name: str, argument_count: int, arguments: int) -> int:
        given = self.text(self._number_at(arguments)).decode() if argument_count else ""
        answer = self.answer(name, given)
        return self._call("new_undefined") if answer is None else self._text(answer.encode(), is_large=True)

    def _evaluated_prelude(self, source: bytes) -> dict[str, int]:
        world = self._call("global_object")
        for name in HOST_FUNCTIONS:
            key = self._written(name.encode())
            self._call("set_prop", world, *key, self._call("new_function", *key))
        module = self._result("eval_module", *self._written(source), *self._written(b"prelude"))
        return {name: self._result("get_prop", module, *self._written(name.encode())) for name in PRELUDE_FUNCTIONS}

    def _restore(self, image: Image) -> None:
        missing = image.size - self.memory_size
        if missing > 0:
            self._memory.grow(self._store, -(-missing // _PAGE))
        for address, data in image.spans:
            self.write(address, data)
        cast("wasmtime.Global", self._exports["__stack_pointer"]).set_value(self._store, image.stack_pointer)
        self._known, self._scratch = image.known, image.known.scratch

    def _called(self, name: str, *given: int) -> int:
        """Call a function of the prelude."""
        arguments = self._scratch + _NUMBER
        if given:
            self.write(arguments, struct.pack(f"<{len(given)}i", *given))
        known = self._known
        return self._result("call_function", known.prelude[name], known.undefined, arguments, len(given))

    def _result(self, name: str, *given: int) -> int:
        """Call an export that leaves a handle behind."""
        status = self._call(name, *given, self._scratch)
        if status == _OK:
            return self._number_at(self._scratch)
        if status == _THROWN and self._call("last_exception", self._scratch) == _OK:
            raise Thrown(self._number_at(self._scratch))
        raise Breach("memory")

    def _text(self, data: bytes, *, is_large: bool = False) -> int:
        if not data:
            return self._call("new_string", 0, 0)
        address, length = self._written(data)
        handle = self._call("new_string", address, length)
        if is_large:
            self._call("qjs_free", address, length)
        return handle

    def _written(self, data: bytes) -> tuple[int, int]:
        """Put bytes into the instance's memory. They stay: it will not last long."""
        address = self._call("qjs_alloc", len(data))
        if address == 0:
            raise Breach("memory")
        self.write(address, data)
        return address, len(data)

    def _number_at(self, address: int) -> int:
        return struct.unpack("<i", self.read(address, _NUMBER))[0]

    def _call(self, name: str, *given: int) -> int:
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = cast("wasmtime.Func", self._exports[name])
        self._machine.at_work = self
        try:
            return function(self._store, *given)
        except wasmtime.Trap as trap:
            raise breach(trap) from None


def _spans(memory: bytes) -> Iterator[tuple[int, bytes]]:
    """Stretches of memory that are not zero; a fresh instance is zero everywhere else, or has the same there."""
    zeros = bytes(_BLOCK)
    start = None
    for address in range(0, len(memory) + _BLOCK, _BLOCK):
        is_empty = memory[address : address + _BLOCK] in (zeros, b"")
        if start is None and not is_empty:
            start = address
        elif start is not None and is_empty:
            yield start, memory[start:address]
            start = None
