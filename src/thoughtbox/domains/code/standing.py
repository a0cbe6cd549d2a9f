"""What this room remembers of a caller: the session that its records go to. It needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thoughtbox.world import uuid_of

if TYPE_CHECKING:
    from thoughtbox.operations import Focus, Tx


@dataclass(frozen=True, slots=True)
class Authoring:
    """Where a caller writes."""

    own_session: str | None = None
    is_pinned: bool = False
    """Whether that counts before any other session: while a snippet runs, all that it writes goes to one."""
    is_new: bool = False
    """Whether it was made for the snippet, whose caller was in none: one that the snippet itself begins counts more."""


def session_for(tx: Tx, named: str | None) -> str:
    """The session that a call writes to: the one it names, the one that the caller is in, or one that begins now.

    A caller who is in a session of another room writes there; whoever is in none goes on with what it wrote last.
    """
    here = tx.focus.of(Authoring)
    session = session_of(tx.focus, named) or uuid_of(tx.random_bytes(16))
    if not here.is_pinned and here.own_session != session:
        tx.focus_on(Authoring(session))
    return session


def session_of(focus: Focus, named: str | None) -> str | None:
    """The same for a call that only reads: None where nothing was ever written."""
    here = focus.of(Authoring)
    if named is not None:
        return named
    if here.is_pinned and not here.is_new:
        return here.own_session
    return focus.session_id or here.own_session


def pinned(focus: Focus, session: str | None, *, is_new: bool = False) -> Focus:
    """The focus of a snippet that writes to this session, whatever it does elsewhere."""
    return focus if session is None else focus.on(Authoring(session, is_pinned=True, is_new=is_new))


def unpinned(focus: Focus) -> Focus:
    """The focus that it leaves."""
    return focus.on(Authoring(focus.of(Authoring).own_session))
