"""A session and its thoughts as they come from elsewhere, with what had to be changed on the way."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from thoughtbox.domains.thoughts.files.folder import shown
from thoughtbox.domains.thoughts.files.manifest import DEFAULT_PROJECT, Manifest
from thoughtbox.domains.thoughts.files.nodes import Node, NodeCritique, NodeData, NodeFile, NodeLines
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.reasoning import Fate
from thoughtbox.domains.thoughts.model.session import LONGEST_TITLE, Session
from thoughtbox.domains.thoughts.model.thought import BRANCH_ID
from thoughtbox.ledger.record import Kind

_NOT_IN_A_BRANCH_ID = re.compile(r"[^a-z0-9]+")

_LONGEST_STEM = 56
"""Of a branch id that has to be made up; room for a number behind it."""


class Unfit(ValueError):
    """What is said of a session does not fit together; the message says where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedReading:
    """How a thought was read where it comes from. Relations lead to places in the list of thoughts, backward only."""

    kind: Kind
    labels: tuple[str, ...]
    confidence: float | None
    relations: tuple[tuple[str, int], ...]
    label: int | None
    notes: tuple[str, ...]
    adopts: tuple[str, ...]
    rejects: tuple[str, ...]
    critique_requested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedThought:
    """A thought as it comes from elsewhere. Links are places in the list of thoughts, and lead backward only."""

    text: str
    number: int
    total: int
    next_needed: bool = True
    timestamp: str | None = None
    """None where nobody knows: then it is now."""
    branch_id: str | None
    needs_more: bool = False
    is_revision: bool = False
    revises_number: int | None = None
    branch_from: int | None = None
    """The number it forks from, on the first thought of a branch."""
    action_id: str | None = None
    critique: Critique | None = None
    prev: int | None
    """The thought before it on its line; the fork point, for the first of a branch."""
    revises: int | None = None
    origin: int | None
    """The fork point of its branch."""
    reading: ImportedReading | None = None
    """None where it is read anew, from its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSettling:
    """That a branch was adopted or rejected, said outside of thoughts."""

    branch_id: str
    fate: Fate
    why: str | None
    timestamp: str | None
    after: int
    """How many of the thoughts were recorded before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSession:
    """A session read from elsewhere."""

    session: Session
    thoughts: list[ImportedThought]
    """Each behind the one before it on its line and, where that can be, behind its fork point and what it revises."""
    settlings: tuple[ImportedSettling, ...] = ()
    notices: tuple[str, ...]
    """What is not as it stands there, for the user to know."""


def session_from(
    manifest: Manifest, found: Iterable[NodeFile], branches: Iterable[str], *, project: str | None
) -> ImportedSession:
    """The session that a manifest and its nodes come to; raises `Unfit`. `project` is where it was found."""
    branch_ids = branch_ids_for(branches)
    places: dict[str, int] = {}
    thoughts = list(_imported(NodeLines(found, manifest), branch_ids, places))
    return ImportedSession(
        session=_session_of(manifest, thoughts, project),
        thoughts=thoughts,
        settlings=tuple(_settlings(manifest, thoughts, branch_ids, places)),
        notices=tuple(_changes(manifest, branch_ids)),
    )


def _imported(
    lines: NodeLines, branch_ids: Mapping[str | None, str], places: dict[str, int]
) -> Iterator[ImportedThought]:
    """The thoughts in order. `places` grows along with them, so that no link leads forward."""
    begun: dict[str, str] = {}
    for name in lines.order():
        node = lines.nodes[name]
        data, branch = node.data, lines.branch_of[name]
        is_first_of_branch = name in lines.heads and branch is not None
        origin = places.get(lines.origin.get(name, ""))
        revises = places.get(lines.revised.get(name, ""))
        yield ImportedThought(
            text=data.thought,
            number=data.thought_number,
            total=data.total_thoughts,
            next_needed=data.next_thought_needed,
            timestamp=data.timestamp,
            branch_id=branch_ids.get(branch),
            needs_more=bool(data.needs_more_thoughts),
            is_revision=bool(data.is_revision),
            revises_number=data.revises_thought,
            branch_from=data.branch_from_thought if is_first_of_branch else None,
            action_id=data.action_id,
            critique=_critique(data),
            prev=origin if is_first_of_branch else places.get(lines.before.get(name, "")),
            revises=revises,
            origin=origin,
            reading=_reading(name, node, revises, places, begun),
        )
        places[name] = len(places)
        if branch is not None:
            begun[branch] = branch_ids[branch]


def _reading(
    name: str, node: Node, revises: int | None, places: Mapping[str, int], begun: Mapping[str, str]
) -> ImportedReading | None:
    said = node.thoughtbox
    if said is None:
        return None
    if said.kind == "revision" and revises is None:
        raise Unfit(f"{shown(name)} is a revision of no earlier thought")
    for relation in said.relations:
        if relation.to not in places:
            raise Unfit(f"{shown(name)} has a relation to {shown(relation.to)}, which is no earlier thought")
    for branch in (*said.adopts, *said.rejects):
        if branch not in begun:
            raise Unfit(f"{shown(name)} settles branch {shown(branch)}, which has not begun before it")
    return ImportedReading(
        kind=said.kind,
        labels=tuple(said.labels),
        confidence=said.confidence,
        relations=tuple((relation.type, places[relation.to]) for relation in said.relations),
        label=said.label,
        notes=tuple(said.notes),
        adopts=tuple(begun[branch] for branch in said.adopts),
        rejects=tuple(begun[branch] for branch in said.rejects),
        critique_requested=said.critique_requested,
    )


def _settlings(
    manifest: Manifest,
    thoughts: list[ImportedThought],
    branch_ids: Mapping[str | None, str],
    places: Mapping[str, int],
) -> Iterator[ImportedSettling]:
    firsts: dict[str | None, int] = {}
    for place, thought in enumerate(thoughts):
        firsts.setdefault(thought.branch_id, place)
    settled = manifest.thoughtbox.settled if manifest.thoughtbox is not None else []
    for one in settled:
        after = places.get(f"{manifest.id}:{one.after}")
        branch = branch_ids.get(one.branch_id)
        if after is None:
            raise Unfit(
                f"branch {shown(one.branch_id)} is {one.fate} after {shown(str(one.after))}, which is not there"
            )
        if branch is None or firsts.get(branch, len(thoughts)) > after:
            raise Unfit(f"branch {shown(one.branch_id)} is {one.fate} before it has begun")
        yield ImportedSettling(branch_id=branch, fate=one.fate, why=one.why, timestamp=one.timestamp, after=after + 1)


def _critique(data: NodeData) -> Critique | None:
    found = data.critique
    if not isinstance(found, NodeCritique):
        return None
    return Critique(text=found.text, model=found.model, timestamp=found.timestamp)


def _session_of(manifest: Manifest, thoughts: list[ImportedThought], project: str | None) -> Session:
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
        project = None if project == DEFAULT_PROJECT else project
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


def _changes(manifest: Manifest, branch_ids: Mapping[str | None, str]) -> Iterator[str]:
    if len(manifest.metadata.title) > LONGEST_TITLE:
        yield f"The title was cut to {LONGEST_TITLE} characters."
    for branch, name in branch_ids.items():
        if branch is not None and name != branch:
            yield f"Branch {shown(branch)} became `{name}`."
