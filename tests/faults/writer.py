"""A process that writes: `python -m tests.faults.writer '{"life": …, "directory": …}'`.

It says a line for every call that was acknowledged, and goes on until it has written
`calls` in each thread, or is killed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from itertools import count, islice
from pathlib import Path

from tests.faults.store import Store
from thoughtbox.ledger.keeper import checkpoint

SIGN_EVERY = 50


def main(
    *,
    life: str,
    directory: str,
    threads: int,
    calls: int | None = None,
    sign: bool = False,
    durability: str = "normal",
    database_url: str = "",
) -> None:
    store = Store(Path(directory), durability=durability, database_url=database_url)
    say({"ready": True})
    sys.stdin.readline()  # all start at once
    stop = threading.Event()
    signing = threading.Thread(target=keep_signing, args=(store, stop))
    if sign:
        signing.start()
    writers = [threading.Thread(target=write, args=(store, life, number, calls)) for number in range(threads)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    stop.set()
    if sign:
        signing.join()
    store.close()
    say({"done": True})


def write(store: Store, life: str, thread: int, calls: int | None) -> None:
    for number in islice(count(), calls):
        session, content = f"session-{number % 3}", f"{life} {thread} {number}"
        key = content if number % 5 == 0 else None
        try:
            said = {"id": store.think(content, session, key=key), "session": session, "content": content}
        except BaseException as error:
            say({"error": f"{content}: {error!r}"})
            raise
        say({**said, "key": key})


def keep_signing(store: Store, stop: threading.Event) -> None:
    """Checkpoints as fast as there is something to sign, so that some process dies over one."""
    app = store.app
    try:
        while not stop.wait(0.02):
            checkpoint(app.engine, app.views, app.keyring, app.world, store.workspace, at_least=SIGN_EVERY)
    except BaseException as error:
        say({"error": f"signing: {error!r}"})
        raise


def say(line: dict[str, object]) -> None:
    """In one go: a process that is killed has said a line whole, or not at all."""
    os.write(sys.stdout.fileno(), json.dumps(line).encode() + b"\n")


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
