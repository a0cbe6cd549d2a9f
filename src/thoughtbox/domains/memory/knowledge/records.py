"""What this sub-room writes: an experience, its tags, and how often experiences were looked at.

A record of an experience, or of its tags, says all there is to it then: so it is found by what its newest one says.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.memory.knowledge.experience import Domain, Entry, Experience, Scope, Source, Type, marks
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present, record_id
from thoughtbox.operations import Confidence, RecordData, Room, must_stand_in
from thoughtbox.search.registry import Part, searchable

EXPERIENCE = "memory.experience"
TAGGED = "memory.experience_tagged"
ACCESSED = "memory.experience_accessed"

STREAM = "memory/knowledge"
SESSION = "memory-knowledge"

_Number = Annotated[int, Field(ge=1)]
_Moment = Annotated[int, Field(ge=0, le=2**53)]


class ExperienceData(RecordData):
    """What a record of an experience says beside its situation, which is its text."""

    type: Type
    domain: Domain
    approach: str
    outcome: str
    reasoning: str
    tags: list[str]
    scope: Scope
    source: Source
    trust: Annotated[int, Field(ge=0, le=3)]
    confidence: Confidence | None = None
    created_at: _Moment | None = None
    revision_of: _Number | None = None
    original_id: _Number | None = None
    reason: str | None = None
    archived_at: _Moment | None = None
    archive_reason: str | None = None
    context: dict[str, Any] | None = None


class TaggedData(ExperienceData):
    """The same, of an experience whose tags have changed."""

    id: _Number


class Access(RecordData):
    id: _Number
    count: _Number


class AccessedData(RecordData):
    """Which experiences were looked at, and how often, since this was last written down."""

    experiences: Annotated[list[Access], Field(min_length=1)]


def written(entry: Entry) -> Draft:
    """An experience that is new, or takes the place of another one."""
    attrs = {} if entry.revision_of is None else {"replacesId": record_id(entry.revision_of)}
    return Draft(
        kind="observation" if entry.revision_of is None else "revision",
        topic=EXPERIENCE,
        text=entry.situation,
        session=SESSION,
        attrs=attrs,
        data=_data(entry),
        confidence=entry.confidence,
    )


def tagged(experience: Experience, entry: Entry) -> Draft:
    """An experience with other tags: what it says is said again, so that it is found by both."""
    return Draft(
        kind="revision",
        topic=TAGGED,
        text=entry.situation,
        session=SESSION,
        attrs={"replacesId": record_id(experience.id)},
        data={**_data(entry), "id": experience.id},
        confidence=entry.confidence,
    )


def accessed(counts: Mapping[int, int]) -> Draft:
    looks = sum(counts.values())
    return Draft(
        kind="observation",
        topic=ACCESSED,
        text=f"{len(counts)} experiences were looked at, {looks} times in all",
        session=SESSION,
        data={"experiences": [{"id": id, "count": counts[id]} for id in sorted(counts)]},
    )


def _data(entry: Entry) -> dict[str, Any]:
    return {
        "type": entry.type,
        "domain": entry.domain,
        "approach": entry.approach,
        "outcome": entry.outcome,
        "reasoning": entry.reasoning,
        "tags": list(entry.tags),
        "scope": entry.scope,
        "source": entry.source,
        "trust": entry.trust,
        **present(
            {
                "confidence": entry.confidence,
                "createdAt": entry.created_at,
                "revisionOf": entry.revision_of,
                "originalId": entry.original_id,
                "reason": entry.reason,
                "archivedAt": entry.archived_at,
                "archiveReason": entry.archive_reason,
                "context": entry.context,
            }
        ),
    }


def declare(room: Room) -> None:
    room.topic(EXPERIENCE, _opened_experience, streams="memory")
    room.topic(TAGGED, _opened_tags, streams="memory")
    room.topic(ACCESSED, _opened_access, streams="memory")


def _opened_experience(record: Record, before: Ledger) -> None:
    must_stand_in(record, STREAM)
    found = ExperienceData.read(record.data)
    if (found.revision_of is None) != (found.original_id is None):
        raise InvalidRecord("`data.revisionOf` and `data.originalId` come together, or not at all")
    for named in filter(None, (found.revision_of, found.original_id)):
        _must_be_experience(named, record, before)


def _opened_tags(record: Record, before: Ledger) -> None:
    must_stand_in(record, STREAM)
    _must_be_experience(TaggedData.read(record.data).id, record, before)


def _opened_access(record: Record, before: Ledger) -> None:
    must_stand_in(record, STREAM)
    AccessedData.read(record.data)


def _must_be_experience(named: int, record: Record, before: Ledger) -> None:
    found = before.record(named) if named < record.seq else None
    if found is None or found.topic != EXPERIENCE:
        raise InvalidRecord(f"it is about {record_id(named)}, which is no experience before it")


def _texts(record: Record) -> list[Part]:
    """All that an experience says and its tags, until its line says something else."""
    data = record.data
    said = [record.text, data["approach"], data["outcome"], data["reasoning"], *data["tags"]]
    line = data.get("originalId") or data.get("id") or record.seq
    own = marks(data["type"], data["domain"], data["scope"], data.get("confidence"))
    return [Part("\n".join(said), f"experience {line}", own)]


searchable(EXPERIENCE, _texts)
searchable(TAGGED, _texts)
