"""Records of memory sessions that come from elsewhere: what is sound is taken in, what could not be read is not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from thoughtbox.domains.memory.view.sessions import Sessions
from thoughtbox.errors import InvalidRecord, PhaseViolation
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import rebuild
from thoughtbox.operations import TABLE, Tx


def records(tx: Tx) -> list[Record]:
    return [record for record in tx.ledger.tail(0) if record.stream.startswith("memory/session/")]


def check(tx: Tx, record: Record) -> None:
    TABLE.check(record, tx.at(record.seq - 1).ledger)


def lived(cycle: Guarded) -> Guarded:
    """A cycle with all that can be in one."""
    id = cycle.until("GOVERNANCE_VALIDATE", session=_host(cycle), draft={"draft": "This is guaranteed."})
    with pytest.raises(PhaseViolation):
        cycle.pack(id)
    cycle.phase(id, "MEMORY_UPDATE")
    cycle.memory_host_close(session_id=id)
    return cycle


def _host(cycle: Guarded) -> int:
    return cycle.memory_host_session(client="claude-code", host_session="s")["session_id"]


def test_every_record_of_a_session_can_be_taken_in_elsewhere(stored: Guarded):
    def look(tx: Tx) -> set[str]:
        found = records(tx)
        for record in found:
            check(tx, record)
        return {record.topic for record in found}

    assert lived(stored).inside(look) == {
        *("memory.session", "memory.phase", "memory.invocation", "memory.violation", "memory.receipt"),
        *("memory.token", "memory.session_closed"),
    }


@pytest.mark.parametrize(
    ("topic", "change"),
    [
        ("memory.session", {"scope": "galaxy"}),
        ("memory.session", {"flags": None}),
        ("memory.phase", {"phase": "MEMORY_UPDATE"}),
        ("memory.phase", {"phase": "NONSENSE"}),
        ("memory.phase", {"session": 99}),
        ("memory.phase", {"changes": {"skipped": ["MEMORY_UPDATE"]}}),
        ("memory.phase", {"changes": {"integrity": "FINE"}}),
        ("memory.phase", {"changes": {"packed": ["one"]}}),
        ("memory.invocation", {"position": 7}),
        ("memory.invocation", {"hash": "0" * 64}),
        ("memory.invocation", {"toolName": "another"}),
        ("memory.invocation", {"prevHash": "0" * 64}),
        ("memory.invocation", {"ts": "yesterday"}),
        ("memory.receipt", {"signature": "none"}),
        ("memory.receipt", {"session": 99}),
        ("memory.violation", {"position": 5}),
        ("memory.violation", {"scope": "galaxy"}),
        ("memory.session_closed", {"session": "one"}),
    ],
)
def test_a_record_that_could_not_be_read_is_not_taken_in(cycle: Guarded, topic: str, change: dict[str, Any]):
    def look(tx: Tx) -> None:
        record = next(record for record in records(tx) if record.topic == topic)
        changed = {**record.envelope, "data": {**record.envelope["data"], **change}}
        check(tx, record._replace(envelope=changed))

    with pytest.raises(InvalidRecord):
        lived(cycle).inside(look)


def test_a_record_in_the_stream_of_another_session_is_not_taken_in(cycle: Guarded):
    def look(tx: Tx) -> None:
        for record in records(tx):
            with pytest.raises(InvalidRecord):
                check(tx, record._replace(stream="memory/session/99"))

    lived(cycle).inside(look)


def test_the_tables_made_anew_from_the_records_are_what_they_were(stored: Guarded):
    lived(stored)

    assert rebuild(stored.box.app.engine, Sessions)
