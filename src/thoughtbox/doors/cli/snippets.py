"""`exec` runs a snippet from a file: what an agent sends to `execute`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import PurePath
from typing import Any

from thoughtbox import domains
from thoughtbox.doors.cli.operations import answered, contents, show_refusal
from thoughtbox.doors.cli.output import QUIET, Output, Styled, UsageError, count
from thoughtbox.doors.cli.shell_words import in_shell
from thoughtbox.errors import ConfigurationError, ThoughtboxError
from thoughtbox.operations.table import TABLE

LANGUAGE_OF = {".js": "javascript", ".mjs": "javascript", ".ts": "typescript", ".mts": "typescript", ".py": "python"}


def run(args: Namespace) -> int:
    domains.known()
    out = Output(args)
    arguments = {"code": _code(args.file), "language": args.language or LANGUAGE_OF.get(PurePath(args.file).suffix)}
    if args.session is not None:
        arguments["session"] = args.session
    try:
        answer = answered(args, out, TABLE.find("execute"), arguments)
    except ConfigurationError:
        raise
    except ThoughtboxError as error:
        show_refusal(in_shell(error, args), out)
        return 1
    if out.as_json:
        out.json(answer)
        return 0
    _show(out, answer)
    return 0


def _code(name: str) -> str:
    try:
        return contents(name).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8") from None


def _show(out: Output, answer: dict[str, Any]) -> None:
    for line in answer["logs"]:
        out.note(line)
    out.pretty_json(answer["result"])
    if answer["records"]:
        written = f"{count(len(answer['records']), 'record')} written to session {answer['session']}"
        out.note(Styled(written, QUIET))
