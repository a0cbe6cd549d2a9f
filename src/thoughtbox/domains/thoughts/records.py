"""The thoughts and critiques of a session, opened from their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from thoughtbox.domains.thoughts.answers import Stands, ThoughtShown
from thoughtbox.domains.thoughts.model.critique import TOPIC as CRITIQUE
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.reasoning import State
from thoughtbox.domains.thoughts.model.session import CHANGED
from thoughtbox.domains.thoughts.model.settling import Settling
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought, line_and_number, stream_of
from thoughtbox.domains.thoughts.numbers import name_of
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


def opened(tx: Tx, seqs: Sequence[int]) -> list[ThoughtShown]:
    """These thoughts in full, with what others made of them, in order of recording."""
    thoughts = thoughts_at(tx, seqs)
    critiques, stands = critiques_of(tx, seqs), how_they_stand(tx, thoughts)
    return [ThoughtShown.of(each, critiques.get(each.seq), stands.get(each.seq)) for each in thoughts]


def how_they_stand(tx: Tx, thoughts: Sequence[Thought]) -> dict[int, Stands]:
    """What later thoughts made of these, of those of which there is something to say."""
    view = tx.ask(Thoughts)
    states = view.states(thought.seq for thought in thoughts)
    if not states:
        return {}
    grounds = view.states(state.rests_on for state in states.values() if state.rests_on is not None)
    named = {seq for state in (*states.values(), *grounds.values()) for seq in (state.seq, state.by) if seq is not None}
    names: dict[int, str] = {}
    for session_id in {thought.session_id for thought in thoughts}:
        names |= {seq: name_of(node) for seq, node in view.nodes_at(session_id, named).items()}
    return {seq: _stands(state, grounds, names) for seq, state in states.items()}


def _stands(state: State, grounds: Mapping[int, State], names: Mapping[int, str]) -> Stands:
    by = names.get(state.by) if state.by is not None else None
    ground = grounds.get(state.rests_on) if state.rests_on is not None and not state.has_fallen else None
    fell = f"{names[ground.seq]}, {ground.status} by {names[ground.by]}" if ground and ground.by else None
    return Stands(
        revised_by=by if state.status == "revised" else None,
        rejected_by=by if state.status == "rejected" else None,
        answered_by=by if state.status == "answered" else None,
        rests_on=fell,
    )


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


def settlings_of(tx: Tx, session_id: str) -> list[Settling]:
    """What was said of branches outside of thoughts, in order of recording."""
    view = tx.ask(Thoughts)
    records = [record for record in tx.ledger.records(view.settlings(session_id)) if record.topic == CHANGED]
    before = [view.node_before(session_id, record.seq) for record in records]
    return [
        Settling.of(record, node and line_and_number(node.branch or None, node.number))
        for record, node in zip(records, before, strict=True)
    ]
