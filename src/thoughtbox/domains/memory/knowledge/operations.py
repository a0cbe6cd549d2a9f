"""The seven knowledge tools: what was tried, what came of it, and how to find it again."""

from __future__ import annotations

import json

from thoughtbox.domains.memory.knowledge.experience import Entry, Experience, kind_mark
from thoughtbox.domains.memory.knowledge.models import (
    AlikeFound,
    ExperienceFound,
    ExperienceGot,
    ExperienceRecorded,
    ExperiencesExported,
    ExperiencesFound,
    ExperiencesImported,
    ExperienceTagged,
    ExperienceUpdated,
    ExportExperiences,
    FindAlike,
    GetExperience,
    ImportExperiences,
    ImportStore,
    RecordExperience,
    SearchExperiences,
    SearchFilters,
    StoreImported,
    TagExperience,
    UpdateExperience,
)
from thoughtbox.domains.memory.knowledge.recording import (
    entry_of,
    existing,
    write_accesses,
    write_experience,
    write_tags,
)
from thoughtbox.domains.memory.knowledge.shown import columns, with_versions
from thoughtbox.domains.memory.room import BESIDE, TOOLS, room
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.errors import (
    ConfigInvalid,
    ExperienceNotFound,
    FileMissing,
    ImportRefused,
    PathRefused,
    ProjectUnavailable,
    ValidationFailed,
)
from thoughtbox.operations import HARD_CEILING, Example, Slices, Steps, Tx, fitting, size
from thoughtbox.search.texts import Texts

ACCESSES = "experience_accesses"
"""The tally of what was looked at."""

AROUND = 250
"""Characters of an answer around what was found and what was asked."""

room.tally(ACCESSES, write_accesses)

_FLAKY = {
    "type": "effective",
    "domain": "Debugging",
    "situation": "A test failed on every tenth run and passed when it ran alone.",
    "approach": "Ran the suite in random order with a printed seed until it failed, then halved the list.",
    "outcome": "Another test had left a setting changed.",
    "reasoning": "A failure that needs company comes from shared state: find the other test first.",
    "confidence": 0.8,
    "tags": ["tests", "flaky"],
}
_RECORDED = ("record_experience", _FLAKY)
_FILE = "experiences.json"
_EXPORTED = ("export_experiences", {"format": "json", "output_path": _FILE, "overwrite": True})


@room.operation(
    "record_experience",
    writes=True,
    title="Record an experience",
    toolsets=TOOLS,
    errors=[ExperienceNotFound, ConfigInvalid],
    example=Example(_FLAKY),
)
def record_experience(tx: Tx, call: RecordExperience) -> ExperienceRecorded:
    """Remember what worked or did not: what was tried, what came of it, the lesson learnt; nothing is kept twice."""
    from thoughtbox.domains.memory.knowledge.duplicates import duplicate_of

    revised = existing(tx, call.revision_of) if call.revision_of is not None else None
    entry = Entry(
        type=call.type,
        domain=call.domain,
        situation=call.situation,
        approach=call.approach,
        outcome=call.outcome,
        reasoning=call.reasoning,
        confidence=call.confidence,
        tags=tuple(dict.fromkeys(call.tags)),
        scope=call.scope,
        source=call.source,
        revision_of=call.revision_of,
        original_id=revised.line if revised is not None else None,
    )
    duplicate = duplicate_of(tx, entry)
    if duplicate is not None:
        return ExperienceRecorded(
            recorded=False,
            duplicate_id=duplicate.id,
            similarity=round(duplicate.similarity, 4),
            message=_said_of_duplicate(tx, duplicate.id, duplicate.similarity),
        )
    id, trust = write_experience(tx, entry)
    return ExperienceRecorded(
        recorded=True, experience_id=id, trust=trust, message=f"Experience {id} is recorded, with trust {trust}."
    )


def _said_of_duplicate(tx: Tx, id: int, similarity: float) -> str:
    newest = tx.ask(Experiences).newest_of(existing(tx, id).line)
    revised = f", whose newest version is {newest}" if newest != id else ""
    return (
        f"Not recorded: experience {id}{revised} says the same to {similarity * 100:.1f}%."
        " What has changed since goes into update_experience."
    )


@room.operation(
    "experiences_alike",
    hidden=True,
    title="Find what is alike",
    toolsets=BESIDE,
    fresh=(Texts,),
    example=Example({"text": "a test failed", "type": "effective", "domain": "Debugging"}, given=[_RECORDED]),
)
def experiences_alike(tx: Tx, call: FindAlike) -> AlikeFound:
    """Records of experiences of a type and domain that share rare words with a text."""
    return AlikeFound(records=tx.ask(Texts).alike(call.text, marks=[kind_mark(type=call.type, domain=call.domain)]))


@room.operation(
    "search_experiences",
    title="Find experiences",
    toolsets=TOOLS,
    fresh=(Texts,),
    newest_first=frozenset({"results"}),
    example=Example({"query": "flaky test", "domain": "Debugging"}, given=[_RECORDED]),
)
def search_experiences(tx: Tx, call: SearchExperiences) -> ExperiencesFound:
    """What was learnt before: experiences with any of the words, the best first; look before you try something."""
    from thoughtbox.domains.memory.knowledge.searching import found

    hits = found(tx, call)
    experiences = tx.ask(Experiences).experiences([outline.id for outline, _ in hits.page])
    results = [
        ExperienceFound(
            **columns(experiences[outline.id]),
            rank=-round(rank, 6),
            superseded_by=_newer(tx, experiences[outline.id]) if call.include_superseded else None,
        )
        for outline, rank in hits.page
    ]
    room = (call.max_chars or HARD_CEILING) - AROUND - size([call.query, hits.note])
    shown = results[: fitting((result.answer() for result in results), room)]
    for result in shown:
        tx.tally(ACCESSES, result.id)
    has_more = hits.has_more or len(shown) < len(results)
    return ExperiencesFound(
        results=shown,
        count=len(shown),
        query=call.query,
        filters=SearchFilters(domain=call.domain, type=call.type, min_confidence=call.min_confidence, scope=call.scope),
        has_more=has_more,
        next_offset=call.offset + len(shown) if has_more else None,
        message=hits.note,
    )


def _newer(tx: Tx, experience: Experience) -> int | None:
    newest = tx.ask(Experiences).newest_of(experience.line)
    return newest if newest != experience.id else None


@room.operation(
    "get_experience",
    title="Read an experience",
    toolsets=TOOLS,
    errors=[ExperienceNotFound],
    example=Example({"id": 1}, given=[_RECORDED]),
)
def get_experience(tx: Tx, call: GetExperience) -> ExperienceGot:
    """One experience in full, what it took the place of, and what has taken its place since."""
    experience = existing(tx, call.id)
    tx.tally(ACCESSES, experience.id)
    return with_versions(tx, experience)


@room.operation(
    "update_experience",
    writes=True,
    title="Revise an experience",
    toolsets=TOOLS,
    errors=[ExperienceNotFound, ConfigInvalid],
    example=Example(
        {"id": 1, "changes": {"confidence": 0.95}, "reason": "It has held three times since."}, given=[_RECORDED]
    ),
)
def update_experience(tx: Tx, call: UpdateExperience) -> ExperienceUpdated:
    """Say something otherwise in a new version, with the reason; what was said before stays as it was."""
    before = existing(tx, call.id)
    changes = {name: getattr(call.changes, name) for name in call.changes.model_fields_set}
    emptied = sorted(name for name, value in changes.items() if value is None and name != "confidence")
    if emptied or not changes:
        raise ValidationFailed(
            f"`changes.{emptied[0]}` is null; only confidence can be" if emptied else "`changes` says nothing",
            recovery="Leave out what stays as it is, and send what changes.",
            details={"fields": [f"changes.{name}" for name in emptied] or ["changes"]},
        )
    if "tags" in changes:
        changes["tags"] = tuple(dict.fromkeys(changes["tags"]))
    entry = entry_of(before)._replace(
        **changes, source=call.source, revision_of=before.id, original_id=before.line, reason=call.reason
    )
    new, _ = write_experience(tx, entry._replace(archived_at=None, archive_reason=None))
    return ExperienceUpdated(
        updated=True,
        original_id=before.id,
        new_id=new,
        message=f"Experience {new} takes the place of {before.id}, which can still be read.",
    )


@room.operation(
    "tag_experience",
    writes=True,
    title="Tag an experience",
    toolsets=TOOLS,
    errors=[ExperienceNotFound],
    example=Example({"id": 1, "tags": ["order-dependent"]}, given=[_RECORDED]),
)
def tag_experience(tx: Tx, call: TagExperience) -> ExperienceTagged:
    """Add tags to an experience; those it has stay."""
    experience = existing(tx, call.id)
    newest = _newer(tx, experience)
    if newest is not None:
        raise ValidationFailed(
            f"experience {call.id} was revised: {newest} is its newest version",
            recovery=json.dumps({"operation": "tag_experience", "id": newest, "tags": call.tags}, ensure_ascii=False)
            + " tags that one.",
            details={"fields": ["id"], "newest": newest},
        )
    tags = tuple(dict.fromkeys((*experience.tags, *call.tags)))
    is_new = tags != experience.tags
    if is_new:
        write_tags(tx, experience, tags)
    return ExperienceTagged(
        updated=is_new,
        experience_id=experience.id,
        tags=list(tags),
        message=f"Experience {experience.id} {'now has' if is_new else 'had already'} these tags.",
    )


@room.operation(
    "export_experiences",
    writes=True,
    effect="overwrites",
    title="Export experiences",
    toolsets=TOOLS,
    errors=[PathRefused, ProjectUnavailable],
    newest_first=frozenset({"output"}),
    example=Example(_EXPORTED[1], given=[_RECORDED]),
)
def export_experiences(slices: Slices, call: ExportExperiences) -> Steps[ExperiencesExported]:
    """Experiences with all their versions, the newest first, as JSON or Markdown: here, or in a file of the project."""
    from thoughtbox.domains.memory.knowledge.exporting import exported

    return (yield slices.read(lambda tx: exported(tx, call), long=True))


@room.operation(
    "import_experiences",
    writes=True,
    title="Import experiences",
    toolsets=TOOLS,
    errors=[FileMissing, PathRefused, ProjectUnavailable, ImportRefused, ConfigInvalid],
    example=Example({"filename": _FILE}, given=[_RECORDED, _EXPORTED]),
)
def import_experiences(slices: Slices, call: ImportExperiences) -> Steps[ExperiencesImported]:
    """Take in experiences from a JSON file: what is here already is not added again, and what is odd is said."""
    from thoughtbox.domains.memory.knowledge.importing import imported

    return (yield from imported(slices, call))


@room.operation(
    "import_experience_store",
    writes=True,
    title="Import an experiences.db",
    toolsets=BESIDE,
    errors=[FileMissing, PathRefused, ProjectUnavailable, ImportRefused, ConfigInvalid],
    example=Example({"path": ".claude/no-experiences.db"}, fails_with=FileMissing),
)
def import_experience_store(slices: Slices, call: ImportStore) -> Steps[StoreImported]:
    """Take in the experiences and episodes of an older server's experiences.db, which is only read; once is enough."""
    from thoughtbox.domains.memory.folder import confined
    from thoughtbox.domains.memory.knowledge.old_store import store_imported

    path = yield slices.read(lambda tx: confined(tx, call.path))
    return (yield from store_imported(slices, path))
