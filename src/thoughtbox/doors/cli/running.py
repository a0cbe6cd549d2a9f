"""Running a command, and what its exit code means (see `exit_codes.py`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING

from thoughtbox.doors.cli.exit_codes import INTERRUPTED, READER_GONE, USAGE
from thoughtbox.doors.cli.flags import plain_serve
from thoughtbox.doors.terminal import printable

if TYPE_CHECKING:
    from argparse import Namespace


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
        from thoughtbox.doors.cli import parser

        parser.build().print_help(sys.stderr)
        return USAGE
    try:
        return _command(args.run)(args)
    except OSError:
        raise
    except Exception as error:
        from thoughtbox.doors.cli.failures import told

        return told(error, args)


def _parsed(argv: Sequence[str]) -> Namespace:
    if (plain := plain_serve(argv)) is not None:
        return plain
    from thoughtbox.doors.cli import parser

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
