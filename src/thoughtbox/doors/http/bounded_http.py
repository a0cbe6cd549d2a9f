"""HTTP/1.1 on one connection, with bounds on what comes around a body, and on how long anything may take.

All of it holds before anybody is asked for a token. Heads and bodies have to be whole in time, and connections on which
nothing happens are closed. A request is judged as soon as its head is whole, and answered where it is read: there is
no task for it, and none for a response that stays open.
"""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from collections import deque
from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, Final, cast

import httptools

from thoughtbox.doors.http import limits
from thoughtbox.doors.http.http_request import CONTINUE, STATUS_LINES, HttpRequest, target_of
from thoughtbox.doors.http.open_connections import OpenConnections
from thoughtbox.doors.http.principal import Principal

logger = logging.getLogger(__name__)

INVALID: Final = b"Invalid HTTP request received."
FAILED: Final = b"Internal Server Error"
PLAIN: Final = (b"content-type", b"text/plain; charset=utf-8")

Judge = Callable[[HttpRequest], None]


class Phase(Enum):
    """What a connection is at."""

    IDLE = "nothing was asked, or all is answered"
    HEAD = "a request has begun"
    BODY = "its headers are complete"
    ANSWERING = "it is whole, and its answer is not"


class Served:
    """What the connections of one server have in common."""

    def __init__(self, loop: asyncio.AbstractEventLoop, judge: Judge) -> None:
        self.loop = loop
        self.judge = judge
        self.connections = OpenConnections(loop)
        self.date = b""
        self.is_leaving = False
        """Whether every answer says that it is the last on its connection."""

    def leave(self) -> None:
        """Have clients come back elsewhere: each connection is closed behind its next answer, or once it is silent.

        A connection on which nothing is under way is not closed at once: a request may be on its way to it.
        """
        self.is_leaving = True
        self.connections.close_silent_after(limits.LEAVING_SILENCE_SECONDS)
        for connection in self.connections:
            connection.end_with_answer()


class BoundedHttp(asyncio.Protocol):
    """One connection."""

    __slots__ = (
        "_around",
        "_begun",
        "_current",
        "_is_advancing",
        "_newest",
        "_parser",
        "_phase",
        "_requests",
        "_served",
        "_timed",
        "_timer",
        "_untaken",
        "_upgraded",
        "_url",
        "_waiting",
        "is_stopped",
        "transport",
    )

    def __init__(self, served: Served) -> None:
        self._served = served
        self.transport: asyncio.Transport
        self.is_stopped = False
        self._begun = 0
        """Requests that have begun since nothing was under way."""
        self._upgraded: asyncio.Protocol | None = None
        self._parser: Any = httptools.HttpRequestParser(self)
        # Whoever says that a request is the last may send more all the same: it is passed over.
        self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._phase = Phase.IDLE
        self._around = 0
        """Bytes that came since a part of the request was complete, without those of its body."""
        self._requests = 0
        self._url = b""
        self._newest: HttpRequest | None = None
        """The request that was begun last."""
        self._current: HttpRequest | None = None
        """The request that is being answered."""
        self._waiting: deque[HttpRequest] | None = None
        """Requests that came before the one ahead of them was answered."""
        self._is_advancing = False
        self._timed: tuple[int, Phase] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None

    @property
    def date(self) -> bytes:
        return self._served.date

    @property
    def is_idle(self) -> bool:
        return self._phase is Phase.IDLE

    @property
    def is_answering(self) -> bool:
        return self._phase is Phase.ANSWERING

    @property
    def has_unread(self) -> bool:
        """Whether the client has sent something, or hung up, that was not read yet."""
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))

    @property
    def principal(self) -> Principal | None:
        """Who is being answered."""
        return self._current.principal if self._current is not None else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is none by descent
        self._served.connections.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._served.connections.leave(self)
        for timer in (self._timer, self._untaken):
            if timer is not None:
                timer.cancel()
        self._parser = self._waiting = self._newest = None
        request, self._current = self._current, None
        if request is not None:
            request.hung_up()

    def drop(self) -> None:
        """Close it now, whatever has not gone out."""
        self.transport.abort()

    def finish(self) -> None:
        """Take no further request: close it now, or when what is under way is answered."""
        if self._current is None:
            self.transport.close()
        else:
            self._current.keeps_alive = False

    def write(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    def end_with_answer(self) -> None:
        """Have the answer that is under way be the last, if it can still say so."""
        if self._current is not None and not self._current.is_started and not self._waiting:
            self._current.keeps_alive = False

    def upgrade(self, protocol: asyncio.Protocol) -> None:
        """Have it go on in another protocol, once the request that is being read is whole."""
        self._current = None
        self._upgraded = protocol

    def _go_over(self, protocol: asyncio.Protocol, rest: bytes) -> None:
        """The connection is the other protocol's from here on, with what came behind the request."""
        self._served.connections.leave(self)
        for timer in (self._timer, self._untaken):
            if timer is not None:
                timer.cancel()
        self._parser = self._waiting = self._newest = None
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
        if rest and not self.transport.is_closing():
            protocol.data_received(rest)

    def data_received(self, data: bytes) -> None:
        self._around += len(data)
        if self._phase is Phase.IDLE:
            self._begun = 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as wish:
            if self._upgraded is not None:
                self._go_over(self._upgraded, data[wish.args[0] :])
                return
            logger.debug("a client wants to speak something else than HTTP")
        except httptools.HttpParserError:
            self._refuse_what_is_no_request()
            return
        if self.transport.is_closing():
            return
        if self._around > limits.LONGEST_HEAD:
            self._refuse(400 if self._phase is Phase.BODY else 431)
        elif self._timer is not None or self._phase is Phase.HEAD or self._phase is Phase.BODY:
            self._set_timer()

    def on_message_begin(self) -> None:
        self._requests += 1
        self._begun += 1
        self._phase = Phase.HEAD
        self._url = b""
        self._newest = HttpRequest(self)

    def on_url(self, url: bytes) -> None:
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes behind a chunked body is left out: the request was judged without it.
        if self._phase is Phase.HEAD:
            request = self._newest
            assert request is not None
            name = name.lower()
            if name in request.headers:
                request.repeated.append(name)
            # White space around a value is not part of it (RFC 9110, 5.5); the parser leaves it there.
            request.headers[name] = value.strip(b" \t")

    def on_headers_complete(self) -> None:
        self._phase = Phase.BODY
        self._around = 0
        request, parser = self._newest, self._parser
        assert request is not None
        request.method = parser.get_method().decode("ascii")
        request.path, request.query = target_of(self._url)
        version = parser.get_http_version()
        request.is_current = version == "1.1"
        # Behind a wish to speak something else the parser reads no body, and nobody knows what comes.
        request.keeps_alive = version != "1.0" and parser.should_keep_alive() and not parser.should_upgrade()
        request.expects_continue = request.headers.get(b"expect", b"").lower() == b"100-continue"
        has_turn = self._begun <= limits.MOST_IN_A_TURN
        if self._current is None and not self._waiting and not self.is_stopped and has_turn:
            self._serve(request)
            return
        if self._waiting is None:
            self._waiting = deque()
        if not self._waiting and not self.transport.is_closing():
            self.transport.pause_reading()
            if self._current is None:
                self._served.loop.call_soon(self._advance)
        self._waiting.append(request)

    def on_chunk_header(self) -> None:
        self._around = 0

    def on_body(self, body: bytes) -> None:
        self._around = max(0, self._around - len(body))
        assert self._newest is not None
        self._newest.take(body)

    def on_message_complete(self) -> None:
        self._around = 0
        request = self._newest
        assert request is not None
        if request.is_answered:  # without waiting for the body
            self._phase = Phase.IDLE
            self._served.connections.rest(self)
            return
        self._phase = Phase.ANSWERING
        self._served.connections.wake(self)
        try:
            request.complete()
        except Exception:
            self._fail(request)

    def answered(self, request: HttpRequest) -> None:
        """A response is complete."""
        if self._current is request:
            self._current = None
        if self.transport.is_closing():
            return
        if not request.keeps_alive:
            self.transport.close()
            return
        if self._phase is Phase.ANSWERING and self._newest is request:
            self._phase = Phase.IDLE
            self._served.connections.rest(self)
        if self._waiting:
            self._advance()

    def pause_writing(self) -> None:
        self.is_stopped = True
        self._untaken = self._served.loop.call_later(limits.SILENCE_SECONDS, self.drop)

    def resume_writing(self) -> None:
        self.is_stopped = False
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None
        if self._current is not None and self._current.when_clear is not None:
            self._current.when_clear()
        if self._waiting:
            self._advance()

    def eof_received(self) -> bool:
        """The client sends nothing more. If it waits for an answer, it gets it."""
        if self._phase is not Phase.ANSWERING or self._newest is None:
            return False
        self._newest.keeps_alive = False
        self._served.loop.call_later(limits.PROBE_SECONDS, self._probe)
        return True

    def _serve(self, request: HttpRequest) -> None:
        self._current = request
        if self._served.is_leaving and not self._waiting:
            request.keeps_alive = False
        try:
            self._served.judge(request)
        except Exception:
            self._fail(request)

    def _fail(self, request: HttpRequest) -> None:
        logger.exception("%s %s could not be answered", request.method, request.path)
        if request.is_started:
            self.transport.close()
        else:
            request.keeps_alive = False
            request.respond(500, FAILED, PLAIN)

    def _advance(self) -> None:
        """Go on with requests that wait for their turn; not one inside the other, and others between some of them."""
        if self._is_advancing or self.transport.is_closing():
            return
        self._is_advancing = True
        waiting = self._waiting
        for _ in range(limits.MOST_IN_A_TURN):
            if not waiting or self._current is not None or self.is_stopped or self.transport.is_closing():
                break
            self._serve(waiting.popleft())
        self._is_advancing = False
        if waiting and self._current is None and not self.is_stopped:
            self._served.loop.call_soon(self._advance)
        elif not waiting and not self.transport.is_closing():
            self.transport.resume_reading()
            if self._phase is not Phase.IDLE:
                self._set_timer()

    def _probe(self) -> None:
        """Find out whether the client has gone altogether, which looks the same from here until it is sent something.

        Short answers are out by now. What is sent is what a client has to pass over: a comment in an event stream,
        an interim response before any other.
        """
        request = self._current
        if self.transport.is_closing() or request is None:
            return
        if request.is_chunked and request.is_event_stream:
            self.transport.write(b"a\r\n: ping\r\n\r\n\r\n")
        elif not request.is_started and request.is_current:
            self.transport.write(CONTINUE)
        self._look_for_reset()

    def _look_for_reset(self) -> None:
        """Nothing is read any more, so that nobody tells of it."""
        if self.transport.is_closing():
            return
        if self.transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.drop()
        else:
            self._served.loop.call_later(limits.PROBE_SECONDS, self._look_for_reset)

    def _set_timer(self) -> None:
        """Have the timer of the phase that the connection is in; it begins once for every request.

        One that is idle has none of its own: all that rest are looked through together.
        """
        # A request behind one that is not answered yet is read no further until then.
        phase = Phase.ANSWERING if self._waiting else self._phase
        if self._timed == (self._requests, phase):
            return
        self._timed = self._requests, phase
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase is Phase.HEAD or phase is Phase.BODY:
            seconds = limits.HEAD_SECONDS if phase is Phase.HEAD else limits.BODY_SECONDS
            self._timer = self._served.loop.call_later(seconds, partial(self._refuse, 408))

    def _refuse(self, status: int) -> None:
        """Say why, unless an answer is on its way already, and close."""
        request = self._newest if self._phase is Phase.BODY else self._current
        is_answered = request is not None and (request.is_started if self._phase is Phase.BODY else True)
        if not is_answered:
            self.transport.write(STATUS_LINES[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()

    def _refuse_what_is_no_request(self) -> None:
        logger.debug("what came is no request over HTTP")
        if not self.transport.is_closing():
            if self._current is None or not self._current.is_started:
                head = STATUS_LINES[400] + b"content-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
                self.transport.write(head % len(INVALID) + b"connection: close\r\n\r\n" + INVALID)
            self.transport.close()
