"""An agent that has never seen the product: it is shown three tools, and uses no name that no answer has told it.

What it needs it asks `search` for, in plain words or with a snippet over the catalog. Of the operations that are found
it takes the first whose signature has what it is looking for; arguments are chosen by their names and descriptions.
Then it runs what it has found through `execute`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from tests.support.agent import Agent

TOOLS = ["thoughtbox_gateway", "search", "execute"]

Spoken = Literal["javascript", "python"]
SPOKEN: tuple[Spoken, ...] = ("javascript", "python")


@dataclass(frozen=True, slots=True)
class Code:
    """An expression of a snippet, in the place of a value."""

    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as `search` has told of it."""

    name: str
    signature: str
    arguments: dict[str, str]
    """What each of them is, by name."""
    language: Spoken

    def argument(self, meaning: str) -> str:
        """The argument that is called so, or the first whose name or description has these words, `_` being a blank."""
        if meaning in self.arguments:
            return meaning
        wanted = re.compile(re.escape(meaning.replace("_", " ")), re.IGNORECASE)
        names = [name for name in self.arguments if wanted.search(name)]
        described = [name for name, says in self.arguments.items() if wanted.search(says)]
        assert names or described, f"{self.name} takes nothing like {meaning}: {self.arguments}"
        return (names or described)[0]

    def call(self, **meant: Any) -> Code:
        """A call of it, with arguments by what they mean."""
        given = {self.argument(meaning): value for meaning, value in meant.items()}
        return Code(f"tb.{self.name}({_handed_over(given, self.language)})")


class Newcomer:
    """A client of a server with the default toolset, and the language that it writes in."""

    def __init__(self, agent: Agent, language: Spoken) -> None:
        self.language: Spoken = language
        self._agent = agent
        self.shown = {tool.name: tool.description or "" for tool in agent.list_tools()}

    def call(self, tool: str, **arguments: Any) -> Any:
        assert tool in self.shown, f"nobody has shown it {tool}"
        return self._agent.call(tool, arguments)

    def search(self, query: str) -> list[dict[str, Any]]:
        return self.call("search", query=query)["result"]

    def look(self, javascript: str, python: str) -> Any:
        """What a snippet over the catalog finds."""
        return self.call("search", code=javascript if self.language == "javascript" else python)["result"]

    def find(self, query: str, *having: str) -> Operation:
        """The first operation found whose signature has all of these words."""
        found = self.search(query)
        signatures = {hit["name"]: hit["signature"] for hit in found if hit["is"] == "operation"}
        fitting = [
            name
            for name, signature in signatures.items()
            if all(re.search(re.escape(word), signature, re.IGNORECASE) for word in having)
        ]
        assert fitting, f"`{query}` finds nothing with {having}: {[hit['name'] for hit in found]}"
        return self.open(fitting[0])

    def open(self, name: str) -> Operation:
        """An operation by a name that an answer has told: below `tb`, or the gateway's."""
        told = orjson.dumps(name).decode()
        found = self.look(
            f"catalog.operations.find(o => o.name == {told} || o.operation == {told})",
            f'[o for o in catalog["operations"] if {told} in (o["name"], o["operation"])][0]',
        )
        arguments = {name: field.get("description", "") for name, field in found["input"]["properties"].items()}
        return Operation(found["name"], found["signature"], arguments, self.language)

    def execute(self, code: str, **more: Any) -> dict[str, Any]:
        answer = self.call("execute", code=code, **more)
        assert answer["language"] == self.language
        return answer

    def run(self, *calls: Code, **more: Any) -> Any:
        """What these calls answer, made one after the other in one snippet."""
        listed = ",\n".join(call.text for call in calls)
        return self.execute(f"[\n{listed}\n]", language=self.language, **more)["result"]


def _handed_over(arguments: dict[str, Any], language: Spoken) -> str:
    if language == "javascript":
        return "{" + ", ".join(f"{name}: {_written(value, language)}" for name, value in arguments.items()) + "}"
    return ", ".join(f"{name}={_written(value, language)}" for name, value in arguments.items())


def _written(value: Any, language: Spoken) -> str:
    if isinstance(value, Code):
        return value.text
    return repr(value) if language == "python" else orjson.dumps(value).decode()
