"""The table of operations: one decorator, one typed input, one typed output, one sentence.

From it come the MCP tools, the command line, the reference and the code-mode catalog.
If the same fact about an operation stands anywhere else, one of the two is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, get_type_hints

from thoughtbox.errors import InvalidOperation, InvalidPayload, ThoughtboxError
from thoughtbox.ledger.view import View
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.models import Input, Output
from thoughtbox.operations.tx import Tx

F = TypeVar("F", bound=Callable[..., Output])

Tier = Literal["core", "daily", "full"]
Stage = Literal[0, 1, 2, 3]


@dataclass(frozen=True, slots=True)
class Example:
    """A call that runs: its arguments, the calls that must go before it, and whether it is meant to fail."""

    arguments: Mapping[str, Any]
    given: Sequence[tuple[str, Mapping[str, Any]]] = ()
    fails_with: type[ThoughtboxError] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One verb."""

    name: str
    room: str
    function: Callable[..., Output]
    input: type[Input]
    output: type[Output]
    summary: str
    description: str
    example: Example
    errors: tuple[type[ThoughtboxError], ...]
    invalid: type[ThoughtboxError]
    writes: bool = False
    idempotent: bool = False
    hidden: bool = False
    tier: Tier = "daily"
    stage: Stage = 0
    ceiling: int = HARD_CEILING
    """Longest answer without a budget asked for."""
    keep: tuple[str, ...] = ()
    """Fields of the answer that are the last to go under a tight budget."""
    newest_first: frozenset[str] = frozenset()
    """Lists in the answer whose first item is the one to keep."""
    title: str = ""
    long: bool = False
    """May take seconds: it reports its progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A read operation under an address: `thoughtbox://trail/{sessionId}`."""

    uri: str
    """Parts in braces are arguments of the operation."""
    name: str
    title: str
    description: str
    operation: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    listed: Callable[[Tx, str, int], list[str]] | None = None
    """For an address with one argument: the values there are behind a given one, a page at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text for an agent to work from, with what a read operation answers put in."""

    name: str
    title: str
    description: str
    text: str
    arguments: Mapping[str, str]
    """Name of each argument, and what it is."""
    operation: str | None = None
    """Its answer stands where the text says `{{answer}}`."""


@dataclass(slots=True)
class Table:
    """Everything the rooms have declared, by name."""

    operations: dict[str, Operation] = field(default_factory=dict)
    rooms: dict[str, Room] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    completions: dict[str, Callable[[Tx, str, int], list[str]]] = field(default_factory=dict)
    """By argument name: the values that begin with what was typed."""

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations.values())

    def find(self, name: str) -> Operation:
        found = self.operations.get(name)
        if found is not None:
            return found
        near = get_close_matches(name, self.operations, n=1, cutoff=0.5)
        raise InvalidOperation(
            f"there is no operation `{name}`",
            recovery=f"Did you mean `{near[0]}`?" if near else "`thoughtbox ops` lists all operations.",
            details={"operation": name, "nearest": near},
        )

    def views(self) -> list[type[View]]:
        return [view for room in self.rooms.values() for view in room.views]


TABLE = Table()


class Room:
    """A surface: operations that belong together, and the views that answer for them."""

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        views: Sequence[type[View]] = (),
        invalid: type[ThoughtboxError] = InvalidPayload,
        table: Table = TABLE,
    ) -> None:
        """`invalid` is what this surface's specification calls a bad argument."""
        self.name = name
        self.summary = summary
        self.views = tuple(views)
        self._invalid = invalid
        self._table = table
        table.rooms[name] = self

    def resource(self, resource: Resource) -> None:
        self._table.resources[resource.uri] = resource

    def prompt(self, prompt: Prompt) -> None:
        self._table.prompts[prompt.name] = prompt

    def completion(self, argument: str, values: Callable[[Tx, str, int], list[str]]) -> None:
        """Say how to complete an argument of that name, wherever it occurs."""
        self._table.completions[argument] = values

    def operation(
        self,
        name: str,
        *,
        example: Example,
        errors: Sequence[type[ThoughtboxError]] = (),
        writes: bool = False,
        **more: Any,
    ) -> Callable[[F], F]:
        """Enter a function into the table. Its docstring is the operation's description."""

        def enter(function: F) -> F:
            hints = get_type_hints(function)
            text = inspect.getdoc(function) or ""
            self._table.operations[name] = Operation(
                name=name,
                room=self.name,
                function=function,
                input=hints["call"],
                output=hints["return"],
                summary=text.partition("\n")[0],
                description=text,
                example=example,
                errors=(self._invalid, *errors),
                invalid=self._invalid,
                writes=writes,
                **more,
            )
            return function

        return enter
