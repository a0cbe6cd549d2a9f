"""Pages of entries: how many, where this one ended, and whether there are more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from thoughtbox.domains.mind.documents.models import Page
from thoughtbox.domains.mind.view.documents import Place
from thoughtbox.domains.mind.view.refs import Move

P = TypeVar("P", Place, Move)


def clamped(limit: int, most: int) -> int:
    """As many as were asked for, one at least."""
    return min(max(limit, 1), most)


def paged(found: Sequence[P], cursor: int | None, limit: int) -> tuple[Sequence[P], Page]:
    """What fits on a page of what was found, which is one more if there are more."""
    page, has_more = found[:limit], len(found) > limit
    return page, Page(
        cursor=cursor,
        next_cursor=page[-1].seq if has_more else None,
        has_more=has_more,
        limit=limit,
        count=len(page),
    )
