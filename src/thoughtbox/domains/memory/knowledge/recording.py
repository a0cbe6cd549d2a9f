"""Writing experiences down: each leaves an episode, in the same transaction, from which memory learns."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtbox.domains.memory.episodes.episode import LONGEST_SUMMARY
from thoughtbox.domains.memory.episodes.recording import memory_is_on, record_episode
from thoughtbox.domains.memory.episodes.trust import entry_trust
from thoughtbox.domains.memory.knowledge.experience import Entry, Experience
from thoughtbox.domains.memory.knowledge.records import STREAM, accessed, tagged, written
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.errors import ExperienceNotFound, ProjectUnavailable
from thoughtbox.ledger.record import record_id
from thoughtbox.operations import Tx

OUTCOMES = {"effective": "success", "ineffective": "fail"}
"""How an episode went, by the type of its experience."""


def existing(tx: Tx, id: int) -> Experience:
    found = tx.ask(Experiences).experience(id)
    if found is None:
        raise ExperienceNotFound(
            f"there is no experience {id}",
            recovery="search_experiences finds those there are.",
            details={"fields": ["id"], "id": id},
        )
    return found


def write_experience(tx: Tx, entry: Entry) -> tuple[int, int]:
    """Write an experience and its episode; its id, and how far it is trusted, which follows from where it is from."""
    source = "user" if entry.source == "user" else "agent"
    trust = entry_trust(source, entry.confidence)
    id = tx.append(written(entry._replace(trust=trust)), stream=STREAM).seq
    if _learns(tx):
        record_episode(
            tx,
            summary=entry.situation[:LONGEST_SUMMARY],
            outcome=OUTCOMES[entry.type],
            source=source,
            trust=trust,
            scope=entry.scope,
            context_keys=(entry.domain, *entry.tags),
            about=record_id(id),
        )
    return id, trust


def write_tags(tx: Tx, experience: Experience, tags: tuple[str, ...]) -> None:
    entry = entry_of(experience)
    tx.append(tagged(experience, entry._replace(tags=tags, created_at=experience.created_at)), stream=STREAM)


def write_accesses(tx: Tx, counts: Mapping[int, int]) -> None:
    """Write down how often experiences were looked at."""
    tx.append(accessed(counts), stream=STREAM)


def entry_of(experience: Experience) -> Entry:
    """An experience as it was written, to be written again."""
    return Entry(
        type=experience.type,
        domain=experience.domain,
        situation=experience.situation,
        approach=experience.approach,
        outcome=experience.outcome,
        reasoning=experience.reasoning,
        confidence=experience.confidence,
        tags=experience.tags,
        scope=experience.scope,
        source=experience.source,
        trust=experience.trust,
        revision_of=experience.revision_of,
        original_id=experience.original_id,
        reason=experience.revision_reason,
        archived_at=experience.archived_at,
        archive_reason=experience.archive_reason,
    )


def _learns(tx: Tx) -> bool:
    try:
        return memory_is_on(tx)
    except ProjectUnavailable:
        return True  # where there is no project, nobody has turned it off
