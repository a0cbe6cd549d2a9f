"""Takes the types out of TypeScript, and knows which line of it a place in the JavaScript comes from.

The stripper (OXC, compiled to WebAssembly by quickjs-rs) prints the program anew and tells no positions. Both kinds
that are needed are found by asking it again: where a syntax error is, by cutting the source off earlier and earlier;
where a statement has gone, by stripping the source once more with a comment at the beginning of each line, which it
carries along with statements, members and arguments. From there, the source is followed as long as it reads like what
was printed. So a line is that of the error itself, or where types stand in between, that on which its statement begins.
"""

from __future__ import annotations

import re
from typing import cast

import wasmtime

from thoughtbox.sandbox.javascript.worker.breaches import Breach, Refused
from thoughtbox.sandbox.javascript.worker.machine import Machine, breach

MEMORY_BYTES = 32 * 1024 * 1024
RETURN_OUTSIDE = "A 'return' statement can only be used within a function body."
_STRIP_TYPES = 1 | 1 << 8
_OK, _UNCHANGED = 0, 1
_NAME = b"snippet.ts"
_PREFIX = f"source parse error in {_NAME.decode()}: "
_NOTHING_EXPORTED = "export {};\n"
_UNREADABLE = "\n\x01"
"""Stands where the source was cut off: a parser that gets there stumbles over it, and over nothing else."""
_MARK = re.compile(r"/\*\ue000(\d+)\*/")
_BLANKS = re.compile(r"\s+")
_MAY_BE_ADDED = frozenset("();,{}")
_QUOTES = frozenset("'\"`")


class Stripper:
    """One instance, for one snippet."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._store = wasmtime.Store(machine.engine)
        self._store.set_limits(memory_size=MEMORY_BYTES)
        self._store.set_epoch_deadline(1)
        machine.at_work = self
        self._exports = machine.new_transform(self._store).exports(self._store)
        self._memory = cast("wasmtime.Memory", self._exports["memory"])

    def stripped(self, source: str) -> str:
        """The JavaScript; `Refused`, with the line, when the source cannot be read."""
        printed, error = self._transformed(source)
        if error is not None:
            raise Refused(error, None if RETURN_OUTSIDE in error else self._line_refused(source, error))
        return printed

    def readable(self, source: str) -> str | None:
        """The same, without looking for what is wrong."""
        printed, error = self._transformed(source)
        return printed if error is None else None

    def line(self, source: str, printed: str, line: int, column: int) -> int | None:
        """The line of the source that a place in the JavaScript comes from; None when that cannot be told."""
        marked = "\n".join(f"/*\ue000{number}*/{text}" for number, text in enumerate(source.split("\n"), 1))
        try:
            again, error = self._transformed(marked)
        except Breach:
            return None
        if error is not None or _solid(_MARK.sub("", again)) != _solid(printed):
            return None
        before = printed.split("\n")[:line]
        before[-1] = before[-1][: column - 1]
        return _followed(source, again, len(_solid("".join(before))))

    def close(self) -> None:
        self._store.close()

    def write(self, address: int, data: bytes) -> None:
        self._memory.write(self._store, data, address)

    def read(self, address: int, length: int) -> bytes:
        return bytes(self._memory.read(self._store, address, address + length)) if length else b""

    def asked(self, name: str, argument_count: int, arguments: int) -> int:
        raise NotImplementedError(f"the stripper has nothing to ask: {name}, {argument_count}, {arguments}")

    def _line_refused(self, source: str, error: str) -> int | None:
        """The first line with which the error is there."""
        first = error.partition("; ")[0]
        lines = source.split("\n")
        clean, broken = 0, len(lines)
        try:
            while broken - clean > 1:
                middle = (clean + broken) // 2
                if first in (self._transformed("\n".join(lines[:middle]) + _UNREADABLE)[1] or ""):
                    broken = middle
                else:
                    clean = middle
        except Breach:
            return None
        return broken

    def _transformed(self, source: str) -> tuple[str, str | None]:
        """What was printed, and what is wrong."""
        data = source.encode()
        name, text = self._written(_NAME), self._written(data)
        status = self._call("qjst_transform", name, len(_NAME), text, len(data), _STRIP_TYPES)
        said = self._said("result" if status == _OK else "error") if status != _UNCHANGED else source
        self._call("qjst_free", text, len(data))
        self._call("qjst_free", name, len(_NAME))
        self._call("qjst_result_free")
        if status in (_OK, _UNCHANGED):
            return said.removesuffix(_NOTHING_EXPORTED), None  # which is all that an import of types leaves
        return "", said.removeprefix(_PREFIX) or "it cannot be read"

    def _said(self, which: str) -> str:
        length, address = self._call(f"qjst_{which}_len"), self._call(f"qjst_{which}_ptr")
        return self.read(address, length).decode("utf-8", "replace")

    def _written(self, data: bytes) -> int:
        address = self._call("qjst_alloc", len(data))
        if address == 0:
            raise Breach("memory")
        self.write(address, data)
        return address

    def _call(self, name: str, *given: int) -> int:
        self._machine.at_work = self
        try:
            return cast("wasmtime.Func", self._exports[name])(self._store, *given)
        except wasmtime.Trap as trap:
            raise breach(trap) from None


def _solid(text: str) -> str:
    return _BLANKS.sub("", text)


def _followed(source: str, marked: str, offset: int) -> int | None:
    """The line of what stands, blanks aside, at an offset of what was printed."""
    line, start = None, 0
    parts = _MARK.split(marked)
    for number, text in zip(["", *parts[1::2]], parts[::2], strict=True):
        solid = _solid(text)
        line = int(number) if number else line
        if start <= offset < start + len(solid):
            return line and line + _lines_walked(source, line, solid[: offset - start + 1])
        start += len(solid)
    return line


def _lines_walked(source: str, line: int, printed: str) -> int:
    """How many lines further a text ends in the source that begins with this line, as far as it can be made out."""
    text = "\n".join(source.split("\n")[line - 1 :])
    at = found = 0
    for wanted in printed:
        while text[at : at + 1].isspace():
            at += 1
        here = text[at : at + 1]
        if here == wanted or (here in _QUOTES and wanted in _QUOTES):
            found = at
            at += 1
        elif wanted not in _MAY_BE_ADDED:
            break
    return text.count("\n", 0, found)
