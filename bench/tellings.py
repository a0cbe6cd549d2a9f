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
is settled, and code mode's leaves everything to `search`. Arguments that have a default are left out in each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import orjson

from bench.client import Client
from bench.tokens import tokens, tokens_of
from tests.support.judged import Judged

SHOWN = ("name", "description", "inputSchema")
"""What of a tool a client hands to its model; titles, annotations and output schemas are for the client itself."""

QUERY = "begin a session, record thoughts, revise, branch, adopt or reject a branch, read the session in brief"

FOUND_OUT = re.compile(r"S\d+\|[OE]\||(?!S\d+\||Decision:)")
"""Lines that say what was found out: observations, evidence, and prose that decides nothing."""


class Step(NamedTuple):
    """One thing that the session does: a thought, or what becomes of a branch."""

    operation: str
    arguments: dict[str, Any]


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
        self.read.append(tokens(text))
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
    def send(operation: str, **arguments: Any) -> Any:
        return model.call("thoughtbox_gateway", {"operation": operation, **arguments})

    _look_up_fates(send, judged)
    send("start_new", title=judged.title)
    send("cipher")
    for step in steps(judged):
        send(step.operation, **step.arguments)
    return send("session.brief")


def through_batches(model: Conversation, judged: Judged) -> dict[str, Any]:
    """The gateway with the stages of code mode: a batch each."""

    def send(operation: str, **arguments: Any) -> Any:
        return model.call("thoughtbox_gateway", {"operation": operation, **arguments})

    send("describe", name="batch")
    _look_up_fates(send, judged)
    send("start_new", title=judged.title)
    send("cipher")
    for stage in stages(steps(judged)):
        send("batch", calls=[{"operation": step.operation, "arguments": step.arguments} for step in stage])
    return send("session.brief")


def through_code(language: Literal["javascript", "python"], *, at_once: bool = False) -> Telling:
    """In snippets; `at_once` has the whole session in one, as of something that was thought through before."""
    writer = _JAVASCRIPT if language == "javascript" else _PYTHON

    def tell(model: Conversation, judged: Judged) -> dict[str, Any]:
        def run(*lines: str) -> Any:
            answer = model.call("execute", {"code": "\n".join(lines)})
            assert answer["language"] == language
            return answer["result"]

        _look_up_all(model, judged)
        run(writer.call("start_new", {"title": judged.title}), writer.call("cipher", {}))
        brief = writer.call("session.brief", {})
        if at_once:
            return run(writer.whole, *map(writer.step, steps(judged)), brief)
        first, *others, last = stages(steps(judged))
        run(writer.whole, _listed(map(writer.step, first)))
        for stage in others:
            run(writer.short, _listed(map(writer.step, stage)))
        return run(writer.short, _listed([_listed(map(writer.step, last)), brief]))[1]

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


def _fate(fate: dict[str, str]) -> Step:
    name = "adopt" if "adopt" in fate else "reject"
    return Step(f"branch.{name}", {"branchId": fate[name], "why": fate["why"]})


def _look_up_fates(send: Callable[..., Any], judged: Judged) -> None:
    """The gateway's description says nothing of how a branch is settled: all names, then the one that is needed."""
    fates = [step for step in steps(judged) if step.operation != "thought"]
    if fates:
        send("describe")
        send("describe", name=fates[0].operation)


def _look_up_all(model: Conversation, judged: Judged) -> None:
    """One search; what opens the notation is named in what it finds."""
    found = model.call("search", {"query": QUERY})["result"]
    names = {hit["name"].removeprefix("thoughts.") for hit in found}
    missing = {"start_new", "session.brief", *(step.operation for step in steps(judged))} - names
    assert not missing, f"a search has not found {missing}"


class _Writer(NamedTuple):
    """How snippets are written in one language."""

    whole: str
    """A function `t` that records a thought, and returns the operation's answer."""
    short: str
    """The same, and it returns what is wrong with the line, or what was read in it."""
    equals: str
    """Between the name of an argument and its value."""
    opened: str
    closed: str
    """Around named arguments."""

    def call(self, operation: str, arguments: dict[str, Any]) -> str:
        return f"tb.thoughts.{operation}({self._named(arguments)})"

    def step(self, step: Step) -> str:
        if step.operation != "thought":
            return self.call(*step)
        text, *more = step.arguments.items()
        return f"t({', '.join(filter(None, [_literal(text[1]), self._named(dict(more))]))})"

    def _named(self, arguments: dict[str, Any]) -> str:
        if not arguments:
            return ""
        named = (f"{name}{self.equals}{self._value(value)}" for name, value in arguments.items())
        return f"{self.opened}{', '.join(named)}{self.closed}"

    def _value(self, value: Any) -> str:
        return str(value) if isinstance(value, bool) and not self.opened else _literal(value)


_JAVASCRIPT = _Writer(
    whole="const t = (thought, more) => tb.thoughts.thought({thought, ...more});",
    short="const t = (thought, more) => {\n  const r = tb.thoughts.thought({thought, ...more});\n"
    "  return r.notes ?? r.read;\n};",
    equals=": ",
    opened="{",
    closed="}",
)
_PYTHON = _Writer(
    whole="def t(thought, **more):\n    return tb.thoughts.thought(thought=thought, **more)",
    short="def t(thought, **more):\n    r = tb.thoughts.thought(thought=thought, **more)\n"
    '    return r.get("notes") or r.get("read")',
    equals="=",
    opened="",
    closed="",
)


def _listed(lines: Iterable[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]"


def _literal(value: Any) -> str:
    """As both languages write it."""
    return orjson.dumps(value).decode()
