"""What this room keeps to answer questions: which thoughts led to which action."""

from __future__ import annotations

from thoughtbox.domains.trail.thoughts import TOPIC
from thoughtbox.ledger.clauses import begins_with
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View


class Actions(View):
    """One row per thought that names an action."""

    name = "trail_actions"
    follows = frozenset({TOPIC})
    schema = "trail.sql"

    def apply(self, record: Record) -> None:
        if (action_id := record.data.get("actionId")) is not None:
            self.sql.run(
                "INSERT INTO trail_actions (workspace, action_id, seq) VALUES (?, ?, ?)",
                (self.workspace, action_id, record.seq),
            )

    def thoughts_of(self, action_id: str) -> list[int]:
        """Record numbers of the thoughts linked to an action, in order of recording."""
        rows = self.sql.rows(
            "SELECT seq FROM trail_actions WHERE workspace = ? AND action_id = ? AND seq <= ? ORDER BY seq",
            (self.workspace, action_id, self.as_of),
        )
        return [row[0] for row in rows]

    def ids(self, prefix: str, limit: int) -> list[str]:
        """Actions whose id begins so, by name."""
        rows = self.sql.rows(
            "SELECT DISTINCT action_id FROM trail_actions"
            " WHERE workspace = ? AND action_id >= ? AND action_id < ? AND seq <= ? ORDER BY action_id LIMIT ?",
            (self.workspace, *begins_with(prefix), self.as_of, limit),
        )
        return [row[0] for row in rows]
