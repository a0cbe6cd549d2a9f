"""What is remembered of a client between its calls: where it stands, in every workspace it works in.

It lasts as long as the connection. Of a stateless client nothing is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from mcp.server.connection import Connection

from thoughtbox.doors.mcp.context import Context, connection_of, is_stateless
from thoughtbox.operations.caller import Focus

INIT_COMPLETE = 1
"""The stage of whoever has a session."""

MOST_WORKSPACES = 100
"""In more of them than this a client is forgotten where it has not been for longest."""


@dataclass(slots=True)
class Remembered:
    """One client in one workspace."""

    focus: Focus = field(default_factory=Focus)
    _known_stage: int = 0

    def has_new_stage(self) -> bool:
        """Whether the client stands at a stage that it was not told of; from now on it counts as told."""
        # Not a matter of before and after one call: of calls sent without waiting, many see the same change.
        known, self._known_stage = self._known_stage, self.focus.stage
        return known != self._known_stage


class Clients:
    """All connections of one server. No two of them share anything."""

    def __init__(self, first_session: str | None) -> None:
        """`first_session` is the one that every connection works on from the start, if there is one."""
        self._first_session = first_session
        self._connections: WeakKeyDictionary[Connection, dict[str, Remembered]] = WeakKeyDictionary()

    def of(self, ctx: Context, workspace: str) -> Remembered:
        if is_stateless(ctx):
            return Remembered(Focus(lasts=False))
        places = self._connections.setdefault(connection_of(ctx), {})
        remembered = places.pop(workspace, None) or Remembered(self._first_focus())
        places[workspace] = remembered  # the last one in the dictionary is the one used last
        if len(places) > MOST_WORKSPACES:
            del places[next(iter(places))]
        return remembered

    def _first_focus(self) -> Focus:
        return Focus(self._first_session, INIT_COMPLETE) if self._first_session else Focus()
