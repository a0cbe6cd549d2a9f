"""Tokens as the ledger knows them: whether each is live, spent or revoked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.memory.hashing import canonical, digest
from thoughtbox.domains.memory.tokens.records import TOKEN
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View

Status = Literal["live", "spent", "revoked"]

TOKENS = Versions(
    "memory_tokens",
    key=["token_id"],
    values=[
        *("id", "session_id", "ts", "token_type", "payload_json", "payload_hash", "signature"),
        *("workflow_session", "expires_at", "status"),
    ],
)
_TOKEN = (
    "SELECT id, session_id, ts, token_type, payload_json, payload_hash, signature, token_id, workflow_session,"
    f" expires_at, status FROM {TOKENS.standing} AS t"
)


class TokenRow(NamedTuple):
    """A token, and what became of it."""

    id: int
    session_id: int | None
    ts: str
    token_type: Literal["operation", "session"]
    payload_json: str
    """Empty where the token is of the first version, which the ledger has not minted."""
    payload_hash: str
    signature: str
    token_id: str
    workflow_session: str | None
    expires_at: int
    status: Status


class Tokens(View):
    """One row per token and state of it."""

    name = "memory_tokens"
    follows = frozenset({TOKEN})
    schema = "tokens.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        found = self.token(data["tokenId"])
        if data["change"] == "minted":
            payload = {name: value for name, value in data["token"].items() if name != "signature"}
            signature = data["token"]["signature"]
            row = self._row(record, canonical(payload), digest(payload), signature, "live")
        elif found is not None:
            row = found._replace(status=data["change"])
        else:
            row = self._row(record, "", "", "", data["change"])
        TOKENS.put(self, record.seq, **row._asdict())

    def _row(self, record: Record, payload: str, hashed: str, signature: str, status: Status) -> TokenRow:
        data = record.data
        return TokenRow(
            *(record.seq, data.get("memorySession"), record.ts, data["tokenType"], payload, hashed, signature),
            *(data["tokenId"], data.get("session"), data["expiresAt"], status),
        )

    def token(self, token_id: str) -> TokenRow | None:
        row = self.sql.row(f"{_TOKEN} WHERE token_id = ?", (*standing_at(self), token_id))
        return TokenRow(*row) if row else None

    def live(self, now_ms: int, *, session: str | None = None, limit: int = 1000) -> list[TokenRow]:
        """Tokens that are neither spent nor revoked nor expired, of a workflow session or of all, the first to expire
        first."""
        where, values = "status = 'live' AND expires_at > ?", list[Any]([now_ms])
        if self.as_of >= NOW:  # in order in an index
            where += " AND until_seq = ?"
            values.append(FOREVER)
        if session is not None:
            where += " AND workflow_session = ?"
            values.append(session)
        rows = self.sql.rows(
            f"{_TOKEN} WHERE {where} ORDER BY expires_at, token_id LIMIT ?", (*standing_at(self), *values, limit)
        )
        return _rows(rows)


def _rows(rows: Sequence[Sequence[Any]]) -> list[TokenRow]:
    return [TokenRow(*row) for row in rows]
