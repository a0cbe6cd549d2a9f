"""Snippets that record thoughts, as a model would write them in each language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple, Protocol

import orjson

Answers = Literal["whole", "briefly", "nothing"]
"""What of each answer is asked for; briefly is what is wrong with a line, or else what was read in it."""


class Step(NamedTuple):
    """One thing that a session does: a thought, or what becomes of a branch."""

    operation: str
    arguments: dict[str, Any]


class Writer(Protocol):
    def call(self, operation: str, arguments: dict[str, Any]) -> str:
        """An expression that calls it."""
        ...

    def thinking(self, steps: Sequence[Step], answers: Answers) -> list[str]:
        """Lines that take these steps; the last is an expression with what is asked for."""
        ...


class JavaScript:
    """Thoughts as a list of their arguments, which is mapped."""

    def call(self, operation: str, arguments: dict[str, Any]) -> str:
        return f"tb.thoughts.{operation}({self._object(arguments) if arguments else ''})"

    def thinking(self, steps: Sequence[Step], answers: Answers) -> list[str]:
        mapped = {
            "nothing": ".forEach(t => tb.thoughts.thought(t))",
            "whole": ".map(t => tb.thoughts.thought(t))",
            "briefly": ".map(t => tb.thoughts.thought(t)).map(r => r.notes ?? r.read)",
        }[answers]
        parts: list[str] = []
        for is_thought, group in groupby(steps, lambda step: step.operation == "thought"):
            if is_thought:
                parts.append(_listed(self._object(step.arguments) for step in group) + mapped)
            else:
                parts += [self.call(*step) for step in group]
        if answers == "nothing":
            return [f"{part};" for part in parts]  # without it, a list on the next line would be taken for an index
        return [parts[0] if len(parts) == 1 else f"[{', '.join(parts)}]"]

    def _object(self, arguments: dict[str, Any]) -> str:
        return "{" + ", ".join(f"{name}: {_literal(value)}" for name, value in arguments.items()) + "}"


class Python:
    """Thoughts by way of a function, since a dictionary would have every name in quotes."""

    def call(self, operation: str, arguments: dict[str, Any]) -> str:
        return f"tb.thoughts.{operation}({', '.join(self._keywords(arguments))})"

    def thinking(self, steps: Sequence[Step], answers: Answers) -> list[str]:
        function = [
            "def t(thought, **more):",
            *(
                ("    r = tb.thoughts.thought(thought=thought, **more)", '    return r.get("notes") or r.get("read")')
                if answers == "briefly"
                else ("    return tb.thoughts.thought(thought=thought, **more)",)
            ),
        ]
        taken = map(self._step, steps)
        return [*function, *(taken if answers == "nothing" else [_listed(taken)])]

    def _step(self, step: Step) -> str:
        if step.operation != "thought":
            return self.call(*step)
        more = {name: value for name, value in step.arguments.items() if name != "thought"}
        return f"t({', '.join([_literal(step.arguments['thought']), *self._keywords(more)])})"

    def _keywords(self, arguments: dict[str, Any]) -> Iterator[str]:
        for name, value in arguments.items():
            yield f"{name}={value if isinstance(value, bool) else _literal(value)}"


def _listed(lines: Iterable[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]"


def _literal(value: Any) -> str:
    """As both languages write it."""
    return orjson.dumps(value).decode()
