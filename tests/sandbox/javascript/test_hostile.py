"""Snippets that want out, or want it all: each ends in time, with an error that names why, or having reached nothing.

They are data, in `hostile`: what a snippet is, and how it has to end.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.sandbox.javascript.telling import Refusal, tell
from tests.support.clocks import computed
from thoughtbox.errors import SnippetError
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import Asked, Language, Limits

CORPUS = Path(__file__).with_name("hostile")
GRACE_MS = 250
"""What a worker computes beyond that, to begin with a snippet and to tell how it has ended."""
MOST_MEMORY_KB = 128 * 1024
"""Of a worker, at any time: the engine, 32 MB for the snippet, and what is said of it."""


class Attack(NamedTuple):
    language: Language
    about: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.language}: {self.about['name']}"

    @property
    def code(self) -> str:
        """As it stands there; or from parts that are repeated."""
        parts = self.about.get("parts")
        return self.about["code"] if parts is None else "".join(text * times for text, times in parts)

    @property
    def limits(self) -> Limits:
        return Limits(**self.about.get("limits", {}))


@cache
def attacks() -> list[Attack]:
    found = []
    for path in sorted(CORPUS.glob("*.toml")):
        languages: tuple[Language, ...] = ("javascript", "typescript")
        if path.stem == "typescript":
            languages = ("typescript",)
        for about in tomllib.loads(path.read_text(encoding="utf-8"))["snippet"]:
            found += [Attack(language, about) for language in languages]
    return found


def host(step: Asked) -> Any:
    """Refuses everything but what the corpus asks for to see that it can."""
    if step.name == "echo.back":
        return step.arguments
    raise Refusal("REFUSED", f"no {step.name}")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("attack", attacks(), ids=str)
def test_a_hostile_snippet_ends_in_time_and_reaches_nothing(attack: Attack, sandbox: JavaScriptSandbox):
    tell(sandbox, "1")  # a worker is there
    before = cpu_seconds(sandbox)

    outcome = outcome_of(attack, sandbox)

    assert outcome_is(outcome, attack.about), outcome
    spent = [seconds - before[worker] for worker, seconds in cpu_seconds(sandbox).items() if worker in before]
    assert sum(spent) * 1000 <= attack.limits.cpu_ms + GRACE_MS
    assert tell(sandbox, "tb.claim('after').id").result == "th:1"
    assert all(peak_memory_kb(worker) < MOST_MEMORY_KB for worker in sandbox.processes)


def outcome_of(attack: Attack, sandbox: JavaScriptSandbox) -> dict[str, Any]:
    try:
        return {"result": tell(sandbox, attack.code, attack.language, answer=host, limits=attack.limits).result}
    except SnippetError as error:
        return error.payload()


def outcome_is(outcome: dict[str, Any], about: dict[str, Any]) -> bool:
    if "limit" in about:
        wanted = about["limit"] if isinstance(about["limit"], list) else [about["limit"]]
        return outcome.get("code") == "LIMIT_EXCEEDED" and outcome["details"]["limit"] in wanted
    if "error" in about:
        return outcome.get("code") == about["error"] and about.get("says", "") in outcome["message"]
    return "result" in outcome and outcome["result"] == about.get("result")


def cpu_seconds(sandbox: JavaScriptSandbox) -> dict[int, float]:
    """Of the workers there are, as the kernel counts it."""
    return {worker: computed(worker) for worker in sandbox.processes}


def peak_memory_kb(worker: int) -> int:
    status = Path(f"/proc/{worker}/status")
    if not status.exists():
        return 0
    found = [line.split()[1] for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM")]
    return int(found[0]) if found else 0


@pytest.mark.parametrize("language", ["javascript", "typescript"])
def test_there_are_at_least_sixty_attacks_in_each_language(language: str):
    names = [attack.about["name"] for attack in attacks() if attack.language == language]

    assert len(names) == len(set(names)) >= 60
