"""Sessions, and the thoughts of one a page at a time, as people who watch are shown them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought, node_id
from thoughtbox.domains.thoughts.records import thoughts_at
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.domains.thoughts.watched.models import SessionWatched, WatchedBranch, WatchedSession, WatchedThought
from thoughtbox.errors import SessionNotFound
from thoughtbox.operations import Tx, cursor, place_in

MOST_THOUGHTS = 2_000
"""Of one session, on one page."""


class WatchedUpTo(NamedTuple):
    """Where a page of a session ends: behind this thought, as of that record."""

    seq: int
    as_of: int


def sessions_of(tx: Tx, ids: Sequence[str]) -> list[WatchedSession]:
    """These sessions as they stand, in the order given; those that there are."""
    view = tx.ask(Thoughts)
    found = [session for id in ids if (session := view.session(id)) is not None]
    ends = _ends(tx, found)
    return [WatchedSession.of(session, ends.get(session.id)) for session in found]


def _ends(tx: Tx, sessions: Iterable[Session]) -> dict[str, str]:
    """When those that are completed were."""
    settled = tx.ask(Thoughts).settled([session.id for session in sessions if session.status == "completed"])
    times = {record.seq: record.data.get("timestamp", record.ts) for record in tx.ledger.records(settled.values())}
    return {id: times[seq] for id, seq in settled.items() if seq in times}


def session_in_sight(tx: Tx, session_id: str) -> Session:
    """The session, unless there is none or it was deleted."""
    session = tx.ask(Thoughts).session(session_id)
    if session is None or session.deleted:
        raise SessionNotFound(
            f"workspace `{tx.workspace}` has no session {session_id}",
            recovery="List the sessions, and take the id of one of them.",
            details={"sessionId": session_id},
        )
    return session


def session_page(tx: Tx, session_id: str, *, limit: int = MOST_THOUGHTS, after: str | None = None) -> SessionWatched:
    """A session with its first thoughts, or those behind a cursor; all pages are as of the first one's moment."""
    place = place_in(after, WatchedUpTo) if after else WatchedUpTo(0, tx.ledger.last_seq())
    tx = tx.at(place.as_of)
    session = session_in_sight(tx, session_id)
    view = tx.ask(Thoughts)
    nodes = view.nodes_after(session.id, place.seq, limit + 1)
    page = nodes[:limit]
    shown = shown_thoughts(tx, session.id, thoughts_at(tx, [node.seq for node in page]))
    (watched,) = sessions_of(tx, [session.id])
    has_more = len(nodes) > limit
    return SessionWatched(
        session=watched,
        thoughts=[thought for thought in shown if thought.branch_id is None],
        branches=_branches(tx, session.id, shown),
        seq=tx.ledger.last_seq(),
        truncated=has_more,
        next_cursor=cursor(WatchedUpTo(page[-1].seq, place.as_of)) if has_more else None,
    )


def _branches(tx: Tx, session_id: str, shown: Sequence[WatchedThought]) -> dict[str, WatchedBranch]:
    view = tx.ask(Thoughts)
    fates = view.fates(session_id)
    on_branch: dict[str, list[WatchedThought]] = {}
    for thought in shown:
        if thought.branch_id is not None:
            on_branch.setdefault(thought.branch_id, []).append(thought)
    return {
        line.branch: WatchedBranch(
            id=line.branch,
            from_thought_number=line.origin_number or 0,
            from_branch=line.parent or None,
            fate=fates[line.branch].fate if line.branch in fates else None,
            thoughts=on_branch.get(line.branch, []),
        )
        for line in view.lines(session_id)
        if line.branch != MAIN
    }


def shown_thoughts(tx: Tx, session_id: str, thoughts: Sequence[Thought]) -> list[WatchedThought]:
    """These thoughts of a session, each with the node that it goes on from."""
    before = tx.ask(Thoughts).nodes_at(session_id, (each.prev for each in thoughts if each.prev is not None))
    return [WatchedThought.of(thought, node_named(session_id, before, thought.prev)) for thought in thoughts]


def node_named(session_id: str, nodes: Mapping[int, Node], seq: int | None) -> str | None:
    """The node id of a thought of a session, by its record."""
    node = nodes.get(seq) if seq is not None else None
    return node_id(session_id, node.branch or None, node.number) if node is not None else None
