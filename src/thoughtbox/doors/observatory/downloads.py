"""Exports over HTTP: the whole workspace as its export file, or one session in the form that is asked for.

What is to be sent is first written to a temporary file, as fast as the store gives it: a client that takes its time
holds up no snapshot, and nobody else.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Any, ClassVar

import orjson

from thoughtbox.app import Thoughtbox
from thoughtbox.domains.thoughts.files.inert import inert, one_line, quoted
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.watched.reading import session_in_sight
from thoughtbox.doors.http.http_request import Header, HttpRequest
from thoughtbox.doors.observatory.gate import NOTHING_RUNS
from thoughtbox.doors.observatory.listing import listed
from thoughtbox.doors.observatory.reads.records import shown
from thoughtbox.doors.observatory.routes import AS_OF, Given, Parameter
from thoughtbox.engine.steps import Steps, in_steps
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.export import export_lines
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

CHUNK = 1 << 18
IN_MEMORY = 1 << 22
"""Up to so many bytes no file is made."""

LARGEST_PIECE = 1_000_000
"""Characters of a session that are made at once."""

WHOLE = ("jsonl", "markdown")
"""Forms that a whole workspace has."""

SESSIONS = stream_of("")

MOST_AT_ONCE = 4
"""Downloads under way. Each may be as large as the store."""

_TYPES = {
    "jsonl": b"application/x-ndjson; charset=utf-8",
    "json": b"application/json",
    "markdown": b"text/markdown; charset=utf-8",
    "cipher": b"text/plain; charset=utf-8",
}
_ENDINGS = {"jsonl": "jsonl", "json": "json", "markdown": "md", "cipher": "txt"}

Fail = Callable[[HttpRequest, BaseException], None]


class Downloads:
    """Sends exports, piece by piece, as fast as they are taken."""

    SUMMARY: ClassVar[str] = (
        "A download: the whole workspace as its export file (jsonl) or to read (markdown); a session in all forms."
    )
    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter("sessionId", "This session alone."),
        Parameter("format", "Of which form.", default="jsonl", choices=tuple(_TYPES)),
        AS_OF,
    )

    def __init__(self, box: Thoughtbox, caller: Caller) -> None:
        self._box = box
        self._caller = caller
        self._loop = asyncio.get_running_loop()
        self._open = 0

    def begin(
        self, request: HttpRequest, workspace: str, given: Given, headers: tuple[Header, ...], fail: Fail
    ) -> None:
        form, session_id = given["format"], given["sessionId"]
        if session_id is None and (form not in WHOLE or (form == "jsonl" and given["asOf"] is not None)):
            raise InvalidPayload(
                "a whole workspace is exported as jsonl, as it stands now, or as markdown",
                recovery="Name a session, or leave format and asOf out.",
                details={"fields": ["format", "asOf"]},
            )
        if self._open >= MOST_AT_ONCE:
            raise InvalidPayload(f"{MOST_AT_ONCE} downloads are under way", recovery="Try again in a moment.")
        self._open += 1
        request.when_over = self._over
        name = _file_name(session_id or workspace, _ENDINGS[form])
        about = (
            (b"content-type", _TYPES[form]),
            (b"content-disposition", f'attachment; filename="{name}"'.encode()),
            (b"cache-control", b"no-store"),
            NOTHING_RUNS,
        )
        if session_id is None and form == "jsonl":
            made = self._box.dispatcher.ask(workspace, self._caller, _whole, long=True)
        elif session_id is None:
            made = in_steps(self._workspace(workspace, given["asOf"]))
        elif form == "jsonl":
            made = self._box.dispatcher.ask(
                workspace, self._caller, partial(_session_lines, session_id), as_of=given["asOf"], long=True
            )
        else:
            made = in_steps(self._session(workspace, session_id, form, given["asOf"]))
        made.add_done_callback(
            lambda future: self._loop.call_soon_threadsafe(self._send, request, future, (*about, *headers), fail)
        )

    def _over(self) -> None:
        self._open -= 1

    def _session(self, workspace: str, session_id: str, form: str, as_of: int | None) -> Steps[IO[bytes]]:
        with _file() as file:
            yield from self._write_session(file, workspace, session_id, form, as_of)
            return file

    def _write_session(
        self, file: IO[bytes], workspace: str, session_id: str, form: str, as_of: int | None
    ) -> Steps[None]:
        """A session as `session.export` gives it, all of its pieces."""
        arguments: dict[str, Any] = {"sessionId": session_id, "format": form, "maxChars": LARGEST_PIECE}
        while True:
            call = Call(
                operation="session.export",
                workspace=workspace,
                arguments=arguments,
                caller=self._caller,
                as_of=as_of,
                focus=self._box.first_focus("none"),
            )
            piece: dict[str, Any] = yield self._box.dispatcher.submit(call)
            file.write(piece["content"].encode())
            if piece.get("cursor") is None:
                return
            arguments = {**arguments, "cursor": piece["cursor"]}

    def _workspace(self, workspace: str, as_of: int | None) -> Steps[IO[bytes]]:
        """All sessions to read, one behind the other, and what else was recorded, stream by stream."""
        ask = partial(self._box.dispatcher.ask, workspace, self._caller)
        with _file() as file:
            file.write(f"# Workspace {workspace}\n".encode())
            place: str | None = None
            while True:
                given = {"status": None, "search": None, "q": None, "limit": 200, "cursor": place, "asOf": as_of}
                page: Mapping[str, Any] = yield listed(self._box, self._caller, workspace, given)
                for session in page["sessions"]:
                    file.write(b"\n---\n\n")
                    yield from self._write_session(file, workspace, session["id"], "markdown", page["seq"])
                place, as_of = page["nextCursor"], page["seq"]
                if place is None:
                    break
            yield ask(partial(_other_streams, file), as_of=as_of, long=True)
            return file

    def _send(self, request: HttpRequest, made: Future[IO[bytes]], headers: tuple[Header, ...], fail: Fail) -> None:
        try:
            file = made.result()
        except BaseException as error:
            fail(request, error)
            return
        if request.when_over is None:  # the client is gone
            file.close()
            return
        file.seek(0)
        request.open(headers)
        request.when_gone = file.close
        request.when_clear = partial(self._go_on, request, file)
        self._go_on(request, file)

    def _go_on(self, request: HttpRequest, file: IO[bytes]) -> None:
        """Send until no more is taken for now. In turns, so that others are answered meanwhile."""
        if file.closed or request.is_answered or request.line.is_stopped:
            return
        piece = file.read(CHUNK)
        if piece:
            request.tell(piece)
            self._loop.call_soon(self._go_on, request, file)
        else:
            file.close()
            request.close()


@contextmanager
def _file() -> Generator[IO[bytes]]:
    """A file to write an export to. It is gone with what goes wrong meanwhile; otherwise whoever sends it closes it."""
    with ExitStack() as kept:
        yield kept.enter_context(SpooledTemporaryFile(IN_MEMORY))
        kept.pop_all()


def _whole(tx: Tx) -> IO[bytes]:
    with _file() as file:
        for line in export_lines(tx.sql, tx.workspace):
            file.write(line + b"\n")
        return file


def _other_streams(file: IO[bytes], tx: Tx) -> None:
    """Streams that are no session of thoughts, each record in a line or two."""
    after = ""
    while names := tx.ledger.streams("", after=after, limit=500):
        for name in names:
            if name.startswith(SESSIONS):
                continue
            file.write(f"\n---\n\n## {inert(one_line(name))}\n".encode())
            for record in tx.ledger.stream(name):
                head = f"\n**#{record.seq}** {record.kind}, {inert(one_line(record.agent))}, {record.ts}\n\n"
                file.write(f"{head}{quoted(record.text)}\n".encode())
        after = names[-1]


def _session_lines(session_id: str, tx: Tx) -> IO[bytes]:
    """The records of a session, one on a line, with their hashes."""
    session = session_in_sight(tx, session_id)
    with _file() as file:
        for record in tx.ledger.stream(stream_of(session.id)):
            file.write(orjson.dumps(shown(record).answer()) + b"\n")
        return file


def _file_name(name: str, ending: str) -> str:
    return f"thoughtbox-{re.sub('[^A-Za-z0-9._-]+', '-', name)[:80]}.{ending}"
