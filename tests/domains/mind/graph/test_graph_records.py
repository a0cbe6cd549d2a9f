"""Records of merges and conflicts that come from elsewhere: taken in when they can be read, refused when not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.graphs import clash, link, merge, put, upsert
from tests.support.mind import Mind
from thoughtbox.domains.mind import records
from thoughtbox.errors import InvalidRecord
from thoughtbox.operations import TABLE, Tx
from thoughtbox.operations.caller import ANONYMOUS


def story(mind: Mind) -> None:
    conflict = clash(mind)
    put(mind, upsert("b"), link("b", "H1"), branch="what-if")
    merge(mind)
    mind.graph_conflict_resolve(conflict_id=conflict, resolution="use_from")


def checked(mind: Mind, topic: str, **changed: Any) -> None:
    """Open every record of a topic, with some of its data changed, as an import does."""

    def check(tx: Tx) -> int:
        found = [record for record in map(tx.ledger.record, range(1, tx.ledger.last_seq() + 1)) if record]
        chosen = [record for record in found if record.topic == topic and changed.keys() <= record.data.keys()]
        for record in chosen:
            data = {**record.data, **changed}
            TABLE.check(record._replace(envelope={**record.envelope, "data": data}), tx.at(record.seq - 1).ledger)
        return len(chosen)

    assert mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, check).result()


@pytest.mark.parametrize("topic", [records.CONFLICT, records.NODE, records.EDGE])
def test_what_merges_write_can_be_imported(quick: Mind, topic: str):
    story(quick)

    checked(quick, topic)


@pytest.mark.parametrize(
    ("topic", "changed"),
    [
        (records.CONFLICT, {"theirs": 1}),
        (records.CONFLICT, {"theirs": 10_000}),
        (records.CONFLICT, {"name": "other"}),
        (records.CONFLICT, {"kind": "card"}),
        (records.CONFLICT, {"status": "perhaps"}),
        (records.CONFLICT, {"source": 999}),
        (records.CONFLICT, {"doc": "map"}),
        (records.NODE, {"mergedFrom": {"branch": 1, "seq": 1}}),
        (records.NODE, {"mergedFrom": {"branch": 1, "seq": 3}}),
        (records.NODE, {"mergedFrom": {"branch": "1"}}),
        (records.EDGE, {"mergedFrom": {"branch": 1, "seq": 3}}),
    ],
)
def test_what_could_not_be_read_is_not_imported(quick: Mind, topic: str, changed: dict[str, Any]):
    story(quick)

    with pytest.raises(InvalidRecord):
        checked(quick, topic, **changed)
