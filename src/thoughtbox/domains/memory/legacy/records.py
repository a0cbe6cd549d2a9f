"""What the old way to reason writes, and how it is opened when it comes from elsewhere."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.memory.legacy import session as topics
from thoughtbox.domains.memory.legacy.session import stream_of
from thoughtbox.domains.memory.view.reasoning import Reasoning
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in
from thoughtbox.search.registry import searchable


class BegunData(RecordData):
    user_intent: dict[str, str]


class ThoughtData(RecordData):
    thought_number: Annotated[int, Field(ge=1)]
    is_revision: bool = False
    revises_thought: Annotated[int, Field(ge=1)] | None = None


class FinalizedData(RecordData):
    experience_id: int | None = None


def write_begun(tx: Tx, session_id: str, problem: str, user_intent: dict[str, str]) -> None:
    _append(tx, topics.BEGUN, session_id, problem, {"userIntent": user_intent})


def write_gathered(tx: Tx, session_id: str, counts: dict[str, int]) -> None:
    _append(tx, topics.GATHERED, session_id, "Context was gathered", {"sources": counts})


def write_thought(
    tx: Tx,
    session_id: str,
    thought: str,
    *,
    number: int,
    confidence: float | None,
    is_revision: bool,
    revises_thought: int | None,
) -> Record:
    data = {
        "thoughtNumber": number,
        **present({"isRevision": is_revision or None, "revisesThought": revises_thought}),
    }
    return _append(tx, topics.THOUGHT, session_id, thought, data, confidence)


def write_finalized(tx: Tx, session_id: str, conclusion: str, experience_id: int | None) -> None:
    _append(tx, topics.FINALIZED, session_id, conclusion, present({"experienceId": experience_id}))


def _append(
    tx: Tx, topic: str, session_id: str, text: str, data: dict[str, Any], confidence: float | None = None
) -> Record:
    draft = Draft(kind="observation", topic=topic, text=text, session=session_id, data=data, confidence=confidence)
    return tx.append(draft, stream=stream_of(session_id))


def _opened(data: type[RecordData], *, begins: bool) -> Callable[[Record, Ledger], None]:
    def opened(record: Record, before: Ledger) -> None:
        must_stand_in(record, stream_of(record.session))
        data.read(record.data)
        if (before.ask(Reasoning).session(record.session) is None) != begins:
            raise InvalidRecord("the first record of a reasoning session, and no other, says its problem")

    return opened


def declare(room: Room) -> None:
    room.topic(topics.BEGUN, _opened(BegunData, begins=True), streams="memory")
    room.topic(topics.GATHERED, _opened(RecordData, begins=False), streams="memory")
    room.topic(topics.THOUGHT, _opened(ThoughtData, begins=False), streams="memory")
    room.topic(topics.FINALIZED, _opened(FinalizedData, begins=False), streams="memory")
    for topic in (topics.BEGUN, topics.THOUGHT, topics.FINALIZED):
        searchable(topic)
