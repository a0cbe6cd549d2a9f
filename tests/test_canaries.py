"""What we use of libraries beyond what they promise. When one of these fails after an upgrade, look there first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import httptools
import psycopg
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata
from psycopg import generators
from psycopg.errors import error_from_result


def sets(function: Callable[..., Any], *names: str) -> bool:
    """Whether a function gives its object these attributes."""
    source = inspect.getsource(function)
    return all(f"self.{name}" in source for name in names)


def parameters(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters)


def test_the_sdks_session_knows_its_connection():
    """`context.connection_of`: one object from handshake to hang-up."""
    assert sets(ServerSession.__init__, "_connection")
    assert "connection" in parameters(ServerSession.__init__)
    assert isinstance(Connection, type)


def test_the_sdks_context_carries_the_http_request():
    """`principal.principal_of`: the gate's judgement travels in its scope."""
    assert "request" in ServerRequestContext.__dataclass_fields__
    assert "request_context" in ServerMessageMetadata.__dataclass_fields__


def test_the_sdks_server_can_be_told_what_we_tell_it():
    wanted = {"streamable_http_path", "max_request_body_size", "max_sessions", "transport_security"}
    assert wanted <= parameters(Server.streamable_http_app)
    assert "bind_principal" in parameters(RequestStateSecurity.__init__)
    assert "on_request_unanswered" in ServerMessageMetadata.__dataclass_fields__


def test_httptools_tells_of_chunks_and_of_trailers_as_headers():
    told: list[str] = []

    class Listener:
        def __getattr__(self, name: str) -> object:
            if not name.startswith("on_"):
                raise AttributeError(name)
            return lambda *_: told.append(name)

    parser = httptools.HttpRequestParser(Listener())
    parser.feed_data(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\nx\r\n0\r\nT: u\r\n\r\n")

    rest = told[told.index("on_headers_complete") :]
    assert [name for name in rest if name != "on_chunk_complete"] == [
        "on_headers_complete",
        "on_chunk_header",
        "on_body",
        "on_chunk_header",
        "on_header",
        "on_message_complete",
    ]


def test_psycopg_sends_several_statements_at_once_and_gives_back_every_result(postgres_url: str):
    """`engine.postgres`: transactions begin, run and end in one round trip."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.pgconn.send_query(b"BEGIN; SELECT 1; COMMIT")
        results = connection.wait(generators.execute(connection.pgconn))
        assert [result.command_status for result in results] == [b"BEGIN", b"SELECT 1", b"COMMIT"]

        connection.pgconn.send_query(b"SELECT 1/0")
        (failed,) = connection.wait(generators.execute(connection.pgconn))
        assert isinstance(error_from_result(failed), psycopg.errors.DivisionByZero)
