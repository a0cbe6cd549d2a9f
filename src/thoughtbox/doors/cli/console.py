"""Terminals, and what is none."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

UNBROKEN = 10_000
"""Columns of what is not a terminal: a line stays a line, for grep and its friends."""


def console(stream: IO[str], *, plain: bool) -> Console:
    from rich.console import Console

    return Console(
        file=stream,
        width=None if stream.isatty() or os.environ.get("COLUMNS") else UNBROKEN,
        color_system=None if plain else "auto",
        markup=False,
        emoji=False,
        highlight=False,
    )
