"""The thoughts and critiques of a session, opened from their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from thoughtbox.domains.thoughts.answers import ThoughtShown
from thoughtbox.domains.thoughts.model.critique import TOPIC as CRITIQUE
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought, stream_of
from thoughtbox.domains.thoughts.view.links import CRITIQUES
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import record_id
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx


def thoughts_of(tx: Tx, session_id: str) -> Iterator[Thought]:
    """All thoughts of a session, in order of recording."""
    for record in tx.ledger.stream(stream_of(session_id)):
        if record.topic == TOPIC:
            yield Thought.of(record)


def thoughts_at(tx: Tx, seqs: Iterable[int]) -> list[Thought]:
    """The thoughts that the view leads to, in order of recording; no other record is shown in the place of one."""
    wanted = set(seqs)
    found = [Thought.of(record) for record in tx.ledger.records(wanted) if record.topic == TOPIC]
    if strays := wanted - {thought.seq for thought in found}:
        raise astray(Thoughts, min(strays), "a thought")
    return found


def opened(tx: Tx, seqs: list[int]) -> list[ThoughtShown]:
    """These thoughts in full, in order of recording."""
    critiques = critiques_of(tx, seqs)
    return [ThoughtShown.of(thought, critiques.get(thought.seq)) for thought in thoughts_at(tx, seqs)]


def last_of(tx: Tx, session_id: str, count: int) -> list[int]:
    """The last thoughts, on whichever line: the end of the stream, without what else was recorded there."""
    asked = count
    while True:
        records = tx.ledger.newest(stream_of(session_id), asked)
        thoughts = [record.seq for record in records if record.topic == TOPIC]
        if len(thoughts) >= count or len(records) < asked:
            return thoughts[-count:]
        asked *= 2


def critiques_of(tx: Tx, seqs: Iterable[int]) -> dict[int, Critique]:
    """The newest critique of each of these thoughts that has one."""
    links = tx.ask(Thoughts).links(seqs)
    newest = {
        target: max(source for kind, source in pointing if kind == CRITIQUES)
        for target, pointing in links.items()
        if any(kind == CRITIQUES for kind, _ in pointing)
    }
    records = {record.seq: record for record in tx.ledger.records(newest.values()) if record.topic == CRITIQUE}
    for target, seq in newest.items():
        if seq not in records or records[seq].data["of"] != record_id(target):
            raise astray(Thoughts, seq, f"a critique of {record_id(target)}")
    return {target: Critique.of(records[seq]) for target, seq in newest.items()}


def all_critiques(tx: Tx, session_id: str) -> dict[int, Critique]:
    """The newest critique of each thought of a session that has one."""
    return critiques_of(tx, (node.seq for node in tx.ask(Thoughts).nodes(session_id)))
