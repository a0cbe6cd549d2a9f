"""Running a command, and what its exit code means (see `parser.EXIT_CODES`)."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from io import RawIOBase
from pathlib import Path

from thoughtbox.doors.cli import parser
from thoughtbox.doors.cli.output import Output, UsageError, show_error, show_usage_error
from thoughtbox.doors.cli.shell_words import in_shell
from thoughtbox.doors.cli.store import CannotOpen
from thoughtbox.doors.terminal import printable
from thoughtbox.errors import ConfigurationError, ThoughtboxError

WRONG, USAGE, NO_STORE, INTERRUPTED = 1, 2, 3, 130
READER_GONE = 141
"""What a shell says of a process whose reader went away, as in `thoughtbox ops | head`."""


def run(argv: Sequence[str]) -> int:
    _prepare_streams()
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        _let_go_of_stdout()
        return READER_GONE
    except OSError as error:
        _let_go_of_stdout()
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(printable(f"thoughtbox: {where}{error.strerror or error}") + "\n")
        return USAGE
    except KeyboardInterrupt:
        sys.stderr.write("thoughtbox: interrupted\n")
        return INTERRUPTED
    return code


def _prepare_streams() -> None:
    """Have streams that lose nothing without a word, and fail for no small reason."""
    if isinstance(getattr(sys.stdout, "buffer", None), RawIOBase):
        # Unbuffered (PYTHONUNBUFFERED), half of what is written may be lost when a disk fills up or a reader goes.
        sys.stdout = open(1, "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115 - as long as the process
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - as above
        elif (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            # A terminal that cannot show a character is no reason to fail.
            reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """What cannot be written any more goes nowhere: the interpreter would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
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
        show_error(in_shell(error.error, args), as_json=as_json)
        return NO_STORE
    except ThoughtboxError as error:
        show_error(in_shell(error, args), as_json=as_json)
        return WRONG
    except OSError:
        raise
    except Exception as error:
        from thoughtbox.operations.dispatch import fault

        show_error(fault(error), as_json=as_json)
        return WRONG


def _parsed(argv: Sequence[str]) -> Namespace:
    built = parser.build(argv)
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
