"""Calls that documents show, as one client after another sends them, and whether they get what is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.registry import TABLE

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
THOUGHTS = ROOT / "docs" / "thoughts.md"
MIND = ROOT / "docs" / "mind.md"
MEMORY = ROOT / "docs" / "memory.md"
CODE = ROOT / "docs" / "code-mode.md"
GATEWAY = "thoughtbox_gateway"
TOO_EARLY = "STAGE_REQUIREMENT_NOT_MET"

OF_THE_MOMENT = ("createdBy", "thoughtDensity")
"""Fields that say who called, or how fast."""

CHANCE = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"  # a session
    r"|\d{4}-\d\d-\d\dT[\d:.]+Z"
    r"|\b[0-9a-f]{12}\b"  # a learning, which is made from its session's thoughts
    r"|\b[0-9a-f]{64}\b"  # a hash over what has times in it
    r"|\b(?:op|session)-[0-9]{13}-[0-9a-z]{9}\b"  # a token
)

BLOCK = re.compile(r"^#+ (?P<title>[^\n]*)$|^```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
"""A heading, or a block."""

LANGUAGES = {"js": "javascript", "ts": "typescript", "python": "python"}
"""Of snippets, as a block names them and as an answer does."""

Call = dict[str, Any]
Answer = dict[str, Any]
"""What an operation answers, or the error it gives."""

Script = Callable[[list[Answer]], Call | None]
"""The next call, from the answers to all before it; None when there is nothing more to say."""


class Exchange(NamedTuple):
    """A call on a page, and what the page shows of its answer, if anything."""

    call: Call
    shown: Answer | None


def readme() -> list[Exchange]:
    """`What an agent sends`."""
    blocks = re.findall(r"```json\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [Exchange(json.loads(line), None) for block in blocks for line in block.splitlines()]


def thoughts() -> list[Exchange]:
    """All of `docs/thoughts.md`."""
    return exchanges_on(THOUGHTS)


def mind() -> list[Exchange]:
    """All of `docs/mind.md`."""
    return exchanges_on(MIND)


def memory() -> list[Exchange]:
    """The calls of `docs/memory.md`."""
    return exchanges_on(MEMORY)


def code() -> list[Exchange]:
    """All of `docs/code-mode.md`: snippets and searches, each with the `json` block below it as its answer."""
    return snippets_on(CODE)


def snippets_on(page: Path) -> list[Exchange]:
    """Every snippet that a page shows, with the answer below it, for the session that is named after its section.

    Nobody says which language it is; the answer must.
    """
    found: list[Exchange] = []
    section = written_in = ""
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if block["title"] is not None:
            section = re.sub(r"\W+", "-", block["title"].lower()).strip("-")
            continue
        language, _, how = block["info"].partition(" ")
        if how == "search":
            asked = json.loads(block["body"]) if language == "json" else {"code": block["body"]}
            found.append(Exchange({"operation": "search", **asked}, None))
        elif language in LANGUAGES:
            form = {"format": how} if how else {}
            found.append(Exchange({"operation": "execute", "code": block["body"], "session": section, **form}, None))
        elif language in ("json", "jsonl") and found:
            shown = json.loads(block["body"])
            if written_in in LANGUAGES and "result" in shown:
                shown["language"] = LANGUAGES[written_in]
            found[-1] = found[-1]._replace(shown=shown)
        written_in = language
    return found


def exchanges_on(page: Path) -> list[Exchange]:
    """All that a page shows: a `json` block holds calls, the `jsonl` block below it their answers."""
    blocks = re.findall(r"```json\n(.*?)```\n\n```jsonl\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [
        Exchange(json.loads(call), json.loads(shown))
        for calls, answers in blocks
        for call, shown in zip(calls.splitlines(), answers.splitlines(), strict=True)
    ]


def without_stages(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """For clients of whom nothing is remembered: they cannot come too early."""
    return [exchange for exchange in exchanges if (exchange.shown or {}).get("code") != TOO_EARLY]


def word_for_word(exchanges: Sequence[Exchange], *, names_session: bool = False) -> Script:
    """The calls as they stand on the page, but for what chance made of earlier answers: ids, hashes, times.

    With `names_session` every call that can names the session that the last answer named.
    """

    def next_call(answers: list[Answer]) -> Call | None:
        if len(answers) == len(exchanges):
            return None
        made = _made_by_chance(exchanges, answers)
        call = _replaced(exchanges[len(answers)].call, made)
        real = [answer["sessionId"] for answer in answers if "sessionId" in answer]
        if names_session and real and "sessionId" not in call and takes_session(call):
            call = {**call, "sessionId": real[-1]}
        return call

    return next_call


def _made_by_chance(exchanges: Sequence[Exchange], answers: Sequence[Answer]) -> dict[str, str]:
    """By what the page shows: what it is this time. Only what as a whole was made by chance."""
    made: dict[str, str] = {}

    def compare(shown: Any, real: Any) -> None:
        if isinstance(shown, dict) and isinstance(real, dict):
            for name in shown.keys() & real.keys():
                compare(shown[name], real[name])
        elif isinstance(shown, list) and isinstance(real, list):
            for one, other in zip(shown, real, strict=False):
                compare(one, other)
        elif isinstance(shown, str) and isinstance(real, str) and CHANCE.fullmatch(shown):
            made.setdefault(shown, real)

    for exchange, answer in zip(exchanges, answers, strict=False):
        compare(exchange.shown, answer)
    return made


def _replaced(value: Any, made: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _replaced(part, made) for name, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, made) for part in value]
    return made.get(value, value) if isinstance(value, str) else value


def takes_session(call: Call) -> bool:
    """Whether the operation that is meant knows a session, if there is such an operation."""
    domains.load()
    try:
        operation, _ = TABLE.resolve(GATEWAY, call)
    except ThoughtboxError:
        return False
    return "sessionId" in wire_names(operation.input)


def tell(script: Script, send: Callable[[Call], Answer]) -> list[Answer]:
    """Send one call after the other."""
    answers: list[Answer] = []
    while (call := script(answers)) is not None:
        answers.append(send(call))
    return answers


def unlike(exchanges: Sequence[Exchange], answers: Sequence[Answer], *, exactly: bool = False) -> list[str]:
    """The calls whose answers are not what the page shows. Where it shows none, the call has to succeed."""
    found = []
    for (call, shown), real in zip(exchanges, answers, strict=True):
        if shown is None:
            like = "code" not in real
        else:
            if "code" in real and shown.get("error"):  # a page shows the envelope, which only MCP puts around an error
                shown = shown["error"]
            like = shows(shown, real) if exactly else shows(_lasting(shown), _lasting(real))
        if not like:
            found.append(f"{json.dumps(call, ensure_ascii=False)} → {json.dumps(real, ensure_ascii=False)}")
    return found


def shows(shown: Any, real: Any) -> bool:
    """Whether what is shown is so; it may leave out fields, the ends of lists, and the ends of texts."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(name in real and shows(part, real[name]) for name, part in shown.items())
    if isinstance(shown, list):
        return isinstance(real, list) and len(shown) <= len(real) and all(map(shows, shown, real))
    if isinstance(shown, str) and shown.endswith("…") and isinstance(real, str):
        return real.startswith(shown[:-1])
    return shown == real


def _lasting(value: Any) -> Any:
    """Without what is another each time: ids made by chance, times, who and how fast."""
    if isinstance(value, dict):
        return {name: _lasting(part) for name, part in value.items() if name not in OF_THE_MOMENT}
    if isinstance(value, list):
        return [_lasting(part) for part in value]
    return CHANCE.sub("*", value) if isinstance(value, str) else value
