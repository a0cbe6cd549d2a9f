"""How thoughts stand, and what became of branches: the outcome of `model/reasoning.py`, kept as thoughts come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from thoughtbox.domains.thoughts.model.reasoning import (
    FARTHEST,
    FATE_OF,
    Kinds,
    Role,
    Settled,
    State,
    Status,
    effects,
    fates_in,
    left_out,
)
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at, until
from thoughtbox.ledger.view import View

STATES = Versions(
    "thought_states", key=["seq"], values=["session_id", "branch", "role", "status", "by_seq", "rests_on"]
)
FATES = Versions("thought_fates", key=["session_id", "branch"], values=["fate", "by_seq"])

_STATE = "s.seq, s.branch, s.role, s.status, s.by_seq, s.rests_on"


class StateTables(View):
    """States and fates. A thought of which there is nothing to say has no row."""

    def take_states(self, thought: Thought) -> None:
        for seq, state in effects(thought, _Stored(self, thought.session_id)).items():
            STATES.put(
                self,
                thought.seq,
                seq=seq,
                session_id=thought.session_id,
                branch=state.branch,
                role=state.role,
                status=state.status,
                by_seq=state.by,
                rests_on=state.rests_on,
            )
        for branch, settled in fates_in(thought).items():
            self._settle(thought.session_id, branch, settled)

    def take_fate(self, record: Record) -> None:
        """A session's change may be that one of its branches was settled."""
        fate = FATE_OF.get(record.data["change"])
        if fate is not None:
            self._settle(record.session, record.data["branchId"], Settled(fate, record.seq))

    def _settle(self, session_id: str, branch: str, settled: Settled) -> None:
        FATES.put(self, settled.by, session_id=session_id, branch=branch, fate=settled.fate, by_seq=settled.by)

    def states(self, seqs: Iterable[int]) -> dict[int, State]:
        """How these thoughts stand, as far as there is something to say."""
        rows = rows_among(
            self.sql,
            f"SELECT {_STATE} FROM {STATES.standing} AS s WHERE s.seq IN (?*)",
            seqs,
            before=standing_at(self),
        )
        return {row[0]: State(*row) for row in rows}

    def points(self, session_id: str, role: Role, status: Status, limit: int) -> list[State]:
        """The newest thoughts of a session that have this role and stand so; not those on rejected branches."""
        out = sorted(self.left_out(session_id))
        marks = f" AND s.branch NOT IN ({', '.join('?' * len(out))})" if out else ""
        return self._newest(f"s.role = ? AND s.status = ?{marks}", session_id, (role, status, *out), limit)

    def rejected(self, session_id: str, limit: int) -> list[State]:
        """The newest thoughts of a session that were rejected, whatever their role."""
        return self._newest("s.status = 'rejected'", session_id, (), limit)

    def resting_on(self, seqs: Iterable[int]) -> list[int]:
        """The thoughts that rest on one of these, which have fallen, and have not fallen themselves."""
        rows = rows_among(
            self.sql,
            f"SELECT s.seq FROM {STATES.standing} AS s WHERE s.rests_on IN (?*)"
            " AND s.status NOT IN ('revised', 'rejected') ORDER BY s.seq",
            seqs,
            before=standing_at(self),
        )
        return [row[0] for row in rows]

    def fates(self, session_id: str) -> dict[str, Settled]:
        """The branches of a session that were adopted or rejected."""
        rows = self.sql.rows(
            f"SELECT branch, fate, by_seq FROM {FATES.standing} AS f WHERE session_id = ? ORDER BY branch",
            (*standing_at(self), session_id),
        )
        return {branch: Settled(fate, by) for branch, fate, by in rows}

    def settlings(self, session_id: str) -> list[int]:
        """The records that have said what became of a branch, those that no longer count included."""
        rows = self.sql.rows(
            f"SELECT DISTINCT by_seq FROM {FATES.ever} AS f WHERE session_id = ? ORDER BY by_seq",
            (*until(self), session_id),
        )
        return [row[0] for row in rows]

    def left_out(self, session_id: str) -> frozenset[str]:
        """The branches of a session that were rejected, with what forked from them."""
        fates = self.fates(session_id)
        if all(settled.fate != "rejected" for settled in fates.values()):
            return frozenset()
        rows = self.sql.rows(
            "SELECT branch, parent FROM thought_lines WHERE workspace = ? AND session_id = ? AND first_seq <= ?"
            " ORDER BY first_seq",
            (self.workspace, session_id, self.as_of),
        )
        return left_out(fates, dict(rows))

    def _newest(self, condition: str, session_id: str, values: tuple[object, ...], limit: int) -> list[State]:
        rows = self.sql.rows(
            f"SELECT {_STATE} FROM {STATES.standing} AS s WHERE s.session_id = ? AND {condition}"
            " ORDER BY s.seq DESC LIMIT ?",
            (*standing_at(self), session_id, *values, limit),
        )
        return [State(*row) for row in rows]


class _Stored:
    """The thoughts before one, as the tables have them."""

    def __init__(self, view: StateTables, session_id: str) -> None:
        self._view = view
        self._session_id = session_id

    def outgoing(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        return self._related("source", "target", seqs, kinds)

    def incoming(self, seqs: Iterable[int], kinds: Kinds) -> Sequence[int]:
        return self._related("target", "source", seqs, kinds)

    def states(self, seqs: Iterable[int]) -> Mapping[int, State]:
        return self._view.states(seqs)

    def _related(self, near: str, far: str, seqs: Iterable[int], kinds: Kinds) -> list[int]:
        ways = ", ".join(f"'{kind}'" for kind in kinds)
        rows = rows_among(
            self._view.sql,
            f"SELECT {far} FROM thought_links WHERE workspace = ? AND {near} IN (?*) AND type IN ({ways})"
            f" AND type NOT IN ('next', 'branch', 'critique') ORDER BY {near}, type, {far} LIMIT {FARTHEST}",
            seqs,
            before=(self._view.workspace,),
        )
        return [row[0] for row in rows]

    def branches(self, seqs: Iterable[int]) -> Mapping[int, str]:
        rows = rows_among(
            self._view.sql,
            "SELECT seq, branch FROM thought_nodes WHERE workspace = ? AND session_id = ? AND seq IN (?*)",
            seqs,
            before=(self._view.workspace, self._session_id),
        )
        return {row[0]: row[1] for row in rows}
