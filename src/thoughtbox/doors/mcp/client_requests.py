"""What only a client has: the directories it works in, and a model to lend.

A client of the handshake era is sent a request, and waited for. A stateless one finds the same request in
the result of its call, and sends the call again with the answer in it: that is what `request_state.py` is for.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from thoughtbox.doors.mcp.jsonrpc import METHOD_NOT_FOUND, REQUEST_TIMEOUT, ProtocolError
from thoughtbox.doors.mcp.params import are_roots, is_model_answer
from thoughtbox.doors.mcp.request import Request, Steps
from thoughtbox.operations.caller import Root

logger = logging.getLogger(__name__)

ROOTS_SECONDS = 5.0
MODEL_SECONDS = 60.0

MOST_ROOTS = 100
LONGEST_URI = 2_000
LONGEST_NAME = 200

MOST_TOKENS = 1_000
PREFERENCES: Final = {
    "hints": [{"name": "claude-sonnet-4-5-20250929"}],
    "intelligencePriority": 0.9,
    "costPriority": 0.3,
}

Question = Mapping[str, Any]
"""A request to a client, without the parts that JSON-RPC puts around it."""

FOR_ROOTS: Final[Question] = {"method": "roots/list"}


class NotLent(Exception):
    """The client has no model to lend after all."""


class NoAnswer(Exception):
    """The client's model was asked and has not answered. The text says why."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a model answered, and which one it was."""

    text: str
    model: str


def tells_roots(request: Request) -> bool:
    return request.peer.capabilities.get("roots") is not None


def lends_model(request: Request) -> bool:
    return request.peer.capabilities.get("sampling") is not None


def roots(request: Request) -> Steps[list[Root] | None]:
    """The client's root directories, asked for on its connection; None when it does not tell."""
    try:
        answer = yield request.ask(FOR_ROOTS["method"], None, ROOTS_SECONDS)
    except ProtocolError as error:
        return _not_told(error)
    return roots_in(answer)


def roots_in(response: Mapping[str, Any] | None) -> list[Root] | None:
    """The root directories in what a client has sent; None when they are not there."""
    if response is None:
        return _not_told("there is no answer")
    return _bounded(response) if are_roots(response) else _not_told("what it sent are no roots")


def question(request: Request, asked: Mapping[str, str]) -> Question:
    """The request to the client's model: `asked` has its `system` and `prompt`."""
    sampling = request.peer.capabilities.get("sampling") or {}
    return {
        "method": "sampling/createMessage",
        "params": {
            "messages": [{"role": "user", "content": {"type": "text", "text": asked["prompt"]}}],
            "systemPrompt": asked["system"],
            "modelPreferences": PREFERENCES,
            **({"includeContext": "thisServer"} if sampling.get("context") is not None else {}),
            "maxTokens": MOST_TOKENS,
        },
    }


def model(request: Request, asked: Question) -> Steps[Said]:
    """What the client's model says, asked on the client's connection; raises `NotLent` or `NoAnswer`."""
    try:
        answer = yield request.ask(asked["method"], asked["params"], MODEL_SECONDS)
    except ProtocolError as error:
        if error.code == METHOD_NOT_FOUND:
            raise NotLent from error
        if error.code == REQUEST_TIMEOUT:
            raise NoAnswer(f"it took longer than {MODEL_SECONDS:.0f} s") from error
        raise NoAnswer(f"the client refused ({_line(error.message, LONGEST_NAME)})") from error
    return said_in(answer)


def said_in(response: Mapping[str, Any] | None) -> Said:
    """What the model said, in what a client has sent; raises `NoAnswer`."""
    if response is None:
        raise NoAnswer("the client sent the call again without it")
    if not is_model_answer(response):
        raise NoAnswer("what the client sent is no answer of a model")
    content = response["content"]
    blocks = content if isinstance(content, list) else [content]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    # What no engine can store goes: NUL, and halves of surrogate pairs.
    text = "\n\n".join(texts).replace("\0", "").encode("utf-8", "ignore").decode()
    if not text.strip():
        raise NoAnswer("its answer has no text")
    return Said(text, _line(response["model"], LONGEST_NAME) or "unknown")


def _bounded(answer: Mapping[str, Any]) -> list[Root]:
    """As many as anybody works in, under addresses that can be shown and stored."""
    cleaned = [(_line(root["uri"]), _line(root.get("name") or "", LONGEST_NAME) or None) for root in answer["roots"]]
    return [Root(uri, name) for uri, name in cleaned if len(uri) <= LONGEST_URI][:MOST_ROOTS]


def _not_told(why: object) -> None:
    logger.warning("the client offers its roots and did not tell them: %s", _line(str(why), 500))


def _line(text: str, longest: int | None = None) -> str:
    return "".join(filter(str.isprintable, text))[:longest].strip()
