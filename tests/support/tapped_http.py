"""The SDK's client over HTTP, with a tap on what it sends and hears."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.support.tap import Exchange, HttpTaps


@asynccontextmanager
async def tapped_http(url: str) -> AsyncGenerator[Any]:
    """As the SDK's own `streamable_http_client`."""
    timeout = create_mcp_http_client().timeout
    async with (
        httpx2.AsyncClient(transport=_Tapped(), timeout=timeout) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


class _Tapped(httpx2.AsyncHTTPTransport):
    def __init__(self) -> None:
        super().__init__()
        self._taps = HttpTaps()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = self._taps.exchange(request.method, request.url.path, request.headers, await request.aread())
        response = await super().handle_async_request(request)
        exchange.answered(response.status_code, response.headers)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _TappedStream(response.stream, exchange)
        return response


class _TappedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._exchange.feed(chunk)
            yield chunk
        self._exchange.end()

    async def aclose(self) -> None:
        await self._stream.aclose()
