"""Texts that tell an agent which calls to make, in the words of the tools that its client shows it.

A text writes a call as `{"operation":"thought", …}` and says once how calls are sent. That is through the gateway, or,
where a toolset shows no gateway, to a tool of the operation's own name. Many clients call nothing that they were not
shown.
"""

from __future__ import annotations

import re

from thoughtbox import content
from thoughtbox.operations.registry import Table, tool_name

TO_THE_GATEWAY = "Send each call to the tool `thoughtbox_gateway`."
TO_TOOLS = "Each call is a tool of its own: `operation` names it, with _ for a dot, and the rest are its arguments."

INSTRUCTIONS = ("instructions.md", "mind/instructions.md")
"""What a client may be told when it connects: the first that names a call which its toolset shows."""

_CALL = re.compile(r'"operation": ?"([\w.]+)"(?:, ?"subOperation": ?"(\w+)")?')
_NAME = re.compile(r"[a-z]+(?:[._][a-z]+)+")


class Wording:
    """How texts read in one toolset."""

    def __init__(self, table: Table, toolset: str) -> None:
        self._table = table
        self._toolset = toolset
        shown = table.shown_in(toolset)
        self._tools = set(shown)
        self._has_gateway = any(operation.gateway is not None for operation in shown.values())

    def reaches(self, text: str) -> bool:
        """Whether every operation that the text names can be called by a client that calls what it is shown."""
        return self._has_gateway or all(tool_name(name) in self._tools for name in self._named(text))

    def of(self, text: str) -> str:
        """The text, with how calls are sent in this toolset."""
        if self._has_gateway:
            return text
        lacking = f"Some calls here are no tools in toolset `{self._toolset}`; a server with `--toolset all` has them."
        return text.replace(TO_THE_GATEWAY, TO_TOOLS if self.reaches(text) else lacking)

    @property
    def instructions(self) -> str:
        """What a client is told when it connects, without the calls that its toolset lacks."""
        reached = [self._reached(content.text(text)) for text in INSTRUCTIONS]
        told = next((lines for lines in reached if any(map(_CALL.search, lines))), None)
        if told is None:
            told = [line for line in reached[0] if TO_THE_GATEWAY not in line]
        return self.of(re.sub(r"\n{3,}", "\n\n", "\n".join(told)))

    def _reached(self, text: str) -> list[str]:
        return [line for line in text.strip().splitlines() if self.reaches(line)]

    def _named(self, text: str) -> set[str]:
        """The operations in a text: calls, and words that can be nothing but their names."""
        calls = {f"{name}.{sub}" if sub else name for name, sub in _CALL.findall(text)}
        return calls | (set(_NAME.findall(text.replace(TO_THE_GATEWAY, ""))) & self._table.known.keys())
