"""`exec` runs a snippet from a file: what an agent sends to `execute`."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import PurePath
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from thoughtbox import domains
from thoughtbox.domains.code.listing import number
from thoughtbox.doors.cli.exit_codes import WRONG
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
        _show_failure(in_shell(error, args), out, arguments["code"])
        return WRONG
    if out.as_json:
        out.json(answer)
        return 0
    _show(out, answer, args.session)
    return 0


def _code(name: str) -> str:
    try:
        return contents(name).decode()
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8") from None


def _show_failure(error: ThoughtboxError, out: Output, code: str) -> None:
    """For people, what it has logged, the line that it failed in, and words that fit the screen; JSON for programs."""
    if out.as_json or not sys.stderr.isatty():
        show_refusal(error, out)
        return
    for line in error.details.get("logs", ()):
        out.note(line)
    width = get_terminal_size().columns
    for line in _folded(f"thoughtbox: {error.code}: {error.message}", width):
        out.note(line)
    number = error.details.get("line")
    lines = code.splitlines()
    if isinstance(number, int) and 1 <= number <= len(lines):
        before = f"  {number} | "
        out.note(before + lines[number - 1][: width - len(before)])
    for line in _folded(f"  {error.recovery or ''}".rstrip(), width):
        out.note(line)


def _folded(text: str, width: int) -> Iterator[str]:
    """Lines that end between words; what is to be typed, in backticks, stays in one piece."""
    joined = re.sub(r"`[^`]*`", lambda found: found[0].replace(" ", "\0"), text)
    for line in wrap(joined, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False):
        yield line.replace("\0", " ")


def _show(out: Output, answer: dict[str, Any], session: str | None) -> None:
    for line in answer["logs"]:
        out.note(line)
    out.pretty_json(answer["result"])
    if answer["records"]:
        written = count(sum(map(number, answer["records"])), "record")
        into = answer.get("session") or session
        out.note(Styled(f"{written} written to session {into}" if into else f"{written} written", QUIET))
