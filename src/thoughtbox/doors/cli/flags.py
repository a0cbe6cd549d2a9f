"""Settings that can be said on the command line, and the line that a client starts a server with.

Most processes of ours are started by a client, and somebody waits for each: what such a line says is read without
making the parser of all commands.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from argparse import Namespace

STORE_FLAGS = ("data_dir", "project", "database_url", "storage", "durability")
"""Settings that every command takes as options."""

SERVE_FLAGS = ("transport", "host", "port", "workers", "toolset", "token")
"""Settings that only `serve`, `doctor` and `config` take."""

OBSERVE_FLAGS = {
    "observatory_enabled": "`--observe` (serve)",
    "observatory_host": "`--host` (observe)",
    "observatory_port": "`--port` (observe)",
}
"""Settings that have an option of another name, and how that is written."""

TRANSPORTS = ("stdio", "http")
SERVE = "serve:serve"
OBSERVE = "--observe"
"""Serves the Observatory too."""


def option(field: str) -> str:
    """A setting as an option."""
    return f"--{field.replace('_', '-')}"


def given_settings(args: Namespace) -> dict[str, str]:
    """The settings that stand on the command line."""
    fields = (*STORE_FLAGS, *SERVE_FLAGS, *OBSERVE_FLAGS)
    given = {field: getattr(args, field) for field in fields if hasattr(args, field)}
    workspace = getattr(args, "workspace", None)
    return given if workspace is None else {**given, "project": workspace}


def plain_serve(words: Sequence[str]) -> Namespace | None:
    """What the parser makes of `serve` with settings behind it; None of a line that says anything else."""
    if not words or words[0] != "serve":
        return None
    fields = {option(field): field for field in (*STORE_FLAGS, *SERVE_FLAGS)}
    given: dict[str, str] = {}
    rest = iter(words[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if word.removeprefix("--") in TRANSPORTS and word.startswith("--"):
            given["transport"] = word.removeprefix("--")
            continue
        if word == OBSERVE:
            given["observatory_enabled"] = "true"
            continue
        if name in fields and not equals:
            value = next(rest, "-")
            if value.startswith("-"):  # another option, or nothing: the parser knows what to say to that
                return None
        elif name not in fields:
            return None
        given[fields[name]] = value
    return cast("Namespace", SimpleNamespace(command="serve", run=SERVE, rest=None, workspace=None, **given))
