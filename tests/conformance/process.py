"""What another process does with a store: `python -m tests.conformance.process ADDRESS VERB …`."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from tests.conformance.store import Store, add, write
from thoughtbox.engine.protocol import Engine, Sql


def start(engine: Engine) -> None:
    """Nothing: opening was all."""


def add_thing(engine: Engine, number: str) -> None:
    write(engine, add(int(number)))


def count_up(engine: Engine, lane: str, times: str) -> None:
    """Add one to the lane's counter, again and again, each in a call of its own."""
    for _ in range(int(times)):
        write(engine, add_one(lane), lane)


def count_until_told(engine: Engine, lane: str) -> None:
    """Count without a pause until standard input ends."""
    going = True

    def stop_at_the_end() -> None:
        nonlocal going
        sys.stdin.read()
        going = False

    threading.Thread(target=stop_at_the_end, daemon=True).start()
    say("counting")
    while going:
        write(engine, add_one(lane), lane)


def be_alone(engine: Engine) -> None:
    """Until standard input ends."""
    with engine.alone():
        say("alone")
        sys.stdin.read()


def add_one(name: str) -> Callable[[Sql], int]:
    def work(sql: Sql) -> int:
        row = sql.lock("SELECT count FROM counters WHERE name = ?", (name,))
        assert row
        sql.run("UPDATE counters SET count = ? WHERE name = ?", (row[0] + 1, name))
        return row[0] + 1

    return work


def say(line: str) -> None:
    print(line, flush=True)


VERBS: dict[str, Callable[..., None]] = {
    verb.__name__: verb for verb in (start, add_thing, count_up, count_until_told, be_alone)
}


def main(address: str, verb: str, *arguments: str) -> None:
    say("ready")
    sys.stdin.readline()  # all start at once
    store = Store(address)
    VERBS[verb](store.open(), *arguments)
    store.close()
    say("done")


if __name__ == "__main__":
    main(*sys.argv[1:])
