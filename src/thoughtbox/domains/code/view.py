"""The tables that answer questions about what snippets have written."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.code.records import AUTHORED_TOPIC, VARIABLE
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View

VARIABLES = Versions("code_variables", key=("session", "name"), values=("value",))


class Variable(NamedTuple):
    """A variable as it stood then."""

    name: str
    json: str

    @property
    def value(self) -> Any:
        return orjson.loads(self.json)


class Written(View):
    """One row per record of a builder and one per relation of it; variables as version rows."""

    name = "code_records"
    follows = frozenset({AUTHORED_TOPIC, VARIABLE})
    schema = "code.sql"

    def apply(self, record: Record) -> None:
        if record.topic == VARIABLE:
            self._take_variable(record)
            return
        self.sql.put(
            "INSERT INTO code_records (workspace, session, seq, kind, branch) VALUES (?, ?, ?, ?, ?)",
            (self.workspace, record.session, record.seq, record.kind, record.envelope["branch"]),
        )
        if record.envelope["refs"]:
            self.sql.many(
                "INSERT INTO code_relations (workspace, to_id, seq, type) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(self.workspace, to, record.seq, how) for how, to in _links(record)],
            )

    def _take_variable(self, record: Record) -> None:
        key = {"session": record.session, "name": record.data["name"]}
        if record.data["change"] == "set":
            VARIABLES.put(self, record.seq, value=orjson.dumps(record.data["value"]).decode(), **key)
        else:
            VARIABLES.end(self, record.seq, **key)

    def page(self, session: str, kind: str | None, branch: str | None, after: int, limit: int) -> list[int]:
        """Numbers of a session's records behind one, in order."""
        rows = self.sql.rows(
            "SELECT seq FROM code_records WHERE workspace = ? AND session = ? AND seq > ? AND seq <= ?"
            " AND (? = '' OR kind = ?) AND (? = '' OR branch = ?) ORDER BY seq LIMIT ?",
            (
                *(self.workspace, session, after, self.as_of),
                *(kind or "", kind or "", branch or "", branch or ""),
                limit,
            ),
        )
        return [row[0] for row in rows]

    def about(self, to_id: str, how: str | None, after: int, limit: int) -> list[int]:
        """Numbers of the records that refer to one, in order."""
        rows = self.sql.rows(
            "SELECT DISTINCT seq FROM code_relations WHERE workspace = ? AND to_id = ? AND seq > ? AND seq <= ?"
            " AND (? = '' OR type = ?) ORDER BY seq LIMIT ?",
            (self.workspace, to_id, after, self.as_of, how or "", how or "", limit),
        )
        return [row[0] for row in rows]

    def has(self, session: str) -> bool:
        """Whether a builder has written anything to a session."""
        return bool(self.page(session, None, None, 0, 1))

    def variable(self, session: str, name: str) -> Variable | None:
        row = self.sql.row(
            f"SELECT name, value FROM {VARIABLES.standing} AS v WHERE session = ? AND name = ?",
            (*standing_at(self), session, name),
        )
        return Variable(*row) if row else None

    def variables(self, session: str) -> list[Variable]:
        """All variables of a session, by name."""
        rows = self.sql.rows(
            f"SELECT name, value FROM {VARIABLES.standing} AS v WHERE session = ? ORDER BY name",
            (*standing_at(self), session),
        )
        return [Variable(*row) for row in rows]


def _links(record: Record) -> list[tuple[str, str]]:
    """What a record refers to, and how: its relations, and what its kind links to."""
    attrs = record.attrs
    links = [(relation["type"], relation["to"]) for relation in attrs.get("relations", ())]
    links += [("answered_by", to) for to in attrs.get("answeredBy", ())]
    if "replacesId" in attrs:
        links.append(("revises", attrs["replacesId"]))
    return links
