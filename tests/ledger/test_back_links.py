"""Records name the one before them in their stream: written, migrated, walked and verified, on both engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.ledger import _BACKWARD_UNTIL, Ledger
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import verify_stream, verify_workspace
from thoughtbox.ledger.view import NOW


def think(box: Box, session: str, count: int = 1) -> None:
    for number in range(count):
        box.thought_record(sessionId=session, thoughtType="analysis", content=f"{session} {number}")


def links(box: Box) -> list[tuple[int, int]]:
    return box.app.engine.read(lambda sql: sql.rows("SELECT seq, prev_seq FROM records ORDER BY seq")).result()


def beginnings(box: Box) -> list[tuple[str, int]]:
    return box.app.engine.read(lambda sql: sql.rows("SELECT stream, first_seq FROM streams ORDER BY stream")).result()


def verdict(box: Box) -> Verdict:
    return box.app.engine.read(lambda sql: verify_workspace(sql, WORKSPACE, keys=box.app.keyring.verifiers)).result()


def run(box: Box, *statements: str) -> None:
    def work(sql: Sql) -> None:
        for statement in statements:
            sql.run(statement)

    box.app.engine.write(WORKSPACE, work).result()


def stream(box: Box, session: str, as_of: int = NOW) -> list[int]:
    def read(sql: Sql) -> list[int]:
        ledger = Ledger(sql, WORKSPACE, box.app.views, as_of=as_of)
        return [record.seq for record in ledger.stream(f"trail/{session}")]

    return box.app.engine.read(read).result()


def test_a_record_names_the_one_before_it_in_its_stream(box: Box):
    for session in ("a", "b", "a", "a", "b"):
        think(box, session)
    assert links(box) == [(1, 0), (2, 0), (3, 1), (4, 3), (5, 2)]
    assert (stream(box, "a"), stream(box, "b")) == ([1, 3, 4], [2, 5])
    assert [stream(box, "a", as_of=seq) for seq in range(5)] == [[], [1], [1], [1, 3], [1, 3, 4]]


def pages(box: Box, session: str, *, backward: bool) -> list[int]:
    """All records of a stream, two at a time."""

    def read(sql: Sql) -> list[int]:
        ledger, found = Ledger(sql, WORKSPACE, box.app.views), list[int]()
        while page := ledger.stream_page(
            f"trail/{session}", found[-1] if found else NOW if backward else 0, limit=2, backward=backward
        ):
            found += [record.seq for record in page]
        return found

    return box.app.engine.read(read).result()


def test_a_stream_is_read_a_page_at_a_time_in_either_direction(box: Box):
    for session in ("a", "b", "a", "a", "b", "a", "a"):
        think(box, session)

    assert pages(box, "a", backward=False) == [1, 3, 4, 6, 7]
    assert pages(box, "a", backward=True) == [7, 6, 4, 3, 1]
    assert pages(box, "nothing", backward=False) == pages(box, "nothing", backward=True) == []


def test_a_page_of_a_stream_is_found_by_its_links_and_not_by_looking_at_all_records():
    """The way back is the outer loop: the other way round, each of its steps would go through the whole workspace."""
    box = Box()
    plan = box.app.engine.read(
        lambda sql: sql.rows(
            f"EXPLAIN QUERY PLAN {_BACKWARD_UNTIL} SELECT seq FROM backward", (WORKSPACE, 9, WORKSPACE, 0)
        )
    ).result()
    steps = [row[3] for row in plan]
    box.close()

    assert "SEARCH before USING PRIMARY KEY (workspace=? AND seq=?)" in steps


def test_a_stream_names_its_first_record(box: Box):
    for session in ("a", "b", "a", "c", "b"):
        think(box, session, 2)

    assert beginnings(box) == [("trail/a", 1), ("trail/b", 3), ("trail/c", 7)]


def test_a_store_of_the_first_step_gets_its_links(open_box: Callable[..., Box]):
    box = open_box()
    for session in ("a", "b", "a", "c", "b"):
        think(box, session, 3)
    written, begun = links(box), beginnings(box)
    run(
        box,
        "ALTER TABLE streams DROP COLUMN first_seq",
        "ALTER TABLE records DROP COLUMN prev_seq",
        "CREATE UNIQUE INDEX records_by_stream ON records (workspace, stream, stream_index)",
        *(f"DROP TABLE {table}" for table in ("leases", "store")),
        *(f"ALTER TABLE workspaces DROP COLUMN {column}" for column in ("epoch", "importing")),
        *(f"ALTER TABLE views DROP COLUMN {column}" for column in ("generation", "tables")),
        "DELETE FROM schema_steps WHERE step > 1",
    )
    box.close()
    box = open_box()
    assert links(box) == written
    assert beginnings(box) == begun
    assert verdict(box).valid


def test_servers_that_take_turns_on_one_stream_continue_each_others_chain(open_box: Callable[..., Box]):
    """What one keeps in mind of the heads does not hold any more once the other has written."""
    first, second = open_box(), open_box()
    for box in (first, second, second, first, first, second, first):
        think(box, "shared")
        think(box, "own")
    assert stream(first, "shared") == list(range(1, 15, 2))
    assert verdict(second).valid


@pytest.mark.parametrize("prev_seq", [0, 2, 4, 7])
def test_a_link_that_was_changed_is_named(box: Box, prev_seq: int):
    for session in ("a", "b", "a", "b", "a", "b"):
        think(box, session)
    run(box, f"UPDATE records SET prev_seq = {prev_seq} WHERE seq = 5")
    problem = verdict(box).problem
    assert problem is not None
    assert (problem.wrong, problem.seq, problem.stream) == ("link", 5, "trail/a")
    of_stream = box.app.engine.read(lambda sql: verify_stream(sql, WORKSPACE, "trail/a")).result()
    assert of_stream.problem is not None
    assert of_stream.problem.seq == 5
