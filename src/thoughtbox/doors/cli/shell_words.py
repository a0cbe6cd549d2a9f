"""Calls as lines to type: what an error recommends to agents, said to whoever sits at a shell."""

from __future__ import annotations

import json
import re
import shlex
from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

from thoughtbox.doors.cli.parser import STORE_FLAGS, given_settings
from thoughtbox.errors import ThoughtboxError
from thoughtbox.settings import all_settings

GATEWAY = "thoughtbox_gateway"
NOT_SHOWN = "…"
"""In place of a secret."""

_CALL = re.compile(r'\{\s*"operation"')
_ARGUMENT = re.compile(r'"([A-Za-z]\w*)": ("(?:[^"\\]|\\.)*"|[0-9]+|true|false)')
_OTHER_COMMAND = re.compile(r"`thoughtbox(?= [a-z])")
_DECODER = json.JSONDecoder()


def in_shell(error: ThoughtboxError, args: Namespace) -> ThoughtboxError:
    """The same error; its way out is a command where it was a call, on the store that this command is about."""
    if error.recovery:
        given = options(args)
        said = "".join(_pieces(error.recovery, given)).replace("Send `thoughtbox", "Run `thoughtbox")
        error.recovery = _OTHER_COMMAND.sub(lambda found: found[0] + given, said)
    return error


def _pieces(text: str, given: str) -> Iterator[str]:
    at = 0
    while (found := _CALL.search(text, at)) is not None:
        try:
            call, end = _DECODER.raw_decode(text, found.start())
        except json.JSONDecodeError:
            break
        yield _ARGUMENT.sub(_pair, text[at : found.start()])
        line = command(call, given)
        yield f"`{line}`" if line else text[found.start() : end]
        at = end
    yield _ARGUMENT.sub(_pair, text[at:])


def command(call: Mapping[str, Any], given: str = "") -> str | None:
    """The line to type for a call of the gateway; None when it calls nothing that there is."""
    from thoughtbox import domains

    table = domains.known()
    try:
        operation, arguments = table.meant(table.look_up(GATEWAY), call)
    except ThoughtboxError:
        return None
    pairs = [
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in arguments.items()
    ]
    return " ".join([f"thoughtbox{given} call {operation}", *map(shlex.quote, pairs)])


def _pair(found: re.Match[str]) -> str:
    """`"sessionId": "x"` as `sessionId=x`."""
    name, value = found[1], json.loads(found[2])
    return shlex.quote(f"{name}={value if isinstance(value, str) else found[2]}")


def options(args: Namespace) -> str:
    """The options that name the store of this command, for another one."""
    secret = {setting.field for setting in all_settings() if setting.secret}
    return "".join(
        f" --{field.replace('_', '-')} {NOT_SHOWN if field in secret else shlex.quote(value)}"
        for field, value in given_settings(args).items()
        if field in STORE_FLAGS
    )
