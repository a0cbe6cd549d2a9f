"""The product put together from its settings: engine, views, operations, keeper.

Doors open one of these and hand calls to its dispatcher.
"""

from __future__ import annotations

import gc
import re
from contextlib import nullcontext
from hashlib import sha256
from types import TracebackType

from thoughtbox import domains, installation
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import ConfigurationError, InvalidProof
from thoughtbox.ledger.answers import Answers
from thoughtbox.ledger.checkpoints import Checkpoints
from thoughtbox.ledger.feed import Feed
from thoughtbox.ledger.importing import undo_if_left
from thoughtbox.ledger.keeper import Keeper
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.replay import clear_if_left, ensure
from thoughtbox.ledger.shadow import left_behind
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import Views
from thoughtbox.operations.caller import Focus, Memory
from thoughtbox.operations.dispatch import Dispatcher
from thoughtbox.operations.reach import Workspaces
from thoughtbox.operations.registry import TABLE
from thoughtbox.search.texts import Texts
from thoughtbox.settings import Settings
from thoughtbox.world import World

GARBAGE_THRESHOLDS = (50_000, 20, 20)


class Thoughtbox:
    """A running Thoughtbox. Use it as a context manager, or close it."""

    def __init__(self, settings: Settings, *, world: World | None = None, engine: Engine | None = None) -> None:
        self.settings = settings
        self.world = world or World()
        self.views = all_views()
        self.keyring = keyring_of(settings, self.world)
        with installation.kept_private(settings.data_dir) if settings.storage == "fs" else nullcontext():
            self.engine = engine or open_engine(settings)
        try:
            if settings.storage == "fs" and settings.data_dir.is_dir():
                installation.ensure(settings.data_dir, self.world)
            self._prepare()
        except BaseException:
            self.engine.close()
            raise
        self.dispatcher = Dispatcher(
            self.engine,
            self.views,
            world=self.world,
            keyring=self.keyring,
            settings=settings.rooms,
            data_dir=settings.data_dir if settings.storage == "fs" else None,
            project_root=settings.project_root,
            workspaces=Workspaces(settings.project, settings.workspace_lock, settings.workspace_allowlist),
        )
        self.feed = Feed(self.engine, self.views)
        self._keeper: Keeper | None = None

    def first_focus(self, memory: Memory) -> Focus:
        """What is remembered of a caller who has only just come."""
        return self.dispatcher.table.first_focus(Focus(memory), self.settings.rooms)

    def keep(self) -> None:
        """Get ready to serve for long: keep views and checkpoints up in the background, collect garbage less often."""
        # What was imported stays: looking at it again and again makes large answers slower than they need be.
        gc.freeze()
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        gc.enable()
        self.engine.keep()
        self.dispatcher.tallies.keep()
        if self._keeper is None:
            self._keeper = Keeper(
                self.engine, self.feed, self.views, self.keyring, self.world, every=self.settings.checkpoint_every
            )

    def close(self) -> None:
        self.dispatcher.tallies.close()
        if self._keeper is not None:
            self._keeper.close()
        self.feed.close()
        self.engine.close()

    def __enter__(self) -> Thoughtbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> None:
        """Have every view in its present shape, and nothing half made or half imported; write only if it is not so."""

        def look(sql: Sql) -> tuple[bool, bool, bool, int]:
            self.views.refuse_newer(sql)
            newest = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.settings.project,))
            return (
                bool(self.views.outdated(sql)),
                bool(left_behind(sql)),
                bool(sql.standing().imports),
                newest[0] if newest else 0,
            )

        are_outdated, are_half_made, is_half_imported, self.newest_at_start = self.engine.read(look).result()
        if are_outdated:
            ensure(self.engine, self.views)
        elif are_half_made:
            clear_if_left(self.engine)
        if is_half_imported:
            undo_if_left(self.engine, self.views)


def all_views() -> Views:
    """The ledger's own views, and those of every room."""
    domains.load()
    return Views([Answers, Checkpoints, Tree, Texts, *TABLE.views()])


def keyring_of(settings: Settings, world: World) -> Keyring:
    """The keys and notes of the data directory. What is kept of one database is not held against another."""
    notes = "checkpoints"
    if settings.database_url is not None:
        place = re.sub(r"//[^@/]*@", "//", settings.database_url)
        notes = f"checkpoints-{sha256(place.encode()).hexdigest()[:12]}"
    directory = settings.data_dir if settings.storage == "fs" else None
    return Keyring(directory, world, trusted_keys(settings), notes=notes)


def trusted_keys(settings: Settings) -> list[VerifierKey]:
    """The public keys of other installations whose checkpoints count here."""
    try:
        return [VerifierKey.parse(key) for key in settings.trusted_keys]
    except InvalidProof as error:
        raise ConfigurationError(
            f"THOUGHTBOX_TRUSTED_KEYS holds something that is no public key: {error.message}",
            recovery="`thoughtbox checkpoint --public-key` prints a key as it is to be written.",
        ) from None


def open_engine(settings: Settings, *, tolerant: bool = False) -> Engine:
    """The engine that the settings ask for. Its module is imported only then.

    `tolerant` opens a store that has lost records as well, to be looked at.
    """
    if settings.database_url is not None:
        try:
            from thoughtbox.engine.postgres import PostgresEngine
        except ImportError as error:
            raise ConfigurationError(
                f"THOUGHTBOX_DATABASE_URL is set, but PostgreSQL cannot be spoken to from here ({error})",
                recovery="Install Thoughtbox with its `postgres` extra.",
            ) from error
        return PostgresEngine(settings.database_url, durability=settings.durability)
    from thoughtbox.engine.sqlite import SqliteEngine

    path = settings.database if settings.storage == "fs" else None
    return SqliteEngine(path, durability=settings.durability, tolerant=tolerant)
