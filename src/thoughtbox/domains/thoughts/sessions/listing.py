"""Lists of sessions, as `list_sessions` and `session.list` give them."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

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
from thoughtbox.domains.thoughts.paging import room_beside
from thoughtbox.domains.thoughts.sessions.models import SessionFound
from thoughtbox.domains.thoughts.sessions.search import SEARCHED, page_of, sessions_found
from thoughtbox.domains.thoughts.standing import standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import present
from thoughtbox.operations import CamelInput, CamelOutput, MaxChars, Tx
from thoughtbox.search.texts import Texts


class ListSessions(CamelInput):
    tags: Annotated[list[Tag], Field(max_length=20, description="All of these.", default_factory=list)]
    search: Annotated[
        str | None,
        Field(max_length=1_000, description="A question or words, looked for in thoughts, titles, descriptions, tags."),
    ] = None
    project: Annotated[Place | None, Field(description="Of this project.")] = None
    task: Annotated[Place | None, Field(description="Of this task.")] = None
    aspect: Annotated[Place | None, Field(description="Of this aspect.")] = None
    limit: Limit = LISTED_BY_DEFAULT
    offset: Offset = 0
    sort_by: Annotated[
        SortedBy | None, Field(description="What the order goes by: with `search` how well they fit, else updatedAt.")
    ] = None
    sort_order: SortOrder = "desc"
    session_id: SessionId = None
    max_chars: MaxChars = None


class SessionsListed(CamelOutput):
    sparse: ClassVar[bool] = True

    sessions: list[SessionFound]
    count: int
    has_more: bool
    next_offset: int | None = None
    message: str | None = None


def listed(tx: Tx, call: ListSessions) -> SessionsListed:
    """The sessions that a call asks for, within the scope of its connection."""
    given = {"project": call.project, "task": call.task, "aspect": call.aspect}
    where, place = present(given), standing(tx).place
    if "root" in place and "project" not in where:
        where["project"] = place["project"]  # a bound root is the scope of its connection
    found = _searched(tx, call, call.search, where) if call.search and call.search.strip() else None
    sessions, has_more, message = found or _in_order(tx, call, where)
    page = page_of(sessions, room_beside(call.max_chars, {"message": message}), offset=call.offset, has_more=has_more)
    return SessionsListed(
        sessions=page.shown,
        count=len(page.shown),
        has_more=page.next_offset is not None,
        next_offset=page.next_offset,
        message=message,
    )


Listed = tuple[Sequence[SessionFound | None], bool, str | None]
"""A page of sessions, whether there is more, and what to say of it."""


def _in_order(tx: Tx, call: ListSessions, where: dict[str, str]) -> Listed:
    found = tx.ask(Thoughts).sessions(
        tags=call.tags,
        where=where,
        sort_by=call.sort_by or "updatedAt",
        descending=call.sort_order == "desc",
        limit=call.limit + 1,
        offset=call.offset,
    )
    return [SessionFound.of(session) for session in found[: call.limit]], len(found) > call.limit, None


def _searched(tx: Tx, call: ListSessions, query: str, where: dict[str, str]) -> Listed:
    """By how well they fit, unless another order is asked for."""

    def arranged(found: Sequence[str]) -> Sequence[str]:
        kept = tx.ask(Thoughts).sessions_among(found, tags=call.tags, where=where, sort_by=call.sort_by)
        in_order = kept if call.sort_by else [session_id for session_id in found if session_id in set(kept)]
        return in_order if call.sort_order == "desc" else in_order[::-1]

    found = tx.ask(Texts).sessions(query, topics=SEARCHED, limit=call.limit, offset=call.offset, arranged=arranged)
    return sessions_found(tx, found.sessions), found.has_more, found.note
