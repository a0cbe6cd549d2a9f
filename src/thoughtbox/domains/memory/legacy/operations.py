"""The four verbs of the old way to reason. They work by themselves, and say what has taken their place."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.legacy.models import (
    AnalyzeProblem,
    ContextGathered,
    DecisionFinalized,
    FinalizeDecision,
    GatherContext,
    Notice,
    ProblemAnalyzed,
    ReasonThrough,
    SessionSummary,
    Sources,
    ThoughtTaken,
)
from thoughtbox.domains.memory.legacy.session import (
    CONFIDENCE_WITHOUT_THOUGHTS,
    ReasoningSession,
    ReasoningThought,
    mean_confidence,
)
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.domains.memory.view.reasoning import Reasoning
from thoughtbox.errors import SessionNotFound, ThoughtboxError, ValidationFailed
from thoughtbox.operations import Example, Tx

FEWEST_SHARED_WORDS = 2
AWAITING_TOKENS = 50
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_DIGITS = 9

_UNKNOWN = {"session_id": "reasoning-1750000000000-000000000"}


def _deprecated(tool: str) -> dict[str, Any]:
    from thoughtbox.domains.memory.legacy.words import texts

    told = texts()["deprecated"][tool]
    return {
        "replacement": told["replacement"],
        "deprecation_notice": told["notice"],
        "notice": Notice(message=told["notice"], remediation=told["remediation"]),
    }


@room.operation(
    "analyze_problem",
    writes=True,
    title="Analyse a problem (deprecated)",
    toolsets=TOOLS,
    example=Example({"problem": "How do I fix the flaky test of the payment API?", "available_tools": ["web_search"]}),
)
def analyze_problem(tx: Tx, call: AnalyzeProblem) -> ProblemAnalyzed:
    """Deprecated, see compliance_snapshot. Begin a reasoning session: what is asked, and where to look for answers."""
    from thoughtbox.domains.memory.legacy.records import write_begun
    from thoughtbox.domains.memory.legacy.words import key_concepts, suggested_queries, texts, user_intent

    session_id = f"reasoning-{tx.now_ms}-{_base36(tx.random_bytes(8))}"
    intent = user_intent(call.problem)
    write_begun(tx, session_id, call.problem, intent)
    return ProblemAnalyzed(
        **_deprecated("analyze_problem"),
        session_id=session_id,
        user_intent=intent,
        suggested_queries=suggested_queries(call.problem, call.available_tools),
        key_concepts=key_concepts(call.problem),
        next_step=texts()["next_steps"]["analyze_problem"],
    )


@room.operation(
    "gather_context",
    writes=True,
    title="Gather context (deprecated)",
    errors=[SessionNotFound],
    toolsets=TOOLS,
    example=Example(_UNKNOWN, fails_with=SessionNotFound),
)
def gather_context(tx: Tx, call: GatherContext) -> ContextGathered:
    """Deprecated, see context_pack. Make one text of what is known about a session's problem, within a budget."""
    from thoughtbox.domains.memory.legacy.gathering import CEILINGS, EXPECTED_FORMAT, gathered
    from thoughtbox.domains.memory.legacy.records import write_gathered
    from thoughtbox.domains.memory.legacy.words import texts

    session = _open_session(tx, call.session_id)
    said = texts()
    counts = _counted(call.sources)
    if not any(counts.values()) or call.sources is None:
        return ContextGathered(
            **_deprecated("gather_context"),
            session_id=session.session_id,
            status="awaiting_sources",
            guidance=said["texts"]["guidance"],
            expected_format=EXPECTED_FORMAT,
            token_count=AWAITING_TOKENS,
            priority_breakdown=dict.fromkeys(CEILINGS, 0),
            next_step=said["next_steps"]["awaiting_sources"],
        )
    write_gathered(tx, session.session_id, counts)
    made = gathered(call.problem or session.problem, call.sources)
    return ContextGathered(
        **_deprecated("gather_context"),
        session_id=session.session_id,
        status="synthesized",
        synthesized_context=made.text,
        token_count=made.tokens,
        priority_breakdown=made.breakdown,
        source_counts=counts,
        next_step=said["next_steps"]["gather_context"],
    )


def _counted(sources: Sources | None) -> dict[str, int]:
    names = ("experiences", "local_docs", "mcp_data", "web_results")
    return {name: len(getattr(sources, name)) if sources is not None else 0 for name in names}


@room.operation(
    "reason_through",
    writes=True,
    title="Think one thought (deprecated)",
    errors=[SessionNotFound],
    toolsets=TOOLS,
    example=Example(
        {**_UNKNOWN, "thought": "It fails only in parallel.", "thought_number": 1}, fails_with=SessionNotFound
    ),
)
def reason_through(tx: Tx, call: ReasonThrough) -> ThoughtTaken:
    """Deprecated, see guarded_cycle. Add a thought to a session, and hear whether it is still about the problem."""
    from thoughtbox.domains.memory.legacy.records import write_thought
    from thoughtbox.domains.memory.legacy.words import count_words, shared_words, texts

    session = _open_session(tx, call.session_id)
    said = texts()
    record = write_thought(
        tx,
        session.session_id,
        call.thought,
        number=call.thought_number,
        confidence=call.confidence,
        is_revision=call.is_revision,
        revises_thought=call.revises_thought,
    )
    fewest = min(FEWEST_SHARED_WORDS, count_words(session.problem))
    creeps = shared_words(session.problem, call.thought) < fewest
    return ThoughtTaken(
        **_deprecated("reason_through"),
        session_id=session.session_id,
        thought_id=record.seq,
        thought_number=call.thought_number,
        scope_creep_detected=creeps,
        scope_creep_warning=said["texts"]["creep"] if creeps else None,
        next_step=said["next_steps"]["out_of_scope" if creeps else "reason_through"],
    )


@room.operation(
    "finalize_decision",
    writes=True,
    effect="ends",
    title="Conclude a session (deprecated)",
    errors=[SessionNotFound],
    toolsets=TOOLS,
    example=Example({**_UNKNOWN, "conclusion": "Give each test its own port."}, fails_with=SessionNotFound),
)
def finalize_decision(tx: Tx, call: FinalizeDecision) -> DecisionFinalized:
    """Deprecated, see finalize_response. End a session with its conclusion, and record it as an experience."""
    from thoughtbox.domains.memory.legacy.records import write_finalized

    session = _open_session(tx, call.session_id)
    thoughts = tx.ask(Reasoning).thoughts(session.session_id)
    if call.record_as_experience:
        experience_id, message = _recorded(tx, session, thoughts, call)
    else:
        experience_id, message = None, "The session is finalized; no experience was asked for."
    write_finalized(tx, session.session_id, call.conclusion, experience_id)
    return DecisionFinalized(
        **_deprecated("finalize_decision"),
        session_id=session.session_id,
        conclusion=call.conclusion,
        experience_id=experience_id,
        session_summary=SessionSummary(
            problem=session.problem, thoughts_count=len(thoughts), avg_confidence=mean_confidence(thoughts)
        ),
        message=message,
    )


def _recorded(
    tx: Tx, session: ReasoningSession, thoughts: list[ReasoningThought], call: FinalizeDecision
) -> tuple[int | None, str]:
    """Record the session as an experience: its id, and what came of it. That it cannot be recorded ends nothing."""
    if not thoughts:
        return None, (
            "The session is finalized; no experience was recorded, since there is no thought to tell how it was"
            " approached."
        )
    confidence = mean_confidence(thoughts)
    experience = {
        "type": "effective",
        "domain": "Debugging" if session.user_intent.get("goal") == "debugging" else "Decision",
        "situation": session.problem,
        "approach": "; ".join(thought.thought for thought in thoughts),
        "outcome": call.conclusion,
        "reasoning": call.rationale or f"Concluded after {len(thoughts)} thoughts.",
        "confidence": CONFIDENCE_WITHOUT_THOUGHTS if confidence is None else confidence,
    }
    try:
        answer = tx.call("record_experience", experience)
    except ThoughtboxError as error:
        return None, f"The session is finalized; no experience was recorded: {error}"
    if not answer["recorded"]:
        return None, (
            f"The session is finalized; experience {answer['duplicate_id']} says nearly the same, so none was added."
        )
    return answer["experience_id"], f"The session is finalized and recorded as experience {answer['experience_id']}."


def _open_session(tx: Tx, session_id: str) -> ReasoningSession:
    session = tx.ask(Reasoning).session(session_id)
    if session is None:
        raise SessionNotFound(
            f"Session not found: {session_id}",
            recovery='{"operation": "analyze_problem", "problem": "…"} begins one.',
        )
    if session.phase == "finalized":
        raise ValidationFailed(
            f"session {session_id} is finalized",
            recovery='{"operation": "analyze_problem", "problem": "…"} begins another one.',
            details={"fields": ["session_id"]},
        )
    return session


def _base36(random: bytes) -> str:
    number = int.from_bytes(random, "big")
    digits = []
    for _ in range(_RANDOM_DIGITS):
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
    return "".join(digits)
