"""One search over everything that rooms have said can be found."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.thoughts.watched.reading import sessions_of
from thoughtbox.doors.observatory.models import Found, HitShown
from thoughtbox.operations import Tx, cursor, place_in
from thoughtbox.search.texts import LARGEST_PAGE, Hit, Texts

MOST_PAGES_LOOKED_AT = 5
"""Pages of hits that are looked through for those that fit a filter."""


class HitPlace(NamedTuple):
    """Where a page of hits ends: so many were looked at, as of that record."""

    offset: int
    as_of: int


def search_page(
    tx: Tx, q: str, *, room: str | None, kind: str | None, session_id: str | None, limit: int, place: str | None
) -> Found:
    """Records that fit the words, the best first; of a room, a kind or a session only, if that is asked for."""
    at = place_in(place, HitPlace) if place else HitPlace(0, tx.ledger.last_seq())
    tx = tx.at(at.as_of)
    shown: list[HitShown] = []
    offset, has_more, note = at.offset, True, None
    for _ in range(MOST_PAGES_LOOKED_AT):
        found = tx.ask(Texts).find(q, session=session_id, limit=LARGEST_PAGE, offset=offset)
        note, has_more = found.note, found.has_more
        for hit, opened in zip(found.hits, _opened(tx, found.hits), strict=True):
            offset += 1
            if opened is not None and _fits(opened, room, kind):
                shown.append(opened)
            if len(shown) == limit:
                has_more = has_more or hit is not found.hits[-1]
                break
        if len(shown) == limit or not has_more:
            break
    return Found(
        q=q, hits=shown, next_cursor=cursor(HitPlace(offset, at.as_of)) if has_more and shown else None, note=note
    )


def _opened(tx: Tx, hits: list[Hit]) -> list[HitShown | None]:
    records = {record.seq: record for record in tx.ledger.records(hit.seq for hit in hits)}
    sessions = {session.id: session for session in sessions_of(tx, list({hit.session for hit in hits}))}
    return [
        HitShown(
            id=hit.id,
            seq=hit.seq,
            room=record.room,
            kind=record.kind,
            stream=record.stream,
            session=hit.session,
            title=sessions[hit.session].title if hit.session in sessions else None,
            snippet=hit.snippet,
            ts=record.ts,
        )
        if (record := records.get(hit.seq)) is not None
        else None
        for hit in hits
    ]


def _fits(hit: HitShown, room: str | None, kind: str | None) -> bool:
    return (room is None or hit.room == room) and (kind is None or hit.kind == kind)
