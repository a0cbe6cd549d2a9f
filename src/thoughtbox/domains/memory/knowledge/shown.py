"""Experiences as they are shown."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.knowledge.experience import Experience
from thoughtbox.domains.memory.knowledge.models import ExperienceGot, ExperienceShown, PreviousVersion, VersionShown
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.operations import Tx

MOST_VERSIONS = 50
"""Versions of a line that are listed: the newest."""


def columns(experience: Experience) -> dict[str, Any]:
    shown = {**experience._asdict(), "tags": list(experience.tags)}
    del shown["context"]
    return shown


def shown(experience: Experience) -> ExperienceShown:
    return ExperienceShown(**columns(experience))


def with_versions(tx: Tx, experience: Experience) -> ExperienceGot:
    """An experience, what it took the place of, and what took its own."""
    experiences = tx.ask(Experiences)
    versions = experiences.versions(experience.line, MOST_VERSIONS)
    newer = [version.id for version in versions if version.id > experience.id]
    before = experience.revision_of
    others = experiences.experiences([*newer, *([] if before is None else [before])])
    return ExperienceGot(
        **columns(experience),
        context=dict(experience.context) if experience.context is not None else None,
        previous_version=_version(others[before]) if before is not None and before in others else None,
        newer_versions=[_version(others[id]) for id in newer],
        revisions=[VersionShown(**version._asdict()) for version in versions],
    )


def _version(experience: Experience) -> PreviousVersion:
    return PreviousVersion(
        id=experience.id,
        situation=experience.situation,
        approach=experience.approach,
        outcome=experience.outcome,
        created_at=experience.created_at,
    )
