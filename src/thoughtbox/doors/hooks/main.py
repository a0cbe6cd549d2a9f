"""`thoughtbox hook EVENT`: from the host's JSON to an answer in its contract.

Nothing here may hinder an agent: whatever goes wrong is one line on standard error, and exit code 0.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple

from thoughtbox.domains.memory.hosts.clients import CLIENTS
from thoughtbox.doors.hooks.host import Answer, Told, place

LARGEST_INPUT = 32 << 20
LONGEST_COMPLAINT = 300


class Event(NamedTuple):
    """What answers an event, by the name of its function, and how long it may take."""

    run: str
    seconds: int


EVENTS = {
    "session-start": Event("keeping:session_start", 20),
    "user-prompt-submit": Event("prompts:user_prompt_submit", 5),
    "pre-tool-use": Event("gate:pre_tool_use", 5),
    "post-tool-use": Event("noting:post_tool_use", 5),
    "pre-compact": Event("keeping:pre_compact", 20),
    "stop": Event("keeping:stop", 20),
    "drain": Event("keeping:drain", 60),
}
"""`drain` is ours: it brings into the store what other hooks took down."""

OPTIONS = {"--client": "client", "--data-dir": "data_dir", "--project": "project"}


class TooLong(Exception):
    """It took longer than a host's user should wait."""


def hook(words: Sequence[str]) -> int | None:
    """The exit code; None when the words are none of a hook's, and the command line has to say so."""
    given = _given(words)
    if given is None:
        return None
    name, options, event = given.event, given.options, EVENTS[given.event]
    try:
        with _Alarm(event.seconds):
            client = options.pop("client", CLIENTS[0])
            input = {} if name == "drain" else _input()
            told = Told(name, client, input, place(input, client, options, os.environ), given.takes_tools)
            answer = _answers(event.run)(told)
    except Exception as error:
        answer = Answer(said=_complaint(name, str(getattr(error, "message", None) or error or type(error).__name__)))
    if given.unknown:
        said = _complaint(name, f"not understood: {' '.join(given.unknown)}; `thoughtbox install` puts it right")
        answer = answer._replace(said=f"{answer.said}\n{said}" if answer.said else said)
    return _give(answer)


class Given(NamedTuple):
    """What a hook was started with."""

    event: str
    options: dict[str, str]
    takes_tools: bool
    unknown: list[str]


def _given(words: Sequence[str]) -> Given | None:
    """What is not known is passed over: it may be another release's, and must not hinder anybody."""
    if not words or words[0] not in EVENTS or "--help" in words or "-h" in words:
        return None
    given = Given(words[0], {}, takes_tools=False, unknown=[])
    rest = iter(words[1:])
    for word in rest:
        if word == "--no-gateway":
            given = given._replace(takes_tools=True)
        elif word in OPTIONS and (value := next(rest, None)) is not None:
            given.options[OPTIONS[word]] = value
        else:
            given.unknown.append(word)
    if given.options.get("client", CLIENTS[0]) not in CLIENTS:
        given.unknown.append(given.options.pop("client"))
    return given


def _input() -> Mapping[str, Any]:
    text = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    if len(text) > LARGEST_INPUT:
        raise ValueError(f"the host sent more than {LARGEST_INPUT} bytes")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("what the host sent is no JSON") from None
    if not isinstance(found, dict):
        raise TypeError("what the host sent is no JSON object")
    return found


def _answers(name: str) -> Callable[[Told], Answer]:
    module, _, function = name.partition(":")
    return getattr(import_module(f"thoughtbox.doors.hooks.{module}"), function)


def _complaint(name: str, what: str) -> str:
    from thoughtbox.redaction import redacted

    line = " ".join(f"thoughtbox hook {name}: {redacted(what)}".split())
    return line if len(line) <= LONGEST_COMPLAINT else line[: LONGEST_COMPLAINT - 1] + "…"


def _give(answer: Answer) -> int:
    for stream, text in ((sys.stdout, answer.out), (sys.stderr, answer.said)):
        if text:
            with suppress(OSError, ValueError):  # nobody listens any more
                stream.buffer.write((text if text.endswith("\n") else text + "\n").encode(errors="replace"))
                stream.flush()
    return answer.code


class _Alarm:
    """Ends with `TooLong` what takes longer; where there is no such signal, nothing does."""

    def __init__(self, seconds: int) -> None:
        self._seconds = seconds

    def __enter__(self) -> None:
        with suppress(ValueError, AttributeError):  # not in the main thread, or not on this system
            signal.signal(signal.SIGALRM, self._ring)
            signal.alarm(self._seconds)

    def __exit__(self, *_: object) -> None:
        with suppress(AttributeError):
            signal.alarm(0)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        raise TooLong(f"it took longer than {self._seconds} seconds")
