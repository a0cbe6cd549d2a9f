"""Lists of sessions, as `list_sessions` and `session.list` give them."""

from typing import Annotated, ClassVar

from pydantic import Field

from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.arguments import (
    LISTED_BY_DEFAULT,
    Limit,
    Offset,
    Place,
    SessionId,
    SortedBy,
    SortOrder,
    Tag,
)
from thoughtbox.domains.thoughts.paging import fitting, room_beside
from thoughtbox.domains.thoughts.standing import standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import present
from thoughtbox.operations import CamelInput, CamelOutput, MaxChars, Tx


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


class SessionsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    sessions: list[SessionShown]
    count: int
    has_more: bool
    next_offset: int | None = None


def listed(tx: Tx, call: ListSessions) -> SessionsListed:
    """The sessions that a call asks for, within the scope of its connection."""
    given = {"project": call.project, "task": call.task, "aspect": call.aspect}
    where, place = present(given), standing(tx).place
    if "root" in place and "project" not in where:
        where["project"] = place["project"]  # a bound root is the scope of its connection
    found = tx.ask(Thoughts).sessions(
        tags=call.tags,
        where=where,
        words=call.search,
        sort_by=call.sort_by,
        descending=call.sort_order == "desc",
        limit=call.limit + 1,
        offset=call.offset,
    )
    shown = fitting([SessionShown.of(session) for session in found[: call.limit]], room_beside(call.max_chars, {}))
    has_more = len(found) > len(shown)
    return SessionsListed(
        sessions=shown, count=len(shown), has_more=has_more, next_offset=call.offset + len(shown) if has_more else None
    )
