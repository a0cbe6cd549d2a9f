"""Plain JSON in place of an event stream that carries nothing but the answer.

To clients of the handshake era the SDK answers every call on an event stream. Most streams
have one event, and some clients refuse one longer than a megabyte. So the stream is held
back until its first event is known: the answer goes out as plain JSON, anything else (progress,
a sign of life) opens the stream as it was meant.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_OPENING = re.compile(
    rb'event: message\r\ndata: (?={"jsonrpc":"2.0","id":(?:-?\d+|"(?:[^"\\]|\\.)*"),"(?:result|error)":)'
)
_CLOSING = b"\r\n\r\n"


class OneAnswerJson:
    """Wraps the MCP application."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST":
            send = _HeldBack(send)
        await self._app(scope, receive, send)


class _HeldBack:
    """The sending side of one response."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._is_complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and (b"content-type", b"text/event-stream") in message["headers"]:
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            body: bytes = message.get("body", b"")
            if (opening := _OPENING.match(body)) and body.endswith(_CLOSING):
                await self._answer(start, body[opening.end() : -len(_CLOSING)])
                return
            await self._send(start)
        if not self._is_complete:
            await self._send(message)

    async def _answer(self, start: Message, answer: bytes) -> None:
        kept = [header for header in start["headers"] if header[0] != b"content-type"]
        length = str(len(answer)).encode()
        headers = [*kept, (b"content-type", b"application/json"), (b"content-length", length)]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": answer})
        self._is_complete = True
