"""A page of a document: its newest entries, or those before a cursor."""

from typing import Any

from thoughtbox.domains.mind.entries import opened
from thoughtbox.domains.mind.paging import Page, paged
from thoughtbox.domains.mind.trace.sequential import sequential
from thoughtbox.domains.mind.trace.steps import TraceStep
from thoughtbox.domains.mind.view.documents import ALL, Branch, Documents, Narrowed
from thoughtbox.operations import Output, Tx

MOST_ENTRIES = 200


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
    page, pagination = paged(found, cursor, limit)
    entries = opened(tx, page)
    return PageShown(
        branch=branch.name,
        doc=doc,
        entries=entries,
        sequential=sequential(steps_in(entries)),
        pagination=pagination,
    )


def steps_in(entries: list[dict[str, Any]]) -> list[TraceStep]:
    """Those of these entries that are notes, as steps of a trace."""
    return [
        TraceStep(entry["seq"], entry["ts_ms"], entry.get("format"), entry.get("title"), entry["content"], meta)
        for entry in entries
        if entry["kind"] == "note" and isinstance(meta := entry.get("meta", {}), dict)
    ]
