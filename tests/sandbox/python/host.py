"""Whoever runs a snippet, as far as its sandbox can tell: answers what it asks for, and counts its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from thoughtbox.errors import CallError, InvalidOperation
from thoughtbox.sandbox.protocol import Asked, Built, Ended, Limits, Reply, Sandbox, Snippet

RELATIONS = ("supports", "contradicts", "revises", "derived_from", "answers", "blocks", "refines", "relates_to")
BUILDERS = {
    "claim": RELATIONS,
    "evidence": RELATIONS,
    "question": (*RELATIONS, "answeredBy"),
    "plan": RELATIONS,
    "observation": RELATIONS,
    "decision": RELATIONS,
    "revision": (*RELATIONS, "replacesId"),
    **dict.fromkeys(("tool_call", "tool_result", "hub_event", "checkpoint"), ()),
}
OPERATIONS = frozenset(
    {
        "thoughts.thought",
        "thoughts.session.get",
        "thoughts.session.list",
        "thoughts.session.import",
        "mind.branch_create",
        "mind.cards",
        "ledger.records",
    }
)
FIRST = 17
"""The number of the first record that a snippet writes."""

Answer = Callable[[Mapping[str, Any]], Any] | Any
STEADY = Limits(wall_ms=30_000, cpu_ms=500)
"""For stories that are not about time: a machine that is busy with other tests is slow."""


class Told(NamedTuple):
    """All that came of a snippet."""

    result: Any
    logs: list[str]
    asked: list[tuple[str, dict[str, Any]]]
    built: list[Built]


class Host:
    """Drives one snippet after another. An answer may be a value, a function of the arguments, or an error to raise."""

    def __init__(self, sandbox: Sandbox, **answers: Answer) -> None:
        self.sandbox = sandbox
        self.answers = {name.replace("__", "."): answer for name, answer in answers.items()}
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.built: list[Built] = []
        self.logs: list[str] = []

    def run(self, code: str, limits: Limits = STEADY, **more: Any) -> Told:
        self.asked, self.built = [], []
        snippet = Snippet(code, "python", OPERATIONS, BUILDERS)._replace(**more)
        run = self.sandbox.run(snippet, limits)
        with closing(run):
            try:
                step = run.start()
                while isinstance(step, Asked):
                    step = run.resume(self.reply(step))
                self.built += step.queued
                return told(step, self)
            finally:
                self.logs = list(run.logs)

    def reply(self, asked: Asked) -> Reply:
        self.built += asked.queued
        self.asked.append((asked.name, dict(asked.arguments)))
        if asked.name == "base":
            return Reply(base=self.next_number)
        try:
            answer = self.answer(asked)
        except CallError as error:
            return Reply(error=error.payload(), base=self.next_number)
        return Reply(answer=answer, base=self.next_number)

    def answer(self, asked: Asked) -> Any:
        if asked.name not in self.answers:
            raise InvalidOperation(f"there is no {asked.name}", recovery="Look into the catalog.")
        answer = self.answers[asked.name]
        if isinstance(answer, CallError):
            raise answer
        return answer(asked.arguments) if callable(answer) else answer

    @property
    def next_number(self) -> int:
        return FIRST + len(self.built)


def told(ended: Ended, host: Host) -> Told:
    return Told(ended.result, list(ended.logs), host.asked, host.built)
