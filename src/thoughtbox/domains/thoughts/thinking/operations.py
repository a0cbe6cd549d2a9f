"""Thinking: record a thought, read thoughts back, see how they hang together, criticise one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from thoughtbox import content
from thoughtbox.domains.thoughts.lines import Lines, missing
from thoughtbox.domains.thoughts.reading import thoughts_at
from thoughtbox.domains.thoughts.room import room
from thoughtbox.domains.thoughts.sessions import Session
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, existing
from thoughtbox.domains.thoughts.starting import change, start
from thoughtbox.domains.thoughts.thinking.critique import critique_draft, critique_prompt, critiques_of
from thoughtbox.domains.thoughts.thinking.models import (
    READ_BY_DEFAULT,
    AddCritique,
    CritiqueAdded,
    CritiqueShown,
    Edge,
    GetStructure,
    LineShown,
    Notice,
    OpenThought,
    ReadThoughts,
    Structure,
    Think,
    Thinking,
    ThoughtShown,
    ThoughtsRead,
)
from thoughtbox.domains.thoughts.thinking.placing import draft, place
from thoughtbox.domains.thoughts.thoughts import TOPIC, Critique, Thought, node_id, stream_of
from thoughtbox.domains.thoughts.view import MAIN, NEXT, REVISES, Line, Node, Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound, ThoughtNotFound
from thoughtbox.ledger.record import AUTHORED, seq_of
from thoughtbox.ledger.view import NOW, astray
from thoughtbox.operations import Example, Tx
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.registry import Sampling

PAGE_CHARS = 40_000
"""A page of thoughts ends here, so that the next one can be asked for where it ended."""

ENVELOPE = 120
"""Characters of an answer around a page: the names of its fields, its count and its cursor."""

LONGEST_REPLY = 300
"""Characters of the answer to a thought, unless more was asked for."""

LONGEST_NOTE = 90
SHORTEST_NOTE = 30

NO_MODEL = Notice(
    code="SAMPLING_NOT_SUPPORTED",
    message="The client lends no model. Criticise the thought yourself, then attach it: critique.",
)
"""For an agent that has no other model at hand; a door that can ask one puts its answer in this place."""

_STARTED = ("start_new", {"sessionTitle": "Slow pages"})
_LATEST = {"sessionId": "latest"}
_READY = (_STARTED, ("cipher", _LATEST))
_THOUGHT = ("thought", {**_LATEST, "thought": "S1|O|User reports slow page loads"})


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
    stage=CIPHER_LOADED,
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
def thought(tx: Tx, call: Think) -> Thinking:
    """Record one step of reasoning: the next thought, a revision, or a branch."""
    session = _session_to_think_in(tx, call)
    lines = Lines(tx.ask(Thoughts), session.id)
    placed = place(lines, session.id, call)
    record = tx.append(draft(tx, lines, session.id, call, placed), stream=stream_of(session.id))
    recorded = Thought.of(record)
    is_new_branch = placed.line is None and placed.branch != MAIN
    closes = not call.next_thought_needed and placed.branch == MAIN  # a branch may end, the session goes on
    if closes:
        change(tx, session.id, "completed")
    reply = Thinking(
        id=record.id,
        thought_number=recorded.number,
        total_thoughts=recorded.total,
        next_thought_needed=recorded.next_needed,
        thought_history_length=session.thought_count + 1,
        session_id=session.id,
        branch_id=recorded.branch_id,
        branch_count=(session.branch_count + is_new_branch) or None,
        session_closed=closes or None,
    )
    reply.notes = _shown_notes(record.data.get("notes", []), LONGEST_REPLY - _size(reply.answer()))
    reply.guide = content.text("patterns-cookbook.md") if call.include_guide else None
    if call.critique:
        reply.notice, reply.critique_prompt = NO_MODEL, critique_prompt(tx, recorded)
    return reply


@room.operation(
    "read_thoughts",
    stage=CIPHER_LOADED,
    title="Read thoughts",
    errors=[SessionNotFound, ThoughtNotFound],
    newest_first=frozenset({"thoughts"}),
    keep=("cursor", "sessionId"),
    example=Example({**_LATEST, "last": 3}, given=(*_READY, _THOUGHT)),
)
def read_thoughts(tx: Tx, call: ReadThoughts) -> ThoughtsRead:
    """Thoughts of a session: one, the last few, a range, a branch, of a kind, or those that refer to a thought."""
    begin, seq = places_in(tx, call.cursor, 2) if call.cursor else (0, tx.ledger.last_seq())
    if call.cursor:
        tx = tx.at(seq)  # what was recorded meanwhile must not move the pages
    session = current(tx, call.session_id)
    query, seqs = _asked_for(tx, session.id, call)
    within(begin, len(seqs))
    room = room_beside(call.max_chars, {"sessionId": session.id, "query": query})
    shown, end = page(tx, seqs, begin=begin, limit=call.limit, room=room)
    _must_be_asked_for(shown, session.id, call)
    cursor = None if end is None else f"{end}.{seq}"
    return ThoughtsRead(session_id=session.id, query=query, count=len(seqs), thoughts=shown, cursor=cursor)


@room.operation(
    "get_thought",
    title="Open a thought",
    errors=[ThoughtNotFound],
    example=Example({"id": "th:3"}, given=(*_READY, _THOUGHT)),
)
def get_thought(tx: Tx, call: OpenThought) -> ThoughtShown:
    """One thought in full, by its id (th:17) or its node id (sessionId:4, sessionId:branch:4)."""
    seq = _seq_of(tx, call.id)
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
    return ThoughtShown.of(found, critiques_of(tx, [found.seq]).get(found.seq))


@room.operation(
    "get_structure",
    stage=CIPHER_LOADED,
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
        (source, kind, target)
        for target, pointing in view.links(nodes).items()
        for kind, source in pointing
        if source in nodes and kind != "branch"
    )
    [begin] = places_in(tx, call.cursor, 1) if call.cursor else [0]
    within(begin, len(links))
    main = next((line for line in lines if line.branch == MAIN), None)
    branches = {line.branch: line_shown(line, nodes) for line in lines if line.branch != MAIN}
    structure = Structure(
        session_id=session.id,
        total_thoughts=len(nodes),
        main_chain=line_shown(main, nodes) if main else None,
        branches=branches,
        branch_count=len(branches),
        revisions=[],
        revision_count=sum(kind == REVISES for _, kind, _ in links),
        edges=[],
    )
    room = room_beside(call.max_chars, structure.answer())
    for source, kind, target in links[begin : begin + call.limit]:
        edge = Edge(**{"from": _place_name(nodes[source]), "to": _place_name(nodes[target]), "type": kind})
        revision = [nodes[source].number, nodes[target].number]
        room -= _size(edge.answer()) + 1 + (_size(revision) + 1 if kind == REVISES else 0)
        if structure.edges and room < 0:
            break
        structure.edges.append(edge)
        if kind == REVISES:
            structure.revisions.append(revision)
    end = begin + len(structure.edges)
    structure.cursor = str(end) if end < len(links) else None
    return structure


@room.operation(
    "critique",
    writes=True,
    stage=CIPHER_LOADED,
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
    lines = Lines(tx.ask(Thoughts), session.id)
    if call.branch_id is not None:
        node = lines.on(call.branch_id, call.thought_number, "thoughtNumber")
    else:
        node = lines.target(MAIN, call.thought_number, "thoughtNumber")
    model = call.model or tx.caller.model or tx.caller.agent
    drafted = critique_draft(session.id, node.seq, call.text, model)
    record = tx.append(drafted, stream=stream_of(session.id))
    shown = CritiqueShown.of(Critique(text=call.text, model=model, timestamp=record.ts))
    return CritiqueAdded(id=record.id, session_id=session.id, thought_number=node.number, critique=shown)


def current(tx: Tx, session_id: str | None) -> Session:
    """The session that a call names, or the one that its connection works on."""
    if session_id is None and tx.focus.session_id is None:
        raise InvalidPayload(
            "`sessionId` is missing, and this connection works on no session yet",
            recovery='Send sessionId, or first {"operation": "start_new"} or'
            ' {"operation": "load_context", "sessionId": "…"}.',
            details={"fields": ["sessionId"]},
        )
    return existing(tx, session_id or tx.focus.session_id or "")


def opened(tx: Tx, seqs: list[int]) -> list[ThoughtShown]:
    """These thoughts in full, in order of recording."""
    critiques = critiques_of(tx, seqs)
    return [ThoughtShown.of(thought, critiques.get(thought.seq)) for thought in thoughts_at(tx, seqs)]


def page(tx: Tx, seqs: list[int], *, begin: int, limit: int, room: int | None) -> tuple[list[ThoughtShown], int | None]:
    """Thoughts from a place on, as many as there is room for and at least one; where the next page begins."""
    wanted = seqs[begin : begin + limit]
    room_left = PAGE_CHARS if room is None else min(room, PAGE_CHARS)
    critiques = critiques_of(tx, wanted)
    shown: list[ThoughtShown] = []
    for start_of in range(0, len(wanted), 50):
        for thought in thoughts_at(tx, wanted[start_of : start_of + 50]):
            each = ThoughtShown.of(thought, critiques.get(thought.seq))
            room_left -= _size(each.answer()) + 1
            if shown and room_left < 0:
                return shown, begin + len(shown)
            shown.append(each)
    end = begin + len(shown)
    return shown, end if end < len(seqs) else None


def room_beside(max_chars: int | None, beside: dict[str, Any]) -> int:
    """What a page may take up, so that nothing of it is cut away again: its cursor is already behind it."""
    return (max_chars or HARD_CEILING) - _size(beside) - ENVELOPE


def _session_to_think_in(tx: Tx, call: Think) -> Session:
    """The session named; else the current one; else a new one, if there is none yet or the current one is complete."""
    if call.session_id is not None:
        return existing(tx, call.session_id)
    place = tx.focus.place
    if tx.focus.session_id is not None:
        session = existing(tx, tx.focus.session_id)
        if session.status == "active":
            return session
        place = {**place, **session.place}  # the work goes on, and so does what the stage rests on
    if not tx.rules.begins_sessions:
        raise InvalidPayload(
            "there is no session under way, and thoughts do not begin one here",
            recovery='Send {"operation": "start_new"} first, or sessionId.',
            details={"fields": ["sessionId"]},
        )
    stage = max(tx.focus.stage, 1)
    session = start(tx, title=call.session_title, tags=call.session_tags, place=place, stage=stage)
    tx.focus.move(session.id, stage)
    return session


def _seq_of(tx: Tx, thought_id: str) -> int | None:
    """The record that an id means: of the ledger, or of a node."""
    if (seq := seq_of(thought_id)) is not None:
        return seq
    session_id, _, rest = thought_id.partition(":")
    branch, _, number = rest.rpartition(":")
    if not number.isascii() or not number.isdigit() or len(number) > 10:
        return None
    node = tx.ask(Thoughts).node(session_id, branch or MAIN, int(number))
    return node.seq if node is not None else None


def _asked_for(tx: Tx, session_id: str, call: ReadThoughts) -> tuple[dict[str, Any], list[int]]:
    """What was asked for, said again, and the records it comes to, in order of recording."""
    view = tx.ask(Thoughts)
    lines = Lines(view, session_id)
    branch = call.branch_id
    given = {
        "thoughtNumber": call.thought_number,
        "range": call.range,
        "refersTo": call.refers_to,
        "revises": call.revises,
        "last": call.last,
    }
    asked = {name: value for name, value in given.items() if value is not None}
    if len(asked) > 1:
        raise InvalidPayload(
            f"{' and '.join(asked)} cannot be asked for together",
            recovery="Send one of them; branchId and kind may go with it.",
            details={"fields": list(asked)},
        )
    if call.kind is not None and call.kind not in AUTHORED:
        raise InvalidPayload(
            f"there is no kind `{call.kind}` of thought",
            recovery=f"The kinds are {', '.join(sorted(AUTHORED))}; a hypothesis or an assumption is a claim.",
            details={"fields": ["kind"]},
        )
    if branch is not None and lines.line(branch) is None:
        raise ThoughtNotFound(
            f"the session has no branch `{branch}`",
            recovery='{"operation": "get_structure"} shows its branches.',
            details={"sessionId": session_id, "branchId": branch},
        )
    if not asked and branch is None and call.kind is None:
        asked = {"last": READ_BY_DEFAULT}
    seqs = _found(tx, lines, session_id, call, asked)
    extra = {"branchId": branch, "kind": call.kind}
    return {**asked, **{name: value for name, value in extra.items() if value is not None}}, seqs


def _must_be_asked_for(shown: list[ThoughtShown], session_id: str, call: ReadThoughts) -> None:
    """What the view led to says of itself what was asked for: its session, its number, its line, its kind."""
    low, high = sorted(call.range or (call.thought_number or 1, call.thought_number or NOW))
    on_main = call.range is not None and call.branch_id is None
    on_any = call.refers_to is not None or call.revises is not None  # the branch only says whose number is meant
    for each in shown:
        fits = (
            each.node_id == node_id(session_id, each.branch_id, each.thought_number)
            and low <= each.thought_number <= high
            and (each.branch_id == call.branch_id or on_any or (call.branch_id is None and not on_main))
            and call.kind in (None, each.kind)
        )
        if not fits:
            raise astray(Thoughts, seq_of(each.id) or 0, f"a thought of session `{session_id}`")


def _found(tx: Tx, lines: Lines, session_id: str, call: ReadThoughts, asked: dict[str, Any]) -> list[int]:
    view = tx.ask(Thoughts)
    branch, kind = call.branch_id, call.kind
    if call.thought_number is not None:
        node = view.node(session_id, branch, call.thought_number) if branch else None
        node = node or (lines.seen_from(MAIN, call.thought_number) if branch is None else None)
        if node is None:
            raise missing(session_id, call.thought_number, "thoughtNumber", on=branch)
        return [node.seq] if kind in (None, node.kind) else []
    if call.refers_to is not None or call.revises is not None:
        target = lines.target(branch or MAIN, call.refers_to or call.revises or 0, next(iter(asked)))
        pointing = view.links([target.seq]).get(target.seq, [])
        wanted = {source for how, source in pointing if _refers(how, only_revisions=call.revises is not None)}
        return [node.seq for node in view.nodes(session_id, kind=kind) if node.seq in wanted]
    if call.range is not None:
        low, high = sorted(call.range)
        return [node.seq for node in view.nodes(session_id, branch=branch or MAIN, numbers=(low, high), kind=kind)]
    if branch is None and kind is None:
        return last_of(tx, session_id, asked["last"])
    nodes = [node.seq for node in view.nodes(session_id, branch=branch, kind=kind)]
    return nodes[-call.last :] if call.last is not None else nodes


def _refers(how: str, *, only_revisions: bool) -> bool:
    """Whether a link says something of the thought, rather than that it comes next or criticises it."""
    return how == REVISES if only_revisions else how not in (NEXT, "branch", "critique")


def last_of(tx: Tx, session_id: str, count: int) -> list[int]:
    """The last thoughts, on whichever line: the end of the stream, without what else was recorded there."""
    asked = count
    while True:
        records = tx.ledger.newest(stream_of(session_id), asked)
        thoughts = [record.seq for record in records if record.topic == TOPIC]
        if len(thoughts) >= count or len(records) < asked:
            return thoughts[-count:]
        asked *= 2


def places_in(tx: Tx, cursor: str, parts: int) -> list[int]:
    """The numbers that a cursor is made of: where a page begins, as of which record, and so on."""
    given = cursor.split(".")
    are_numbers = all(part.isascii() and part.isdigit() and len(part) <= 15 for part in given)
    if len(given) != parts or not are_numbers:
        raise _foreign_cursor()
    places = [int(part) for part in given]
    if len(places) > 1 and places[1] > tx.ledger.last_seq():
        raise _foreign_cursor()
    return places


def within(place: int, length: int) -> None:
    """Refuse a place behind the end: no cursor leads there."""
    if place > length:
        raise _foreign_cursor()


def _foreign_cursor() -> InvalidPayload:
    return InvalidPayload(
        "the cursor is not one that this call gave out",
        recovery="Leave it out to begin anew.",
        details={"fields": ["cursor"]},
    )


def _place_name(node: Node) -> str:
    return f"{node.branch}:{node.number}" if node.branch else str(node.number)


def line_shown(line: Line, nodes: dict[int, Node]) -> LineShown:
    return LineShown(
        length=line.length,
        head=nodes[line.first_seq].number,
        tail=nodes[line.last_seq].number,
        from_thought=line.origin_number,
        from_branch=line.parent or None,
    )


def _shown_notes(notes: list[str], room: int) -> list[str] | None:
    """Enough of them to see what is wrong, as far as there is room; all are kept with the thought."""
    if not notes:
        return None
    more = [f"and {len(notes) - 1} more"] if len(notes) > 1 else []
    longest = min(room - len(',"notes":["",""]') - len("".join(more)), LONGEST_NOTE)
    if longest < SHORTEST_NOTE:
        return [f"{len(notes)} notes"] if room >= len(',"notes":["1000 notes"]') else None
    first = notes[0]
    return [first if len(first) <= longest else f"{first[: longest - 1]}…", *more]


def _size(answer: object) -> int:
    """The length of an answer, or of a part of it, on the wire."""
    return len(orjson.dumps(answer))
