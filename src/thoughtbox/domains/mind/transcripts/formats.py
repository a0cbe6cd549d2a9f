"""What a line of a transcript says, in Codex's spelling or Claude Code's; everything else in it is passed over.

Codex: `{timestamp, type: "session_meta", payload: {id, timestamp, cwd, instructions}}`, then messages
`{timestamp, type: "response_item", payload: {type: "message", role, content: [{text}]}}`. Its first releases wrote the
payloads alone. Claude Code: `{type: "user" | "assistant", sessionId, cwd, timestamp, message: {role, content}}`, where
content is a text, or blocks of which those of type `text` were said; `summary` and `system` lines have their own text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson

LONGEST_NAME = 256
"""Ids, roles and the like that are longer are not what they seem."""
LONGEST_PATH = 4096

_CLAUDE_TYPES = ("user", "assistant", "system", "summary")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_HINTS = (
    re.compile(r"<cwd>([^<>]{1,4200})</cwd>"),
    re.compile(r"AGENTS\.md instructions for[ \t]([^\r\n]{1,4200})"),
)


class Message(NamedTuple):
    """What somebody said."""

    role: str
    ts: str | None
    text: str
    aside: bool = False
    """Whether it was said to or by a helper of the session, not in its own conversation."""


class Origin(NamedTuple):
    """What a line tells of its session."""

    id: str | None
    ts: str | None
    cwd: str | None
    hints: tuple[str, ...]
    """Folders that it names as the session's own."""


def read_line(line: bytes) -> dict[str, Any] | None:
    """The object on a line; None for what is none."""
    if b"{" not in line:
        return None
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        found = _read_leniently(line)
    return found if isinstance(found, dict) else None


def _read_leniently(line: bytes) -> Any:
    """Half an emoji, as left where a client cut a text, is no reason to lose the rest of the line."""
    try:
        return json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None


def message_of(line: dict[str, Any]) -> Message | None:
    """What was said on a line, if anything was."""
    if _is_claude(line):
        return _claude_message(line)
    payload = line.get("payload", line)
    if not isinstance(payload, dict) or payload.get("type") != "message":
        return None
    return _message(payload.get("role"), line.get("timestamp"), _said(payload.get("content")))


def origin_of(line: dict[str, Any]) -> Origin | None:
    """What a line says of its session: where it ran, first of all."""
    if isinstance(line.get("sessionId"), str):
        ts, cwd = _time(line.get("timestamp")), _path(line.get("cwd"))
        return Origin(_name(line["sessionId"]), ts, cwd, _early_hints(line))
    payload = line.get("payload")
    if line.get("type") == "session_meta" and isinstance(payload, dict):
        ts = _time(payload.get("timestamp")) or _time(line.get("timestamp"))
        return Origin(_name(payload.get("id")), ts, _path(payload.get("cwd")), _hints(payload.get("instructions")))
    if "type" not in line and "id" in line and "timestamp" in line:
        return Origin(_name(line["id"]), _time(line["timestamp"]), None, _hints(line.get("instructions")))
    hints = _early_hints(line)
    return Origin(None, None, None, hints) if hints else None


def instant(ts: str | None) -> float | None:
    """A time as a number to sort by."""
    if ts is None:
        return None
    try:
        found = datetime.fromisoformat(ts)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _is_claude(line: dict[str, Any]) -> bool:
    return "payload" not in line and line.get("type") in _CLAUDE_TYPES


def _claude_message(line: dict[str, Any]) -> Message | None:
    """Meta lines are put into the user's mouth by the client; nobody said them."""
    if line.get("isMeta") is True:
        return None
    ts, aside = line.get("timestamp"), line.get("isSidechain") is True
    if line["type"] == "summary":
        return _message("system", ts, _said(line.get("summary")), aside)
    if line["type"] == "system":
        return _message("system", ts, _said(line.get("content")), aside)
    said = line.get("message")
    return _message(said.get("role"), ts, _said(said.get("content")), aside) if isinstance(said, dict) else None


def _message(role: Any, ts: Any, text: str, aside: bool = False) -> Message | None:
    role = _name(role)
    return Message(role, _time(ts), text, aside) if role and text else None


def _said(content: Any) -> str:
    """The text of a message: that of its blocks, line after line. Calls, their results and thinking are not said."""
    if isinstance(content, str):
        return _whole(content)
    if not isinstance(content, list):
        return ""
    blocks: Iterable[Any] = (block for block in content if isinstance(block, dict) and _is_text(block.get("type")))
    return _whole("\n".join(text for block in blocks if isinstance(text := block.get("text"), str)))


def _is_text(kind: Any) -> bool:
    return kind is None or kind in ("text", "input_text", "output_text")


def _early_hints(line: dict[str, Any]) -> tuple[str, ...]:
    message = message_of(line)
    return _hints(message.text) if message is not None and message.role in {"user", "developer"} else ()


def _hints(text: Any) -> tuple[str, ...]:
    if not isinstance(text, str):
        return ()
    named = (found.strip(" \t\r\n`'\"<>.:") for pattern in _HINTS for found in pattern.findall(text))
    return tuple(path for found in named if (path := _path(found)) is not None)


def _name(value: Any) -> str | None:
    return _whole(value) if isinstance(value, str) and 0 < len(value) <= LONGEST_NAME else None


def _path(value: Any) -> str | None:
    return _whole(value) if isinstance(value, str) and 0 < len(value) <= LONGEST_PATH and "\0" not in value else None


def _time(value: Any) -> str | None:
    return value if isinstance(value, str) and len(value) <= LONGEST_NAME and instant(value) is not None else None


def _whole(text: str) -> str:
    return _LONE_SURROGATE.sub("\ufffd", text)
