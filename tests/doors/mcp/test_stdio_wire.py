"""What goes over a stdio server's pipes: protocol, and nothing else."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.conftest import StartStdio
from tests.support.forks import PATIENCE
from tests.support.preludes import NOISY_RECORD, TALKATIVE_RECORD, slow_verify
from tests.support.servers import ENVELOPE, StdioServer, soon

eras = pytest.mark.parametrize("envelope", [{}, ENVELOPE], ids=["handshake", "stateless"])


def begin(server: StdioServer, envelope: dict[str, Any]) -> StdioServer:
    if envelope:
        server.envelope = envelope
    else:
        server.initialize()
    return server


def note(server: StdioServer, content: str = "x") -> dict[str, Any]:
    return server.call("thought_record", sessionId="s1", thoughtType="note", content=content)


def test_stdout_carries_protocol_only_whatever_prints(spawn_stdio: StartStdio, tmp_path: Path):
    said = tmp_path / "stderr.txt"
    with said.open("wb") as stderr:
        server = spawn_stdio(prelude=NOISY_RECORD, stderr=stderr.fileno())
        server.initialize()
        assert note(server)["success"]
        server.close_stdin()
        # Everything was JSON; that there is a new session may be told before the end, or not.
        assert [message["method"] for message in server.rest()] in ([], ["notifications/resources/list_changed"])
    server.ends_within(PATIENCE)

    text = said.read_text(encoding="utf-8")
    for who in ("printed by a library", "written by a library", "written by a C library", "printed by a child"):
        assert who in text
    assert "printed before serving" in text


def test_a_client_that_never_reads_stderr_cannot_block_the_server(start_stdio: StartStdio):
    reading, writing = os.pipe()
    server = start_stdio(prelude=TALKATIVE_RECORD, stderr=writing)
    server.initialize()

    for _ in range(50):  # each says more than 8 KB
        assert note(server)["success"]

    server.close_stdin()
    server.ends_within(PATIENCE)
    os.close(reading)
    os.close(writing)


def test_a_closed_stderr_does_no_harm(start_stdio: StartStdio):
    reading, writing = os.pipe()
    server = start_stdio(prelude=TALKATIVE_RECORD, stderr=writing)
    os.close(reading)
    os.close(writing)
    server.initialize()

    assert note(server)["success"]
    assert note(server)["success"]


def test_writes_are_echoed_without_their_text_unless_that_is_switched_off(start_stdio: StartStdio, tmp_path: Path):
    said = {}
    for off in ("false", "true"):
        with (tmp_path / off).open("wb") as stderr:
            server = start_stdio(stderr=stderr.fileno(), DISABLE_THOUGHT_LOGGING=off)
            server.initialize()
            note(server, "my secret")
            server.close_stdin()
            server.ends_within(PATIENCE)
        said[off] = (tmp_path / off).read_text(encoding="utf-8")

    assert said == {"false": "thoughtbox: thought_record th:1 step 0\n", "true": ""}


@eras
def test_notifications_are_never_answered(start_stdio: StartStdio, envelope: dict[str, Any]):
    server = begin(start_stdio(), envelope)
    for method, params in [
        ("notifications/initialized", None),
        ("notifications/cancelled", {"requestId": "nobody"}),
        ("notifications/cancelled", {"requestId": {"not": "an id"}}),
        ("notifications/progress", {"progressToken": 1, "progress": 0.5}),
        ("notifications/roots/list_changed", None),
        ("notifications/no/such/thing", {"deep": [[[]]]}),
        ("tools/call", {"name": "thought_record", "arguments": {"sessionId": "s", "thoughtType": "n", "content": "x"}}),
    ]:
        server.notify(method, params)

    id = server.request("tools/call", {"name": "ledger_status"})
    answer = server.receive()

    assert answer["id"] == id
    assert answer["result"]["structuredContent"]["records"] == 0


@eras
def test_a_cancelled_call_stops_is_not_answered_and_the_server_goes_on(
    start_stdio: StartStdio, tmp_path: Path, envelope: dict[str, Any]
):
    mark = tmp_path / "ended"
    server = begin(start_stdio(prelude=slow_verify(mark)), envelope)
    id = server.request("tools/call", {"name": "ledger_verify"}, token="t")
    assert server.receive()["params"]["progressToken"] == "t"

    server.notify("notifications/cancelled", {"requestId": id})

    soon(mark.exists)
    assert note(server)["success"]
    server.close_stdin()
    assert [message for message in server.rest() if message.get("id") == id] == []


def test_a_cancelled_call_without_a_progress_token_stops_too(start_stdio: StartStdio, tmp_path: Path):
    mark = tmp_path / "ended"
    server = begin(start_stdio(prelude=slow_verify(mark)), {})
    ids = [server.request("tools/call", {"name": "ledger_verify"}) for _ in range(2)]
    server.ask("ping")

    for id in ids:
        server.notify("notifications/cancelled", {"requestId": id})

    soon(mark.exists)
    assert server.call("ledger_status")["records"] == 0


@eras
def test_calls_sent_without_waiting_are_all_answered(start_stdio: StartStdio, envelope: dict[str, Any]):
    server = begin(start_stdio(), envelope)
    sending = {
        server.request(
            "tools/call",
            {"name": "thought_record", "arguments": {"sessionId": "s1", "thoughtType": "note", "content": f"{n}"}},
        )
        for n in range(1000)
    }

    answers = server.answers(sending)

    assert not any(answer["result"]["isError"] for answer in answers)
    tree = server.call("thought_tree", sessionId="s1")["tree"]
    assert [step["content"] for step in tree] == [str(n) for n in range(1000)], "in the order they were sent"


def test_an_answer_is_sent_while_another_call_is_under_way(start_stdio: StartStdio, tmp_path: Path):
    server = begin(start_stdio(prelude=slow_verify(tmp_path / "ended")), {})
    server.request("tools/call", {"name": "ledger_verify"})

    assert note(server)["success"]


def test_a_second_process_on_the_same_store_serves_the_same_thoughts(start_stdio: StartStdio):
    one, two = begin(start_stdio(), {}), begin(start_stdio(), ENVELOPE)

    note(one, "from the first")
    note(two, "from the second")

    for server in (one, two):
        steps = server.call("thought_tree", sessionId="s1")["tree"]
        assert [step["content"] for step in steps] == ["from the first", "from the second"]


def test_no_start_is_announced_on_stdout_when_the_store_cannot_be_opened(spawn_stdio: StartStdio, tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thoughtbox.db").write_bytes(b"this is not a database" * 100)

    server = spawn_stdio(stderr=subprocess.DEVNULL)

    assert server.rest() == []
    assert server.popen.wait(PATIENCE) != 0
