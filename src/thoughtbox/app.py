"""The product put together from its settings: engine, views, operations, keeper.

Doors open one of these and hand calls to its dispatcher.
"""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING

from thoughtbox import domains, installation
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import ConfigurationError, InvalidProof, StorageError
from thoughtbox.ledger.shadow import left_behind
from thoughtbox.ledger.view import Views
from thoughtbox.loading import loaded
from thoughtbox.operations.caller import Caller, Focus, Memory
from thoughtbox.operations.lasting import Lasting
from thoughtbox.search.registry import versions
from thoughtbox.settings import Settings
from thoughtbox.world import World

if TYPE_CHECKING:
    from thoughtbox.ledger.feed import Feed
    from thoughtbox.ledger.keeper import Keeper
    from thoughtbox.ledger.keyring import Keyring
    from thoughtbox.ledger.signing import VerifierKey
    from thoughtbox.operations.catalog import KnownOperation
    from thoughtbox.operations.dispatch import Dispatcher

GARBAGE_THRESHOLDS = (50_000, 20, 20)

MENDER = Caller(agent="thoughtbox", transport="background")
"""Who puts right what was left unfinished."""

PEACE_SECONDS = 0.1
"""Time before a module is imported that nobody has asked for yet."""
LOOK_SECONDS = 0.02
LONGEST_AWAITED_SECONDS = 1.0


def await_peace(is_busy: Callable[[], bool]) -> None:
    """Let calls that are under way come to their end first, unless they take long."""
    until = time.monotonic() + LONGEST_AWAITED_SECONDS
    while is_busy() and time.monotonic() < until:
        time.sleep(LOOK_SECONDS)


class Thoughtbox:
    """A running Thoughtbox. Use it as a context manager, or close it.

    What a start does not need is made when it is first asked for: keys, the dispatcher, the feed.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        world: World | None = None,
        engine: Engine | None = None,
        is_writable: bool = True,
    ) -> None:
        self.settings = settings
        self.is_writable = is_writable
        """Whether anything more may come in; not where the engine only reads."""
        self.world = world or World()
        self.table = domains.known(keep=False)
        self.views = all_views()
        self.lasting = Lasting()
        self._making = RLock()
        self._keyring: Keyring | None = None
        self._dispatcher: Dispatcher | None = None
        self._feed: Feed | None = None
        self._keeper: Keeper | None = None
        self._is_kept = False
        if settings.trusted_keys:
            _ = self.keyring  # who has named a key that is none is told so before anything is opened
        with installation.kept_private(settings.data_dir) if settings.storage == "fs" else nullcontext():
            self._engine = engine or open_engine(settings)
        try:
            if settings.storage == "fs" and settings.data_dir.is_dir():
                installation.ensure(settings.data_dir, self.world)
            self._lacks_views = self._prepare()
        except BaseException:
            self._engine.close()
            raise

    @property
    def engine(self) -> Engine:
        """The store, with all of its views. One that is new gets them when it is first used."""
        return self._completed() if self._lacks_views else self._engine

    def _completed(self) -> Engine:
        with self._making:
            if self._lacks_views:
                if self._engine.read(self.views.outdated).result():  # nobody else has made them meanwhile
                    self._ensure_views()
                self._lacks_views = False
        return self._engine

    @property
    def keyring(self) -> Keyring:
        """The keys and notes of the data directory."""
        with self._making:
            if self._keyring is None:
                self._keyring = keyring_of(self.settings, self.world)
            return self._keyring

    def keep_keys(self, keyring: Keyring) -> None:
        """Judge signatures by these keys: those of another directory than the store's. Before anything is asked."""
        with self._making:
            self._keyring = keyring

    @property
    def dispatcher(self) -> Dispatcher:
        """Runs operations."""
        return self._dispatcher or self._made_dispatcher()

    @property
    def feed(self) -> Feed:
        """Tells of what is written, whoever writes it."""
        with self._making:
            if self._feed is None:
                from thoughtbox.ledger.feed import Feed

                self._feed = Feed(self.engine, self.views)
            return self._feed

    def _made_dispatcher(self) -> Dispatcher:
        from thoughtbox.operations.dispatch import Dispatcher
        from thoughtbox.operations.reach import Workspaces

        settings = self.settings
        with self._making:
            if self._dispatcher is None:
                made = Dispatcher(
                    self.engine,
                    self.views,
                    world=self.world,
                    keyring=self.keyring,
                    settings=settings.rooms,
                    data_dir=settings.data_dir if settings.storage == "fs" else None,
                    project_root=settings.project_root,
                    lasting=self.lasting,
                    workspaces=Workspaces(settings.project, settings.workspace_lock, settings.workspace_allowlist),
                )
                if self._is_kept:
                    made.tallies.keep()
                if self.is_writable:
                    self._mend(made)
                self._dispatcher = made
            return self._dispatcher

    def _mend(self, dispatcher: Dispatcher) -> None:
        """Put right what a process that was killed has left unfinished, before anything is answered."""
        for room in self.table.rooms.values():
            if room.mending is not None:
                question, mend = room.mending
                with suppress(StorageError):  # what is busy now, or about to be closed, is seen to by the next start
                    left = self.engine.read(lambda sql, question=question: sql.rows(question)).result()
                    for (workspace,) in left:
                        dispatcher.do(workspace, MENDER, mend, what="mending").result()

    def first_focus(self, memory: Memory) -> Focus:
        """What is remembered of a caller who has only just come."""
        return self.table.first_focus(Focus(memory), self.settings.rooms)

    def warm(self) -> None:
        """Have ready what every call needs: in a thread behind the first answer."""
        loaded("thoughtbox.operations.offered")
        _ = self.dispatcher

    def foresee(self, operation: object, arguments: object) -> None:
        """Begin what a call will need most time for, before all that it needs is imported."""
        known = self._known(operation)
        if known is None or not isinstance(arguments, dict):
            return
        meant = self._known(arguments.get("operation")) if known.gateway is not None else known
        if meant is not None and (ahead := self.table.rooms[meant.room].ahead) is not None:
            ahead(self.table, self.lasting, meant.name, arguments)

    def _known(self, operation: object) -> KnownOperation | None:
        return self.table.known.get(operation) if isinstance(operation, str) else None

    def warm_rooms(
        self,
        *,
        pause: float = PEACE_SECONDS,
        is_busy: Callable[[], bool] = lambda: False,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """Import what is called first in the toolset that is shown, and keep the catalog if it was missed: behind that.

        Whoever calls at once needs one module, and the interpreter runs one thread: the others wait for a moment's
        peace, one after the other, so that a call between two of them gets its turn. No more are, once it `is_over`.
        """
        for module in self._likely():
            time.sleep(pause)
            await_peace(is_busy)
            if is_over():
                return
            loaded(module)
        domains.keep_catalog()

    def _likely(self) -> Iterable[str]:
        """The modules of what is called first: of the toolset that is shown, or of what its gateway names.

        Without rooms that begin ahead: those wait for something else, and are imported meanwhile.
        """
        table, known = self.table, self.table.known
        shown = table.shown_in(self.settings.toolset).values()
        if any(operation.gateway is not None for operation in shown):
            named = [name for room in table.rooms.values() for name in room.gateway_names]
            shown = [*(known[name] for name in named if name in known), *(one for one in shown if one.gateway is None)]
        return dict.fromkeys(operation.module for operation in shown if table.rooms[operation.room].ahead is None)

    def keep(self) -> None:
        """Get ready to serve for long: keep views and checkpoints up in the background, collect garbage less often."""
        # What was imported stays: looking at it again and again makes large answers slower than they need be.
        gc.freeze()
        gc.set_threshold(*GARBAGE_THRESHOLDS)
        gc.enable()
        self.engine.keep()
        with self._making:
            self._is_kept = True
            if self._dispatcher is not None:
                self._dispatcher.tallies.keep()
        if self._keeper is None:
            from thoughtbox.ledger.keeper import Keeper

            self._keeper = Keeper(
                self.engine, self.feed, self.views, self.keyring, self.world, every=self.settings.checkpoint_every
            )

    def close(self) -> None:
        self.lasting.close()
        if self._dispatcher is not None:
            self._dispatcher.tallies.close()
        if self._keeper is not None:
            self._keeper.close()
        if self._feed is not None:
            self._feed.close()
        self._engine.close()

    def __enter__(self) -> Thoughtbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _prepare(self) -> bool:
        """Have every view in its present shape, and nothing half made or half imported; write only if it is not so.

        Whether there are no views yet, nor records: making them then takes longer than all else, and can wait.
        """

        def look(sql: Sql) -> tuple[bool, bool, bool, bool, int]:
            self.views.refuse_newer(sql)
            is_new = sql.row("SELECT 1 FROM views") is None and sql.row("SELECT 1 FROM workspaces") is None
            newest = sql.row("SELECT last_seq FROM workspaces WHERE workspace = ?", (self.settings.project,))
            return (
                bool(self.views.outdated(sql)),
                is_new,
                bool(left_behind(sql)),
                bool(sql.standing().imports),
                newest[0] if newest else 0,
            )

        looked = self._engine.read(look).result()
        are_outdated, is_new, are_half_made, is_half_imported, self.newest_at_start = looked
        if are_outdated and not is_new:
            self._ensure_views()
        elif are_half_made:
            from thoughtbox.ledger.replay import clear_if_left

            clear_if_left(self._engine)
        if is_half_imported:
            from thoughtbox.ledger.importing import undo_if_left

            undo_if_left(self._engine, self.views)
        return are_outdated and is_new

    def _ensure_views(self) -> None:
        from thoughtbox.ledger.replay import ensure

        ensure(self._engine, self.views)


def all_views() -> Views:
    """The ledger's own views, and those of every room."""
    table = domains.known(keep=False)
    if table.catalog is not None:
        if versions() != {topic: version for topic, (version, _) in table.catalog.searchable.items()}:
            loaded("thoughtbox.search.texts")  # somebody has declared more: the index speaks for itself
        return Views(table.views())
    from thoughtbox.operations.derived import OWN_VIEWS

    return Views([*OWN_VIEWS, *table.views()])


def keyring_of(settings: Settings, world: World) -> Keyring:
    """The keys and notes of the data directory. What is kept of one database is not held against another."""
    from hashlib import sha256

    from thoughtbox.ledger.keyring import Keyring

    notes = "checkpoints"
    if settings.database_url is not None:
        place = re.sub(r"//[^@/]*@", "//", settings.database_url)
        notes = f"checkpoints-{sha256(place.encode()).hexdigest()[:12]}"
    directory = settings.data_dir if settings.storage == "fs" else None
    return Keyring(directory, world, trusted_keys(settings), notes=notes)


def trusted_keys(settings: Settings) -> list[VerifierKey]:
    """The public keys of other installations whose checkpoints count here."""
    if not settings.trusted_keys:
        return []
    from thoughtbox.ledger.signing import VerifierKey

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
