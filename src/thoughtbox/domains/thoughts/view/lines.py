"""Lines of thought, and the thoughts on them by number: where each stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.view.sessions import SESSIONS
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.versions import standing_at
from thoughtbox.ledger.view import View

MAIN = ""
"""How the tables call the main line."""

_NODE = "branch, number, seq, kind"
_LAST = (
    "SELECT branch, thoughts, branches, length, highest_number FROM thought_nodes"
    " WHERE workspace = ? AND session_id = ?"
)
_NOTHING = (MAIN, 0, 0, 0, 0)
_LINE = (
    "SELECT l.branch, l.parent, l.origin, l.origin_number, l.first_seq, n.seq, n.highest_number, n.total, n.length"
    " FROM thought_lines l JOIN thought_nodes n ON n.workspace = l.workspace AND n.session_id = l.session_id"
    " AND n.seq = (SELECT MAX(seq) FROM thought_nodes WHERE workspace = l.workspace AND session_id = l.session_id"
    " AND branch = l.branch AND seq <= ?)"
    " WHERE l.workspace = ? AND l.session_id = ? AND l.first_seq <= ?"
)
"""A line, and what it had come to with its last thought."""


class Line(NamedTuple):
    """A line of thought, the main one or a branch, with what it had come to."""

    branch: str
    parent: str | None
    """The line it forked from; None for the main line."""
    origin: int | None
    origin_number: int | None
    first_seq: int
    last_seq: int
    highest_number: int
    last_total: int
    length: int


class Node(NamedTuple):
    """Where a thought stands: its line, its number there, its record and its kind."""

    branch: str
    number: int
    seq: int
    kind: str


class LineTables(View):
    """Lines and nodes. Rows are never changed, and carry the record that made them."""

    def take_node(self, thought: Thought) -> bool:
        """Put a thought in its place; whether it is the first of its line."""
        branch = thought.branch_id or MAIN
        key = (self.workspace, thought.session_id)
        last = self.sql.row(f"{_LAST} ORDER BY seq DESC LIMIT 1", key)
        last_there = last
        if last is not None and last[0] != branch:
            last_there = self.sql.row(f"{_LAST} AND branch = ? ORDER BY seq DESC LIMIT 1", (*key, branch))
        _, thoughts, branches, _, _ = last or _NOTHING
        _, _, _, length, highest = last_there or _NOTHING
        is_first = last_there is None
        if is_first:
            self._take_line(thought, branch)
        self.sql.run(
            "INSERT INTO thought_nodes (workspace, session_id, seq, branch, number, kind, at, total,"
            " thoughts, branches, length, highest_number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *key,
                thought.seq,
                branch,
                thought.number,
                thought.kind,
                thought.timestamp,
                thought.total,
                thoughts + 1,
                branches + (is_first and branch != MAIN),
                length + 1,
                max(highest, thought.number),
            ),
        )
        return is_first

    def _take_line(self, thought: Thought, branch: str) -> None:
        """A line begins; a branch does so at the thought that it forks from."""
        fork = None
        if branch != MAIN and thought.origin is not None:
            fork = self.sql.row(
                "SELECT branch, number FROM thought_nodes WHERE workspace = ? AND session_id = ? AND seq = ?",
                (self.workspace, thought.session_id, thought.origin),
            )
            assert fork is not None
        parent, number = fork or (None, None)
        self.sql.run(
            "INSERT INTO thought_lines (workspace, session_id, branch, parent, origin, origin_number, first_seq)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (self.workspace, thought.session_id, branch, parent, thought.origin, number, thought.seq),
        )

    def line(self, session_id: str, branch: str) -> Line | None:
        """The main line or a branch; None when it has no thought yet."""
        row = self.sql.row(f"{_LINE} AND l.branch = ?", (self.as_of, self.workspace, session_id, self.as_of, branch))
        return Line(*row) if row else None

    def lines(self, session_id: str) -> list[Line]:
        """All lines of a session, in the order in which they began."""
        rows = self.sql.rows(f"{_LINE} ORDER BY l.first_seq", (self.as_of, self.workspace, session_id, self.as_of))
        return [Line(*row) for row in rows]

    def newest_branches(self, session_id: str, limit: int) -> list[str]:
        """The branches that began last."""
        rows = self.sql.rows(
            "SELECT branch FROM thought_lines WHERE workspace = ? AND session_id = ? AND first_seq <= ? AND branch <> ?"
            " ORDER BY first_seq DESC LIMIT ?",
            (self.workspace, session_id, self.as_of, MAIN, limit),
        )
        return [row[0] for row in rows]

    def node(self, session_id: str, branch: str, number: int) -> Node | None:
        """The thought of that number on that line."""
        row = self.sql.row(
            f"SELECT {_NODE} FROM thought_nodes"
            " WHERE workspace = ? AND session_id = ? AND branch = ? AND number = ? AND seq <= ?",
            (self.workspace, session_id, branch, number, self.as_of),
        )
        return Node(*row) if row else None

    def nodes(
        self,
        session_id: str,
        *,
        branch: str | None = None,
        numbers: tuple[int, int] | None = None,
        kind: str | None = None,
    ) -> list[Node]:
        """The session's thoughts, or those of one line, of a range of numbers, of a kind; in order of recording."""
        conditions, parameters = (
            ["workspace = ?", "session_id = ?", "seq <= ?"],
            [self.workspace, session_id, self.as_of],
        )
        if branch is not None:
            conditions.append("branch = ?")
            parameters.append(branch)
        if numbers is not None:
            conditions.append("number BETWEEN ? AND ?")
            parameters += numbers
        if kind is not None:
            conditions.append("kind = ?")
            parameters.append(kind)
        rows = self.sql.rows(
            f"SELECT {_NODE} FROM thought_nodes WHERE {' AND '.join(conditions)} ORDER BY seq", parameters
        )
        return [Node(*row) for row in rows]

    def nodes_after(self, session_id: str, seq: int, limit: int) -> list[Node]:
        """The session's next thoughts behind a record, in order of recording."""
        rows = self.sql.rows(
            f"SELECT {_NODE} FROM thought_nodes"
            " WHERE workspace = ? AND session_id = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
            (self.workspace, session_id, seq, self.as_of, limit),
        )
        return [Node(*row) for row in rows]

    def node_before(self, session_id: str, seq: int) -> Node | None:
        """The session's last thought before a record."""
        row = self.sql.row(
            f"SELECT {_NODE} FROM thought_nodes WHERE workspace = ? AND session_id = ? AND seq < ?"
            " ORDER BY seq DESC LIMIT 1",
            (self.workspace, session_id, seq),
        )
        return Node(*row) if row else None

    def nodes_at(self, session_id: str, seqs: Iterable[int]) -> dict[int, Node]:
        """These thoughts of the session, by record."""
        rows = rows_among(
            self.sql,
            f"SELECT {_NODE} FROM thought_nodes WHERE workspace = ? AND session_id = ? AND seq IN (?*) AND seq <= ?",
            seqs,
            before=(self.workspace, session_id),
            after=(self.as_of,),
        )
        return {row[2]: Node(*row) for row in rows}

    def nodes_numbered(self, session_id: str, number: int) -> list[Node]:
        """The thoughts of that number, on whichever line, in order of recording."""
        rows = self.sql.rows(
            "SELECT n.branch, n.number, n.seq, n.kind FROM thought_lines l JOIN thought_nodes n"
            " ON n.workspace = l.workspace AND n.session_id = l.session_id AND n.branch = l.branch AND n.number = ?"
            " WHERE l.workspace = ? AND l.session_id = ? AND n.seq <= ? ORDER BY n.seq",
            (number, self.workspace, session_id, self.as_of),
        )
        return [Node(*row) for row in rows]

    def newest_settling(self, limit: int) -> list[int]:
        """The newest decisions and revisions of all sessions that were not deleted."""
        rows = self.sql.rows(
            f"SELECT n.seq FROM thought_nodes n JOIN {SESSIONS.standing} AS s"
            " ON s.session_id = n.session_id AND s.deleted = 0"
            " WHERE n.workspace = ? AND n.kind IN ('decision', 'revision') AND n.seq <= ? ORDER BY n.seq DESC LIMIT ?",
            (*standing_at(self), self.workspace, self.as_of, limit),
        )
        return [row[0] for row in rows]
