"""How a room declares its operations: one decorator, one typed input, one typed output, one sentence.

From the table that they are entered into come the MCP tools, the command line, the reference and the code-mode catalog.
If the same fact about an operation stands anywhere else, one of the two is wrong.
Nothing is declared twice: a second operation, room, resource, prompt, topic or completion of one name is refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from thoughtbox.errors import InvalidPayload, ThoughtboxError
from thoughtbox.ledger.view import View
from thoughtbox.loading import declaring
from thoughtbox.operations.addressed import Prompt, Resource
from thoughtbox.operations.budget import HARD_CEILING
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.catalog import Ahead, Gateway, KnownOperation, KnownRoom, Mending
from thoughtbox.operations.lasting import Lasting
from thoughtbox.operations.models import Output
from thoughtbox.operations.operation import (
    Completion,
    Effect,
    Envelope,
    Example,
    FromClient,
    Guard,
    Operation,
    Place,
    Sampling,
    Shape,
)
from thoughtbox.operations.paging import Pages
from thoughtbox.operations.table import ALL, DEFAULT, TABLE, Opened, Table, Topic, tool_name
from thoughtbox.operations.tallies import Write

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["ALL", "DEFAULT", "TABLE", "Operation", "Prompt", "Resource", "Room", "Table", "Topic", "tool_name"]

F = TypeVar("F", bound=Callable[..., Any])

Echo = Callable[[str, Mapping[str, Any]], str]
Lines = Callable[[Focus], str]


class Room:
    """A surface: operations that belong together, the views that answer for them, and all else that they need."""

    def __init__(
        self,
        name: str,
        *,
        summary: str,
        views: Sequence[type[View]] = (),
        invalid: type[ThoughtboxError] = InvalidPayload,
        remembers: type[DataclassInstance] | None = None,
        first_focus: Callable[[Mapping[str, Any]], object] | None = None,
        ahead: Ahead | None = None,
        mending: Mending | None = None,
        gateway: str | Lines = "",
        gateway_names: Sequence[str] = (),
        gateway_arguments: Mapping[str, Sequence[str]] | None = None,
        echo: Echo | None = None,
        envelope: Envelope | None = None,
        table: Table = TABLE,
    ) -> None:
        """Declare a room.

        `invalid` is what this surface's specification calls a bad argument. `remembers` is the type of the value that
        the room keeps in its caller's focus (a frozen dataclass whose fields are plain), and `first_focus` makes the
        one that a new caller has, from the settings. `ahead` begins what a first call will wait for, and `mending` is
        for what a killed process has left unfinished. `gateway` is what the room says of itself in the description of
        the one tool that leads to all, perhaps to a caller who stands somewhere; `gateway_names` are the names that
        its specification wants to be seen there, of operations and of families, and `gateway_arguments` those
        arguments of some operations that are. `echo` says in a line what a write of it has done. `envelope` goes
        around everything that is answered.
        """
        self.name = name
        self._echo = echo or _echo
        self._envelope = envelope
        self._invalid = invalid
        self._table = table
        self.known = KnownRoom(
            name=name,
            summary=summary,
            module=declaring(),
            gateway=gateway,
            gateway_names=tuple(gateway_names),
            gateway_arguments={operation: tuple(names) for operation, names in (gateway_arguments or {}).items()},
            remembered=remembers,
            first_focus=first_focus,
            ahead=ahead,
            mending=mending,
        )
        table.declare("room", table.rooms, name, self.known)
        table.declare_views(views)

    def resource(self, resource: Resource) -> None:
        table = self._table
        table.declare("resource", table.resources, resource.uri, resource._replace(room=self.name))

    def prompt(self, prompt: Prompt) -> None:
        self._table.declare("prompt", self._table.prompts, prompt.name, prompt._replace(room=self.name))

    def topic(self, name: str, opened: Opened, *, streams: str) -> None:
        """Say how this room opens a record of a topic; what comes from elsewhere is opened so before it is taken in."""
        self._table.declare("topic", self._table.topics, name, Topic(opened, streams))

    def tally(self, name: str, write: Write) -> None:
        """Say how what reads count under this name is written down: `write` appends one record."""
        self._table.declare("tally", self._table.tallies, name, write)

    def completion(self, argument: str, values: Completion) -> None:
        """Say how to complete an argument of that name in this room."""
        self._table.declare("completion", self._table.completions, (self.name, argument), values)

    def operation(
        self,
        name: str,
        *,
        example: Example,
        title: str = "",
        errors: Sequence[type[ThoughtboxError]] = (),
        writes: bool = False,
        effect: Effect = "adds",
        idempotent: bool = False,
        hidden: bool = False,
        describes: bool = False,
        long: bool | None = None,
        in_turn: bool = False,
        in_forms: bool = False,
        finishes: bool = False,
        reserve: Callable[[Lasting, str, Any], Place] | None = None,
        shared: bool = False,
        toolsets: Sequence[str] = (),
        fresh: Sequence[type[View]] = (),
        guard: Guard | None = None,
        ceiling: int = HARD_CEILING,
        keep: Sequence[str] = (),
        newest_first: frozenset[str] = frozenset(),
        pages: Sequence[Pages] = (),
        needs_roots: bool = False,
        sampling: Sampling | None = None,
        gateway: Gateway | None = None,
        app: str | None = None,
    ) -> Callable[[F], F]:
        """Enter a function into the table. Its docstring is the operation's description.

        `shared` says that another room has an operation of this name, too: both are then called `room.name`. Without
        `toolsets` it is shown in the one that is named after its room. The other words are those of `Operation` and
        its parts.
        """

        def enter(function: F) -> F:
            hints = get_type_hints(function)
            text = inspect.getdoc(function) or ""
            in_steps = inspect.isgeneratorfunction(function)
            operation = Operation(
                name=f"{self.name}.{name}" if shared else name,
                bare=name,
                room=self.name,
                function=function,
                input=hints["call"],
                output=_answer_of_steps(hints["return"]) if in_steps else hints["return"],
                title=title,
                summary=text.partition("\n")[0],
                description=text,
                example=example,
                errors=(self._invalid, *(guard.errors if guard is not None else ()), *errors),
                invalid=self._invalid,
                toolsets=tuple(toolsets) or (self.name,),
                writes=writes,
                effect=effect,
                idempotent=idempotent,
                hidden=hidden,
                describes=describes,
                long=in_steps if long is None else long,
                in_turn=in_turn,
                in_forms=in_forms,
                finishes=finishes,
                reserve=reserve,
                works_in_steps=in_steps,
                fresh=tuple(fresh),
                guard=guard,
                shape=Shape(ceiling=ceiling, keep=tuple(keep), newest_first=newest_first, pages=tuple(pages)),
                from_client=FromClient(roots=needs_roots, sampling=sampling),
                gateway=gateway,
                app=app,
                envelope=self._envelope,
                echo=self._echo,
            )
            self._table.enter(operation, known(operation, declaring()))
            return function

        return enter


def known(operation: Operation, module: str) -> KnownOperation:
    """What there is to know of an operation without its code."""
    required = [info.alias or name for name, info in operation.input.model_fields.items() if info.is_required()]
    return KnownOperation(
        name=operation.name,
        bare=operation.bare,
        room=operation.room,
        module=module,
        title=operation.title,
        summary=operation.summary,
        description=operation.description,
        toolsets=operation.toolsets,
        writes=operation.writes,
        effect=operation.effect,
        idempotent=operation.idempotent,
        hidden=operation.hidden,
        describes=operation.describes,
        long=operation.long,
        names_workspace=operation.names_workspace,
        needs=operation.needs,
        arguments=operation.arguments,
        required=tuple(required),
        app=operation.app,
        gateway=operation.gateway,
    )


def _answer_of_steps(returned: Any) -> type[Output]:
    """The answer of an operation that works in steps: what its generator returns."""
    return returned.__args__[-1]


def _echo(operation: str, answer: Mapping[str, Any]) -> str:
    named = answer.get("id")
    return f"{operation} {named}" if isinstance(named, str) else operation
