"""What goes into finding one's place and what comes out. The wire spells it in camelCase."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.think.models import SessionId, Tag, Tags, ThoughtShown, Title
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text

Domain = Literal["debugging", "planning", "decision-making", "risk-management", "problem-solving", "analysis"]
SortBy = Literal["createdAt", "updatedAt", "title"]

MOST_LISTED = 100
LISTED_BY_DEFAULT = 20

Place = Annotated[Key, Field(max_length=200)]
Limit = Annotated[int, Field(ge=1, le=MOST_LISTED, description="How many in one answer.")]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="How many to pass over.")]
SortedBy = Annotated[SortBy, Field(description="What the order goes by.")]
SortOrder = Annotated[Literal["asc", "desc"], Field(description="Rising or falling.")]


class GetState(CamelInput):
    session_id: SessionId = None


class StartNew(CamelInput):
    session_title: Annotated[Title | None, Field(description="What the session is about.")] = None
    title: Annotated[Title | None, Field(description="The same as sessionTitle.")] = None
    description: Annotated[Text | None, Field(max_length=10_000, description="More about it.")] = None
    session_tags: Annotated[Tags, Field(description="Tags to find it by.", default_factory=list)]
    domain: Annotated[Domain | None, Field(description="Kind of work; mental_models then shows what suits it.")] = None
    project: Annotated[Place | None, Field(description="Project it belongs to.")] = None
    task: Annotated[Place | None, Field(description="Task within the project.")] = None
    aspect: Annotated[Place | None, Field(description="Aspect of the task.")] = None


class LoadContext(CamelInput):
    session_id: Annotated[Key, Field(description="The session to go on with.")]
    max_chars: MaxChars = None


class ListSessions(CamelInput):
    tags: Annotated[list[Tag], Field(max_length=20, description="All of these.", default_factory=list)]
    search: Annotated[str | None, Field(max_length=1_000, description="Words in title or description.")] = None
    project: Annotated[Place | None, Field(description="Of this project.")] = None
    task: Annotated[Place | None, Field(description="Of this task.")] = None
    aspect: Annotated[Place | None, Field(description="Of this aspect.")] = None
    limit: Limit = LISTED_BY_DEFAULT
    offset: Offset = 0
    sort_by: SortedBy = "updatedAt"
    sort_order: SortOrder = "desc"
    session_id: SessionId = None
    max_chars: MaxChars = None


class Navigate(CamelInput):
    project: Annotated[Place | None, Field(description="Project to work in.")] = None
    task: Annotated[Place | None, Field(description="Task within the project.")] = None
    aspect: Annotated[Place | None, Field(description="Aspect of the task.")] = None
    domain: Annotated[Domain | None, Field(description="Kind of work; mental_models then shows what suits it.")] = None
    session_id: SessionId = None
    max_chars: MaxChars = None


class ListRoots(CamelInput):
    session_id: SessionId = None


class BindRoot(CamelInput):
    root_uri: Annotated[Key, Field(max_length=2_000, description="One of the roots that list_roots shows.")]
    session_id: SessionId = None


class LoadCipher(CamelInput):
    session_id: SessionId = None


class SessionShown(CamelOutput):
    """A session as the document's Session type has it, and how far it is."""

    sparse: ClassVar[bool] = True

    id: str
    title: str
    description: str | None = None
    tags: list[str]
    thought_count: int
    branch_count: int
    created_at: str
    updated_at: str
    last_accessed_at: str
    status: str
    stage: int
    domain: str | None = None
    project: str | None = None
    task: str | None = None
    aspect: str | None = None
    bound_root: str | None = None

    @classmethod
    def of(cls, session: Session) -> SessionShown:
        return cls(
            id=session.id,
            title=session.title,
            description=session.description,
            tags=list(session.tags),
            thought_count=session.thought_count,
            branch_count=session.branch_count,
            created_at=session.created_at,
            updated_at=session.updated_at,
            last_accessed_at=session.last_accessed_at,
            status=session.status,
            stage=session.stage,
            domain=session.domain,
            project=session.project,
            task=session.task,
            aspect=session.aspect,
            bound_root=session.root,
        )


class State(CamelOutput):
    sparse: ClassVar[bool] = True

    stage: int
    stage_name: str
    workspace: str
    session: SessionShown | None = None
    navigation: dict[str, str]
    available: list[str]
    next: dict[str, Any] | None = None


class Started(CamelOutput):
    """A session has begun; the next thought lands in it."""

    session_id: str
    title: str
    stage: int
    stage_name: str
    next: dict[str, Any]


class ContextLoaded(CamelOutput):
    sparse: ClassVar[bool] = True

    session_id: str
    session: SessionShown
    stage: int
    stage_name: str
    thought_count: int
    next_thought_number: int
    last_thoughts: list[ThoughtShown]
    next: dict[str, Any] | None = None


class SessionsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    sessions: list[SessionShown]
    count: int
    has_more: bool
    next_offset: int | None = None


class Named(CamelOutput):
    name: str
    sessions: int


class Navigated(CamelOutput):
    sparse: ClassVar[bool] = True

    stage: int
    stage_name: str
    navigation: dict[str, str]
    remembered: str
    """Where: in the session, by the connection, or not at all."""
    sessions: list[SessionShown]
    projects: list[Named] | None = None


class RootShown(CamelOutput):
    sparse: ClassVar[bool] = True

    uri: str
    name: str | None = None
    bound: bool = False


class RootsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    supported: bool
    roots: list[RootShown]
    message: str | None = None


class RootBound(CamelOutput):
    bound_root: str
    project: str
    remembered: str


class CipherLoaded(CamelOutput):
    session_id: str
    stage: int
    stage_name: str
    cipher: str
