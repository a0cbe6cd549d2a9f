"""What goes into looking after sessions and what comes out. The wire spells it in camelCase."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.thoughts.answers import Brief, LineShown, SessionShown, ThoughtLine, ThoughtShown
from thoughtbox.domains.thoughts.arguments import Limit, Offset, SessionId, Tag, Tags, Title
from thoughtbox.domains.thoughts.sessions.learnings.models import ExtractedLearning, KeyMoment
from thoughtbox.ledger.verdict import Standing
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text


class OneSession(CamelInput):
    session_id: SessionId = None


class GetSession(CamelInput):
    session_id: SessionId = None
    limit: Annotated[int, Field(ge=1, le=500, description="Thoughts in one answer.")] = 100
    cursor: Annotated[Key | None, Field(description="Where the answer before ended.")] = None
    max_chars: MaxChars = None


class SessionRead(CamelOutput):
    sparse: ClassVar[bool] = True

    session: SessionShown
    thoughts: list[ThoughtShown]
    branches: dict[str, LineShown]
    cursor: str | None = None


MOST_NEIGHBOURS = 5


class SearchSessions(CamelInput):
    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_000,
            description='A question or words, ranked. Demanded: +word, "a phrase", begin*, -without; all: every word.',
        ),
    ]
    what: Annotated[Literal["sessions", "thoughts"], Field(description="Sessions, or thoughts of all sessions.")] = (
        "sessions"
    )
    neighbours: Annotated[
        bool | Annotated[int, Field(ge=0, le=MOST_NEIGHBOURS)],
        Field(description="Of thoughts: with the one before and behind on their line, or so many of them."),
    ] = False
    limit: Limit = 10
    offset: Offset = 0
    session_id: SessionId = None
    max_chars: MaxChars = None


class SessionFound(SessionShown):
    """A session, and what it was found by, if it was searched for."""

    sparse: ClassVar[bool] = True

    hits: int | None = None
    best: str | None = None
    """The best hit, with what was found between « and »."""
    thought_number: int | None = None
    branch_id: str | None = None


class Neighbour(CamelOutput):
    """A thought beside one that was found, shortened."""

    id: str
    thought_number: int
    text: str


class ThoughtFound(CamelOutput):
    sparse: ClassVar[bool] = True

    id: str
    session_id: str
    session_title: str
    thought_number: int
    branch_id: str | None = None
    kind: str
    snippet: str
    revised_by: str | None = None
    rejected_by: str | None = None
    answered_by: str | None = None
    rests_on: str | None = None
    previous: list[Neighbour] | None = None
    next: list[Neighbour] | None = None


class SessionsFound(CamelOutput):
    sparse: ClassVar[bool] = True

    query: str
    sessions: list[SessionFound] | None = None
    thoughts: list[ThoughtFound] | None = None
    count: int
    has_more: bool
    next_offset: int | None = None
    message: str | None = None


class ResumeSession(CamelInput):
    session_id: Annotated[Key, Field(description="The session to go on with, or `latest`.")]
    max_chars: MaxChars = None


class ResumeLatest(CamelInput):
    session_id: SessionId = None
    max_chars: MaxChars = None


class Resumed(CamelOutput):
    """Where a caller that goes on with a session stands."""

    sparse: ClassVar[bool] = True

    success: Literal[True] = True
    session_id: str
    session: SessionShown
    stage: int
    thought_count: int
    message: str
    last_thought: ThoughtLine | None = None


class SessionResumed(Brief, Resumed):
    """Bases come in this order on the wire, the last first. `lastThoughts` are those before `lastThought`."""


class BriefSession(CamelInput):
    session_id: Annotated[
        Title | None, Field(description="Its id or title, or `latest`; without it, yours or else the latest.")
    ] = None
    max_chars: MaxChars = None


class Briefed(CamelOutput):
    """Which session it is."""

    sparse: ClassVar[bool] = True

    session_id: str
    title: str
    status: str
    updated_at: str
    thought_count: int


class SessionBrief(Brief, Briefed):
    """Bases come in this order on the wire, the last first."""


class ExportSession(CamelInput):
    session_id: SessionId = None
    format: Annotated[Literal["json", "markdown", "cipher"], Field(description="Of which form.")] = "json"
    include_metadata: Annotated[bool, Field(description="Tags, times and counts too (Markdown).")] = True
    cursor: Annotated[Key | None, Field(description="Where the answer before ended.")] = None
    max_chars: Annotated[int | None, Field(ge=500, le=10_000_000, description="Longest piece wanted.")] = None


class SessionExported(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    format: str
    content: str
    notebooks: list[dict[str, Any]] | None = None
    """Notebooks whose runs are evidence for its thoughts; told with the first piece."""
    cursor: str | None = None
    message: str | None = None


class ExtractLearnings(CamelInput):
    session_id: SessionId = None
    key_moments: Annotated[
        list[KeyMoment], Field(max_length=50, description="Moments that matter.", default_factory=list)
    ]
    target_types: Annotated[
        list[Literal["pattern", "anti-pattern", "signal"]],
        Field(description="Only these; all when left out.", default_factory=list),
    ]
    max_chars: MaxChars = None


class LearningsExtracted(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    learnings: Annotated[list[ExtractedLearning], Field(description="The most telling first.")]
    count: int
    left_out: Annotated[int | None, Field(description="Learnings that there was no room for.")] = None
    next: dict[str, Any] | None = None
    message: str | None = None


class RenameSession(CamelInput):
    title: Annotated[Title | None, Field(description="The new title.")] = None
    description: Annotated[Text | None, Field(max_length=10_000, description="The new description.")] = None
    session_id: SessionId = None


class TagSession(CamelInput):
    add: Annotated[Tags, Field(description="Tags to add.", default_factory=list)]
    remove: Annotated[list[Tag], Field(description="Tags to take away.", default_factory=list)]
    tags: Annotated[Tags | None, Field(description="All its tags, in place of those it has.")] = None
    session_id: SessionId = None


class DeleteSession(CamelInput):
    session_id: Annotated[Key, Field(description="The session to delete; its records stay, and can be verified.")]


class UndeleteSession(CamelInput):
    session_id: Annotated[Key, Field(description="The session that was deleted.")]


class SessionChanged(CamelOutput):
    success: Literal[True] = True
    session: SessionShown


class SessionDeleted(CamelOutput):
    success: Literal[True] = True
    session_id: str
    deleted: Literal[True] = True
    undo: dict[str, Any]
    """The call that brings it back; it can be sent as it stands."""


class SessionVerified(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    valid: bool
    standing: Annotated[Standing, Field(description="valid or broken; who signed the ledger, ledger_verify says.")]
    deleted: bool
    records: int
    message: str


class LookDeeper(CamelInput):
    session_id: SessionId = None
    analysis_type: Annotated[
        Literal["patterns", "cognitive_load", "decision_points", "full"], Field(description="What to look for.")
    ] = "full"
    include_timeline: Annotated[bool, Field(description="Times and pauses too.")] = False
    max_chars: MaxChars = None
