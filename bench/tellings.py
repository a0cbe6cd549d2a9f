"""A judged session, told to a server in several ways, as a model would that has only seen the list of its tools.

The task is the same in each: begin a session, read the notation, record every thought with its branches and revisions,
settle branches, close the session with its last thought, and read it back in brief to answer what was decided.

Through tools and through the gateway, every thought is a call, as their descriptions ask for. In code mode a snippet
holds one stage of the reasoning: from what was found out (observations, evidence, what somebody reports) to what is
made of it (questions, hypotheses, conclusions, plans). The next stage begins with the next thing that was found out: a
model goes and looks before it can write that down, so no snippet could have held both. What the server has read in each
line, or has to say against it, is asked for in every snippet, since every single call would have told it; and the first
answers are asked for whole, since nobody has said yet what is in them.

What a newcomer has to look up is part of the task. The gateway's description names all that is needed but how a branch
is settled, and code mode's says how that is called below `tb`; so either is asked about branches, and nothing else.
Arguments that have a default are left out in each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

from bench.client import Client
from bench.snippets import JavaScript, Python, Step
from bench.tokens import tokens, tokens_of
from tests.support.judged import Judged

SHOWN = ("name", "description", "inputSchema")
"""What of a tool a client hands to its model; titles, annotations and output schemas are for the client itself."""

QUERY = "adopt or reject a branch"

FOUND_OUT = re.compile(r"S\d+\|[OE]\||(?!S\d+\||Decision:)")
"""Lines that say what was found out: observations, evidence, and prose that decides nothing."""

LINE = re.compile(r"S\d+\|")

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
A_UUID = "7aaffb53-f38a-4842-8ffc-ab4fdfb4ef7c"
"""In the place of every other, so that two runs count the same: some are 17 tokens, some 31, and 23 is the mean."""


@dataclass(slots=True)
class Conversation:
    """What a model reads and writes on its way."""

    client: Client
    listed: int
    """Of the tools, in front of everything else."""
    read: list[int] = field(default_factory=list)
    """Of each answer."""
    written: list[int] = field(default_factory=list)
    """Of the arguments of each call."""

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        result = self.client.call_tool(tool, arguments)
        text = "".join(part["text"] for part in result["content"])
        self.written.append(tokens_of(arguments))
        self.read.append(tokens(UUID.sub(A_UUID, text)))
        return orjson.loads(text)

    @property
    def read_in_all(self) -> int:
        return self.listed + sum(self.read)

    @property
    def written_in_all(self) -> int:
        return sum(self.written)

    @property
    def read_again(self) -> int:
        """What goes through the model when it reads everything so far before each call, and before it answers."""
        context = total = self.listed
        for written, read in zip(self.written, self.read, strict=True):
            context += written + read
            total += context
        return total


Telling = Callable[[Conversation, Judged], dict[str, Any]]
"""Tells a session; what it was in brief."""


def listed(client: Client) -> int:
    tools = client.ask("tools/list")["tools"]
    return tokens_of([{name: tool[name] for name in SHOWN} for tool in tools])


def through_tools(model: Conversation, judged: Judged) -> dict[str, Any]:
    model.call("start_new", {"title": judged.title})
    model.call("cipher", {})
    for step in steps(judged):
        model.call(step.operation.replace(".", "_"), step.arguments)
    return model.call("session_brief", {})


def through_the_gateway(model: Conversation, judged: Judged) -> dict[str, Any]:
    return _through_the_gateway(model, judged, steps(judged))


def through_the_gateway_by_lines(model: Conversation, judged: Judged) -> dict[str, Any]:
    """Lines of a stage that follow each other are one call, as the notation allows; prose still is one each."""
    return _through_the_gateway(model, judged, [step for stage in stages(steps(judged)) for step in _joined(stage)])


def _through_the_gateway(model: Conversation, judged: Judged, steps: Sequence[Step]) -> dict[str, Any]:
    def send(operation: str, **arguments: Any) -> Any:
        return model.call("thoughtbox_gateway", {"operation": operation, **arguments})

    _describe_fates(send, judged)
    send("start_new", title=judged.title)
    send("cipher")
    for step in steps:
        send(step.operation, **step.arguments)
    return send("session.brief")


def through_code(language: Literal["javascript", "python"], *, at_once: bool = False) -> Telling:
    """In snippets; `at_once` has the whole session in one, as of something that was thought through before."""
    writer = JavaScript() if language == "javascript" else Python()

    def tell(model: Conversation, judged: Judged) -> dict[str, Any]:
        def run(*lines: str) -> Any:
            answer = model.call("execute", {"code": "\n".join(lines)})
            assert answer["language"] == language
            return answer["result"]

        _search_fates(model, judged)
        run(writer.call("start_new", {"title": judged.title}), writer.call("cipher", {}))
        brief = writer.call("session.brief", {})
        if at_once:
            return run(*writer.thinking(steps(judged), "nothing"), brief)
        first, *others, last = stages(steps(judged))
        run(*writer.thinking(first, "whole"))
        for stage in others:
            run(*writer.thinking(stage, "briefly"))
        *before, result = writer.thinking(last, "briefly")
        return run(*before, f"[{result}, {brief}]")[1]

    return tell


def steps(judged: Judged) -> list[Step]:
    """What the session does, in order. A session that was closed is named by the thought that goes on with it."""
    found: list[Step] = []
    is_closed = False
    for thought in judged.thoughts:
        if "fate" in thought:
            found.append(_fate(thought["fate"]))
            continue
        asked = {"branchId": "branch", "branchFromThought": "from", "revisesThought": "revises"}
        arguments = {"thought": thought["text"]} | {
            argument: thought[name] for argument, name in asked.items() if name in thought
        }
        if is_closed:
            arguments["sessionId"] = "latest"
        if is_closed := thought.get("last", False):
            arguments["nextThoughtNeeded"] = False
        found.append(Step("thought", arguments))
    return found


def stages(steps: Sequence[Step]) -> list[list[Step]]:
    """Each from what was found out to what is made of it."""
    found: list[list[Step]] = [[]]
    was_found_out = True
    for step in steps:
        is_found_out = step.operation == "thought" and bool(FOUND_OUT.match(step.arguments["thought"]))
        if is_found_out and not was_found_out:
            found.append([])
        found[-1].append(step)
        was_found_out = is_found_out
    return found


def _joined(stage: Sequence[Step]) -> list[Step]:
    """The same with runs of lines on one branch put together."""
    found: list[Step] = []
    for step in stage:
        here = step.arguments
        before = found[-1].arguments if found else {}
        both_are_lines = all(LINE.match(each.get("thought", "")) for each in (before, here))
        if both_are_lines and here.keys() <= {"thought", "branchId"} and here.get("branchId") == before.get("branchId"):
            found[-1] = Step("thought", {**before, "thought": f"{before['thought']}\n{here['thought']}"})
        else:
            found.append(step)
    return found


def _fate(fate: dict[str, str]) -> Step:
    name = "adopt" if "adopt" in fate else "reject"
    return Step(f"branch.{name}", {"branchId": fate[name], "why": fate["why"]})


def _describe_fates(send: Callable[..., Any], judged: Judged) -> None:
    """The gateway's description says nothing of how a branch is settled: all names, then the one that is needed."""
    fates = [step for step in steps(judged) if step.operation != "thought"]
    if fates:
        send("describe")
        send("describe", name=fates[0].operation)


def _search_fates(model: Conversation, judged: Judged) -> None:
    fates = {f"thoughts.{step.operation}" for step in steps(judged) if step.operation != "thought"}
    if fates:
        found = model.call("search", {"query": QUERY})["result"]
        assert fates <= {hit["name"] for hit in found}, "a search finds how branches are settled"
