"""A process that writes: `python -m tests.faults.writer '{"life": …, "directory": …}'`.

It says a line for every call that was acknowledged, and goes on until it has written
`calls` in each thread, or is killed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

from tests.faults.store import Store
from thoughtbox.ledger import replay
from thoughtbox.ledger.keeper import checkpoint

SIGN_EVERY = 50


def main(
    *,
    life: str,
    directory: str,
    threads: int,
    calls: int | None = None,
    sign: bool = False,
    rebuild: bool = False,
    durability: str = "normal",
    database_url: str = "",
    prelude: str = "",
    keeps_log: bool = False,
) -> None:
    exec(prelude, {})
    store = Store(Path(directory), durability=durability, database_url=database_url)
    if keeps_log:
        store.engine.keep()
        store.engine.watch(lambda: None)
    say({"ready": True})
    sys.stdin.readline()  # all start at once
    stop = threading.Event()
    chores = [chore for chore, wanted in ((sign_now, sign), (rebuild_now, rebuild)) if wanted]
    keepers = [threading.Thread(target=keep_doing, args=(chore, store, stop)) for chore in chores]
    for keeper in keepers:
        keeper.start()
    writers = [threading.Thread(target=write, args=(store, life, number, calls)) for number in range(threads)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    stop.set()
    for keeper in keepers:
        keeper.join()
    store.close()
    say({"done": True})


def write(store: Store, life: str, thread: int, calls: int | None) -> None:
    for number in islice(count(), calls):
        session, content = f"session-{number % 3}", f"{life} {thread} {number}"
        key = content if number % 5 == 0 else None
        try:
            id = store.think(content, session, key=key, actionId=f"action-{number % 4}")
            said = {"id": id, "session": session, "content": content}
        except BaseException as error:
            say({"error": f"{content}: {error!r}"})
            raise
        say({**said, "key": key})


def keep_doing(chore: Callable[[Store], object], store: Store, stop: threading.Event) -> None:
    """Again and again, so that some process dies over it."""
    try:
        while not stop.wait(0.02):
            chore(store)
    except BaseException as error:
        say({"error": f"{chore}: {error!r}"})
        raise


def sign_now(store: Store) -> None:
    app = store.app
    checkpoint(app.engine, app.views, app.keyring, app.world, store.workspace, at_least=SIGN_EVERY)


def rebuild_now(store: Store) -> None:
    for kind in store.app.views.kinds:
        replay.rebuild(store.engine, kind)


def say(line: dict[str, object]) -> None:
    """In one go: a process that is killed has said a line whole, or not at all."""
    os.write(sys.stdout.fileno(), json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
