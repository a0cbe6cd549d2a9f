"""What goes in and what comes out."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.operations import Confidence, Input, Key, Output, Text

SessionId = Annotated[Key, Field(description="The session's id, as analyze_problem answered it.")]


class Notice(Output):
    code: Literal["LEGACY_TOOL_DEPRECATED"] = "LEGACY_TOOL_DEPRECATED"
    message: str
    remediation: Annotated[str, Field(description="What to call instead.")]


class Deprecated(Output):
    deprecated: Literal[True] = True
    replacement: Annotated[str, Field(description="The tools that have taken its place.")]
    deprecation_notice: str
    notice: Notice


class AnalyzeProblem(Input):
    problem: Annotated[Text, Field(description="The problem, in your words.")]
    available_tools: Annotated[list[Key], Field(max_length=500, description="Names of tools that you could use.")] = (
        Field(default_factory=list)
    )


class ProblemAnalyzed(Deprecated):
    session_id: str
    user_intent: Annotated[dict[str, str], Field(description="goal, priority, format and context.")]
    suggested_queries: Annotated[dict[str, Any], Field(description="What to look for: search, localFiles, webSearch.")]
    key_concepts: list[str]
    next_step: str


class LocalDoc(Input):
    path: Annotated[str, Field(description="Where it stands.")]
    content: Annotated[str, Field(description="What it says.")]


class Sources(Input):
    experiences: Annotated[
        list[dict[str, Any]], Field(description="Experiences, as search_experiences answers them.")
    ] = Field(default_factory=list)
    local_docs: Annotated[list[LocalDoc], Field(description="Files of the project.")] = Field(default_factory=list)
    mcp_data: Annotated[dict[str, Any], Field(description="Data of other tools, by name.")] = Field(
        default_factory=dict
    )
    web_results: Annotated[list[Any], Field(description="What the web says; counted only.")] = Field(
        default_factory=list
    )


class GatherContext(Input):
    session_id: SessionId
    problem: Annotated[str | None, Field(description="The problem again; the session knows it.")] = None
    sources: Annotated[Sources | None, Field(description="What is known. Without it, what to send is told.")] = None


class ContextGathered(Deprecated):
    sparse = True

    session_id: str
    status: Literal["awaiting_sources", "synthesized"]
    guidance: str | None = None
    expected_format: dict[str, Any] | None = None
    synthesized_context: Annotated[str | None, Field(description="What was sent, as quoted data, in order.")] = None
    token_count: int
    priority_breakdown: dict[str, int]
    source_counts: Annotated[dict[str, int] | None, Field(description="What was sent, counted.")] = None
    next_step: str


class ReasonThrough(Input):
    session_id: SessionId
    thought: Annotated[Text, Field(description="The thought.")]
    thought_number: Annotated[int, Field(ge=1, le=1_000_000, description="Its number, from 1.")]
    confidence: Annotated[Confidence | None, Field(description="How sure you are, from 0 to 1.")] = None
    is_revision: Annotated[bool, Field(description="Whether it revises an earlier thought.")] = False
    revises_thought: Annotated[int | None, Field(ge=1, le=1_000_000, description="The number of that thought.")] = None


class ThoughtTaken(Deprecated):
    session_id: str
    thought_id: int
    thought_number: int
    scope_creep_detected: Annotated[bool, Field(description="Whether it shares hardly a word with the problem.")]
    scope_creep_warning: str | None
    next_step: str


class FinalizeDecision(Input):
    session_id: SessionId
    conclusion: Annotated[Text, Field(description="What was decided.")]
    rationale: Annotated[Text | None, Field(description="Why.")] = None
    record_as_experience: Annotated[bool, Field(description="Whether to record it as an experience.")] = True


class SessionSummary(Output):
    problem: str
    thoughts_count: int
    avg_confidence: float | None


class DecisionFinalized(Deprecated):
    session_id: str
    conclusion: str
    experience_id: Annotated[int | None, Field(description="The experience; null when none was recorded.")]
    session_summary: SessionSummary
    message: Annotated[str, Field(description="What was recorded, or why nothing was.")]
