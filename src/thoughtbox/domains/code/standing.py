"""What this room remembers of a caller: the session that its records go to. It needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thoughtbox.world import uuid_of

if TYPE_CHECKING:
    from thoughtbox.operations import Tx


@dataclass(frozen=True, slots=True)
class Authoring:
    """Where a caller writes."""

    own_session: str | None = None


def session_for(tx: Tx, named: str | None) -> str:
    """The session that a call writes to: the one it names, the one that the caller is in, or one that begins now.

    A caller who is in a session of another room writes there; whoever is in none goes on with what it wrote last.
    """
    session = named or tx.focus.session_id or tx.focus.of(Authoring).own_session or uuid_of(tx.random_bytes(16))
    if tx.focus.of(Authoring).own_session != session:
        tx.focus_on(Authoring(session))
    return session


def session_of(tx: Tx, named: str | None) -> str | None:
    """The same for a call that only reads: None where nothing was ever written."""
    return named or tx.focus.session_id or tx.focus.of(Authoring).own_session
