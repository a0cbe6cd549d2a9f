"""Thinking: record a thought, read thoughts back, see how they hang together, criticise one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtbox import content
from thoughtbox.domains.thoughts.answers import CritiqueShown, ThoughtShown, line_shown
from thoughtbox.domains.thoughts.events import change, start
from thoughtbox.domains.thoughts.model.critique import Critique
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought, stream_of
from thoughtbox.domains.thoughts.numbers import Numbers
from thoughtbox.domains.thoughts.paging import room_beside, thoughts_page
from thoughtbox.domains.thoughts.records import opened
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.scope import current, existing, latest_session, own_session
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, at
from thoughtbox.domains.thoughts.standing import move, standing
from thoughtbox.domains.thoughts.think.critique import critique_draft, critique_prompt
from thoughtbox.domains.thoughts.think.models import (
    AddCritique,
    CritiqueAdded,
    Edge,
    GetStructure,
    Notice,
    OpenThought,
    ReadThoughts,
    Structure,
    Think,
    ThoughtRecorded,
    ThoughtsRead,
)
from thoughtbox.domains.thoughts.think.queries import asked_for, must_be_asked_for, seq_meant
from thoughtbox.domains.thoughts.think.recording import record_thoughts
from thoughtbox.domains.thoughts.think.replies import line_recorded, tell
from thoughtbox.domains.thoughts.view.lines import MAIN, Node
from thoughtbox.domains.thoughts.view.links import REVISES
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Example, Sampling, Tx, cursor, foreign_cursor, place_in, size

LONGEST_REPLY = 300
"""Characters of the answer to a thought, unless more was asked for."""

NO_MODEL = Notice(
    code="SAMPLING_NOT_SUPPORTED",
    message="The client lends no model. Criticise the thought yourself, then attach it: critique.",
)
"""For an agent that has no other model at hand; a door that can ask one puts its answer in this place."""
_STARTED = ("start_new", {"sessionTitle": "Slow pages"})
_LATEST = {"sessionId": "latest"}
_READY = (_STARTED, ("cipher", _LATEST))
_THOUGHT = ("thought", {**_LATEST, "thought": "S1|O|User reports slow page loads"})


class ReadPlace(NamedTuple):
    """Where a page of read_thoughts ends: behind this thought, as of that record."""

    after: int
    seq: int


class AfterEdge(NamedTuple):
    """An edge of get_structure, and where a page of it ends: behind this edge."""

    source: int
    type: str
    target: int


def _kept_critique(answer: Mapping[str, Any], text: str, model: str) -> dict[str, Any]:
    branch = {"branchId": answer["branchId"]} if "branchId" in answer else {}
    return {
        "sessionId": answer["sessionId"],
        "thoughtNumber": answer["thoughtNumber"],
        **branch,
        "text": text,
        "model": model,
    }


@room.operation(
    "thought",
    writes=True,
    guard=at(CIPHER_LOADED),
    sampling=Sampling(
        question="critiquePrompt",
        replaces=("notice", "critiquePrompt"),
        operation="critique",
        arguments=_kept_critique,
        part="critique",
    ),
    title="Record a thought",
    errors=[SessionNotFound, ThoughtNotFound],
    example=Example({**_LATEST, "thought": "S1|O|User reports slow page loads"}, given=_READY),
)
def thought(tx: Tx, call: Think) -> ThoughtRecorded:
    """Record a thought: the next step of reasoning, one that revises an earlier thought, or one on a branch."""
    session = _session_to_think_in(tx, call)
    view = tx.ask(Thoughts)
    recorded = record_thoughts(tx, Numbers(view, session.id), session.id, call)
    last = recorded[-1]
    closes = not call.next_thought_needed and call.branch_id is None  # a branch may end, the session goes on
    if closes:
        change(tx, session.id, "completed")
    is_new_branch = recorded[0].record.data.get("branchFromThought") is not None
    reply = ThoughtRecorded(
        id=last.record.id,
        thought_number=last.record.data["thoughtNumber"],
        total_thoughts=last.record.data["totalThoughts"],
        next_thought_needed=call.next_thought_needed,
        thought_history_length=session.thought_count + len(recorded),
        session_id=session.id,
        branch_id=call.branch_id,
        branch_count=(session.branch_count + is_new_branch) or None,
        session_closed=closes or None,
    )
    if len(recorded) > 1:
        reply.thoughts = [line_recorded(view, session.id, each) for each in recorded]
    else:
        tell(reply, view, session.id, last, longest=LONGEST_REPLY)
    reply.guide = content.text("patterns-cookbook.md") if call.include_guide else None
    if call.critique:
        reply.notice, reply.critique_prompt = NO_MODEL, critique_prompt(tx, Thought.of(last.record))
    return reply


@room.operation(
    "read_thoughts",
    guard=at(CIPHER_LOADED),
    title="Read thoughts",
    errors=[SessionNotFound, ThoughtNotFound],
    newest_first=frozenset({"thoughts"}),
    keep=("cursor", "sessionId"),
    example=Example({**_LATEST, "last": 3}, given=(*_READY, _THOUGHT)),
)
def read_thoughts(tx: Tx, call: ReadThoughts) -> ThoughtsRead:
    """Thoughts of a session: one, the last few, a range, a branch, of a kind or label, or what refers to a thought."""
    newest = tx.ledger.last_seq()
    after, seq = place = place_in(call.cursor, ReadPlace) if call.cursor else ReadPlace(0, newest)
    if seq > newest:
        raise foreign_cursor()
    tx = tx.at(seq)  # what was recorded meanwhile must not move the pages
    session = current(tx, call.session_id)
    query, seqs = asked_for(tx, session.id, call)
    if after and after not in seqs:
        raise foreign_cursor()
    room = room_beside(call.max_chars, {"sessionId": session.id, "query": query})
    wanted = [each for each in seqs if each > after]
    shown = thoughts_page(tx, wanted, limit=call.limit, room=room)
    must_be_asked_for(shown, session.id, call)
    has_more = len(shown) < len(wanted)
    return ThoughtsRead(
        session_id=session.id,
        query=query,
        count=len(seqs),
        thoughts=shown,
        cursor=cursor(place._replace(after=wanted[len(shown) - 1])) if has_more else None,
    )


@room.operation(
    "get_thought",
    title="Open a thought",
    errors=[ThoughtNotFound],
    example=Example({"id": "th:3"}, given=(*_READY, _THOUGHT)),
)
def get_thought(tx: Tx, call: OpenThought) -> ThoughtShown:
    """One thought in full, by its id (th:17) or its node id (sessionId:4, sessionId:branch:4)."""
    seq = seq_meant(tx, call.id)
    record = tx.ledger.record(seq) if seq is not None else None
    session = tx.ask(Thoughts).session(record.session) if record is not None and record.topic == TOPIC else None
    if record is None or session is None or session.deleted:
        raise ThoughtNotFound(
            f"there is no thought `{call.id}` in workspace `{tx.workspace}`",
            recovery="Send an id such as th:17, as read_thoughts and session.get show it.",
            details={"id": call.id},
        )
    found = Thought.of(record)
    if call.id not in (found.id, found.node_id):
        raise astray(Thoughts, found.seq, f"thought `{call.id}`")
    return opened(tx, [found.seq])[0]


@room.operation(
    "get_structure",
    guard=at(CIPHER_LOADED),
    title="See how thoughts hang together",
    errors=[SessionNotFound],
    newest_first=frozenset({"edges"}),
    keep=("cursor", "sessionId"),
    example=Example(_LATEST, given=(*_READY, _THOUGHT)),
)
def get_structure(tx: Tx, call: GetStructure) -> Structure:
    """The lines of a session, its revisions, and the edges between its thoughts, without their texts."""
    session = current(tx, call.session_id)
    view = tx.ask(Thoughts)
    nodes = {node.seq: node for node in view.nodes(session.id)}
    lines = view.lines(session.id)
    links = sorted(
        AfterEdge(source, kind, target)
        for target, pointing in view.links(nodes).items()
        for kind, source in pointing
        if source in nodes and kind != "branch"
    )
    after = place_in(call.cursor, AfterEdge) if call.cursor else None
    if after is not None and after not in links:
        raise foreign_cursor()
    wanted = links if after is None else links[links.index(after) + 1 :]
    main = next((line for line in lines if line.branch == MAIN), None)
    fates = view.fates(session.id)
    branches = {line.branch: line_shown(line, nodes, fates) for line in lines if line.branch != MAIN}
    structure = Structure(
        session_id=session.id,
        total_thoughts=len(nodes),
        main_chain=line_shown(main, nodes, fates) if main else None,
        branches=branches,
        branch_count=len(branches),
        revisions=[],
        revision_count=sum(kind == REVISES for _, kind, _ in links),
        edges=[],
    )
    room = room_beside(call.max_chars, structure.answer())
    for source, kind, target in wanted[: call.limit]:
        edge = Edge(**{"from": _place_name(nodes[source]), "to": _place_name(nodes[target]), "type": kind})
        revision = [nodes[source].number, nodes[target].number]
        room -= size(edge.answer()) + 1 + (size(revision) + 1 if kind == REVISES else 0)
        if structure.edges and room < 0:
            break
        structure.edges.append(edge)
        if kind == REVISES:
            structure.revisions.append(revision)
    shown = len(structure.edges)
    structure.cursor = cursor(wanted[shown - 1]) if shown < len(wanted) else None
    return structure


@room.operation(
    "critique",
    writes=True,
    guard=at(CIPHER_LOADED),
    title="Attach a critique to a thought",
    errors=[SessionNotFound, ThoughtNotFound],
    example=Example(
        {**_LATEST, "thoughtNumber": 1, "text": "One report is no pattern: how many users are slow?"},
        given=(*_READY, _THOUGHT),
    ),
)
def critique(tx: Tx, call: AddCritique) -> CritiqueAdded:
    """Attach a critique to a thought: your own, or another model's."""
    session = current(tx, call.session_id)
    numbers = Numbers(tx.ask(Thoughts), session.id)
    if call.branch_id is not None:
        node = numbers.on(call.branch_id, call.thought_number, "thoughtNumber")
    else:
        node = numbers.target(MAIN, call.thought_number, "thoughtNumber")
    model = call.model or tx.caller.model or tx.caller.agent
    drafted = critique_draft(session.id, node.seq, call.text, model)
    record = tx.append(drafted, stream=stream_of(session.id))
    shown = CritiqueShown.of(Critique(text=call.text, model=model, timestamp=record.ts))
    return CritiqueAdded(id=record.id, session_id=session.id, thought_number=node.number, critique=shown)


def _session_to_think_in(tx: Tx, call: Think) -> Session:
    """The session named; else the current one; else a new one, if there is none yet or the current one is complete."""
    if call.session_id is not None:
        return existing(tx, call.session_id)
    place = standing(tx).place
    own = own_session(tx)
    if own is not None:
        session = existing(tx, own)
        if session.status == "active":
            return session
        place = {**place, **session.place}  # the work goes on, and so does what the stage rests on
    if not tx.settings.get("auto_create_session", True):
        raise InvalidPayload(
            "there is no session under way, and thoughts do not begin one here",
            recovery='Send {"operation": "start_new"} first, or sessionId.',
            details={"fields": ["sessionId"]},
        )
    for field, number in (("revisesThought", call.revises_thought), ("branchFromThought", call.branch_from_thought)):
        if number is not None:
            raise _nothing_before(tx, field, number, own)
    stage = max(standing(tx).stage, 1)
    session = start(tx, title=call.session_title, tags=call.session_tags, place=place, stage=stage)
    move(tx, session.id, stage)
    return session


def _nothing_before(tx: Tx, field: str, number: int, own: str | None) -> ThoughtNotFound:
    """A thought that would begin a session cannot name an earlier one: which session could be meant."""
    latest = latest_session(tx)
    meant = own or (latest.id if latest is not None else None)
    return ThoughtNotFound(
        f"{field} is {number}, but without `sessionId` this thought begins a session of its own",
        recovery=f'Send it again with "sessionId": "{meant}", or without {field}.' if meant else f"Leave {field} out.",
        details={"thoughtNumber": number, "fields": ["sessionId", field]},
    )


def _place_name(node: Node) -> str:
    return f"{node.branch}:{node.number}" if node.branch else str(node.number)
