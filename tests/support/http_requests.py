"""Requests over HTTP as wrong as they get around the message: paths, methods, headers, sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.client_messages import framed, in_era
from tests.support.servers import ENVELOPE, INITIALIZE, STATELESS

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Those with a handshake."""

Request = tuple[str, str, Any, Mapping[str, str | None]]

PING = framed(1, "ping")
LIST = framed(1, "tools/list", {})
IN_SESSION = {"Mcp-Session-Id": "{s}"}
NEWEST = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/list"}
NEWEST_LIST = framed(1, "tools/list", in_era("stateless", {}))
NEWEST_CALL = framed(1, "tools/call", in_era("stateless", {"name": "ledger_status"}))
OTHER_REVISION = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}

ACCEPTED = (
    "application/json",
    "text/event-stream",
    "text/html",
    "*/*",
    "application/*",
    "",
    None,
    "text/event-stream;q=0.5, application/json;q=0",
    "application/json; charset=utf-8, text/event-stream",
)
KINDS = (
    "text/plain",
    "application/json; charset=utf-8",
    "application/json; charset=latin-1",
    "",
    None,
    "application/x-www-form-urlencoded",
    "APPLICATION/JSON",
    "application/jsonp",
)
NAMES = (
    ("tools/list", "ledger_status"),
    ("tools/call", "ledger_verify"),
    (None, "ledger_status"),
    ("tools/call", None),
    ("TOOLS/CALL", "ledger_status"),
    ("tools/call", "=?base64?bGVkZ2VyX3N0YXR1cw==?="),
    ("tools/call", "=?base64?!?="),
)


def post(body: Any, *headers: Mapping[str, str | None]) -> Request:
    told: dict[str, str | None] = {}
    for each in headers:
        told |= each
    return "POST", "/mcp", body, told


HTTP_REQUESTS: dict[str, Request] = {
    "a path that is none": ("POST", "/", PING, {}),
    "a path below": ("POST", "/mcp/x", PING, {}),
    "a slash too many": ("POST", "/mcp/", PING, {}),
    "a query": ("POST", "/mcp?a=1", PING, {}),
    "health": ("GET", "/health", None, {}),
    "a foreign host": post(PING, {"Host": "evil.example"}),
    "a foreign origin": post(PING, {"Origin": "http://evil.example"}),
    "an origin of ours": post(PING, {"Origin": "http://localhost:1234"}),
    "no body": post(None),
    "an empty object": post({}),
    **{
        f"{method} without a session": (method, "/mcp", None, {})
        for method in ("GET", "DELETE", "PUT", "PATCH", "HEAD")
    },
    **{
        f"{method} of an unknown session": (method, "/mcp", None, {"Mcp-Session-Id": "x"})
        for method in ("GET", "DELETE", "PUT", "OPTIONS")
    },
    "a call without a session": post(LIST),
    "a call of an unknown session": post(LIST, {"Mcp-Session-Id": "x"}),
    "a call of an empty session": post(LIST, {"Mcp-Session-Id": ""}),
    "a handshake within a session": post(framed(1, "initialize", INITIALIZE), IN_SESSION),
    "a notification": post(framed(None, "notifications/cancelled", {"requestId": 5}), IN_SESSION),
    "a notification without a session": post(framed(None, "notifications/initialized")),
    "an answer to nothing": post({"jsonrpc": "2.0", "id": 5, "result": {}}, IN_SESSION),
    "a refusal of nothing": post({"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "x"}}, IN_SESSION),
    "a batch": post([framed(1, "ping"), framed(2, "ping")], IN_SESSION),
    **{f"Accept {accept}": post(PING, IN_SESSION, {"Accept": accept}) for accept in ACCEPTED},
    **{f"Accept {accept}, newest": post(NEWEST_LIST, NEWEST, {"Accept": accept}) for accept in ACCEPTED},
    **{f"Content-Type {kind}": post(PING, IN_SESSION, {"Content-Type": kind}) for kind in KINDS},
    **{f"Content-Type {kind}, newest": post(NEWEST_LIST, NEWEST, {"Content-Type": kind}) for kind in KINDS},
    **{
        f"revision {revision}": post(LIST, IN_SESSION, {"MCP-Protocol-Version": revision})
        for revision in (*REVISIONS, STATELESS, "2099-01-01", "", "x")
    },
    "the newest revision in the body alone": post(NEWEST_LIST),
    "the newest revision in the header alone": post(LIST, NEWEST),
    "two revisions": post(framed(1, "tools/list", {"_meta": OTHER_REVISION}), NEWEST),
    "a handshake at the newest": post(framed(1, "initialize", INITIALIZE), NEWEST, {"Mcp-Method": "initialize"}),
    "a notification at the newest": post(
        framed(None, "notifications/cancelled", {"requestId": 5, "_meta": ENVELOPE}),
        NEWEST,
        {"Mcp-Method": "notifications/cancelled"},
    ),
    "a GET at the newest": ("GET", "/mcp", None, {"MCP-Protocol-Version": STATELESS}),
    "a DELETE at the newest": ("DELETE", "/mcp", None, {"MCP-Protocol-Version": STATELESS}),
    **{
        f"method {method}, name {name}": post(NEWEST_CALL, NEWEST, {"Mcp-Method": method, "Mcp-Name": name})
        for method, name in NAMES
    },
    "a stream": ("GET", "/mcp", None, IN_SESSION),
    "a second stream": ("GET", "/mcp", None, IN_SESSION),
    "a stream that takes JSON alone": ("GET", "/mcp", None, {**IN_SESSION, "Accept": "application/json"}),
    "a stream from an event on": ("GET", "/mcp", None, {**IN_SESSION, "Last-Event-ID": "5"}),
    "the end of a session": ("DELETE", "/mcp", None, IN_SESSION),
    "its end once more": ("DELETE", "/mcp", None, IN_SESSION),
    "a call after its end": post(PING, IN_SESSION),
    "a stream after its end": ("GET", "/mcp", None, IN_SESSION),
}
"""Method, path, body and headers; in this order, on one session."""
