"""What goes in and what comes out of what is kept for a compaction."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.domains.memory.compaction.packing import LONGEST, SHORTEST
from thoughtbox.operations import Input, Key, Output, Time

ClientName = Annotated[Key, Field(description="The host: claude-code, codex.")]
HostSessionId = Annotated[Key, Field(description="What the host calls its session.")]


class ReadPack(Input):
    client: Annotated[Key | None, Field(description="The host: claude-code, codex.")] = None
    host_session: Annotated[
        Key | None, Field(description="What the host calls its session; without it, the one that was last at work.")
    ] = None
    pack_chars: Annotated[int, Field(ge=SHORTEST, le=LONGEST, description="Longest pack wanted, in characters.")] = (
        LONGEST
    )
    calls: Annotated[
        Literal["gateway", "tools"], Field(description="How calls in the pack are sent: to the gateway, or as tools.")
    ] = "gateway"
    starts: Annotated[
        bool, Field(description="Whether a session begins: of one that has left nothing, little is said.")
    ] = False


class SessionPack(Output):
    client: str | None
    host_session: str | None
    pack: str
    next_call: dict[str, Any] | None


class NoteHost(Input):
    client: ClientName
    host_session: HostSessionId
    kind: Annotated[Literal["prompt", "cycle"], Field(description="What is noted.")]
    text: Annotated[str, Field(max_length=1_000, description="The prompt, redacted and shortened.")] = ""
    cycle: Annotated[int | None, Field(ge=1, description="The memory session that was worked on.")] = None
    ts: Annotated[Time | None, Field(description="When; now if not given.")] = None


class HostNoted(Output):
    id: int


class SaveBeforeCompaction(Input):
    client: ClientName
    host_session: HostSessionId
    trigger: Annotated[str, Field(max_length=40, description="Why: manual or auto.")] = "auto"
    said: Annotated[str, Field(max_length=1_000, description="What the agent last said, redacted and shortened.")] = ""


class ReadUnfinished(Input):
    client: ClientName
    host_session: HostSessionId


class Unfinished(Output):
    session_id: int | None
    phase: str | None
    step: str | None
    next_call: dict[str, Any] | None


class ReadFinished(Input):
    client: ClientName
    host_session: HostSessionId
    limit: Annotated[int, Field(ge=1, le=100, description="How many at most.")] = 20


class Finished(Output):
    sessions: list[int]
