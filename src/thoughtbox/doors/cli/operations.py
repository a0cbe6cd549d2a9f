"""`call` runs any operation; `ops` says which there are."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import orjson

from thoughtbox import domains
from thoughtbox.doors.cli.command_lines import command_lines
from thoughtbox.doors.cli.output import DOUBTFUL, QUIET, Output, Styled, UsageError, show_error, write_json
from thoughtbox.doors.cli.shell_words import GATEWAY, in_shell
from thoughtbox.doors.cli.store import is_read_only, opened, opened_to_read, settings_of
from thoughtbox.errors import ConfigurationError, ThoughtboxError
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.catalog import KnownOperation
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.forms import FORMAT, JSON, TBX
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.parts import answer_of, arguments_of, takes_text
from thoughtbox.operations.table import TABLE
from thoughtbox.operations.workspaces import named_workspace


def call(args: Namespace) -> int:
    domains.known()
    out = Output(args)
    form = JSON
    try:
        given = _given(args)
        operation = TABLE.find(args.name, [*given, *(pair.partition("=")[0] for pair in args.pairs)])
        arguments = given | _pairs(args, operation)
        form = arguments.get(FORMAT, JSON) if operation.lists else JSON
        answer = answered(args, out, operation, arguments, as_of=_as_of(args.as_of))
    except ConfigurationError:
        raise
    except ThoughtboxError as error:
        # Whoever calls the gateway itself speaks its language.
        show_refusal(error if args.name == GATEWAY else in_shell(error, args), out, form)
        return 1
    out.pretty_json(answer)
    return 0


def answered(
    args: Namespace, out: Output, operation: Operation, arguments: Mapping[str, Any], *, as_of: int | None = None
) -> dict[str, Any]:
    """What an operation answers to whoever types a command."""
    settings = settings_of(args)
    wanted = Call(
        operation=operation.name,
        workspace=named_workspace(operation, arguments) or settings.project,
        arguments=arguments,
        caller=Caller(agent=settings.agent or "cli", transport="cli"),
        key=args.key,
        as_of=as_of,
    )
    with ExitStack() as stack:
        if is_read_only(settings):
            box, _ = stack.enter_context(opened_to_read(settings))
        else:
            box = stack.enter_context(opened(settings))
        bar = stack.enter_context(out.bar(operation.name))
        return box.dispatcher.call(wanted._replace(progress=bar, focus=box.first_focus("workspace")))


def show_refusal(error: ThoughtboxError, out: Output, form: str = JSON) -> None:
    """An error for whoever reads standard error, and that is a program more often than not."""
    for_programs = out.as_json or not sys.stderr.isatty()
    if form == TBX and for_programs:
        from thoughtbox.tbx import encode_error

        write_json(sys.stderr, encode_error(error.payload()))
        return
    show_error(error, as_json=for_programs)


def contents(name: str) -> bytes:
    """What a file holds, or standard input."""
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None


def _given(args: Namespace) -> dict[str, Any]:
    """Arguments from JSON or a file."""
    if args.arguments is not None:
        return _object(sys.stdin.buffer.read() if args.arguments == "-" else args.arguments.encode(), "--json")
    return {} if args.file is None else _object(contents(args.file), args.file)


def _pairs(args: Namespace, operation: Operation) -> dict[str, Any]:
    """Arguments from `key=value`; they have the last word."""
    given: dict[str, Any] = {}
    for pair in args.pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"`{pair}` is not an argument: write key=value, or --json '{{…}}'")
        given[name] = _value(operation, name, text)
    return given


def _object(data: bytes, where: str) -> dict[str, Any]:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{where} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise UsageError(f'{where} must be a JSON object, such as \'{{"sessionId":"s1"}}\'')
    return value


def _value(operation: Operation, name: str, text: str) -> Any:
    """Text for an argument that takes text; otherwise what it means in JSON, if it means anything."""
    if takes_text(operation, name):
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _as_of(text: str | None) -> int | None:
    if text is None:
        return None
    digits = text.removeprefix("th:")
    if not digits.isdecimal():
        raise UsageError(f"--as-of takes the number of a record, such as 17 or th:17, not `{text}`")
    return int(digits)


def ops(args: Namespace) -> int:
    domains.known()
    out = Output(args)
    if args.name is not None and not _family(args.name):
        _show_one(out, TABLE.find(args.name))
        return 0
    if args.room is not None and args.room not in TABLE.rooms:
        raise UsageError(f"there is no room `{args.room}`; the rooms are {', '.join(TABLE.rooms)}")
    chosen = [operation for operation in TABLE.known.values() if _is_wanted(operation, args)]
    if out.as_json:
        out.json({"operations": [_overview(operation) for operation in chosen]})
        return 0
    out.table(
        ("operation", "room", "does", "what for"),
        [(*_name_cells(operation), operation.summary) for operation in chosen],
        wraps=("what for",),
    )
    if not chosen:
        out.note("No operation fits. `thoughtbox ops` without options lists all.")
    return 0


def _family(name: str) -> list[str]:
    """The operations that begin with a name which is none itself: `session.get` and the others of `session`."""
    return [] if name in TABLE.operations else [f"{name}.{sub}" for sub in TABLE.family(name)]


def _is_wanted(operation: KnownOperation, args: Namespace) -> bool:
    text = f"{operation.name} {operation.title} {operation.description}".lower()
    return (
        (args.name is None or operation.name in _family(args.name))
        and (args.room is None or operation.room == args.room)
        and (not args.writes or operation.writes)
        and (not args.reads or not operation.writes)
        and (args.filter is None or args.filter.lower() in text)
    )


def _name_cells(operation: KnownOperation) -> tuple[str | Styled, ...]:
    name = Styled(operation.name, QUIET) if operation.hidden else operation.name
    return name, operation.room, Styled("writes", DOUBTFUL) if operation.writes else "reads"


def _overview(operation: Operation | KnownOperation) -> dict[str, Any]:
    return {
        "name": operation.name,
        "room": operation.room,
        "title": operation.title,
        "summary": operation.summary,
        "writes": operation.writes,
        "hidden": operation.hidden,
        "needs": operation.needs,
    }


def _in_full(operation: Operation) -> dict[str, Any]:
    return {
        **_overview(operation),
        "description": operation.description,
        "idempotent": operation.idempotent,
        "input": operation.input.model_json_schema(by_alias=True),
        "output": operation.output.model_json_schema(by_alias=True, mode="serialization"),
        "errors": {error.code: error.meaning for error in operation.errors},
        "example": command_lines(operation),
    }


def _show_one(out: Output, operation: Operation) -> None:
    if out.as_json:
        out.json(_in_full(operation))
        return
    out.say(Styled(f"{operation.name}: {operation.title}", "bold"))
    kind = "writes" if operation.writes else "only reads"
    shown = ", never listed as a tool" if operation.hidden else ""
    needs = f", {operation.needs}" if operation.needs is not None else ""
    out.say(Styled(f"room {operation.room}, {kind}{needs}{shown}", QUIET))
    out.say()
    out.say(operation.description)
    out.say()
    if parts := arguments_of(operation):
        out.table(
            ("argument", "type", "", "what it is"),
            [(part.name, part.type, part.when_left_out, part.description) for part in parts],
            wraps=("type", "what it is"),
        )
    else:
        out.say("It takes no arguments.")
    out.say()
    if parts := answer_of(operation):
        out.table(
            ("answer", "type", "what it is"),
            [(part.name, part.type, part.description) for part in parts],
            wraps=("type", "what it is"),
        )
        out.say()
    out.table(
        ("error", "when"), [(error.code, error.meaning) for error in dict.fromkeys(operation.errors)], wraps=("when",)
    )
    out.say()
    refusal = operation.example.fails_with
    out.say(Styled(f"example, refused with {refusal.code}" if refusal else "example", "bold"))
    for line in command_lines(operation):
        out.say(f"  {line}")
