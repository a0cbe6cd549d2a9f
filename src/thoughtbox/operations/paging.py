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
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Any, TypeVar, get_type_hints

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
