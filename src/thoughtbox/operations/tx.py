"""What an operation may touch: one transaction on one workspace."""

from __future__ import annotations

from typing import TypeVar

from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, Source
from thoughtbox.ledger.replay import Progress
from thoughtbox.ledger.view import NOW, View, Views
from thoughtbox.operations.caller import Caller
from thoughtbox.world import World

V = TypeVar("V", bound=View)


class Tx:
    """The ledger and the views as this call sees them. Reads are as of `as_of`, which is usually now."""

    def __init__(
        self,
        sql: Sql,
        *,
        workspace: str,
        views: Views,
        caller: Caller,
        world: World,
        keyring: Keyring,
        surface: str,
        operation: str,
        as_of: int = NOW,
        progress: Progress | None = None,
    ) -> None:
        self.sql = sql
        self.workspace = workspace
        self.caller = caller
        self.as_of = as_of
        self.keyring = keyring
        self.progress = progress
        self._world = world
        self._surface = surface
        self._operation = operation
        self.ledger = Ledger(sql, workspace, views, as_of=as_of)

    @property
    def now_ms(self) -> int:
        return self._world.now_ms()

    def append(self, draft: Draft, *, stream: str) -> Record:
        """Write one record; the views that follow it know of it at once."""
        source = Source(
            agent=self.caller.agent,
            surface=self._surface,
            operation=self._operation,
            transport=self.caller.transport,
            model=self.caller.model,
        )
        return self.ledger.append(draft, stream=stream, source=source, world=self._world)

    def ask(self, kind: type[V]) -> V:
        """The view, ready to answer questions about this workspace."""
        return kind(self.sql, self.workspace, self.as_of)
