"""What this room keeps to answer questions: which thoughts led to which action, and which are out of sight."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.trail.thoughts import REASONED, SESSION_CHANGED, TOPIC
from thoughtbox.ledger.clauses import begins_with
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View

HIDDEN = Versions("trail_hidden", key=["stream"])

_IN_SIGHT = f"NOT EXISTS (SELECT 1 FROM {HIDDEN.standing} AS h WHERE h.stream = a.stream)"


class Action(NamedTuple):
    """Something that was done, how many thoughts name it, and the last of them."""

    action_id: str
    thoughts: int
    seq: int


class Actions(View):
    """One row per thought that names an action, in either room, and one per session of thoughts that is deleted."""

    name = "trail_actions"
    follows = frozenset({TOPIC, REASONED, SESSION_CHANGED})
    schema = "trail.sql"
    generation = 2

    def apply(self, record: Record) -> None:
        if record.topic == SESSION_CHANGED:
            self._take_change(record)
        elif (action_id := record.data.get("actionId")) is not None:
            self.sql.run(
                "INSERT INTO trail_actions (workspace, action_id, seq, stream) VALUES (?, ?, ?, ?)",
                (self.workspace, action_id, record.seq, record.stream),
            )

    def _take_change(self, record: Record) -> None:
        match record.data["change"]:
            case "deleted":
                HIDDEN.put(self, record.seq, stream=record.stream)
            case "undeleted":
                HIDDEN.end(self, record.seq, stream=record.stream)

    def thoughts_of(self, action_id: str) -> list[int]:
        """Record numbers of the thoughts linked to an action, in order of recording."""
        rows = self.sql.rows(
            "SELECT a.seq FROM trail_actions AS a WHERE a.workspace = ? AND a.action_id = ? AND a.seq <= ?"
            f" AND {_IN_SIGHT} ORDER BY a.seq",
            (self.workspace, action_id, self.as_of, *standing_at(self)),
        )
        return [row[0] for row in rows]

    def newest(self, before: int, limit: int) -> list[Action]:
        """Actions whose last thought stands before a record, the one that was named last first."""
        rows = self.sql.rows(
            "SELECT a.action_id, COUNT(*), MAX(a.seq) FROM trail_actions AS a"
            f" WHERE a.workspace = ? AND a.seq <= ? AND {_IN_SIGHT}"
            " GROUP BY a.action_id HAVING MAX(a.seq) < ? ORDER BY 3 DESC LIMIT ?",
            (self.workspace, self.as_of, *standing_at(self), before, limit),
        )
        return [Action(*row) for row in rows]

    def ids(self, prefix: str, limit: int) -> list[str]:
        """Actions whose id begins so, by name."""
        rows = self.sql.rows(
            "SELECT DISTINCT a.action_id FROM trail_actions AS a"
            " WHERE a.workspace = ? AND a.action_id >= ? AND a.action_id < ? AND a.seq <= ?"
            f" AND {_IN_SIGHT} ORDER BY a.action_id LIMIT ?",
            (self.workspace, *begins_with(prefix), self.as_of, *standing_at(self), limit),
        )
        return [row[0] for row in rows]

    def hides(self, stream: str) -> bool:
        """Whether the session that has this stream is out of sight."""
        row = self.sql.row(f"SELECT 1 FROM {HIDDEN.standing} AS h WHERE h.stream = ?", (*standing_at(self), stream))
        return row is not None
