"""What happens behind the writes: the tree grows, and from time to time it is signed."""

from __future__ import annotations

import logging
import threading

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import LedgerBroken, ThoughtboxError
from thoughtbox.ledger import merkle
from thoughtbox.ledger.checkpoints import Taken, take_checkpoint
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.signing import Checkpoint
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import Views
from thoughtbox.world import World

logger = logging.getLogger(__name__)

REST_SECONDS = 1.0
"""Shortest time between two looks at the store."""


class Keeper:
    """Signs a checkpoint of every workspace that has grown by `every` records."""

    def __init__(self, engine: Engine, views: Views, keyring: Keyring, world: World, *, every: int) -> None:
        self._engine = engine
        self._views = views
        self._keyring = keyring
        self._world = world
        self._every = every
        self._stirred = threading.Event()
        self._stopping = threading.Event()
        self._unwatch = engine.watch(self._stirred.set)
        self._thread = threading.Thread(target=self._run, name="thoughtbox-keeper", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._unwatch()
        self._stopping.set()
        self._stirred.set()
        self._thread.join(REST_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._stirred.wait()
            self._stirred.clear()
            if self._stopping.is_set():
                return
            try:
                for workspace in self._grown():
                    checkpoint(self._engine, self._views, self._keyring, self._world, workspace, at_least=self._every)
            except (ThoughtboxError, OSError) as error:
                logger.warning("no checkpoint was taken, or no copy of it kept: %s", error)
            self._stopping.wait(REST_SECONDS)

    def _grown(self) -> list[str]:
        rows = self._engine.read(
            lambda sql: sql.rows(
                "SELECT w.workspace FROM workspaces w WHERE w.last_seq >= ? + COALESCE("
                " (SELECT MAX(c.seq) FROM checkpoints c WHERE c.workspace = w.workspace), 0)",
                (self._every,),
            )
        ).result()
        return [row[0] for row in rows]


def checkpoint(
    engine: Engine, views: Views, keyring: Keyring, world: World, workspace: str, *, at_least: int = 1
) -> Taken | None:
    """Take a checkpoint if the workspace has grown enough, and keep a copy of it outside the store.

    Refuses to sign a history that is not the one of the copy kept before: the new copy
    would put an end to all that is known of the old one.
    """
    for note in keyring.recall(workspace):
        kept = Checkpoint.parse(note)
        engine.read(lambda sql, kept=kept: _must_go_on_from(kept, sql, workspace, views)).result()
    taken = take_checkpoint(engine, views, workspace, keyring.signer, world, at_least=at_least)
    if taken is not None:
        keyring.remember(workspace, taken.note)
    return taken


def _must_go_on_from(kept: Checkpoint, sql: Sql, workspace: str, views: Views) -> None:
    size = Ledger(sql, workspace, views).last_seq()
    if size < kept.size:
        found = f"workspace {workspace} has {size} records; a checkpoint kept outside the store covers {kept.size}"
    elif merkle.root(kept.size, Tree(sql, workspace).subtree) != kept.root:
        found = f"the first {kept.size} records of workspace {workspace} are not those that were signed"
    else:
        return
    raise LedgerBroken(
        f"{found}; nothing was signed",
        recovery="Run `thoughtbox verify`. If this is another store on purpose, move the old one's note out of"
        " the data directory.",
        details={"size": kept.size},
    )
