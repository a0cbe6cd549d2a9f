"""Idempotency: the same key again returns the first answer.

A call that carries a key leaves a `tool_call` and a `tool_result` around its own
records; the result holds the answer, so that the ledger alone can repeat it.
"""

from __future__ import annotations

from thoughtbox.ledger.record import Record
from thoughtbox.ledger.view import View

ANSWERED = "ledger.answer"
CALLED = "ledger.call"


class Answers(View):
    """One row per caller and idempotency key: a caller is the agent that its records name."""

    name = "answers"
    follows = frozenset({ANSWERED})
    schema = "answers.sql"
    generation = 2

    def apply(self, record: Record) -> None:
        self.sql.run(
            "INSERT INTO answers (workspace, agent, key, seq) VALUES (?, ?, ?, ?)",
            (self.workspace, record.agent, record.data["key"], record.seq),
        )

    def seq_of(self, agent: str, key: str) -> int | None:
        """The number of the record that holds the answer given to this caller's key."""
        row = self.sql.row(
            "SELECT seq FROM answers WHERE workspace = ? AND agent = ? AND key = ?", (self.workspace, agent, key)
        )
        return row[0] if row else None
