"""What tokens leave in the ledger: that one was minted, that it was spent, that it was revoked."""

from collections.abc import Mapping
from typing import Any, Literal

from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Tx

TOKEN = "memory.token"
STREAM = "memory/tokens"

Change = Literal["minted", "spent", "revoked"]


class TokenData(RecordData):
    """What a record of a token says. Only the one that mints it holds the token itself."""

    change: Change
    token_id: str
    token_type: Literal["operation", "session"]
    expires_at: int
    session: str | None = None
    memory_session: int | None = None
    token: dict[str, Any] | None = None


def stream_of(memory_session: int | None) -> str:
    """A memory session's tokens stand in its own stream; all others in one."""
    return STREAM if memory_session is None else f"memory/session/{memory_session}"


def write_token(
    tx: Tx,
    change: Change,
    *,
    token_id: str,
    token_type: str,
    expires_at: int,
    session: str | None,
    memory_session: int | None,
    token: Mapping[str, Any] | None = None,
) -> Record:
    """Write down what became of a token."""
    data = {
        "change": change,
        "tokenId": token_id,
        "tokenType": token_type,
        "expiresAt": expires_at,
        **present({"session": session, "memorySession": memory_session, "token": token}),
    }
    said = f"{token_type.capitalize()} token {token_id} is {change}"
    draft = Draft(kind="observation", topic=TOKEN, text=said, session=session or STREAM, data=data)
    return tx.append(draft, stream=stream_of(memory_session))


def opened(record: Record, before: Ledger) -> None:
    """Open a record as this room will; it raises for one that could not be read."""
    from thoughtbox.domains.memory.tokens.files import VERSION, token_of

    data = TokenData.read(record.data)
    if record.stream != stream_of(data.memory_session):
        raise InvalidRecord(f"it stands in stream `{record.stream}`; its place is `{stream_of(data.memory_session)}`")
    token = token_of(data.token)
    if data.change != "minted":
        return
    if token is None or token.token_version != VERSION or token.token_id != data.token_id or token.signature is None:
        raise InvalidRecord("`data.token` is no token of the second version with its signature")


def declare(room: Room) -> None:
    room.topic(TOKEN, opened, streams="memory")
