"""Models that follow a script, behind the interfaces that real agents talk to: on loopback, and without a model.

    with ScriptedModel(AnthropicMessages(), script) as model:
        ...  # run Claude Code with ANTHROPIC_BASE_URL=model.url
    assert model.answers == [...]

What a model would say is decided by the script, from the answers that the tool gave so far. What it would be
shown (instructions, tools, results) is kept, whole.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol, Self

from tests.support.pages import GATEWAY, Answer, Call, Script

DONE = "All done."

Body = dict[str, Any]
Events = list[dict[str, Any]]


class Shown(NamedTuple):
    """What a model is given with one request."""

    tools: dict[str, str]
    """Their names, and their descriptions."""
    texts: list[str]
    """Everything else that it is told, results of tools aside."""
    answers: list[Answer]
    """What the gateway answered, in the order it was called."""

    @property
    def gateway(self) -> str | None:
        """What the agent calls the gateway, once it is among the tools."""
        return next((name for name in self.tools if name.endswith(GATEWAY)), None)


class Interface(Protocol):
    """How an agent talks to its model."""

    path: str
    """Requests to anything that ends otherwise are about something else."""

    def shown(self, body: Body) -> Shown: ...

    def says(self, text: str, turn: int) -> Events: ...

    def calls(self, tool: str, arguments: Call, turn: int) -> Events: ...

    def looks_for_the_gateway(self, turn: int) -> Events: ...


class ScriptedModel:
    """A model that calls the gateway as its script says. It ends with the block it was made for."""

    def __init__(self, interface: Interface, script: Script) -> None:
        self._interface = interface
        self._script = script
        self.requests: list[Shown] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._serving = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def last(self) -> Shown:
        return self.requests[-1]

    @property
    def told(self) -> str:
        """All that the model had been told before it first called the gateway."""
        first = next(shown for shown in self.requests if shown.gateway)
        assert first.gateway
        return "\n".join([*first.texts, first.tools[first.gateway]])

    def __enter__(self) -> Self:
        self._serving.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._serving.join()

    def _answer(self, body: Body) -> Events:
        shown = self._interface.shown(body)
        if not shown.tools:  # a side question, such as a title for the conversation
            return self._interface.says(DONE, 0)
        self.requests.append(shown)
        turn = len(self.requests)
        if shown.gateway is None:
            return self._interface.looks_for_the_gateway(turn)
        call = self._script(shown.answers)
        if call is None:
            return self._interface.says(DONE, turn)
        return self._interface.calls(shown.gateway, call, turn)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(b"{}", "application/json")

            def do_HEAD(self) -> None:
                self._send(b"", "application/json")

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length", 0)))
                if not self.path.partition("?")[0].endswith(model._interface.path):
                    self._send(b"{}", "application/json")
                    return
                events = model._answer(json.loads(content))
                stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
                self._send(stream.encode(), "text/event-stream")

            def _send(self, content: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:
                """Nobody reads it."""

        return Handler


class AnthropicMessages:
    """The Messages API, streaming, as Claude Code uses it. It shows tools of MCP servers when they are searched for."""

    path = "/messages"

    def shown(self, body: Body) -> Shown:
        tools = {tool["name"]: tool.get("description", "") for tool in body.get("tools", [])}
        called = {block["id"]: block["name"] for block in _blocks(body) if block["type"] == "tool_use"}
        answers = [
            _parsed(_text(block["content"]))
            for block in _blocks(body)
            if block["type"] == "tool_result" and called[block["tool_use_id"]].endswith(GATEWAY)
        ]
        texts = [block["text"] for block in _blocks(body) if block["type"] == "text"]
        return Shown(tools, [_text(body.get("system", "")), *texts], answers)

    def says(self, text: str, turn: int) -> Events:
        return self._message(turn, "end_turn", {"type": "text", "text": ""}, {"type": "text_delta", "text": text})

    def calls(self, tool: str, arguments: Call, turn: int) -> Events:
        return self._message(
            turn,
            "tool_use",
            {"type": "tool_use", "id": f"toolu_{turn}", "name": tool, "input": {}},
            {"type": "input_json_delta", "partial_json": json.dumps(arguments)},
        )

    def looks_for_the_gateway(self, turn: int) -> Events:
        return self.calls("ToolSearch", {"query": f"+thoughtbox {GATEWAY}", "max_results": 5}, turn)

    def _message(self, turn: int, reason: str, block: Body, delta: Body) -> Events:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": f"msg_{turn}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]


class OpenAIResponses:
    """The Responses API, streaming, as Codex uses it. Tools of an MCP server stand in a namespace of its own."""

    path = "/responses"

    def __init__(self) -> None:
        self._namespace: str | None = None

    def shown(self, body: Body) -> Shown:
        tools, texts = {}, []
        for tool in body.get("tools", []):
            for inner in tool.get("tools", [tool]):
                tools[inner.get("name", inner["type"])] = inner.get("description", "")
                if inner.get("name") == GATEWAY:
                    self._namespace = tool["name"]
            texts.append(tool.get("description", ""))
        items = body.get("input", [])
        texts += [_text(item["content"]) for item in items if item["type"] == "message"]
        called = {item["call_id"]: item["name"] for item in items if item["type"] == "function_call"}
        answers = [
            _parsed(_text(item["output"]).partition("Output:\n")[2])
            for item in items
            if item["type"] == "function_call_output" and called[item["call_id"]] == GATEWAY
        ]
        return Shown(tools, [body.get("instructions", ""), *texts], answers)

    def says(self, text: str, turn: int) -> Events:
        content = [{"type": "output_text", "text": text}]
        return self._response(turn, {"type": "message", "id": f"m{turn}", "role": "assistant", "content": content})

    def calls(self, tool: str, arguments: Call, turn: int) -> Events:
        item = {
            "type": "function_call",
            "id": f"fc_{turn}",
            "call_id": f"call_{turn}",
            "name": tool,
            "arguments": json.dumps(arguments),
        }
        return self._response(turn, {**item, "namespace": self._namespace})

    def looks_for_the_gateway(self, turn: int) -> Events:
        return self.says("There is no gateway.", turn)

    def _response(self, turn: int, item: Body) -> Events:
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        return [
            {"type": "response.created", "response": {"id": f"r{turn}"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": f"r{turn}", "output": [item], "usage": usage}},
        ]


def _blocks(body: Body) -> Iterator[Body]:
    for message in body.get("messages", []):
        content = message["content"]
        yield from [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Any) -> str:
    """A text, or all texts in a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if "text" in block)


def _parsed(text: str) -> Answer:
    """An answer as the model reads it; what is no JSON is an error of the agent's own."""
    try:
        return json.loads(text)
    except ValueError:
        return {"code": "NOT_JSON", "message": text}
