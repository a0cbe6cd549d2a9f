"""The nine verbs of the decision trail, and the one that always refuses."""

from __future__ import annotations

import json

from thoughtbox import content
from thoughtbox.domains.trail.models import (
    SHOWN_FOR_ACTION,
    SHOWN_IN_TRAIL,
    ActionThought,
    ChainVerdict,
    Linked,
    Links,
    LinkThought,
    ReadAction,
    ReadTree,
    ReasoningTrail,
    RecordAnalysis,
    RecordDecision,
    RecordPlan,
    RecordReflection,
    RecordThought,
    ThoughtRecorded,
    ThoughtsForAction,
    ThoughtTree,
    TrailStep,
    VerifyChain,
)
from thoughtbox.domains.trail.thoughts import (
    THOUGHTS,
    TOPIC,
    Thought,
    draft,
    opened,
    reasoned_stream_of,
    shorten,
    stream_of,
)
from thoughtbox.domains.trail.trees import forest
from thoughtbox.domains.trail.view import Actions
from thoughtbox.domains.trail.ways import Ways, streams_in_sight, thought_in_sight, thoughts_in
from thoughtbox.errors import Immutable, SessionNotFound
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.verify import verify_stream
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Example, Prompt, Resource, Room, Tx

room = Room(
    "trail",
    summary="Decision trail: immutable, hash-chained reasoning tied to sessions and actions.",
    views=[Actions],
    gateway="trail: thought_record, thought_reasoning_trail {actionId}: why",
    echo=lambda operation, answer: (
        f"{operation} {answer['thought']['thoughtId']} step {answer['thought']['stepIndex']}"
    ),
)

room.topic(TOPIC, opened, streams="trail")

TREE_CEILING = 8_000_000
"""A session's tree is given whole up to this size: a reviewer wants all of it."""

_PLAN = ("thought_plan", {"sessionId": "s1", "planDescription": "Move the cache", "actionId": "deploy-7"})


@room.operation(
    "thought_record",
    writes=True,
    title="Record a thought",
    example=Example({"sessionId": "s1", "thoughtType": "analysis", "content": "Reads dominate writes 40 to 1."}),
)
def thought_record(tx: Tx, call: RecordThought) -> ThoughtRecorded:
    """Record one immutable thought and link it into its session's chain."""
    return _record(tx, call, call.thought_type, call.content)


@room.operation(
    "thought_plan",
    writes=True,
    title="Record a plan",
    example=Example({"sessionId": "s1", "planDescription": "Move the cache in front of the database."}),
)
def thought_plan(tx: Tx, call: RecordPlan) -> ThoughtRecorded:
    """Record a plan: what is going to be done, and how."""
    return _record(tx, call, "plan", call.plan_description)


@room.operation(
    "thought_analysis",
    writes=True,
    title="Record an analysis",
    example=Example({"sessionId": "s1", "analysis": "Reads dominate writes 40 to 1."}),
)
def thought_analysis(tx: Tx, call: RecordAnalysis) -> ThoughtRecorded:
    """Record an analysis: what was found out, and what it means."""
    return _record(tx, call, "analysis", call.analysis)


@room.operation(
    "thought_decision",
    writes=True,
    title="Record a decision",
    example=Example({"sessionId": "s1", "decision": "Use a read-through cache.", "actionId": "deploy-7"}),
)
def thought_decision(tx: Tx, call: RecordDecision) -> ThoughtRecorded:
    """Record a decision. Name the action it leads to now: thoughts cannot be linked later."""
    return _record(tx, call, "decision", call.decision)


@room.operation(
    "thought_reflection",
    writes=True,
    title="Record a reflection",
    example=Example({"sessionId": "s1", "reflection": "The first estimate ignored cold starts."}),
)
def thought_reflection(tx: Tx, call: RecordReflection) -> ThoughtRecorded:
    """Record a reflection: what was learnt, looking back."""
    return _record(tx, call, "reflection", call.reflection)


@room.operation(
    "thought_tree",
    title="Read a session's thoughts as a tree",
    errors=[SessionNotFound],
    ceiling=TREE_CEILING,
    example=Example({"sessionId": "s1", "includeChildren": True}, given=[_PLAN]),
)
def thought_tree(tx: Tx, call: ReadTree) -> ThoughtTree:
    """All thoughts of a session: roots at the top, their children nested when asked for."""
    streams = streams_in_sight(tx, call.session_id)
    if not streams:
        raise _no_session(tx, call.session_id)
    thoughts = [Thought.of(record) for record in thoughts_in(tx, streams)]
    shown = forest(thoughts, whole=call.include_content, nested=call.include_children)
    return ThoughtTree(count=len(thoughts), tree=shown)


@room.operation(
    "thought_for_action",
    title="Find the thoughts behind an action",
    ceiling=TREE_CEILING,
    example=Example({"actionId": "deploy-7"}, given=[_PLAN]),
)
def thought_for_action(tx: Tx, call: ReadAction) -> ThoughtsForAction:
    """The thoughts linked to an action, across all sessions of both rooms, in order of recording."""
    thoughts = [
        ActionThought(
            thought_id=thought.thought_id,
            thought_type=thought.thought_type,
            session_id=thought.session_id,
            step_index=thought.step_index,
            content=shorten(thought.content, SHOWN_FOR_ACTION),
            parent_id=thought.parent_id,
            context_id=thought.context_id,
            recorded_at=thought.recorded_at,
        )
        for thought in map(Thought.of, _thoughts_of_action(tx, call.action_id))
    ]
    return ThoughtsForAction(action_id=call.action_id, count=len(thoughts), thoughts=thoughts)


@room.operation(
    "thought_verify_chain",
    title="Verify a session's hash chain",
    errors=[SessionNotFound],
    example=Example({"sessionId": "s1"}, given=[_PLAN]),
)
def thought_verify_chain(tx: Tx, call: VerifyChain) -> ChainVerdict:
    """Whether every thought of a session of the trail is still what was recorded, and none is missing."""
    verdict = verify_stream(tx.sql, tx.workspace, stream_of(call.session_id))
    problem, head = verdict.problem, tx.ledger.stream_head(stream_of(call.session_id))
    # A session whose rows and head are all gone may still be known from a checkpoint: then it is broken, not unknown.
    if problem is None and head is None:
        if tx.ledger.stream_head(reasoned_stream_of(call.session_id)) is not None:
            raise _verified_elsewhere(call.session_id)
        raise _no_session(tx, call.session_id)
    return ChainVerdict(
        valid=verdict.valid,
        message=f"The chain is broken: {problem.message}." if problem else "The chain is whole.",
        thought_count=min(verdict.records, head.length) if head else 0,
        broken_at=None if problem is None else _first_bad_step(verdict.records, problem.stream_index),
    )


@room.operation(
    "thought_reasoning_trail",
    title="Trace the reasoning that led to an action",
    ceiling=TREE_CEILING,
    example=Example({"actionId": "deploy-7"}, given=[_PLAN]),
)
def thought_reasoning_trail(tx: Tx, call: ReadAction) -> ReasoningTrail:
    """The paths of thought, each from its root, that led to an action. They may lead through sessions of both rooms."""
    ends = _thoughts_of_action(tx, call.action_id)
    ways = Ways(tx, ends)
    trails = [
        [
            TrailStep(
                thought_id=step.thought_id,
                thought_type=step.thought_type,
                content=shorten(step.content, SHOWN_IN_TRAIL),
                step_index=step.step_index,
            )
            for step in map(Thought.of, ways.to(end))
        ]
        for end in ends
    ]
    return ReasoningTrail(action_id=call.action_id, has_reasoning=bool(trails), trail_count=len(trails), trails=trails)


@room.operation(
    "link_thought_to_action",
    title="Refused: thoughts are immutable",
    hidden=True,
    errors=[Immutable],
    example=Example({"thoughtId": "th:1", "actionId": "deploy-7"}, fails_with=Immutable),
)
def link_thought_to_action(tx: Tx, call: LinkThought) -> Linked:
    """Always refused: a thought names its action when it is recorded, or never."""
    raise Immutable(
        "Thoughts are immutable. Create with actionId from start.",
        recovery="Record a new thought with this actionId, and parentId set to the old one.",
    )


def _first_bad_step(good: int, found_at: int | None) -> int:
    """Where the chain stops holding: at a step that is missing, if the one that was found stands behind it."""
    return good if found_at is None else min(good, found_at)


def _record(tx: Tx, call: Links, thought_type: str, content: str) -> ThoughtRecorded:
    parent_is_known = call.parent_id is not None and thought_in_sight(tx, call.parent_id) is not None
    record = tx.append(
        draft(
            session_id=call.session_id,
            thought_type=thought_type,
            content=content,
            context_id=call.context_id,
            action_id=call.action_id,
            parent_id=call.parent_id,
            parent_is_known=parent_is_known,
        ),
        stream=stream_of(call.session_id),
    )
    return ThoughtRecorded.of(record)


def _thoughts_of_action(tx: Tx, action_id: str) -> list[Record]:
    """The thoughts that the view leads to, each of which must say itself that it led to the action."""
    seqs = tx.ask(Actions).thoughts_of(action_id)
    found = {record.seq: record for record in tx.ledger.records(seqs) if record.topic in THOUGHTS}
    for seq in seqs:
        if seq not in found or found[seq].data.get("actionId") != action_id:
            raise astray(Actions, seq, f"action `{action_id}`")
    return list(found.values())


def _verified_elsewhere(session_id: str) -> SessionNotFound:
    verify = {"operation": "session.verify", "sessionId": session_id}
    return SessionNotFound(
        f"session `{session_id}` is one of the thoughts room, and has no thoughts in the trail",
        recovery=f"Send {json.dumps(verify, ensure_ascii=False)}.",
        details={"sessionId": session_id},
    )


def _no_session(tx: Tx, session_id: str) -> SessionNotFound:
    known = [name.removeprefix("trail/") for name in tx.ledger.streams("trail/", limit=5)]
    return SessionNotFound(
        f"there is no session `{session_id}` in workspace `{tx.workspace}`",
        recovery=f"Known sessions: {', '.join(known)}." if known else _where_to_begin(tx),
        details={"sessionId": session_id},
    )


def _where_to_begin(tx: Tx) -> str:
    if tx.ledger.streams("thoughts/", limit=1):
        return '{"operation": "list_sessions"} shows those of the thoughts room.'
    return "Record a thought first: thought_record."


def _sessions(tx: Tx, after: str, limit: int) -> dict[str, str]:
    """Sessions behind a given one, by name."""
    found = tx.ledger.streams("trail/", after=stream_of(after) if after else "", limit=limit)
    names = [name.removeprefix("trail/") for name in found]
    return {name: f"Decision trail {name}" for name in names}


def _sessions_like(tx: Tx, typed: str, limit: int) -> list[str]:
    return [name.removeprefix("trail/") for name in tx.ledger.streams(stream_of(typed), limit=limit)]


room.completion("sessionId", _sessions_like)
room.completion("actionId", lambda tx, typed, limit: tx.ask(Actions).ids(typed, limit))

room.resource(
    Resource(
        uri="thoughtbox://trail/{sessionId}",
        name="trail",
        title="A session's decision trail",
        description="All thoughts of a session as a tree.",
        operation="thought_tree",
        arguments={"includeChildren": True, "includeContent": True},
        listed=_sessions,
    )
)
room.resource(
    Resource(
        uri="thoughtbox://action/{actionId}",
        name="action",
        title="The reasoning behind an action",
        description="The paths of thought that led to an action.",
        operation="thought_reasoning_trail",
    )
)
room.prompt(
    Prompt(
        name="think_in_the_open",
        title="Work on a task with a decision trail",
        description="Have the agent record plan, analyses, decisions and reflection while it works.",
        text=content.text("prompts/think_in_the_open.md"),
        arguments={"task": "What is to be done."},
    )
)
room.prompt(
    Prompt(
        name="explain_action",
        title="Explain why an action was taken",
        description="Answer from the recorded reasoning alone.",
        text=content.text("prompts/explain_action.md"),
        arguments={"actionId": "The action to explain."},
        operation="thought_reasoning_trail",
    )
)
