"""The list of sessions: found by `session.list`, shown as people who watch are shown them."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from thoughtbox.app import Thoughtbox
from thoughtbox.domains.thoughts.watched.models import WatchedSession, WatchedSessions
from thoughtbox.domains.thoughts.watched.reading import sessions_of
from thoughtbox.doors.observatory.routes import AS_OF, CURSOR, Given, Parameter, limit
from thoughtbox.engine.steps import Steps, in_steps
from thoughtbox.operations import Tx, cursor, place_in
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

PAGE = 100
"""Sessions that are looked at together."""

MOST_LOOKED_AT = 1_000
"""Sessions that are looked at for one page of those with a status; the cursor leads on from there."""

PARAMETERS = (
    Parameter("status", "Only those with this status.", choices=("active", "completed", "abandoned")),
    Parameter("search", "A question or words, looked for in thoughts, titles, descriptions and tags; best first."),
    Parameter("q", "The same as `search`."),
    limit(200, 50),
    CURSOR,
    AS_OF,
)


class SessionsPlace(NamedTuple):
    """Where a page of the list ends: so many were looked at, as of that record."""

    offset: int
    as_of: int


def listed(box: Thoughtbox, caller: Caller, workspace: str, given: Given) -> Future[Mapping[str, Any]]:
    """A page of sessions, the one that was updated last first; with words to look for, the best first."""
    return in_steps(_listed(box, caller, workspace, given))


def _listed(box: Thoughtbox, caller: Caller, workspace: str, given: Given) -> Steps[Mapping[str, Any]]:
    dispatcher = box.dispatcher
    if given["cursor"]:
        place = place_in(given["cursor"], SessionsPlace)
    else:
        newest: int = yield dispatcher.ask(workspace, caller, lambda tx: tx.ledger.last_seq(), as_of=given["asOf"])
        place = SessionsPlace(0, newest)
    shown: list[WatchedSession] = []
    offset: int | None = place.offset
    looked_at = 0
    while offset is not None and len(shown) < given["limit"] and looked_at < MOST_LOOKED_AT:
        count = min(PAGE, given["limit"] - len(shown)) if given["status"] is None else PAGE
        page: Mapping[str, Any] = yield dispatcher.submit(
            Call(
                operation="session.list",
                workspace=workspace,
                arguments={"limit": count, "offset": offset, **_words(given)},
                caller=caller,
                as_of=place.as_of,
                focus=box.first_focus("none"),
            )
        )
        ids = [session["id"] for session in page["sessions"]]
        found: list[WatchedSession] = yield dispatcher.ask(workspace, caller, _opening(ids), as_of=place.as_of)
        looked_at += len(ids)
        taken = _taken(found, given["status"], given["limit"] - len(shown))
        shown += [found[number] for number in taken.places]
        offset = offset + taken.looked_at if taken.looked_at < len(found) else page.get("nextOffset")
    return WatchedSessions(
        sessions=shown,
        next_cursor=cursor(SessionsPlace(offset, place.as_of)) if offset is not None else None,
        seq=place.as_of,
    ).answer()


class _Taken(NamedTuple):
    """Which of some sessions are wanted, and how many were looked at until there were enough."""

    places: list[int]
    looked_at: int


def _taken(found: list[WatchedSession], status: str | None, wanted: int) -> _Taken:
    places: list[int] = []
    for number, session in enumerate(found):
        if len(places) == wanted:
            return _Taken(places, number)
        if status is None or session.status == status:
            places.append(number)
    return _Taken(places, len(found))


def _words(given: Given) -> dict[str, str]:
    words = given["search"] or given["q"]
    return {"search": words} if words else {}


def _opening(ids: list[str]) -> Any:
    def opened(tx: Tx) -> list[WatchedSession]:
        return sessions_of(tx, ids)

    return opened
