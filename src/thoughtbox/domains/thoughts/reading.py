"""Reading a session's thoughts whole, one after the other, for whatever needs all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thoughtbox.domains.thoughts.files.documents import Rereadable, cipher_chunks, json_chunks, markdown_chunks
from thoughtbox.domains.thoughts.session.learnings import Heard
from thoughtbox.domains.thoughts.sessions import Session
from thoughtbox.domains.thoughts.thinking.critique import critiques_of
from thoughtbox.domains.thoughts.thoughts import TOPIC, Critique, Thought, stream_of
from thoughtbox.domains.thoughts.view import Thoughts
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx


def thoughts_at(tx: Tx, seqs: Iterable[int]) -> list[Thought]:
    """The thoughts that the view leads to, in order of recording; no other record is shown in the place of one."""
    wanted = set(seqs)
    found = [Thought.of(record) for record in tx.ledger.records(wanted) if record.topic == TOPIC]
    if strays := wanted - {thought.seq for thought in found}:
        raise astray(Thoughts, min(strays), "a thought")
    return found


def thoughts_of(tx: Tx, session_id: str) -> Iterator[Thought]:
    """All thoughts of a session, in order of recording."""
    for record in tx.ledger.stream(stream_of(session_id)):
        if record.topic == TOPIC:
            yield Thought.of(record)


def rereadable(tx: Tx, session_id: str) -> Rereadable:
    return Rereadable(lambda: thoughts_of(tx, session_id))


def all_critiques(tx: Tx, session_id: str) -> dict[int, Critique]:
    return critiques_of(tx, (node.seq for node in tx.ask(Thoughts).nodes(session_id)))


def document(tx: Tx, session: Session, form: str, *, exported_at: str, with_metadata: bool = True) -> Iterator[str]:
    """The session as one text, JSON, Markdown or cipher, piece by piece."""
    thoughts = rereadable(tx, session.id)
    if form == "cipher":
        return cipher_chunks(session, thoughts)
    critiques = all_critiques(tx, session.id)
    if form == "markdown":
        return markdown_chunks(session, thoughts, critiques, with_metadata=with_metadata)
    return json_chunks(session, thoughts, critiques, exported_at=exported_at)


def heard_elsewhere(tx: Tx, session_id: str, count: int) -> list[Heard]:
    """The newest decisions and revisions of other sessions."""
    seqs = tx.ask(Thoughts).newest_of_kinds(("decision", "revision"), count)
    return [Heard.of(thought) for thought in thoughts_at(tx, seqs) if thought.session_id != session_id]
