"""Recording invocations in a session's chain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from tests.domains.memory.governance.test_chain import ACTION, AT, FIRST, RESULT
from thoughtbox.errors import SessionNotFound, ValidationFailed


def session(cycle: Guarded, name: str = "s1") -> int:
    return cycle.memory_host_session(client="claude-code", host_session=name)["session_id"]


def test_an_invocation_is_hashed_here_or_by_the_caller(stored: Guarded):
    id, other = session(stored), session(stored, "s2")

    first = stored.record_invocation(
        session_id=id, tool_name="demo_tool", input={"action": "test"}, output={"result": "ok"}, ts=AT
    )
    hashed = stored.record_invocation(
        session_id=other, tool_name="demo_tool", input_hash=ACTION, output_hash=RESULT, ts=AT
    )
    second = stored.record_invocation(session_id=id, tool_name="demo_tool", input=[], output=0, meta={"exit": 0})

    assert first == {"id": first["id"], "hash": FIRST, "prev_hash": None, "chain_count": 1}
    assert (hashed["hash"], hashed["prev_hash"], hashed["chain_count"]) == (FIRST, None, 1)
    assert (second["prev_hash"], second["chain_count"]) == (FIRST, 2)
    assert stored.status(id)["chain_head"] == second["hash"]


def test_what_goes_with_it_stands_in_the_record(cycle: Guarded):
    id = session(cycle)

    made = cycle.record_invocation(session_id=id, tool_name="Bash", input={}, output={}, meta={"b": 1.0, "a": "\r\n"})

    record = cycle.ledger_record(id=f"th:{made['id']}")["record"]
    assert record["data"]["meta"] == '{"a":"\\n","b":1}'
    assert (record["data"]["session"], record["session"]) == (id, f"memory/session/{id}")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"input": {}}, "output"),
        ({"output": {}}, "input"),
        ({"input": {}, "input_hash": ACTION, "output": {}}, "input_hash"),
        ({"input": {}, "output_hash": "ABC"}, "output_hash"),
        ({"input": {}, "output": {}, "ts": "yesterday"}, "ts"),
        ({"input": {}, "output": {}, "tool_name": ""}, "tool_name"),
        ({"input": {}, "output": {}, "meta": [1]}, "meta"),
    ],
)
def test_what_is_missing_doubled_or_malformed_is_refused_by_name(cycle: Guarded, given: dict[str, Any], field: str):
    id = session(cycle)

    with pytest.raises(ValidationFailed) as refusal:
        cycle.box.call("record_invocation", {"session_id": id, "tool_name": "Bash", **given})

    assert field in str(refusal.value)
    assert cycle.status(id)["chain_count"] == 0


def test_a_session_that_is_not_there_or_closed_takes_none(cycle: Guarded):
    id = session(cycle)
    cycle.memory_host_close(session_id=id)

    with pytest.raises(SessionNotFound):
        cycle.record_invocation(session_id=99, tool_name="Bash", input={}, output={})
    with pytest.raises(ValidationFailed, match="closed"):
        cycle.record_invocation(session_id=id, tool_name="Bash", input={}, output={})


def test_without_a_time_it_is_now(cycle: Guarded):
    id = session(cycle)

    made = cycle.record_invocation(session_id=id, tool_name="Bash", input={}, output={})

    record = cycle.ledger_record(id=f"th:{made['id']}")["record"]
    assert record["data"]["ts"][:16] == record["ts"][:16]
