"""Sessions of the old way to reason, and their thoughts."""

from __future__ import annotations

import orjson

from thoughtbox.domains.memory.legacy import session as topics
from thoughtbox.domains.memory.legacy.session import ReasoningSession, ReasoningThought
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View
from thoughtbox.world import milliseconds

SESSIONS = Versions("reasoning_sessions", key=["session_id"], values=ReasoningSession._fields[1:])


class Reasoning(View):
    """Sessions by id, thoughts by session."""

    name = "memory_reasoning"
    follows = frozenset({topics.BEGUN, topics.GATHERED, topics.THOUGHT, topics.FINALIZED})
    schema = "reasoning.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data, ms = record.data, milliseconds(record.ts)
        if record.topic == topics.BEGUN:
            begun = ReasoningSession(
                record.session, record.text, data["userIntent"], "analyze", ms, ms, None, None, None
            )
            self._put(record.seq, begun)
            return
        before = self.session(record.session)
        if before is None:
            return
        match record.topic:
            case topics.GATHERED:
                self._put(record.seq, before._replace(phase="gather", updated_at=ms))
            case topics.THOUGHT:
                self._enter_thought(record, ms)
                self._put(record.seq, before._replace(phase="reason", updated_at=ms))
            case _:
                ended = before._replace(
                    phase="finalized",
                    updated_at=ms,
                    finalized_at=ms,
                    conclusion=record.text,
                    experience_id=data.get("experienceId"),
                )
                self._put(record.seq, ended)

    def _put(self, seq: int, session: ReasoningSession) -> None:
        intent = orjson.dumps(session.user_intent, option=orjson.OPT_SORT_KEYS).decode()
        SESSIONS.put(self, seq, **{**session._asdict(), "user_intent": intent})

    def _enter_thought(self, record: Record, ms: int) -> None:
        data = record.data
        self.sql.run(
            "INSERT INTO reasoning_thoughts (workspace, id, session_id, thought_number, thought, confidence,"
            " is_revision, revises_thought, created_at, seq) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self.workspace,
                record.seq,
                record.session,
                data["thoughtNumber"],
                record.text,
                record.envelope.get("confidence"),
                int(data.get("isRevision", False)),
                data.get("revisesThought"),
                ms,
                record.seq,
            ),
        )

    def session(self, session_id: str) -> ReasoningSession | None:
        row = self.sql.row(
            f"SELECT {', '.join(ReasoningSession._fields)} FROM {SESSIONS.standing} AS s WHERE session_id = ?",
            (*standing_at(self), session_id),
        )
        if row is None:
            return None
        found = ReasoningSession(*row)
        return found._replace(user_intent=orjson.loads(row[2]))

    def thoughts(self, session_id: str) -> list[ReasoningThought]:
        """The thoughts of a session, in the order in which they came."""
        rows = self.sql.rows(
            f"SELECT {', '.join(ReasoningThought._fields)} FROM reasoning_thoughts"
            " WHERE workspace = ? AND session_id = ? AND seq <= ? ORDER BY id",
            (self.workspace, session_id, self.as_of),
        )
        found = [ReasoningThought(*row) for row in rows]
        return [thought._replace(is_revision=bool(thought.is_revision)) for thought in found]

    def count(self) -> int:
        """How many sessions there are."""
        row = self.sql.row(f"SELECT COUNT(*) FROM {SESSIONS.standing} AS s", standing_at(self))
        return row[0] if row else 0
