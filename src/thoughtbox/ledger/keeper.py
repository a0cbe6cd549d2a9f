"""What happens behind the writes: views follow the tail, and from time to time the tree is signed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import LedgerBroken, SchemaTooNew, ThoughtboxError
from thoughtbox.ledger import merkle
from thoughtbox.ledger.checkpoints import Taken, take_checkpoint
from thoughtbox.ledger.feed import Feed
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.replay import Lag, advance, lagging
from thoughtbox.ledger.signing import Checkpoint
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import Views
from thoughtbox.world import World

logger = logging.getLogger(__name__)

REST_SECONDS = 1.0
"""Time from a commit to a look at the store, and the shortest between two looks."""


class Keeper:
    """Lets views catch up, and signs a checkpoint of every workspace that has grown by `every` records (0: never)."""

    def __init__(self, engine: Engine, feed: Feed, views: Views, keyring: Keyring, world: World, *, every: int) -> None:
        self._engine = engine
        self._views = views
        self._keyring = keyring
        self._world = world
        self._every = every
        self._stirred = threading.Event()
        self._stopping = threading.Event()
        # From the beginning: what was written while nobody kept it up counts, too.
        self._follower = feed.follow(self._stirred.set, since={}, waits=lambda: False)
        self._thread = threading.Thread(target=self._run, name="thoughtbox-keeper", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._follower.close()
        self._stopping.set()
        self._stirred.set()
        self._thread.join(REST_SECONDS)

    def _run(self) -> None:
        while True:
            self._stirred.wait()
            # What is written in one go is looked at together, and nobody's first call is held up.
            if self._stopping.wait(REST_SECONDS):
                return
            self._stirred.clear()
            if self._is_taken_over():
                return
            for stretch in self._follower.unseen():
                self._follower.pass_over(stretch)
            self._try(self._follow, "the views that follow the ledger could not be looked at")
            if self._every:
                self._try(self._sign, "no checkpoint was taken, or no copy of it kept")

    def _is_taken_over(self) -> bool:
        """Whether a newer release has other views here now: there is nothing left for this one to keep."""
        try:
            self._engine.read(lambda sql: self._views.recognise(sql, sql.standing().epoch), here=True).result()
        except SchemaTooNew:
            return True
        except ThoughtboxError as error:
            logger.debug("the store could not be looked at: %s", error)
        return False

    def _try(self, step: Callable[[], None], failure: str) -> None:
        try:
            step()
        except (ThoughtboxError, OSError) as error:
            if not self._stopping.is_set():
                logger.warning("%s: %s", failure, error)

    def _follow(self) -> None:
        for lag in self._engine.read(lambda sql: lagging(sql, self._views), here=True).result():
            self._try(lambda lag=lag: self._catch_up(lag), f"the {lag.kind.name} of {lag.workspace} did not catch up")

    def _catch_up(self, lag: Lag) -> None:
        """A slice at a time, and nothing for as long as that took: what is written meanwhile goes first."""
        reached = lag.reached
        while lag.newest - reached >= lag.kind.stride and not self._stopping.is_set():
            began = time.monotonic()
            further = advance(self._engine, lag.kind, lag.workspace, lag.newest).result()
            if further == reached:
                return
            reached = further
            self._stopping.wait(time.monotonic() - began)

    def _sign(self) -> None:
        for workspace in self._grown():
            checkpoint(self._engine, self._views, self._keyring, self._world, workspace, at_least=self._every)

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
