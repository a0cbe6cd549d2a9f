"""Pages of a long answer: one cursor for all rooms.

A page ends at a place, which a room declares as a named tuple of numbers and texts; the cursor is that place as
opaque text, and leads back to it:

    class AfterThought(NamedTuple):
        seq: int


    answer.cursor = cursor(AfterThought(shown[-1].seq))  # on this page
    after = place_in(call.cursor, AfterThought).seq  # on the next

A place is a key: what was shown last. What is recorded meanwhile never moves the pages, and the next one is found
by an index, however far the reading has come. The name of the tuple goes along, so that a cursor that another
operation gave out is refused, as is anything else that no page ended with.

A room that cuts its pages to their budget itself (`fitting`) names their end itself. Where the budget does it
(`budget.py`), `Pages` says how an answer names its end, so that what was left out is on the next page.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, get_type_hints

import orjson

from thoughtbox.errors import InvalidPayload

HIGHEST_NUMBER = 2**53
"""Of a place: what every JSON reader can hold."""

P = TypeVar("P", bound=tuple[Any, ...])


def cursor(place: tuple[Any, ...]) -> str:
    """A place as opaque text."""
    return urlsafe_b64encode(orjson.dumps([type(place).__name__, *place])).rstrip(b"=").decode()


def place_in(text: str, kind: type[P]) -> P:
    """The place that a cursor leads to; refuses one that does not lead to a place of this kind."""
    try:
        found = orjson.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, Error):
        raise foreign_cursor() from None
    kinds = get_type_hints(kind).values()
    if not isinstance(found, list) or len(found) != len(kinds) + 1 or found[0] != kind.__name__:
        raise foreign_cursor()
    if not all(map(_fits, found[1:], kinds)):
        raise foreign_cursor()
    return kind(*found[1:])


def foreign_cursor() -> InvalidPayload:
    """For a cursor that no page ended with."""
    return InvalidPayload(
        "the cursor is not one that this call gave out",
        recovery="Leave it out to begin anew.",
        details={"fields": ["cursor"]},
    )


def _fits(part: object, kind: type) -> bool:
    if kind is int:
        return type(part) is int and 0 <= part <= HIGHEST_NUMBER
    return isinstance(part, str) and "\0" not in part


class Pages(NamedTuple):
    """A list that is read a page at a time, and where its answer says how to go on.

    What it says is about the items that are shown: when a budget leaves some out, the next page begins with those.
    """

    items: str
    """The list."""
    place: Callable[[Mapping[str, Any]], int | str] | None
    """The cursor that leads on from an item; None where the answer names none."""
    block: str | None = None
    """The field that holds the cursor; None where it stands beside the list."""
    within: str | None = None
    """The field of the answer that holds all this; None where it is the answer."""
    cursor: str = "next_cursor"
    has_more: str = "has_more"
    argument: str = "cursor"
    """What asks for the next page."""
    begin: int | str | None = None
    """Where this page begins; None for the first one."""

    def widened(self, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer with the longest cursor that it may come to have: what is cut to fit with it fits with any."""
        page = _part(answer, self.within)
        block = _part(page, self.block)
        if self.place is None or page is None or block is None:
            return answer
        cursors = [block.get(self.cursor), self.begin, *map(self.place, page.get(self.items) or ())]
        return self._with_block(answer, {**block, self.cursor: max(cursors, key=size)})

    def settled(self, shown: dict[str, Any], answer: dict[str, Any], *, first_stays: bool) -> dict[str, Any]:
        """What is shown of an answer, leading on from the last item that is shown; where none is, to this page again.

        `first_stays` says which end of the list the others are missing from.
        """
        whole, page = _part(answer, self.within), _part(shown, self.within)
        was, block = _part(whole, self.block), _part(page, self.block)
        if whole is None or page is None or was is None or block is None:
            return shown
        end = self._end(was, whole.get(self.items) or (), self._shown_of(page), first_stays=first_stays)
        names = (self.cursor, self.has_more, "count")
        kept = [name for name in block if name not in names or name in end]
        return self._with_block(shown, {name: end[name] if name in names else block[name] for name in kept})

    def _end(self, was: Mapping[str, Any], items: Sequence[Any], count: int, *, first_stays: bool) -> Mapping[str, Any]:
        """What there is to say at the end of a page that shows so many of its items."""
        if count == len(items):
            return was
        end = {self.has_more: True, "count": count}
        if count and self.place is not None:
            return {**end, self.cursor: self.place(items[count - 1 if first_stays else -count])}
        return {**end, self.cursor: self.begin} if self.begin is not None or self.cursor in was else end

    def _with_block(self, answer: dict[str, Any], block: dict[str, Any]) -> dict[str, Any]:
        page = block if self.block is None else {**(_part(answer, self.within) or {}), self.block: block}
        return page if self.within is None else {**answer, self.within: page}

    def _shown_of(self, page: dict[str, Any]) -> int:
        items = page.get(self.items, [])
        return 0 if items and items[0].get("type") == "summary" and items[0].get("label") == self.items else len(items)


def _part(answer: dict[str, Any] | None, name: str | None) -> dict[str, Any] | None:
    return answer if name is None or answer is None else answer.get(name)


def fitting(items: Iterable[object], room: int) -> int:
    """How many of these parts of an answer there is room for, one at least: the others begin the next page."""
    number = 0
    for item in items:
        room -= size(item) + 1
        if number and room < 0:
            break
        number += 1
    return number


def size(answer: object) -> int:
    """The length of an answer, or of a part of it, on the wire."""
    return len(orjson.dumps(answer))


def fitting_text(text: str, room: int) -> str:
    """The longest beginning of a text that has room on the wire, where quotes and the like take more."""
    low, high = 0, min(len(text), max(room, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if len(orjson.dumps(text[:middle])) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low]
