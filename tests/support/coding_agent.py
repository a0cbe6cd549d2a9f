"""An agent that sees `execute` and nothing else: what it does, it does in snippets, each in one of the languages."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import orjson

from tests.support.agent import Agent
from thoughtbox import domains
from thoughtbox.sandbox.protocol import LANGUAGES, Language


class CodingAgent(Agent):
    """The same client, in the same workspace. Every call of an operation is a snippet that makes it."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent.door, agent._portal, agent.connection, agent.workspace)
        self.snippets = 0
        self._languages = cycle(LANGUAGES)

    def call(
        self, operation: str, arguments: dict[str, Any] | None = None, *, key: str | None = None, as_of: Any = None
    ) -> dict[str, Any]:
        assert as_of is None, "a snippet reads as of now"
        language = next(self._languages)
        given = {"code": _snippet(operation, arguments or {}, language), "language": language}
        self.snippets += 1
        return super().call("execute", given, key=key)["result"]


def _snippet(operation: str, arguments: dict[str, Any], language: Language) -> str:
    table = domains.known()
    meant, own = table.meant(table.look_up(operation, arguments), arguments)
    found = table.look_up(meant)
    name, given = f"tb.{found.room}.{found.bare}", orjson.dumps(dict(own)).decode()
    match language:
        case "python":
            return f"import json\narguments = json.loads({given!r})\n{name}(**arguments)"
        case "javascript":
            return f"{name}({given})"
        case "typescript":
            return f"const given: Record<string, unknown> = {given};\n{name}(given)"
