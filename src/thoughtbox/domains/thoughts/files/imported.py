"""A session and its thoughts as read from files, with what had to be changed on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from thoughtbox.domains.thoughts.files.folder import shown
from thoughtbox.domains.thoughts.files.locations import SessionFiles
from thoughtbox.domains.thoughts.files.manifest import DEFAULT_PROJECT, Manifest
from thoughtbox.domains.thoughts.files.nodes import NodeCritique, NodeData, NodeLines
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE, Session
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID

_NOT_IN_A_BRANCH_ID = re.compile(r"[^a-z0-9]+")

_LONGEST_STEM = 56
"""Of a branch id that has to be made up; room for a number behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedThought:
    """A thought as its file has it. Links are places in the list of thoughts, and lead backward only."""

    text: str
    number: int
    total: int
    next_needed: bool
    timestamp: str
    branch_id: str | None
    needs_more: bool
    is_revision: bool
    revises_number: int | None
    branch_from: int | None
    """The number it forks from, on the first thought of a branch."""
    action_id: str | None
    critique: Critique | None
    prev: int | None
    """The thought before it on its line; the fork point, for the first of a branch."""
    revises: int | None
    origin: int | None
    """The fork point of its branch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """A session read from files."""

    session: Session
    thoughts: list[ImportedThought]
    """Each behind the one before it on its line and, where that can be, behind its fork point and what it revises."""
    notices: tuple[str, ...]
    """What is not as it stands in the files, for the user to know."""


def imported(lines: NodeLines, branch_ids: Mapping[str | None, str]) -> list[ImportedThought]:
    thoughts: list[ImportedThought] = []
    # Grows along with the thoughts, so that no link leads forward.
    places: dict[str | None, int] = {}
    for name in lines.order():
        data = lines.nodes[name].data
        is_first_of_branch = name in lines.heads and lines.branch_of[name] is not None
        origin = places.get(lines.origin.get(name))
        places[name] = len(thoughts)
        thoughts.append(
            ImportedThought(
                text=data.thought,
                number=data.thought_number,
                total=data.total_thoughts,
                next_needed=data.next_thought_needed,
                timestamp=data.timestamp,
                branch_id=branch_ids.get(lines.branch_of[name]),
                needs_more=bool(data.needs_more_thoughts),
                is_revision=bool(data.is_revision),
                revises_number=data.revises_thought,
                branch_from=data.branch_from_thought if is_first_of_branch else None,
                action_id=data.action_id,
                critique=_critique(data),
                prev=origin if is_first_of_branch else places.get(lines.before.get(name)),
                revises=places.get(lines.revised.get(name)),
                origin=origin,
            )
        )
    return thoughts


def _critique(data: NodeData) -> Critique | None:
    found = data.critique
    if not isinstance(found, NodeCritique):
        return None
    return Critique(text=found.text, model=found.model, timestamp=found.timestamp)


def session_of(files: SessionFiles, manifest: Manifest, thoughts: list[ImportedThought]) -> Session:
    metadata, ours = manifest.metadata, manifest.thoughtbox
    session = Session(
        id=manifest.id,
        title=metadata.title[:LONGEST_TITLE],
        description=metadata.description,
        tags=tuple(metadata.tags),
        created_at=metadata.created_at,
        updated_at=metadata.updated_at,
        last_accessed_at=metadata.updated_at,
        thought_count=len(thoughts),
        branch_count=len({thought.branch_id for thought in thoughts} - {None}),
    )
    if ours is None:
        main = [thought for thought in thoughts if thought.branch_id is None]
        is_completed = bool(main) and not main[-1].next_needed
        project = None if files.project == DEFAULT_PROJECT else files.project
        return replace(session, project=project, status="completed" if is_completed else "active")
    return replace(
        session,
        last_accessed_at=ours.last_accessed_at,
        project=ours.project,
        task=ours.task,
        aspect=ours.aspect,
        domain=ours.domain,
        stage=ours.stage,
        status=ours.status,
    )


def branch_ids_for(branches: Iterable[str]) -> dict[str | None, str]:
    """An id for each branch: its own, or one made of it that no other branch has."""
    ids: dict[str | None, str] = {branch: branch for branch in branches if BRANCH_ID.fullmatch(branch)}
    taken, uses = set(ids.values()), Counter[str]()
    for branch in sorted(set(branches) - taken):
        stem = _NOT_IN_A_BRANCH_ID.sub("-", branch.lower()).strip("-")[:_LONGEST_STEM] or "branch"
        name = stem
        while name in taken:
            uses[stem] += 1
            name = f"{stem}-{uses[stem] + 1}"
        taken.add(name)
        ids[branch] = name
    return ids


def changes(manifest: Manifest, branch_ids: Mapping[str | None, str]) -> Iterator[str]:
    if len(manifest.metadata.title) > LONGEST_TITLE:
        yield f"The title was cut to {LONGEST_TITLE} characters."
    for branch, name in branch_ids.items():
        if branch is not None and name != branch:
            yield f"Branch {shown(branch)} became `{name}`."
