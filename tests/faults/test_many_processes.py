"""Many processes on one store: every call is answered, and every record has its place."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.processes import writing
from tests.faults.store import Store, missing

pytestmark = pytest.mark.sampled(3)

PROCESSES = 8


@pytest.mark.parametrize("calls", [150, pytest.param(1000, marks=pytest.mark.torture)])
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_eight_processes_on_one_store_lose_nothing_and_hear_no_error(
    engine: str, calls: int, tmp_path: Path, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                writing(tmp_path, f"process-{number}", threads=1, calls=calls, sign=True, database_url=url)
            )
            for number in range(PROCESSES)
        ]
        assert [writer.is_ready() for writer in writers] == [True] * PROCESSES
        for writer in writers:
            writer.go()
        for writer in writers:
            writer.listen()
    assert [writer.errors for writer in writers] == [[]] * PROCESSES
    assert [writer.is_done for writer in writers] == [True] * PROCESSES
    acknowledged = [said for writer in writers for said in writer.acknowledged]
    assert len(acknowledged) == len({said.id for said in acknowledged}) == PROCESSES * calls
    with Store(tmp_path, database_url=url) as store:
        assert missing(store, acknowledged) == []
        assert sorted(store.contents()) == sorted(said.content for said in acknowledged)
        store.assert_whole()
        assert store.verify().checkpoints > 1
