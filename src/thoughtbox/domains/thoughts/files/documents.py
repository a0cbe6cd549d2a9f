"""A session as one document: JSON (spec 1, SessionExport), Markdown, or cipher. Pure logic.

Documents come in pieces, in linear time, and no text stays in memory: of the thoughts gone by, only
ids are kept. Thoughts are given in order of recording; a critique is found by its thought's `seq`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.thoughts.cipher.meaning import marker_of
from thoughtbox.domains.thoughts.cipher.notation import Step, cipher_line, parse
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import present, seq_of

VERSION = "1.0"
"""Of SessionExport."""

_HELD_IN_MEMORY = 1 << 22
"""Bytes of branches that wait for the main line to end; what goes beyond waits in a file without a name."""

_LINE_END = re.compile(r"\r\n|\r|\n")
"""The line ends of CommonMark."""

_HTML = re.compile(r"<(?=[A-Za-z/!?])")
"""What begins a tag, a comment, or an address in angle brackets in CommonMark."""

_IMAGE = re.compile(r"!(\\*)\[")
_REFERENCE = re.compile(r"&(?=(?:amp;)*lt;)")
"""What would look as if it had been made of these."""

_Pieces = Iterator[tuple[str | None, str]]
"""Parts of a document, each with the branch it belongs to."""


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
        }


def as_json(
    session: Session, thoughts: Iterable[Thought], critiques: Mapping[int, Critique], *, exported_at: str
) -> dict[str, Any]:
    """The session as a SessionExport."""
    return {
        "version": VERSION,
        "session": session_json(session, None),
        "nodes": list(nodes(thoughts, critiques)),
        "exportedAt": exported_at,
    }


def json_chunks(
    session: Session,
    thoughts: Iterable[Thought],
    critiques: Mapping[int, Critique],
    *,
    exported_at: str,
    partition: str | None = None,
) -> Iterator[str]:
    """What `as_json` gives, as text, node by node."""
    yield f'{{"version":{_json(VERSION)},"session":{_json(session_json(session, partition))},"nodes":['
    comma = ""
    for node in nodes(thoughts, critiques):
        yield comma + _json(node)
        comma = ","
    yield f'],"exportedAt":{_json(exported_at)}}}'


def markdown_chunks(
    session: Session, thoughts: Iterable[Thought], critiques: Mapping[int, Critique], *, with_metadata: bool
) -> Iterator[str]:
    """The session for people: the main thread, then each branch in the order in which they began.

    What was thought is quoted line by line. Whatever Markdown stands in a thought stays inside its quote. HTML
    and images are shown as they were written and not rendered: whoever reads it neither runs nor fetches anything.
    """
    yield f"# {_inert(_one_line(session.title))}\n\n"
    if with_metadata:
        yield _metadata(session)
    yield "## Main Thread\n\n"
    yield from _main_line_first(_markdown(thoughts, critiques))


def cipher_chunks(session: Session, thoughts: Iterable[Thought]) -> Iterator[str]:
    """The session in cipher, a step for each thought; a thought that was written in cipher goes out as it was.

    Title, tags and branches stand in lines that begin with `#`, which are plain text to the cipher.
    """
    yield f"# {_one_line(session.title)}\n"
    if session.tags:
        yield f"# Tags: {_listed(session.tags)}\n"
    yield from _main_line_first(_cipher(thoughts))


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


class _Place(NamedTuple):
    """Where a thought stands, and under which number it is shown."""

    branch_id: str | None
    number: int

    def seen_from(self, branch_id: str | None) -> str:
        """How a thought on that branch calls it: `3`, or `3 of branch alt`."""
        if self.branch_id == branch_id:
            return str(self.number)
        return f"{self.number} of {'the main thread' if self.branch_id is None else f'branch {self.branch_id}'}"


_Places = Mapping[int | None, _Place]
"""By the number of a thought's record; None, which stands for no thought, is never among them."""


def _metadata(session: Session) -> str:
    known = {
        "Tags": _inert(_listed(session.tags)),
        "Created": session.created_at,
        "Thoughts": str(session.thought_count),
    }
    description = f"{_quoted(session.description)}\n\n" if session.description else ""
    # Two spaces at the end of a line: Markdown begins a new one there.
    return description + "  \n".join(f"**{name}:** {value}" for name, value in known.items() if value) + "\n\n---\n\n"


def _markdown(thoughts: Iterable[Thought], critiques: Mapping[int, Critique]) -> _Pieces:
    for thought, places, is_first_of_branch in _placed(thoughts, lambda thought: thought.number):
        if is_first_of_branch:
            origin = places.get(thought.origin)
            fork = "" if origin is None else f"Forks from thought {origin.seen_from(None)}.\n\n"
            yield thought.branch_id, f"## Branch: {_inert(thought.branch_id or '')}\n\n{_inert(fork)}"
        parts = [f"### {_inert(_heading(thought, places))}", _quoted(thought.text)]
        if references := _references(thought, places):
            parts.append(f"References: {_inert(references)}")
        if critique := critiques.get(thought.seq):
            by = f"**Critique** by {_inert(_one_line(critique.model))}, {critique.timestamp}"
            parts += [by, _quoted(critique.text)]
        yield thought.branch_id, "\n\n".join(parts) + "\n\n"


def _heading(thought: Thought, places: _Places) -> str:
    """The thought's number, what it revises, and its kind where that says more than the rest."""
    heading = f"Thought {thought.number}/{thought.total}"
    revised = places.get(thought.revises)
    if revised is not None:
        heading += f" [revises {revised.seen_from(thought.branch_id)}]"
    elif thought.revises_number is not None:
        heading += f" [revises {thought.revises_number}]"
    is_told = thought.kind == "claim" or (thought.kind == "revision" and thought.revises_number is not None)
    return heading if is_told else f"{heading} ({thought.kind})"


def _references(thought: Thought, places: _Places) -> str:
    """What it is to other thoughts; what it revises stands in its heading."""
    said = []
    for relation in thought.relations:
        target = seq_of(relation["to"])
        if relation["type"] == "revises" and target == thought.revises:
            continue
        place = places.get(target)
        named = f"thought {place.seen_from(thought.branch_id)}" if place else _one_line(relation["to"])
        said.append(f"{relation['type'].replace('_', ' ')} {named}")
    return ", ".join(said)


def _cipher(thoughts: Iterable[Thought]) -> _Pieces:
    for thought, places, is_first_of_branch in _placed(thoughts, _number_in_cipher):
        if is_first_of_branch:
            origin = places.get(thought.origin)
            fork = "" if origin is None else f" from S{origin.seen_from(None)}"
            yield thought.branch_id, f"# Branch {thought.branch_id}{fork}\n"
        if _is_cipher(thought):
            yield thought.branch_id, thought.text.rstrip("\r\n") + "\n"
            continue
        related = (thought.revises, *(seq_of(relation["to"]) for relation in thought.relations))
        references = dict.fromkeys(places[seq].number for seq in related if seq in places)
        marker = marker_of(thought.kind, thought.labels)
        yield thought.branch_id, cipher_line(thought.number, marker, list(references), thought.text) + "\n"


def _is_cipher(thought: Thought) -> bool:
    """Whether the whole text is steps. Steps among prose would leave lines behind that are nobody's."""
    lines = parse(thought.text).lines
    return bool(lines) and all(isinstance(line, Step) for line in lines)


def _number_in_cipher(thought: Thought) -> int:
    """The number under which others have to refer to it: its own line's, which goes out as it is."""
    return thought.label if thought.label is not None and _is_cipher(thought) else thought.number


def _placed(thoughts: Iterable[Thought], number: Callable[[Thought], int]) -> Iterator[tuple[Thought, _Places, bool]]:
    """Each thought with the places of those before it, and whether its branch begins with it."""
    places: dict[int | None, _Place] = {}
    begun: set[str | None] = {None}
    for thought in thoughts:
        yield thought, places, thought.branch_id not in begun
        begun.add(thought.branch_id)
        places[thought.seq] = _Place(thought.branch_id, number(thought))


def _main_line_first(pieces: _Pieces) -> Iterator[str]:
    """The main line as it comes, then branch by branch what was put aside meanwhile."""
    with SpooledTemporaryFile(max_size=_HELD_IN_MEMORY) as aside:
        waiting: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for branch_id, piece in pieces:
            if branch_id is None:
                yield piece
                continue
            written = piece.encode("utf-8")
            waiting[branch_id].append((aside.tell(), len(written)))
            aside.write(written)
        for start, length in chain.from_iterable(waiting.values()):
            aside.seek(start)
            yield aside.read(length).decode("utf-8")


def _quoted(text: str) -> str:
    return "> " + _LINE_END.sub(r"\g<0>> ", _inert(text))


def _inert(text: str) -> str:
    """Text in which Markdown finds neither HTML nor images, and from which what was written can be had again.

    No backslash goes before what it would escape: one that stands there already would escape the backslash.
    """
    return _IMAGE.sub(r"!\1\\[", _HTML.sub("&lt;", _REFERENCE.sub("&amp;", text)))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _listed(tags: Iterable[str]) -> str:
    return ", ".join(_one_line(tag) for tag in tags)


def _json(value: Any) -> str:
    return orjson.dumps(value).decode("utf-8")
