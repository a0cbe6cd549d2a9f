"""What people and programs see: words and tables, JSON, and one way to show an error.

Answers go to standard output, everything said about them to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from thoughtbox.doors.cli.console import UNBROKEN, console
from thoughtbox.doors.cli.progress import Bar
from thoughtbox.doors.terminal import printable, printable_json

if TYPE_CHECKING:
    from argparse import Namespace

    from rich.console import Console

    from thoughtbox.errors import ThoughtboxError


class UsageError(Exception):
    """The command cannot be understood, or names a file that cannot be read or written."""


class Styled(NamedTuple):
    """A cell or a line with a colour."""

    text: str
    style: str


GOOD, DOUBTFUL, BAD, QUIET = "green", "yellow", "bold red", "dim"


class Output:
    """Where one command's answer goes."""

    def __init__(self, args: Namespace) -> None:
        self.as_json: bool = getattr(args, "as_json", False)
        self._plain: bool = getattr(args, "no_color", False) or bool(os.environ.get("NO_COLOR"))

    def say(self, line: str | Styled = "") -> None:
        """A line of the answer, for people."""
        self._write(sys.stdout, line)

    def note(self, line: str | Styled) -> None:
        """A line about the answer. Programs that asked for JSON are spared."""
        if not self.as_json:
            self._write(sys.stderr, line)

    def paragraph(self, text: str | Styled, *, indent: str = "", first: str | None = None) -> None:
        """Text of several lines, or of lines too long for a terminal, behind an indent; `first` stands in its first."""
        from rich.text import Text

        said, style = text if isinstance(text, Styled) else (text, "")
        console = self._console(sys.stdout)
        before = indent if first is None else first
        for line in printable(said).splitlines() or [""]:
            whole = [Text(line)] if console.width == UNBROKEN else Text(line).wrap(console, self.width - len(indent))
            for part in whole:
                shown = f"{before}{part.plain}".rstrip()
                self._write(sys.stdout, Styled(shown, style) if style else shown)
                before = indent

    @property
    def width(self) -> int:
        """Columns there are for an answer."""
        return max(self._console(sys.stdout).width, 20)

    def table(
        self, columns: Sequence[str], rows: Iterable[Sequence[str | Styled]], *, wraps: Collection[str] = ()
    ) -> None:
        """Rows under a heading. Only the columns in `wraps` may take several lines."""
        from rich import box
        from rich.table import Table

        shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), header_style="bold", show_edge=False)
        for name in columns:
            shown.add_column(name, no_wrap=name not in wraps, overflow="fold")
        for row in rows:
            shown.add_row(*map(_text, row))
        self._console(sys.stdout).print(shown)

    def json(self, value: Any) -> None:
        """The answer for programs, in one line."""
        write_json(sys.stdout, value)

    def pretty_json(self, value: Any) -> None:
        """An answer that is JSON either way: laid out on a terminal, in one line elsewhere."""
        if self.as_json or not sys.stdout.isatty():
            self.json(value)
            return
        from rich.highlighter import JSONHighlighter

        text = _text(printable_json(_dumped(value, laid_out=True)))
        JSONHighlighter().highlight(text)
        self._console(sys.stdout).print(text, soft_wrap=True)

    def bar(self, label: str) -> Bar:
        """How far the work has come, for people who wait."""
        return Bar(label, plain=self._plain)

    def _write(self, stream: IO[str], line: str | Styled) -> None:
        if isinstance(line, Styled) and stream.isatty() and not self._plain:
            self._console(stream).print(_text(line), soft_wrap=True)
        else:
            stream.write(printable(line.text if isinstance(line, Styled) else line) + "\n")

    def _console(self, stream: IO[str]) -> Console:
        return console(stream, plain=self._plain)


def write_json(stream: IO[str], value: Any) -> None:
    text = _dumped(value)
    stream.write((printable_json(text) if stream.isatty() else text) + "\n")


def _dumped(value: Any, *, laid_out: bool = False) -> str:
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if laid_out else None).decode()
    except TypeError:
        import json  # a number of more than 64 bits, or a text with half a character in it

        return json.dumps(value, indent=2 if laid_out else None, separators=(",", ": " if laid_out else ":"))


def _text(cell: str | Styled) -> Any:
    from rich.text import Text

    return Text(printable(cell.text), cell.style) if isinstance(cell, Styled) else Text(printable(cell))


def show_error(error: ThoughtboxError, *, as_json: bool) -> None:
    """The error on standard error: its payload for programs, a sentence and a way out for people."""
    if as_json:
        write_json(sys.stderr, error.payload())
        return
    sys.stderr.write(printable(f"thoughtbox: {error.code}: {error.message}") + "\n")
    if error.recovery:
        sys.stderr.write(printable(f"  {error.recovery}") + "\n")


def show_usage_error(error: UsageError, *, as_json: bool) -> None:
    if as_json:
        write_json(sys.stderr, {"code": "USAGE_ERROR", "message": str(error)})
    else:
        sys.stderr.write(printable(f"thoughtbox: {error}") + "\n")


def count(number: int, noun: str) -> str:
    """`1 record`, `1,204 records`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
