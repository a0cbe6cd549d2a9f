"""A session as one JSON document (spec 1, SessionExport). Pure logic.

It comes in pieces, in linear time, and no text stays in memory: of the thoughts gone by, only ids are kept. Thoughts
are given in order of recording; a critique is found by its thought's `seq`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from thoughtbox.domains.thoughts.files.manifest import Extension, SettledBranch
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import present, seq_of

VERSION = "1.0"
"""Of SessionExport."""


@dataclass(frozen=True, slots=True)
class Rereadable:
    """Thoughts that are read anew whenever they are gone through, so that nobody has to hold them."""

    read: Callable[[], Iterable[Thought]]

    def __iter__(self) -> Iterator[Thought]:
        return iter(self.read())


def session_json(session: Session, partition: str | None) -> dict[str, Any]:
    """The Session of the document. What is not required is left out when there is nothing to say."""
    optional = {"description": session.description, "partitionPath": partition}
    return {
        "id": session.id,
        "title": session.title,
        "tags": list(session.tags),
        "thoughtCount": session.thought_count,
        "branchCount": session.branch_count,
        "createdAt": session.created_at,
        "updatedAt": session.updated_at,
        "lastAccessedAt": session.last_accessed_at,
        **present(optional),
    }


def nodes(thoughts: Iterable[Thought], critiques: Mapping[int, Critique]) -> Iterator[dict[str, Any]]:
    """The ThoughtNodes of the document, in order of recording.

    The thoughts are gone through twice, since a node names those that follow it: give a list, or a
    `Rereadable`. A node always has all its links, also those to nothing; a link to a thought that is not
    among those given leads to nothing.
    """
    if isinstance(thoughts, Iterator):
        raise TypeError("thoughts are gone through twice: give a list or a Rereadable, not an iterator")
    ids: dict[int | None, str] = {}
    following: dict[int, list[int]] = defaultdict(list)
    for thought in thoughts:
        ids[thought.seq] = thought.node_id
        if thought.prev is not None:
            following[thought.prev].append(thought.seq)

    for thought in thoughts:
        yield {
            "id": thought.node_id,
            "data": _data(thought, critiques.get(thought.seq)),
            "prev": ids.get(thought.prev),
            "next": [ids[seq] for seq in following.get(thought.seq, ())],
            "revisesNode": ids.get(thought.revises),
            "branchOrigin": ids.get(thought.origin),
            "branchId": thought.branch_id,
            "thoughtbox": reading_json(thought, ids),
        }


def extension(session: Session, settlings: Sequence[Settling], order: Sequence[str] = ()) -> Extension:
    """What neither the document's manifest nor its SessionExport has a place for."""
    settled = [
        SettledBranch(branch_id=one.branch, fate=one.fate, why=one.why, timestamp=one.timestamp, after=one.after)
        for one in settlings
        if one.fate != "open"
    ]
    return Extension(
        last_accessed_at=session.last_accessed_at,
        status=session.status,
        stage=session.stage,
        project=session.project,
        task=session.task,
        aspect=session.aspect,
        domain=session.domain,
        order=list(order),
        settled=settled,
    )


def as_json(
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
    settlings: Sequence[Settling] = (),
    *,
    exported_at: str,
) -> dict[str, Any]:
    """The session as a SessionExport."""
    return {
        "version": VERSION,
        "session": session_json(session, None),
        "nodes": list(nodes(thoughts, critiques)),
        "exportedAt": exported_at,
        "thoughtbox": extension(session, settlings).model_dump(by_alias=True, exclude_none=True),
    }


def json_chunks(
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
    settlings: Sequence[Settling] = (),
    *,
    exported_at: str,
    partition: str | None = None,
    notebooks: Sequence[Mapping[str, Any]] = (),
) -> Iterator[str]:
    """What `as_json` gives, as text, node by node; and which notebooks are evidence for its thoughts."""
    yield f'{{"version":{_json(VERSION)},"session":{_json(session_json(session, partition))},"nodes":['
    comma = ""
    for node in nodes(thoughts, critiques):
        yield comma + _json(node)
        comma = ","
    ours = extension(session, settlings).model_dump(by_alias=True, exclude_none=True)
    ours |= {"notebooks": list(notebooks)} if notebooks else {}
    yield f'],"exportedAt":{_json(exported_at)},"thoughtbox":{_json(ours)}}}'


def _data(thought: Thought, critique: Critique | None) -> dict[str, Any]:
    """The ThoughtData of the document: what it requires, and of the rest what is not at its default."""
    optional = {
        "isRevision": thought.is_revision or None,
        "revisesThought": thought.revises_number,
        "branchFromThought": thought.branch_from,
        "branchId": thought.branch_id,
        "needsMoreThoughts": thought.needs_more or None,
        "actionId": thought.action_id,
        "critique": critique and {"text": critique.text, "model": critique.model, "timestamp": critique.timestamp},
    }
    return {
        "thought": thought.text,
        "thoughtNumber": thought.number,
        "totalThoughts": thought.total,
        "nextThoughtNeeded": thought.next_needed,
        "timestamp": thought.timestamp,
        **present(optional),
    }


def reading_json(thought: Thought, names: Mapping[int | None, str]) -> dict[str, Any]:
    """How it was read: its kind, and of the rest what there is; relations to what has a name."""
    linked = [(each["type"], seq_of(each["to"])) for each in thought.relations]
    optional = {
        "labels": list(thought.labels) or None,
        "confidence": thought.confidence,
        "relations": [{"type": kind, "to": names[seq]} for kind, seq in linked if seq in names] or None,
        "label": thought.label,
        "notes": list(thought.notes) or None,
        "adopts": list(thought.adopts) or None,
        "rejects": list(thought.rejects) or None,
        "critiqueRequested": thought.critique_requested or None,
    }
    return {"kind": thought.kind, **present(optional)}


def _json(value: Any) -> str:
    return orjson.dumps(value).decode("utf-8")
