"""One snippet from its first line to its end: read, run, asked for, and told how it came out."""

from __future__ import annotations

import json
import os
from typing import Any, Final, NamedTuple

from thoughtbox.sandbox.javascript.frames import Kind
from thoughtbox.sandbox.javascript.worker import last_statement, places
from thoughtbox.sandbox.javascript.worker.breaches import Abandoned, Breach, Refused, Stuck, Thrown
from thoughtbox.sandbox.javascript.worker.channel import Channel
from thoughtbox.sandbox.javascript.worker.guest import Guest
from thoughtbox.sandbox.javascript.worker.machine import Machine
from thoughtbox.sandbox.javascript.worker.places import Place
from thoughtbox.sandbox.javascript.worker.typescript import RETURN_OUTSIDE, Stripper

_INSIDE: Final = "(async () => {"
_OUTSIDE: Final = "\n})()"
_UNCALLED: Final = "\n})"
"""Around a snippet that returns. Its lines keep their numbers."""
_RETURN: Final = "return "
_RETURN_OUTSIDE: Final = {"return not in a function", RETURN_OUTSIDE}
_TOO_LARGE: Final = {"out of memory", "string too long"}
LONGEST_MESSAGE: Final = 2_000


class Request(NamedTuple):
    """A snippet and what it may use."""

    code: str
    base: int
    is_typescript: bool
    cpu_seconds: float
    memory_bytes: int
    output_chars: int


class Evaluation:
    """A snippet in an instance that is ready for it."""

    def __init__(self, request: Request, guest: Guest, machine: Machine, channel: Channel) -> None:
        self._request = request
        self._guest = guest
        self._machine = machine
        self._clock = machine.clock
        self._channel = channel
        self._stripper: Stripper | None = None
        self._source = self._script = request.code
        self._returned_at: Place | None = None
        """Where `return` was put before the last expression."""
        self._lines: list[str] = []
        self._chars = 0
        guest.answer = self._answered

    def run(self) -> None:
        """Tell how it came out, unless nobody wants to know."""
        if self._request.base:
            self._guest.number_from(self._request.base)
        self._guest.limit(self._request.memory_bytes)
        self._clock.start(self._request.cpu_seconds)
        try:
            self._tell(Kind.ENDED, *self._ended())
        except Abandoned:
            return
        except Breach as breach:
            self._tell_failure({"limit": breach.limit})
        except Refused as refused:
            self._tell_failure({"refused": refused.message[:LONGEST_MESSAGE], "line": refused.line})
        except Thrown as thrown:
            self._tell_failure(self._explained(thrown))
        except MemoryError:
            self._tell_failure({"limit": "memory"})
        except Stuck:
            self._tell_failure({"name": "", "message": "it waits for a promise that nothing settles"})
        finally:
            self._clock.stop()
            if self._stripper is not None:
                self._stripper.close()

    def _ended(self) -> tuple[bytes, bytes]:
        """The result, and what builders have queued."""
        if not self._request.code.strip():
            return b"null", b"[]"
        guest = self._guest
        script = self._started()
        guest.go_on()
        finished = guest.finish(script)
        guest.go_on()
        if not guest.is_kept(finished):
            raise Stuck
        result, queued = guest.outcome()
        if len(result.decode()) > self._request.output_chars:
            raise Breach("output")
        return result, queued

    def _started(self) -> int:
        """As a script, whose last expression is the result; or, where it returns by itself, as a function."""
        try:
            return self._read(self._request.code)
        except Refused as refused:
            if not any(message in refused.message for message in _RETURN_OUTSIDE):
                raise
        return self._read(f"{_INSIDE}{self._returning()}{_OUTSIDE}")

    def _returning(self) -> str:
        """The snippet, with its last statement returned, if that is an expression."""
        code = self._request.code
        for start in last_statement.starts(code):
            before, last = code[:start], code[start:]
            if self._can_be_read(f"{_INSIDE}{before}{_UNCALLED}"):
                returning = f"{before}{_RETURN}{last}"
                if not self._can_be_read(f"{_INSIDE}{returning}{_UNCALLED}"):
                    return code
                self._returned_at = Place(before.count("\n") + 1, start - before.rfind("\n"))
                return returning
        return code

    def _can_be_read(self, source: str) -> bool:
        script = self._stripper.readable(source) if self._stripper is not None else source
        try:
            return script is not None and self._guest.evaluate(script.encode()) >= 0
        except Thrown:
            return False

    def _read(self, source: str) -> int:
        self._source = self._script = source
        if self._request.is_typescript:
            self._clock.check()  # the stripper begins with the epoch that there is
            self._stripper = self._stripper or Stripper(self._machine)
            self._script = self._stripper.stripped(source)
        try:
            return self._guest.evaluate(self._script.encode())
        except Thrown as thrown:
            about = self._about(thrown)
            place = self._place(about)
            raise Refused(about["message"], place and place.line) from None

    def _explained(self, thrown: Thrown) -> dict[str, Any]:
        try:
            about = self._about(thrown)
        except Breach as breach:
            return {"limit": breach.limit}
        place = self._place(about)
        place_told = place._asdict() if place is not None else {}
        return {"name": about["name"], "message": about["message"], "error": about["error"], **place_told}

    def _about(self, thrown: Thrown) -> dict[str, Any]:
        try:
            explained = json.loads(self._guest.explain(thrown.handle))
        except Thrown:  # there was no room left to say what it was
            raise Breach("memory") from None
        about = {key: text[:LONGEST_MESSAGE] for key, text in explained["about"].items()}
        about["error"] = explained["error"]
        if about["name"] == "InternalError" and about["message"] in _TOO_LARGE:
            raise Breach("memory")
        return about

    def _place(self, about: dict[str, Any]) -> Place | None:
        """The line, and the column where it is known, in the snippet as it was written."""
        place = places.first(about.get("stack", ""), about["name"])
        if place is None:
            return None
        line, column = place
        if self._stripper is not None:
            line, column = self._stripper.line(self._source, self._script, line, column or 1), None
        elif column is not None and self._source is not self._request.code:
            column -= len(_INSIDE) if line == 1 else 0
            if (put := self._returned_at) is not None and put.line == line and column > (put.column or 0):
                column -= len(_RETURN)
        if line is None:
            return None
        return Place(line, column).nearer(about["message"], self._request.code)

    def _answered(self, name: str, text: str) -> str | None:
        if name == "ask":
            return self._asked(text)
        return os.urandom(16).hex() if name == "seed" else self._logged(text)

    def _asked(self, question: str) -> str:
        self._tell(Kind.ASKED, question.encode())
        frame = self._channel.receive()
        if frame.kind != Kind.REPLY:
            raise Abandoned
        return frame.parts[0].decode()

    def _logged(self, text: str) -> None:
        if not text:
            raise Breach("output")
        for line in json.loads(text):
            self._chars += len(line) + 1
            if self._chars > self._request.output_chars:
                raise Breach("output")
            self._lines.append(line)

    def _tell_failure(self, about: dict[str, Any]) -> None:
        self._tell(Kind.FAILED, json.dumps(about).encode())

    def _tell(self, kind: Kind, *parts: bytes) -> None:
        used = int(self._clock.used * 1e6).to_bytes(8, "little", signed=True)
        lines, self._lines = json.dumps(self._lines).encode() if self._lines else b"", []
        self._channel.send(kind, used, lines, *parts)
