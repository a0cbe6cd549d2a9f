"""An agent that follows a script with any of its host's tools: what a model would call next, from all it has seen.

    with ScriptedAgent(Anthropic(), story) as model:
        ...  # run Claude Code with ANTHROPIC_BASE_URL=model.url
    assert model.seen[-1].texts

A summary that a host asks for when it compacts a conversation is given without asking the story.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.support.pages import GATEWAY, Answer
from tests.support.scripted_model import DONE, AnthropicMessages, Body, Events, OpenAIResponses, ScriptedModel

SUMMARY = "A summary that says nothing of what was done."
_SUMS_UP = re.compile(r"create a detailed summary of the conversation|CONTEXT CHECKPOINT COMPACTION")


class Use(NamedTuple):
    """A tool to call."""

    tool: str
    arguments: dict[str, Any]
    tokens: int = 1
    """How full the model says its context is."""


class Result(NamedTuple):
    """What a tool gave back."""

    tool: str
    text: str

    @property
    def answer(self) -> Answer:
        return json.loads(self.text)


class Seen(NamedTuple):
    """What a model is shown with one request."""

    texts: list[str]
    results: list[Result]

    @property
    def all(self) -> str:
        return "\n".join([*self.texts, *(result.text for result in self.results)])


Story = Callable[[Seen], Use | None]


class Anthropic(AnthropicMessages):
    """With system messages in between, as Claude Code hands on what hooks say."""

    def seen(self, body: Body) -> Seen:
        called = {block["id"]: block["name"] for block in _blocks(body) if block["type"] == "tool_use"}
        results = [
            Result(called[block["tool_use_id"]], _text(block["content"]))
            for block in _blocks(body)
            if block["type"] == "tool_result"
        ]
        return Seen([_text(block["text"]) for block in _blocks(body) if block["type"] == "text"], results)

    def uses(self, use: Use, tools: dict[str, str], turn: int) -> Events:
        named = next((name for name in tools if name.endswith(use.tool)), None)
        if named is None:
            return self.looks_for_the_gateway(turn)
        return self.calls(named, use.arguments, turn)


class OpenAI(OpenAIResponses):
    """Codex, whose tools are functions; those of a server stand in a namespace."""

    def seen(self, body: Body) -> Seen:
        items = body.get("input", [])
        called = {item["call_id"]: item["name"] for item in items if item["type"] == "function_call"}
        results = [
            Result(called[item["call_id"]], _text(item["output"]).rpartition("Output:\n")[2])
            for item in items
            if item["type"] == "function_call_output"
        ]
        return Seen([_text(item["content"]) for item in items if item["type"] == "message"], results)

    def uses(self, use: Use, tools: dict[str, str], turn: int) -> Events:
        events = self.calls(use.tool, use.arguments, turn)
        if use.tool != GATEWAY:
            del events[1]["item"]["namespace"]
        events[-1]["response"]["usage"] |= {"input_tokens": use.tokens, "total_tokens": use.tokens + 1}
        return events


class ScriptedAgent(ScriptedModel):
    """A model whose story is told by all tools, not by the gateway alone."""

    def __init__(self, interface: Anthropic | OpenAI, story: Story) -> None:
        super().__init__(interface, lambda answers: None)
        self._host = interface
        self._story = story
        self.seen: list[Seen] = []

    def _answer(self, body: Body) -> Events:
        shown, seen = self._host.shown(body), self._host.seen(body)
        turn = len(self.seen) + 1
        if any(map(_SUMS_UP.search, seen.texts)):
            return self._host.says(f"<summary>{SUMMARY}</summary>", turn)
        if not shown.tools:
            return self._host.says(DONE, 0)
        self.seen.append(seen)
        use = self._story(seen)
        return self._host.says(DONE, turn) if use is None else self._host.uses(use, shown.tools, turn)


def _blocks(body: Body) -> list[Body]:
    return [
        block
        for message in body.get("messages", [])
        for block in (
            [{"type": "text", "text": message["content"]}]
            if isinstance(message["content"], str)
            else message["content"]
        )
    ]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content if "text" in part)
