"""What a watcher may ask for over WebSocket: the words of a message, checked."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import orjson

from thoughtbox.errors import InvalidPayload
from thoughtbox.ledger.feed import Wanted
from thoughtbox.ledger.record import KINDS
from thoughtbox.settings import WORKSPACE, WORKSPACE_RULE

Channel = Literal["reasoning", "sessions", "records"]
CHANNELS: tuple[Channel, ...] = ("reasoning", "sessions", "records")
FILTERS = ("room", "kind", "stream", "sessionId", "agent")
_FIELDS = frozenset({"action", "channel", "workspace", "since", *FILTERS})
LONGEST = 256
HIGHEST = 2**53


class Topic(NamedTuple):
    """What a subscription is about. Two of the same are one."""

    channel: Channel
    workspace: str | None
    room: str | None = None
    kind: str | None = None
    stream: str | None = None
    session_id: str | None = None
    agent: str | None = None

    @property
    def wanted(self) -> Wanted:
        parts = {"rooms": self.room, "kinds": self.kind, "streams": self.stream, "agents": self.agent}
        given = {name: [value] if value is not None else None for name, value in parts.items()}
        return Wanted(**given, sessions=[self.session_id] if self.session_id is not None else None)


class Asked(NamedTuple):
    """A message of a watcher."""

    action: Literal["subscribe", "unsubscribe"]
    topic: Topic
    since: int | None
    is_narrow: bool
    """Whether it says more than its channel: `unsubscribe` with the channel alone ends all that is on it."""


def read(text: bytes) -> Asked:
    """What a message asks for; raises `InvalidPayload` at anything else."""
    try:
        said = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise InvalidPayload("a message is JSON", recovery=_EXAMPLE) from None
    if not isinstance(said, dict):
        raise InvalidPayload("a message is an object", recovery=_EXAMPLE)
    action, channel = said.get("action"), said.get("channel")
    if action not in ("subscribe", "unsubscribe"):
        raise _refusal("action", "subscribe or unsubscribe")
    if channel not in CHANNELS:
        raise _refusal("channel", f"one of {', '.join(CHANNELS)}")
    for name in said.keys() - _FIELDS:
        raise InvalidPayload(
            f"there is no `{name[:LONGEST]}`",
            recovery=f"There are {', '.join(sorted(_FIELDS))}.",
            details={"fields": [name[:LONGEST]]},
        )
    parts = {name: _text(said, name) for name in FILTERS}
    if channel != "records" and any(parts[name] is not None for name in FILTERS if name != "sessionId"):
        raise _refusal("channel", "records, where room, kind, stream or agent is given")
    if parts["kind"] is not None and parts["kind"] not in KINDS:
        raise _refusal("kind", f"one of {', '.join(sorted(KINDS))}")
    workspace = _text(said, "workspace")
    if workspace is not None and not WORKSPACE.fullmatch(workspace):
        raise _refusal("workspace", f"a name with {WORKSPACE_RULE}")
    session_id = parts.pop("sessionId")
    topic = Topic(channel, workspace, session_id=session_id, **parts)
    return Asked(action, topic, _since(said), is_narrow=any(part is not None for part in topic[1:]))


_EXAMPLE = 'Send {"action": "subscribe", "channel": "sessions"}, or the text ping.'


def _text(said: dict[str, Any], name: str) -> str | None:
    value = said.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or "\0" in value:
        raise _refusal(name, f"a text of 1 to {LONGEST} characters, none of which is NUL")
    return value


def _since(said: dict[str, Any]) -> int | None:
    value = said.get("since")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST:
        raise _refusal("since", "the number of a record, 0 for the beginning")
    return value


def _refusal(name: str, wanted: str) -> InvalidPayload:
    return InvalidPayload(f"`{name}` is {wanted}", recovery=_EXAMPLE, details={"fields": [name]})


def too_many(most: int) -> InvalidPayload:
    return InvalidPayload(f"a connection has {most} subscriptions at most", recovery="Unsubscribe from one first.")
