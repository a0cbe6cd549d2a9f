"""What a request over HTTP is to whoever answers it, and the plain ways to answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

import orjson

from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.jsonrpc import INVALID_REQUEST
from thoughtbox.doors.mcp.principal import Principal

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Header = tuple[bytes, bytes]

WHEN_GONE: Final = "thoughtbox.when_gone"
"""In a scope: what is to be done when the client is gone before it was answered (see `bounded_http.py`)."""

JSON: Final = (b"content-type", b"application/json")


class HttpRequest:
    """One request that was let in."""

    __slots__ = ("_receive", "headers", "method", "path", "principal", "repeated", "scope", "send")

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        headers: Mapping[bytes, bytes],
        repeated: Iterable[bytes],
        principal: Principal | None,
    ) -> None:
        """`headers` by name; of those that are `repeated`, the last."""
        self.scope = scope
        self._receive = receive
        self.send = send
        self.headers = headers
        self.repeated = repeated
        self.principal = principal
        self.method: str = scope["method"]
        self.path: str = scope["path"]

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def accepts(self) -> tuple[bool, bool]:
        """Whether the client takes JSON, and whether it takes event streams."""
        named = self.headers.get(b"accept", b"")
        if named == b"application/json, text/event-stream":
            return True, True
        kinds = {kind.partition(b";")[0].strip().lower() for kind in named.split(b",")}
        return (
            not kinds.isdisjoint((b"*/*", b"application/*", b"application/json")),
            not kinds.isdisjoint((b"*/*", b"text/*", b"text/event-stream")),
        )

    @property
    def is_json(self) -> bool:
        return self.headers.get(b"content-type", b"").lower().startswith(b"application/json")

    async def body(self, most: int) -> bytes | None:
        """What it carries; None when that is longer than allowed."""
        declared = self.headers.get(b"content-length", b"")
        if declared.isdigit() and int(declared) > most:
            return None
        message = await self._receive()
        if not message.get("more_body"):
            body: bytes = message.get("body", b"")
            return body if len(body) <= most else None
        parts, length = [], 0
        while True:
            parts.append(message.get("body", b""))
            length += len(parts[-1])
            if length > most:
                return None
            if not message.get("more_body"):
                return b"".join(parts)
            message = await self._receive()

    async def respond(self, status: int, body: bytes = b"", *headers: Header) -> None:
        length = (b"content-length", str(len(body)).encode())
        await self.send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await self.send({"type": "http.response.body", "body": body})

    async def refuse(self, status: int, message: str, *headers: Header, code: int = INVALID_REQUEST) -> None:
        """Answer with an error that belongs to no message."""
        await self.respond(status, jsonrpc.error(None, code, message), JSON, *headers)

    async def refuse_plainly(self, status: int, message: str, *headers: Header) -> None:
        """Answer with an error to whoever has not come as far as the protocol."""
        await self.respond(status, orjson.dumps({"error": {"code": status, "message": message}}), JSON, *headers)
