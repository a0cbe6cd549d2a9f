"""Two lines of a session, or two moments of it, side by side: what both have, what one has, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.records import thoughts_at
from thoughtbox.domains.thoughts.view.lines import MAIN, Line, Node
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.domains.thoughts.watched.models import (
    Conflict,
    DiffSide,
    Fork,
    MergePreview,
    SessionDiff,
    WatchedThought,
)
from thoughtbox.domains.thoughts.watched.reading import session_in_sight, shown_thoughts
from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.record import seq_of
from thoughtbox.operations import Tx

MOST_ON_A_SIDE = 500
MAIN_LINE = "main"
_SETTLING = ("decision", "claim")
_AGAINST = ("contradicts", "revises")


class Compared(NamedTuple):
    """Two ways through a session, as the places of their thoughts, in order."""

    common: list[Node]
    only_from: list[Node]
    only_to: list[Node]


def session_diff(tx: Tx, session_id: str, from_: str, to: str) -> SessionDiff:
    """Compare two branches (`main` is the main line), or two moments, named by the numbers of records."""
    session = session_in_sight(tx, session_id)
    lines = {line.branch: line for line in tx.ask(Thoughts).lines(session.id)}
    if _spelled(from_) in lines and _spelled(to) in lines:
        return _by_branch(tx, session.id, lines, from_, to)
    moments = [int(name) if name.isascii() and name.isdigit() and len(name) < 17 else None for name in (from_, to)]
    if moments[0] is None or moments[1] is None:
        unknown = next(name for name, moment in zip((from_, to), moments, strict=True) if moment is None)
        raise InvalidPayload(
            f"session {session.id} has no branch `{unknown}`",
            recovery=f"Name two of {', '.join(name or MAIN_LINE for name in lines or [MAIN])}, or the numbers of two"
            " records.",
            details={"fields": ["from", "to"]},
        )
    return _by_time(tx, session.id, moments[0], moments[1])


def _by_branch(tx: Tx, session_id: str, lines: dict[str, Line], from_: str, to: str) -> SessionDiff:
    nodes: dict[str, list[Node]] = {}
    for node in tx.ask(Thoughts).nodes(session_id):
        nodes.setdefault(node.branch, []).append(node)
    found = compared(way_to(lines, nodes, _spelled(from_)), way_to(lines, nodes, _spelled(to)))
    adopted, other = (to, found.only_from) if to != MAIN_LINE else (from_, found.only_to)
    own = found.only_to if adopted == to else found.only_from
    merge = None if adopted == MAIN_LINE or from_ == to else _merge(tx, session_id, adopted, own, other)
    sides = (_side(from_, None, found, found.only_from), _side(to, None, found, found.only_to))
    return _answer(tx, session_id, "branches", sides, found, merge)


def _by_time(tx: Tx, session_id: str, from_: int, to: int) -> SessionDiff:
    nodes = tx.ask(Thoughts).nodes(session_id)
    found = compared([node for node in nodes if node.seq <= from_], [node for node in nodes if node.seq <= to])
    sides = (_side(f"#{from_}", from_, found, found.only_from), _side(f"#{to}", to, found, found.only_to))
    return _answer(tx, session_id, "time", sides, found, None)


def _spelled(name: str) -> str:
    """A line as the tables spell it: `main` is the main line, also where somebody has called a branch so."""
    return MAIN if name == MAIN_LINE else name


def way_to(lines: dict[str, Line], nodes: dict[str, list[Node]], branch: str) -> list[Node]:
    """The thoughts that lead up to the end of a branch: its own, and those of its ancestors before it forked off."""
    way: list[Node] = []
    name: str | None = branch
    until: int | None = None
    while name is not None:
        own = [node for node in nodes.get(name, []) if until is None or node.seq <= until]
        way = own + way
        line = lines.get(name)
        name, until = (line.parent, line.origin) if line is not None else (None, None)
    return way


def compared(from_: Sequence[Node], to: Sequence[Node]) -> Compared:
    in_from, in_to = {node.seq for node in from_}, {node.seq for node in to}
    return Compared(
        [node for node in from_ if node.seq in in_to],
        [node for node in from_ if node.seq not in in_to],
        [node for node in to if node.seq not in in_from],
    )


def _side(name: str, seq: int | None, found: Compared, own: Sequence[Node]) -> DiffSide:
    branch = name if seq is None and name != MAIN_LINE else None
    return DiffSide(name=name, branch=branch, seq=seq, thoughts=len(found.common) + len(own))


def _answer(
    tx: Tx, session_id: str, by: str, sides: tuple[DiffSide, DiffSide], found: Compared, merge: MergePreview | None
) -> SessionDiff:
    most = MOST_ON_A_SIDE
    fork = thoughts_at(tx, [found.common[-1].seq])[0] if found.common else None
    return SessionDiff(
        session_id=session_id,
        by="branches" if by == "branches" else "time",
        from_=sides[0],
        to=sides[1],
        fork=_fork(fork) if fork is not None else None,
        common=len(found.common),
        only_from=_opened(tx, session_id, found.only_from[:most]),
        only_to=_opened(tx, session_id, found.only_to[:most]),
        truncated=len(found.only_from) > most or len(found.only_to) > most,
        merge=merge,
    )


def _fork(thought: Thought) -> Fork:
    return Fork(
        id=thought.node_id,
        record_id=thought.id,
        thought_number=thought.number,
        branch_id=thought.branch_id,
        thought=thought.text,
    )


def _opened(tx: Tx, session_id: str, nodes: Sequence[Node]) -> list[WatchedThought]:
    return shown_thoughts(tx, session_id, thoughts_at(tx, [node.seq for node in nodes]))


def _merge(tx: Tx, session_id: str, adopts: str, own: Sequence[Node], other: Sequence[Node]) -> MergePreview:
    ours = _opened(tx, session_id, own[:MOST_ON_A_SIDE])
    theirs = _opened(tx, session_id, other[:MOST_ON_A_SIDE])
    states = tx.ask(Thoughts).states(node.seq for node in (*own, *other))
    fallen = {seq for seq, state in states.items() if state.has_fallen}
    conflicts = [*_between(ours, theirs), *_between(theirs, ours)]
    falls = {conflict.contradicts.seq for conflict in conflicts if conflict.contradicts in theirs}
    return MergePreview(
        adopts=adopts,
        keeps=[thought for thought in ours if thought.kind in _SETTLING and thought.seq not in fallen],
        falls=[thought for thought in theirs if thought.seq in falls],
        beside=[
            thought
            for thought in theirs
            if thought.kind == "decision" and thought.seq not in fallen and thought.seq not in falls
        ],
        conflicts=conflicts,
    )


def _between(ours: Sequence[WatchedThought], theirs: Sequence[WatchedThought]) -> Iterator[Conflict]:
    """Where a thought of one side says that one of the other does not hold."""
    by_seq = {thought.seq: thought for thought in theirs}
    for thought in ours:
        for relation in thought.relations:
            target = by_seq.get(seq_of(relation.to) or 0)
            if relation.type in _AGAINST and target is not None:
                yield Conflict(thought=thought, contradicts=target)
