"""What an operation may touch: one transaction on one workspace."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, Source
from thoughtbox.ledger.replay import Progress
from thoughtbox.ledger.view import NOW, View, Views
from thoughtbox.operations.caller import Caller, Focus, Root
from thoughtbox.world import World

V = TypeVar("V", bound=View)


@dataclass(frozen=True, slots=True)
class Rules:
    """What this installation has decided where there is a choice."""

    enforces_stages: bool = True
    """An operation before its stage is refused, rather than run with a hint."""
    begins_sessions: bool = True
    """A thought may begin a session by itself."""


DEFAULT_RULES = Rules()


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
        focus: Focus | None = None,
        roots: Sequence[Root] | None = None,
        rules: Rules = DEFAULT_RULES,
    ) -> None:
        self.sql = sql
        self.workspace = workspace
        self.caller = caller
        self.as_of = as_of
        self.keyring = keyring
        self.progress = progress
        self.focus = focus or Focus(lasts=False)
        self.roots = roots
        """The client's root directories; None when it does not tell."""
        self.rules = rules
        self._world = world
        self.views = views
        self._surface = surface
        self._operation = operation
        self.ledger = Ledger(sql, workspace, views, as_of=as_of)

    @property
    def now_ms(self) -> int:
        return self._world.now_ms()

    def random_bytes(self, count: int) -> bytes:
        return self._world.random_bytes(count)

    def hold(self) -> None:
        """Let nobody else write to the workspace until this is over: what is read now holds when it is written."""
        self.ledger.last_seq_held()

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

    def at(self, seq: int) -> Tx:
        """The same, but reads are as of that record: a long answer that is given in pieces stays one answer."""
        earlier = copy(self)
        earlier.as_of = min(seq, self.as_of)
        earlier.ledger = Ledger(self.sql, self.workspace, self.views, as_of=earlier.as_of)
        return earlier

    def ask(self, kind: type[V]) -> V:
        """The view, ready to answer questions about this workspace."""
        return kind(self.sql, self.workspace, self.as_of)
