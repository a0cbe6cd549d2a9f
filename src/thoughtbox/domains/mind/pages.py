"""A page of a document: its newest entries, or those before a cursor."""

from typing import Any

from thoughtbox.domains.mind.entries import opened
from thoughtbox.domains.mind.trace.sequential import sequential
from thoughtbox.domains.mind.trace.steps import TraceStep
from thoughtbox.domains.mind.view.documents import ALL, Branch, Documents, Narrowed
from thoughtbox.operations import Output, Tx

MOST_ENTRIES = 200


class Page(Output):
    cursor: int | None
    next_cursor: int | None = None
    has_more: bool
    limit: int
    count: int


class PageShown(Output):
    """Entries in order of writing, and where the page before them ends."""

    sparse = True

    branch: str
    doc: str
    entries: list[dict[str, Any]]
    sequential: dict[str, Any] | None = None
    pagination: Page
    truncated: bool = False


def page_of(
    tx: Tx, branch: Branch, doc: str, *, cursor: int | None = None, limit: int, narrowed: Narrowed = ALL
) -> PageShown:
    """The newest entries of a document as a branch shows it; none when none are wanted."""
    limit = min(limit, MOST_ENTRIES)
    found = tx.ask(Documents).entries(branch, doc, before=cursor, limit=limit + 1, narrowed=narrowed) if limit else []
    page = found[:limit]
    has_more = len(found) > limit
    entries = opened(tx, page)
    return PageShown(
        branch=branch.name,
        doc=doc,
        entries=entries,
        sequential=sequential(steps_in(entries)),
        pagination=Page(
            cursor=cursor,
            next_cursor=page[-1].seq if has_more else None,
            has_more=has_more,
            limit=limit,
            count=len(page),
        ),
    )


def steps_in(entries: list[dict[str, Any]]) -> list[TraceStep]:
    """Those of these entries that are notes, as steps of a trace."""
    return [
        TraceStep(entry["seq"], entry["ts_ms"], entry.get("format"), entry.get("title"), entry["content"], meta)
        for entry in entries
        if entry["kind"] == "note" and isinstance(meta := entry.get("meta", {}), dict)
    ]
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
