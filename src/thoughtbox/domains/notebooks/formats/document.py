"""A notebook as the formats see it: nothing of where it is kept, or of who may run it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

CellType: TypeAlias = Literal["title", "markdown", "code", "package.json"]
Language: TypeAlias = Literal["javascript", "typescript", "python"]

UNTITLED: Final = "Untitled"
"""The name of a notebook whose file gives it none."""


class OutputDoc(NamedTuple):
    """One output of a code cell, as nbformat thinks of them."""

    kind: Literal["stream", "display", "result", "error"]
    name: str = ""
    """Of a stream: `stdout` or `stderr`."""
    text: str = ""
    """Of a stream its text, of an error the traceback as one text."""
    data: Mapping[str, str] = {}
    """Of a display or a result: content by media type. What is binary is in base64."""
    ename: str = ""
    evalue: str = ""
    extra: Mapping[str, Any] = {}
    """Whatever else the file had in this output, `data` that is no text included."""


class CellDoc(NamedTuple):
    """One cell. Its text is exact: no format adds or takes away a line end."""

    type: CellType
    text: str
    """The text of title and markdown cells, the source of the others."""
    filename: str | None = None
    """Of code and package.json cells."""
    language: Language | None = None
    """Of code cells."""
    outputs: tuple[OutputDoc, ...] = ()
    """Of code cells; only `.ipynb` carries them."""
    extra: Mapping[str, Any] = {}
    """What a file had in this cell that is not ours: metadata, id, attachments, execution_count, unknown keys."""


class Document(NamedTuple):
    """One notebook."""

    name: str
    language: Language
    cells: tuple[CellDoc, ...]
    tsconfig: str | None = None
    extra: Mapping[str, Any] = {}
    """What a file had that is not ours."""
