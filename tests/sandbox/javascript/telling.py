"""A snippet told to a sandbox, with a host that answers what it asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox
from thoughtbox.sandbox.protocol import BASE, Asked, Built, Ended, Language, Limits, Reply, Snippet

RELATIONS = ("supports", "contradicts", "derived_from")
BUILDERS: dict[str, tuple[str, ...]] = {
    "claim": RELATIONS,
    "evidence": RELATIONS,
    "question": ("answeredBy",),
    "plan": RELATIONS,
    "observation": RELATIONS,
    "decision": RELATIONS,
    "revision": ("replaces",),
}
NONE = Limits()

Answer = Callable[[Asked], Any]
"""What an operation gives back; raises `Refusal` to refuse."""


class Refusal(Exception):
    def __init__(self, code: str = "REFUSED", message: str = "no", **more: Any) -> None:
        super().__init__(message)
        self.payload = {"code": code, "message": message, **more}


class Told(NamedTuple):
    """How it went: what came of it, and everything that was asked for and written on the way."""

    result: Any
    logs: list[str]
    asked: list[Asked]
    written: list[Built]


class Host:
    """Numbers records as the ledger does, and remembers everything."""

    def __init__(self, answer: Answer | None = None, base: int = 1) -> None:
        self.asked: list[Asked] = []
        self.written: list[Built] = []
        self._answer = answer or (lambda _: None)
        self._base = base

    def reply(self, step: Asked) -> Reply:
        self.asked.append(step)
        self.write(step.queued)
        try:
            answer = self._written_at_once(step) if step.name in BUILDERS else self._answered(step)
        except Refusal as refusal:
            return Reply(error=refusal.payload, base=self._next)
        return Reply(answer=answer, base=self._next)

    def write(self, records: Any) -> None:
        self.written += records

    @property
    def _next(self) -> int:
        return self._base + len(self.written)

    def _answered(self, step: Asked) -> Any:
        return None if step.name == BASE else self._answer(step)

    def _written_at_once(self, step: Asked) -> Mapping[str, Any]:
        text = step.arguments.get("text")
        if not text or (isinstance(text, str) and not text.strip()):
            raise Refusal("VALIDATION_ERROR", "text is empty")
        options = {key: value for key, value in step.arguments.items() if key != "text"}
        self.written.append(Built(step.name, step.arguments["text"], options))
        return {"id": f"th:{self._next - 1}", "kind": step.name}


def tell(
    sandbox: JavaScriptSandbox,
    code: str,
    language: Language = "javascript",
    *,
    answer: Answer | None = None,
    limits: Limits = NONE,
    catalog: bytes | None = None,
    base: int = 1,
) -> Told:
    """Run a snippet to its end; what goes wrong with it is raised."""
    host = Host(answer, base)
    with closing(sandbox.run(Snippet(code, language, builders=BUILDERS, catalog=catalog), limits)) as run:
        step = run.start()
        while isinstance(step, Asked):
            step = run.resume(host.reply(step))
    assert isinstance(step, Ended)
    host.write(step.queued)
    return Told(step.result, list(step.logs), host.asked, host.written)
