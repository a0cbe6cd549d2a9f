"""What stands under an address or a name for a client to fetch: resources and prompts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from thoughtbox.operations.tx import Tx

_NONE: Mapping[str, Any] = MappingProxyType({})


class Resource(NamedTuple):
    """A read operation under an address: `thoughtbox://trail/{sessionId}`."""

    uri: str
    """Parts in braces are arguments of the operation."""
    name: str
    title: str
    description: str
    operation: str = ""
    arguments: Mapping[str, Any] = _NONE
    part: str | None = None
    """The field of the answer that is the resource's text; all of it, as JSON, when not given."""
    is_self_describing: bool = False
    """Whether the answer says itself what it is: fields `mime`, and `encoding`, `base64` where it is no text."""
    text: str | None = None
    """What stands at the address, when it is no operation's answer."""
    mime: str = "application/json"
    names: Mapping[str, str] = _NONE
    """Arguments of the address that the operation knows under another name."""
    listed: Callable[[Tx, str, int], Mapping[str, str]] | None = None
    """For an address with one argument: the values there are behind a given one, a page at a time, and the title of
    what is at each."""
    stream: str | None = None
    """The stream that is shown, with the address's arguments in braces; a listed one is called as its address."""
    room: str = ""
    """Where it was declared."""


class Prompt(NamedTuple):
    """A text for an agent to work from, with what a read operation answers put in."""

    name: str
    title: str
    description: str
    text: str
    arguments: Mapping[str, str]
    """Name of each argument, and what it is."""
    optional: Mapping[str, str] = _NONE
    """Arguments that may be left out; a line of the text with nothing but them goes, too."""
    shapes: Mapping[str, str] = _NONE
    """What the values of arguments look like that are no text, as patterns: any other word belongs to the text."""
    operation: str | None = None
    """Its answer stands where the text says `{{answer}}`."""
    room: str = ""
    """Where it was declared."""
