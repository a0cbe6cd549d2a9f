"""What a notebook and its cells are: plain values, and the rules that hold for them. Pure logic."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple

CellType = Literal["title", "markdown", "code", "package.json"]
Language = Literal["javascript", "typescript", "python"]
Status = Literal["idle", "running", "completed", "failed"]
Outcome = Literal["completed", "failed", "timeout", "interrupted"]
"""How a run has ended, as its record says it; a cell shows the last three as failed."""

PACKAGE_JSON: Final = "package.json"
ENDINGS: Final[Mapping[Language, tuple[str, ...]]] = {
    "javascript": (".js", ".mjs", ".cjs"),
    "typescript": (".ts", ".mts", ".cts"),
    "python": (".py",),
}
LONGEST_FILENAME: Final = 120
_FILENAME: Final = re.compile(r"[A-Za-z0-9_À-￿][A-Za-z0-9_. À-￿-]*")
RESERVED: Final = frozenset({PACKAGE_JSON, "package-lock.json", "tsconfig.json", "node_modules"})


class Notebook(NamedTuple):
    """A notebook as it stood then, without its cells."""

    id: str
    name: str
    language: Language
    tsconfig: str | None
    is_trusted: bool
    created_ms: int
    updated_ms: int
    cells: int
    is_deleted: bool
    is_as_imported: bool
    """Whether nothing was changed or run since it was taken in from a file."""
    made_seq: int
    """The record that made it."""
    updated_seq: int
    """The record that changed it last."""


class Cell(NamedTuple):
    """A cell as it stood then. What it says stands in the record that said it."""

    id: str
    notebook_id: str
    rank: str
    """Its place among the others: compared as text."""
    type: CellType
    language: Language | None
    filename: str | None
    content_seq: int
    """The record that holds its text."""
    status: Status
    run_seq: int | None
    """The run whose output it shows."""
    ended_seq: int | None
    """The record of that run's end."""

    @property
    def is_runnable(self) -> bool:
        return self.type == "code"


def what_is_wrong_with(filename: str, language: Language) -> str | None:
    """Why a code cell cannot be called so; None when it can."""
    if len(filename.encode()) > LONGEST_FILENAME:
        return f"it is longer than {LONGEST_FILENAME} bytes"
    if not _FILENAME.fullmatch(filename) or ".." in filename:
        return "it is a plain name such as main.js: letters, digits, blanks and . _ -, no folder, no dots at its start"
    if filename in RESERVED:
        return "that name belongs to the notebook itself"
    if not filename.endswith(ENDINGS[language]):
        return f"a cell in {language} ends in {' or '.join(ENDINGS[language])}"
    return None


def language_of(filename: str) -> Language | None:
    """The language that a name's ending stands for."""
    return next((language for language, endings in ENDINGS.items() if filename.endswith(endings)), None)


def free_filename(language: Language, taken: Collection[str]) -> str:
    """A name for a cell that was given none."""
    number = 1
    while (name := f"cell-{number}{ENDINGS[language][0]}") in taken:
        number += 1
    return name
