"""What the engine says went wrong, as the errors that a caller can do something with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_monty import Frame, MontyCrashedError, MontyError, MontyRuntimeError, MontySyntaxError

from thoughtbox.errors import SnippetError, SnippetFailed, SnippetInvalid
from thoughtbox.sandbox.exceeded import exceeded
from thoughtbox.sandbox.protocol import Limits
from thoughtbox.sandbox.python.rewriting import Rewritten
from thoughtbox.sandbox.python.worker import DEEPEST_CALL

SNIPPET = "<python-input-2>"
"""What the engine calls the third thing that it is fed: the snippet, after the prelude and its last line."""
PARSED = "main.py"
LONGEST_TEXT = 1_000
"""Characters of what an exception says."""

MODULES = (
    "asyncio, base64, bisect, collections, copy, csv, dataclasses, datetime, decimal, functools, hashlib, itertools, "
    "json, math, random, re, time, typing, unicodedata"
)

_INSTEAD = {
    "class inheritance": "Leave the base class out. Instead of an exception of your own, raise ValueError with a text.",
    "yield": "Collect the values in a list and return it, or write a generator expression.",
    "'del'": "Use d.pop(key) for an entry, and assign None to a name.",
    "method decorators": "Write a plain method, or a function outside of the class.",
    "class bodies": "Keep methods and simple values in the class, and put everything else outside of it.",
    "exception groups": "Write except instead of except*.",
    "async": "Leave async and await out: calls of tb give their answer at once.",
    "type alias": "Leave the alias out.",
}


def failure(error: MontyError, source: Rewritten, sent: Mapping[str, Any], limits: Limits) -> SnippetError:
    """`sent` are the errors that the host has answered with, by the text that they were raised with."""
    if isinstance(error, MontyCrashedError):
        return exceeded("cpu", limits) if error.timed_out else _crashed()
    if not isinstance(error, MontySyntaxError | MontyRuntimeError):
        return SnippetFailed(f"the snippet could not be run: {error}")
    raised = error.exception()
    frames = error.traceback()
    line = _line(frames, source)
    if isinstance(raised, NotImplementedError) and frames and frames[-1].function_name is None:
        return _unsupported(str(raised), line)
    if isinstance(error, MontySyntaxError) and frames and frames[-1].function_name is None:
        return _not_python(str(raised), line)
    if (limit := _limit(raised, frames)) is not None:
        return exceeded(limit, limits, DEEPEST_CALL if limit == "recursion" else None)
    if isinstance(raised, RuntimeError) and str(raised) in sent:
        return _sent(sent[str(raised)], line)
    return _raised(raised, line)


def not_python(problem: str) -> SnippetInvalid:
    return SnippetInvalid(problem, recovery="Close every bracket and quote; inside an f-string use the other quotes.")


def _limit(raised: BaseException, frames: list[Frame]) -> str | None:
    text = str(raised)
    if isinstance(raised, TimeoutError) and not frames:
        return "cpu"
    if isinstance(raised, MemoryError) and "limit" in text:
        return "memory"
    if isinstance(raised, RecursionError):
        return "recursion"
    if isinstance(raised, RuntimeError) and text.startswith("suspension limit"):
        return "calls"
    return None


def _line(frames: list[Frame], source: Rewritten) -> int | None:
    """The innermost line of the snippet itself."""
    lines = [frame.line for frame in frames if frame.filename in {SNIPPET, PARSED}]
    return source.line_of(lines[-1]) if lines else None


def _at(line: int | None) -> str:
    return "" if line is None else f"line {line}: "


def _details(line: int | None, **more: Any) -> dict[str, Any]:
    return more if line is None else {"line": line, **more}


def _crashed() -> SnippetFailed:
    return SnippetFailed(
        "the process that ran the snippet has ended unexpectedly",
        recovery="Write it more simply, or in JavaScript; others are not affected.",
    )


def _unsupported(text: str, line: int | None) -> SnippetInvalid:
    what = text.rpartition("does not yet support ")[2]
    instead = next((advice for word, advice in _INSTEAD.items() if word in what), "Write it in another way.")
    return SnippetInvalid(
        f"{_at(line)}this Python has no {what.removeprefix('the ')}", recovery=instead, details=_details(line)
    )


def _not_python(text: str, line: int | None) -> SnippetInvalid:
    return SnippetInvalid(
        f"{_at(line)}{text[:1].lower()}{text[1:]}",
        recovery="Mend that line. For JavaScript or TypeScript, say so with `language`.",
        details=_details(line),
    )


def _sent(error: Mapping[str, Any], line: int | None) -> SnippetFailed:
    return SnippetFailed(
        f"{_at(line)}{error.get('code')}: {error.get('message')}",
        recovery=error.get("recovery"),
        details=_details(line, error=dict(error)),
    )


def _raised(raised: BaseException, line: int | None) -> SnippetFailed:
    name, text = type(raised).__name__, str(raised)[:LONGEST_TEXT]
    return SnippetFailed(
        f"{_at(line)}{name}: {_shown(raised, text)}" if text else f"{_at(line)}{name}",
        recovery=_advice(name, text),
        details=_details(line, name=name),
    )


def _shown(raised: BaseException, text: str) -> str:
    if text.startswith("Internal error in monty: exceptions can only"):
        return 'an exception takes one text here: raise ValueError("…")'
    return repr(text) if isinstance(raised, KeyError) else text


def _advice(name: str, text: str) -> str | None:
    if name == "ModuleNotFoundError":
        return f"A snippet can import: {MODULES}."
    if name in {"PermissionError", "OSError"} or "not supported in this environment" in text:
        return "A snippet has no files, network, processes or environment: it reaches the world through tb alone."
    if name == "NameError":
        return "Define it first. Of the built-ins, those that look into the interpreter are not there."
    if text.startswith("'dict' object has no attribute"):
        return 'Answers are dicts: write answer["name"], or answer.get("name").'
    return None
