"""What goes into finding one's place and what comes out. The wire spells it in camelCase."""

from typing import Annotated, Any, ClassVar

from pydantic import Field

from thoughtbox.domains.thoughts.answers import Brief, SessionShown
from thoughtbox.domains.thoughts.arguments import Domain, Place, SessionId, Tags, Title
from thoughtbox.operations import CamelInput, CamelOutput, Key, MaxChars, Text


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
    brief: Annotated[bool, Field(description="In 400 characters, for those who have seen it before.")] = False
    session_id: SessionId = None


class Resumable(CamelOutput):
    """A session that could be gone on with, and the call that does so."""

    session_id: str
    title: str
    thought_count: int
    updated_at: str
    call: dict[str, Any]


class State(CamelOutput):
    sparse: ClassVar[bool] = True

    stage: int
    stage_name: str
    workspace: str
    session: SessionShown | None = None
    navigation: dict[str, str]
    available: list[str]
    resumable: Annotated[Resumable | None, Field(description="The latest session, for a caller that has none.")] = None
    next: dict[str, Any]


class SessionStarted(CamelOutput):
    """A session has begun; the next thought lands in it."""

    session_id: str
    title: str
    stage: int
    stage_name: str
    next: dict[str, Any]


class Loaded(CamelOutput):
    """Where a caller that has loaded a session stands."""

    sparse: ClassVar[bool] = True

    session_id: str
    session: SessionShown
    stage: int
    stage_name: str
    thought_count: int
    next: dict[str, Any]


class ContextLoaded(Brief, Loaded):
    """Bases come in this order on the wire, the last first."""


class ProjectCount(CamelOutput):
    name: str
    sessions: int


class Navigation(CamelOutput):
    sparse: ClassVar[bool] = True

    stage: int
    stage_name: str
    navigation: dict[str, str]
    remembered: str
    """Where: in the session, by the connection, or not at all."""
    sessions: list[SessionShown]
    projects: list[ProjectCount] | None = None


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
    next_thought_number: int
    next: dict[str, Any]
