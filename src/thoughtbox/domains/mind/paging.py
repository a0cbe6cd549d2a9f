"""Pages by number: how many, where this one ended, and whether there are more."""

from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import TypeVar

from thoughtbox.operations import Output, Pages

T = TypeVar("T")


class Page(Output):
    cursor: int | None
    next_cursor: int | None
    has_more: bool
    limit: int
    count: int


def pages_of(items: str, number: str = "seq", *, within: str | None = None) -> tuple[Pages]:
    """How an answer with this block is read on: by the number of its items, which is a field of each."""
    return (Pages(items, itemgetter(number), "pagination", within),)


NOTES_AND_TRACE = (*pages_of("entries", within="notes"), *pages_of("entries", within="trace"))
"""The pages that a pack holds."""


def clamped(limit: int, most: int) -> int:
    """As many as were asked for, one at least."""
    return min(max(limit, 1), most)


def paged(found: Sequence[T], cursor: int | None, limit: int, *, by: str = "seq") -> tuple[Sequence[T], Page]:
    """What fits on a page of what was found, which is one more if there are more. `by` is what the cursor goes by."""
    page, has_more = found[:limit], len(found) > limit
    return page, Page(
        cursor=cursor,
        next_cursor=attrgetter(by)(page[-1]) if has_more and page else None,
        has_more=has_more,
        limit=limit,
        count=len(page),
    )
