"""A call is written whole or not at all, in its lane's order, and is durable once it is answered."""

from __future__ import annotations

import threading
from concurrent.futures import wait

import pytest

from tests.conformance.store import Gate, Store, add, ids, in_one_batch, make_things, read, write
from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Engine, Head, Sql
from thoughtbox.errors import StorageError


class Refused(Exception):
    """A caller's own error."""


def refuse(sql: Sql) -> None:
    raise Refused


def add_and_refuse(number: int):
    def work(sql: Sql) -> None:
        add(number)(sql)
        raise Refused

    return work


def test_a_call_answers_with_what_its_work_returned(engine: Engine):
    assert write(engine, lambda sql: sql.row("SELECT 1 + 1")) == (2,)


def test_what_was_answered_is_there_after_reopening(store: Store):
    engine = store.open()
    make_things(engine, ["kept"])
    engine.close()
    assert read(store.open(), lambda sql: sql.rows("SELECT id, name FROM things")) == [(1, "kept")]


def test_a_call_that_raises_leaves_nothing_behind(engine: Engine):
    make_things(engine)
    with pytest.raises(Refused):
        write(engine, add_and_refuse(1))
    assert read(engine, ids) == []


def test_an_error_of_the_callers_own_arrives_as_it_is(engine: Engine):
    error = Refused("mine")

    def work(sql: Sql) -> None:
        raise error

    assert engine.write("lane", work).exception(PATIENCE) is error


def test_a_failed_call_takes_nothing_from_its_neighbours(engine: Engine):
    make_things(engine)
    before, failed, after = in_one_batch(engine, add(1), add_and_refuse(2), add(3))
    assert isinstance(failed.exception(), Refused)
    assert (before.exception(), after.exception()) == (None, None)
    assert read(engine, ids) == [1, 3]


def test_a_failed_statement_takes_nothing_from_its_neighbours(engine: Engine):
    make_things(engine)
    _, twice, after = in_one_batch(engine, add(1), add(1), add(2))
    assert isinstance(twice.exception(), StorageError)
    assert after.exception() is None
    assert read(engine, ids) == [1, 2]


def test_a_call_that_fails_before_its_first_statement_takes_nothing_from_its_neighbours(engine: Engine):
    make_things(engine)
    in_one_batch(engine, add(1), refuse, refuse, add(2), refuse)
    assert read(engine, ids) == [1, 2]


def test_a_call_that_would_end_the_process_only_fails_itself(engine: Engine):
    make_things(engine)

    def leave(sql: Sql) -> None:
        add(2)(sql)
        raise SystemExit

    _, left, _ = in_one_batch(engine, add(1), leave, add(3))
    assert isinstance(left.exception(), SystemExit)
    assert read(engine, ids) == [1, 3]


def test_a_batch_in_which_every_call_fails_leaves_the_store_usable(engine: Engine):
    make_things(engine)
    in_one_batch(engine, refuse, refuse)
    write(engine, add(1))
    assert read(engine, ids) == [1]


def test_calls_of_a_lane_run_in_the_order_given(engine: Engine):
    ran: list[int] = []
    gate = Gate(engine)
    futures = [engine.write("lane", lambda sql, number=number: ran.append(number)) for number in range(500)]
    gate.open()
    wait(futures, PATIENCE)
    assert ran == list(range(500))


def test_calls_of_a_lane_see_what_the_ones_before_wrote(engine: Engine):
    make_things(engine)
    *_, seen = in_one_batch(engine, add(1), add(2), ids)
    assert seen.result() == [1, 2]


def test_a_call_cancelled_while_it_waits_never_runs(engine: Engine):
    make_things(engine)
    gate = Gate(engine)
    cancelled, last = engine.write("lane", add(1)), engine.write("lane", add(2))
    assert cancelled.cancel()
    gate.open()
    last.result(PATIENCE)
    assert read(engine, ids) == [2]


def test_a_batch_of_cancelled_calls_only_leaves_the_store_usable(engine: Engine):
    make_things(engine)
    gate = Gate(engine)
    for future in [engine.write("lane", add(number)) for number in (1, 2)]:
        future.cancel()
    gate.open()
    write(engine, add(3))
    assert read(engine, ids) == [3]


def test_a_call_that_has_begun_cannot_be_cancelled(engine: Engine):
    gate = Gate(engine)
    assert not gate.future.cancel()
    gate.open()


def test_what_calls_of_a_batch_have_learnt_is_shared(engine: Engine):
    def learn(sql: Sql) -> None:
        sql.memo["head"] = 1

    _, known = in_one_batch(engine, learn, lambda sql: sql.memo.get("head"))
    assert known.result() == 1


def test_what_was_learnt_is_forgotten_with_the_transaction(engine: Engine):
    write(engine, lambda sql: sql.memo.setdefault("head", 1))
    assert write(engine, lambda sql: dict(sql.memo)) == {}


def test_what_a_failed_call_has_learnt_is_forgotten(engine: Engine):
    def learn(sql: Sql) -> None:
        sql.memo["head"] = 1

    def learn_more_and_fail(sql: Sql) -> None:
        sql.memo["head"] = 2
        sql.memo["tail"] = 3
        sql.learnt["head"] = 2
        sql.witness["w"] = Head(2, bytes(32))
        raise Refused

    *_, known, learnt = in_one_batch(
        engine, learn, learn_more_and_fail, lambda sql: dict(sql.memo), lambda sql: {**sql.learnt, **sql.witness}
    )
    assert known.result() == {"head": 1}
    assert learnt.result() == {}
    assert engine.witnessed() == {}


def test_last_steps_run_once_per_transaction_and_in_order_of_entry(engine: Engine):
    ran: list[str] = []

    def enter(sql: Sql) -> None:
        sql.before_commit.setdefault("first", lambda sql: ran.append("first"))
        sql.before_commit.setdefault("second", lambda sql: ran.append("second"))

    in_one_batch(engine, enter, enter)
    assert ran == ["first", "second"]
    write(engine, ids_or_nothing)
    assert ran == ["first", "second"]


def ids_or_nothing(sql: Sql) -> None:
    sql.row("SELECT 1")


def test_last_steps_see_and_add_to_what_all_calls_wrote(engine: Engine):
    make_things(engine)

    def add_with_total(number: int):
        def work(sql: Sql) -> None:
            add(number)(sql)
            sql.before_commit["total"] = lambda sql: add(100 + len(ids(sql)))(sql)

        return work

    in_one_batch(engine, add_with_total(1), add_with_total(2))
    assert read(engine, ids) == [1, 2, 102]


def test_a_last_step_entered_by_a_failed_call_does_not_run(engine: Engine):
    make_things(engine)

    def enter_and_fail(sql: Sql) -> None:
        sql.before_commit["step"] = add(1)
        raise Refused

    in_one_batch(engine, enter_and_fail, add(2))
    assert read(engine, ids) == [2]


def test_a_last_step_that_raises_fails_every_call_of_the_batch(engine: Engine):
    make_things(engine)

    def enter(sql: Sql) -> None:
        sql.before_commit["step"] = refuse

    futures = in_one_batch(engine, add(1), enter)
    assert all(isinstance(future.exception(), Refused) for future in futures)
    assert read(engine, ids) == []
    write(engine, add(2))
    assert read(engine, ids) == [2]


def test_closing_finishes_what_was_accepted(store: Store):
    engine = store.open()
    make_things(engine)
    gate = Gate(engine)
    futures = [engine.write(f"lane {number % 7}", add(number)) for number in range(300)]
    closing = threading.Thread(target=engine.close)
    closing.start()
    gate.open()
    closing.join(PATIENCE)
    assert all(future.exception(0) is None for future in futures)
    assert read(store.open(), ids) == list(range(300))


def test_a_closed_store_refuses_calls(store: Store):
    engine = store.open()
    engine.close()
    assert isinstance(engine.write("lane", ids).exception(PATIENCE), StorageError)
    assert isinstance(engine.read(ids).exception(PATIENCE), StorageError)


def test_a_store_can_be_closed_twice(store: Store):
    engine = store.open()
    engine.close()
    engine.close()


def test_a_store_that_was_never_written_to_closes_whole(store: Store):
    store.open().close()
    store.open().close()


INSERT = "INSERT INTO things (id, name) VALUES (?, ?)"


def put(number: int, name: str = "thing"):
    return lambda sql: sql.put(INSERT, (number, name))


def test_rows_that_were_put_are_there_for_the_next_statement_and_after_the_commit(engine: Engine):
    make_things(engine)

    def work(sql: Sql) -> list[int]:
        put(1)(sql)
        put(2)(sql)
        return ids(sql)

    assert write(engine, work) == [1, 2]
    assert read(engine, ids) == [1, 2]


def test_rows_that_a_failed_call_put_are_gone_and_those_of_its_neighbours_are_not(engine: Engine):
    make_things(engine)

    def put_look_and_refuse(sql: Sql) -> None:
        put(3)(sql)
        assert ids(sql) == [1, 3]
        put(4)(sql)
        raise Refused

    def put_and_refuse(sql: Sql) -> None:
        put(5)(sql)
        raise Refused

    in_one_batch(engine, put(1), put_look_and_refuse, put_and_refuse, put(6))
    assert read(engine, ids) == [1, 6]


def test_rows_put_by_different_statements_keep_their_order(engine: Engine):
    make_things(engine)
    rename = "INSERT INTO things (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name"

    def work(sql: Sql) -> None:
        put(1, "first")(sql)
        sql.put(rename, (1, "second"))
        put(2)(sql)

    write(engine, work)
    assert read(engine, lambda sql: sql.rows("SELECT id, name FROM things ORDER BY id")) == [
        (1, "second"),
        (2, "thing"),
    ]


def test_a_row_that_cannot_be_put_fails_its_call_or_its_batch_and_leaves_nothing_of_it(engine: Engine):
    make_things(engine)
    before, twice, after = in_one_batch(engine, put(1), put(1), put(2))
    assert any(isinstance(future.exception(), StorageError) for future in (twice, after))
    assert len(read(engine, ids)) == sum(future.exception() is None for future in (before, twice, after))
    assert write(engine, lambda sql: (put(9)(sql), 9 in ids(sql))[1])


def test_what_was_learnt_is_kept_from_call_to_call_until_a_commit_fails(engine: Engine):
    def fail_the_commit(sql: Sql) -> None:
        sql.before_commit["fail"] = refuse

    write(engine, lambda sql: sql.learnt.update(answer=42))
    assert write(engine, lambda sql: sql.learnt.get("answer")) == 42
    with pytest.raises(Refused):
        write(engine, fail_the_commit)
    assert write(engine, lambda sql: sql.learnt.get("answer")) is None
