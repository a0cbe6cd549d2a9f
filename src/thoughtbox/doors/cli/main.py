"""Running a command, and what its exit code means (see `parser.EXIT_CODES`)."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from thoughtbox.doors.cli import parser
from thoughtbox.doors.cli.output import Output, UsageError, show_error, show_usage_error
from thoughtbox.doors.cli.store import CannotOpen
from thoughtbox.errors import ConfigurationError, ThoughtboxError

WRONG, USAGE, NO_STORE, INTERRUPTED = 1, 2, 3, 130
READER_GONE = 141
"""What a shell says of a process whose reader went away, as in `thoughtbox ops | head`."""


def main(argv: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character is no reason to fail.
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes once more at its end; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    except KeyboardInterrupt:
        sys.stderr.write("thoughtbox: interrupted\n")
        return INTERRUPTED
    return code


def _run(argv: Sequence[str] | None) -> int:
    try:
        args = _parsed(argv)
    except SystemExit as end:  # argparse has said what there is to say
        return end.code if isinstance(end.code, int) else USAGE
    if args.run is None:
        parser.build().print_help(sys.stderr)
        return USAGE
    as_json = Output(args).as_json
    try:
        return _command(args.run)(args)
    except UsageError as error:
        show_usage_error(error, as_json=as_json)
        return USAGE
    except ConfigurationError as error:
        show_error(error, as_json=as_json)
        return USAGE
    except CannotOpen as error:
        show_error(error.error, as_json=as_json)
        return NO_STORE
    except ThoughtboxError as error:
        show_error(error, as_json=as_json)
        return WRONG
    except BrokenPipeError:
        raise
    except Exception as error:
        from thoughtbox.operations.dispatch import fault

        show_error(fault(error), as_json=as_json)
        return WRONG


def _parsed(argv: Sequence[str] | None) -> Namespace:
    built = parser.build()
    args, rest = built.parse_known_args(argv)
    if rest and args.rest is not None and not any(word.startswith("-") for word in rest):
        # argparse gives up on a list as soon as an option interrupts it.
        getattr(args, args.rest).extend(rest)
    elif rest:
        built.error(f"unrecognized arguments: {' '.join(rest)}")
    return args


def _command(name: str) -> Callable[[Namespace], int]:
    module, _, function = name.partition(":")
    return getattr(import_module(f"thoughtbox.doors.cli.{module}"), function)
