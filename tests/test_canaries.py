"""What we use of libraries beyond what they promise. When one of these fails after an upgrade, look there first."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import httptools
import psycopg
import pytest
import uvicorn
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.shared.message import ServerMessageMetadata
from psycopg import generators
from psycopg.errors import error_from_result
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from thoughtbox.doors.mcp.transports.bounded_http import BoundedHttp, OpenConnections


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


def test_uvicorns_connection_is_made_of_what_we_look_at():
    """`bounded_http.BoundedHttp`."""
    assert {"config", "server_state", "app_state", "_loop"} <= parameters(HttpToolsProtocol.__init__)
    assert sets(HttpToolsProtocol.__init__, "loop", "parser", "connections", "transport", "flow", "pipeline", "cycle")
    assert sets(HttpToolsProtocol.on_message_begin, "scope", "headers")
    assert "self.pipeline: deque[" in inspect.getsource(HttpToolsProtocol.__init__)
    assert sets(FlowControl.__init__, "read_paused", "write_paused")
    assert sets(
        RequestResponseCycle.__init__, "response_started", "response_complete", "chunked_encoding", "keep_alive"
    )
    assert STATUS_LINE[408] == b"HTTP/1.1 408 Request Timeout\r\n"


@pytest.mark.parametrize(
    "name",
    [
        "connection_made",
        "connection_lost",
        "data_received",
        "eof_received",
        "on_message_begin",
        "on_header",
        "on_headers_complete",
        "on_body",
        "on_message_complete",
        "on_response_complete",
        "pause_writing",
        "resume_writing",
    ],
)
def test_uvicorns_connection_is_told_what_we_want_to_hear(name: str):
    ours, theirs = getattr(BoundedHttp, name), getattr(HttpToolsProtocol, name)

    assert ours is not theirs
    assert parameters(ours) == parameters(theirs)


def test_uvicorn_calls_back_through_the_connection_when_an_answer_is_complete():
    assert "on_response=self.on_response_complete" in inspect.getsource(HttpToolsProtocol.on_headers_complete)


def test_uvicorns_server_can_be_given_another_state_and_tells_every_tenth_of_a_second():
    assert sets(uvicorn.Server.__init__, "server_state")
    assert "server_state=self.server_state" in inspect.getsource(uvicorn.Server.startup)
    assert {"connections", "tasks"} <= vars(ServerState()).keys() <= vars(OpenConnections()).keys()
    assert parameters(uvicorn.Server.on_tick) == {"self", "counter"}
    assert "asyncio.sleep(0.1)" in inspect.getsource(uvicorn.Server.main_loop)
    assert parameters(uvicorn.Server.shutdown) == {"self", "sockets"}
    assert inspect.isgeneratorfunction(inspect.unwrap(uvicorn.Server.capture_signals))


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
