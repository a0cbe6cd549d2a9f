"""Our pieces in a host's file: taking them out of a text, and putting them in.

A file is planned as text from beginning to end: what is written, and whether anything is, is decided before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from thoughtbox.domains.memory.hosts import json_text, toml_text
from thoughtbox.domains.memory.hosts.clients import EVENTS, MARK, SERVER, Client, is_our_server, is_ours

APPROVED = ("enabledMcpjsonServers",)
"""Where Claude Code keeps which servers of a project its user has agreed to."""
REGISTERED = {"claude-code": ("mcpServers", SERVER), "codex": ("mcp_servers", SERVER)}


class Piece(NamedTuple):
    """An item of a list, or a member of an object, and where in the file it belongs."""

    path: tuple[str, ...]
    value: Any


class Kind(Protocol):
    """A kind of file: how it looks when it is new, and where our pieces stand in it."""

    empty: str

    def read(self, text: str) -> dict[str, Any]: ...

    def found(self, text: str) -> list[Piece]: ...

    def put(self, text: str, pieces: Sequence[Piece]) -> str: ...

    def taken(self, text: str) -> str: ...


class Hooks:
    """Hooks by event, in JSON, as both hosts have them; with Claude Code, the approval of our server beside them."""

    empty = "{}\n"

    def __init__(self, client: Client, *, approves: bool) -> None:
        self._paths = [("hooks", name) for name in dict.fromkeys(event.name for event in EVENTS[client])]
        self._approves = approves

    def read(self, text: str) -> dict[str, Any]:
        return json_text.parsed(text)

    def found(self, text: str) -> list[Piece]:
        whole = self.read(text)
        hooks = _dict(whole.get("hooks"))
        own = [Piece(path, item) for path in self._paths for item in _list(hooks.get(path[1])) if is_ours(item)]
        approved = bool(own) and self._approves and SERVER in _list(whole.get(APPROVED[0]))
        return own + [Piece(APPROVED, SERVER)] * approved

    def put(self, text: str, pieces: Sequence[Piece]) -> str:
        for piece in pieces:
            if piece.path != APPROVED or SERVER not in _list(self.read(text).get(APPROVED[0])):
                text = json_text.with_item(text, piece.path, piece.value)
        return text

    def taken(self, text: str) -> str:
        for path in self._paths:
            text = json_text.without_items(text, path, is_ours)
        if self._approves:
            text = json_text.without_items(text, APPROVED, lambda item: item == SERVER)
        return text


class Servers:
    """Servers by name, in JSON, as Claude Code has them."""

    empty = "{}\n"

    def read(self, text: str) -> dict[str, Any]:
        return json_text.parsed(text)

    def found(self, text: str) -> list[Piece]:
        path = REGISTERED["claude-code"]
        there = _dict(self.read(text).get(path[0])).get(SERVER)
        return [Piece(path, there)] if is_our_server(there) else []

    def put(self, text: str, pieces: Sequence[Piece]) -> str:
        for piece in pieces:
            text = json_text.with_member(text, piece.path, piece.value)
        return text

    def taken(self, text: str) -> str:
        return json_text.without_member(text, REGISTERED["claude-code"]) if self.found(text) else text


class Settings:
    """Servers in TOML, as Codex has them: lines of ours between marks."""

    empty = ""

    def read(self, text: str) -> dict[str, Any]:
        return toml_text.parsed(text)

    def found(self, text: str) -> list[Piece]:
        path = REGISTERED["codex"]
        there = _dict(self.read(text).get(path[0])).get(SERVER)
        return [Piece(path, there)] if toml_text.without_lines(text) != text and is_our_server(there) else []

    def put(self, text: str, pieces: Sequence[Piece]) -> str:
        for piece in pieces:
            text = toml_text.with_lines(text, self._lines(piece.value))
        self.read(text)
        return text

    def taken(self, text: str) -> str:
        return toml_text.without_lines(text)

    def _lines(self, server: dict[str, Any]) -> list[str]:
        table = ".".join(REGISTERED["codex"])
        return [
            f"[{table}]",
            f"command = {toml_text.string(server['command'])}",
            f"args = {toml_text.strings(server['args'])}",
            f"env = {{ {MARK} = {toml_text.string(server['env'][MARK])} }}",
        ]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
