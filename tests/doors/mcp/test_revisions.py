"""Revisions of the protocol that this server has never heard of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doors.mcp.conftest import StartHttp, StartStdio
from tests.support.servers import ENVELOPE, HANDSHAKE, INITIALIZE, STATELESS

UNSUPPORTED = -32022
UNHEARD_OF = ["2099-01-01", "1.0", "", "2026-07-28\0"]


def assert_it_is_the_specified_error(error: dict[str, Any], requested: str) -> None:
    assert error["code"] == UNSUPPORTED
    assert error["data"]["requested"] == requested
    assert STATELESS in error["data"]["supported"]


@pytest.mark.parametrize("revision", UNHEARD_OF)
def test_a_request_of_an_unknown_revision_is_told_which_are_served(start_stdio: StartStdio, revision: str):
    server = start_stdio()
    server.envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": revision}

    for method, params in (("server/discover", {}), ("tools/call", {"name": "ledger_status"})):
        assert_it_is_the_specified_error(server.ask(method, params)["error"], revision)

    server.envelope = ENVELOPE
    assert server.ask("server/discover")["result"]["supportedVersions"]


def test_over_http_it_is_a_bad_request_too(start_http: StartHttp):
    server = start_http()
    meta = {"io.modelcontextprotocol/protocolVersion": UNHEARD_OF[0]}

    refused = server.ask("server/discover", {"_meta": meta}, {"MCP-Protocol-Version": UNHEARD_OF[0]})

    assert refused.status == 400
    assert_it_is_the_specified_error(refused.json()["error"], UNHEARD_OF[0])


@pytest.mark.parametrize("revision", UNHEARD_OF)
def test_a_handshake_of_an_unknown_revision_is_answered_with_the_newest_that_has_one(
    start_stdio: StartStdio, revision: str
):
    answer = start_stdio().ask("initialize", {**INITIALIZE, "protocolVersion": revision})

    assert answer["result"]["protocolVersion"] == HANDSHAKE
