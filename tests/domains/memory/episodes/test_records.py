"""Records that come from elsewhere are opened as this room will read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.domains.memory.episodes.conftest import Memory
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.record import Record
from thoughtbox.operations import TABLE


@pytest.fixture
def told(memory: Memory) -> list[Record]:
    """Everything that this room writes about episodes and cells, in order."""
    memory.learns(*["Always run the linter."] * 2, source="user")
    memory.learns("Never run the linter. The cache is warm.", "Always run the linter.")
    return memory.ask(lambda tx: list(tx.ledger.tail(0)))


def must_open(memory: Memory, record: Record) -> None:
    memory.ask(lambda tx: TABLE.topics[record.topic].opened(record, tx.at(record.seq - 1).ledger))


def with_data(record: Record, **changed: Any) -> Record:
    return record._replace(envelope={**record.envelope, "data": {**record.data, **changed}})


def test_what_was_written_here_can_be_brought_in_elsewhere(memory: Memory, told: list[Record]):
    assert {record.topic for record in told} == {
        "memory.episode",
        "memory.scene",
        "memory.cell",
        "memory.cells_changed",
        "memory.consolidated",
    }
    for record in told:
        must_open(memory, record)


def test_a_scene_that_more_was_placed_in_can_be_brought_in_elsewhere(memory: Memory):
    memory.learns("Always run the linter.", about="release cache")
    memory.learns("Never deploy on Fridays.", about="release cache night")
    written = memory.ask(lambda tx: list(tx.ledger.tail(0)))

    assert any(record.data.get("keySets") for record in written)
    for record in written:
        must_open(memory, record)


@pytest.mark.parametrize(
    ("topic", "wrong"),
    [
        ("memory.episode", {"trust": 3}),
        ("memory.episode", {"source": "oracle"}),
        ("memory.episode", {"contextKeys": ["Release"]}),
        ("memory.episode", {"salience": 1001}),
        ("memory.scene", {"contextKeys": ["b", "a"]}),
        ("memory.cell", {"trust": 3}),
        ("memory.cell", {"userEvidence": 3, "evidenceCount": 3, "trust": 3}),
        ("memory.cell", {"validatedEvidence": 9, "trust": 3}),
        ("memory.cell", {"supports": [999]}),
        ("memory.cell", {"sceneId": 1}),
        ("memory.cell", {"cellType": "command"}),
        ("memory.consolidated", {"upTo": -1}),
    ],
)
def test_what_claims_more_than_its_evidence_gives_is_not_taken_in(memory: Memory, told: list[Record], topic, wrong):
    record = next(record for record in told if record.topic == topic)
    with pytest.raises(InvalidRecord):
        must_open(memory, with_data(record, **wrong))


def test_a_change_must_fit_the_cell_that_it_changes(memory: Memory, told: list[Record]):
    record = next(record for record in told if record.topic == "memory.cells_changed")
    (change,) = record.data["changes"]

    def changed(**wrong: Any) -> Mapping[str, Any]:
        return {**change, **wrong}

    for changes in (
        [changed(cellId=1)],
        [changed(trust=3)],
        [changed(evidenceCount=9)],
        [change, change],
        [changed(supports=[])],
    ):
        with pytest.raises(InvalidRecord):
            must_open(memory, with_data(record, changes=changes))


def test_a_record_stands_in_its_own_stream(memory: Memory, told: list[Record]):
    for record in told:
        with pytest.raises(InvalidRecord, match="its place is"):
            must_open(memory, record._replace(stream="memory/elsewhere"))


def test_a_cell_is_brought_in_once(memory: Memory, told: list[Record]):
    record = next(record for record in told if record.topic == "memory.cell")
    with pytest.raises(InvalidRecord, match="canonicalKey"):
        memory.ask(lambda tx: TABLE.topics[record.topic].opened(record, tx.ledger))
