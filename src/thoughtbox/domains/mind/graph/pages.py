"""Pages of answers, the newest first: how many, where they end, and the call for the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from thoughtbox.domains.mind.arguments import MindInput
from thoughtbox.domains.mind.envelope import NextPage
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import Tx

T = TypeVar("T")


def clamped(value: int, least: int, most: int) -> int:
    return min(max(value, least), most)


def page_of(found: Sequence[T], seq: Callable[[T], int], *, cursor: int | None, limit: int) -> tuple[Sequence[T], Page]:
    """The first page of what was found, of which there is one more than fits when there are more pages."""
    has_more = len(found) > limit
    shown = found[:limit]
    return shown, Page(
        cursor=cursor,
        next_cursor=seq(shown[-1]) if has_more else None,
        has_more=has_more,
        limit=limit,
        count=len(shown),
    )


def same_call(tx: Tx, call: MindInput, **changed: Any) -> dict[str, Any]:
    """The arguments of a call, with some of them changed; None leaves one out."""
    said = call.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    told = {"workspace": tx.workspace} | said | changed
    return {name: value for name, value in told.items() if value is not None}


def suggest_next(tx: Tx, tool: str, call: MindInput, reason: str) -> None:
    """Name the call for the next page, if there is one when the answer is within its budget."""
    tx.remarks.append(NextPage(tool, same_call(tx, call, cursor=None), reason))
