"""A notebook as `.ipynb`: nbformat 4.5, which Jupyter opens, with outputs.

What is written is read back as it was. Filenames and languages stand in metadata of the name `thoughtbox`; so does, in
`extra`, what came from elsewhere and has no place in nbformat.
"""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.notebooks.formats.asides import kept_aside
from thoughtbox.domains.notebooks.formats.document import CellDoc, Document
from thoughtbox.domains.notebooks.formats.ipynb_kernels import kernel_metadata
from thoughtbox.domains.notebooks.formats.ipynb_outputs import written_output
from thoughtbox.domains.notebooks.formats.ipynb_parts import lines_of
from thoughtbox.domains.notebooks.formats.ipynb_reading import (
    MADE_ID,
    MINOR,
    STANDS_FOR,
    foreign_in_cell,
    foreign_in_file,
    read,
)
from thoughtbox.domains.notebooks.formats.ipynb_schema import (
    OURS,
    are_attachments,
    cell_metadata,
    is_count,
    is_id,
    notebook_metadata,
)
from thoughtbox.domains.notebooks.formats.json_text import written

__all__ = ["read", "write"]


def write(document: Document) -> str:
    """The notebook as a text, spelled as Jupyter spells its files."""
    ids: set[str] = set()
    value: dict[str, Any] = {
        "cells": [_cell(cell, _id(cell, place, ids)) for place, cell in enumerate(document.cells, 1)],
        "metadata": {**kernel_metadata(document.language), **notebook_metadata(document.extra)},
        "nbformat": 4,
        "nbformat_minor": MINOR,
    }
    own: dict[str, Any] = {"name": document.name, "language": document.language}
    if document.tsconfig is not None:
        own["tsconfig"] = document.tsconfig
    if aside := kept_aside(document.extra, foreign_in_file(value, document.language)):
        own["extra"] = aside
    value["metadata"][OURS] = own
    return written(value)


def _id(cell: CellDoc, place: int, taken: set[str]) -> str:
    """The cell's own id, if it is one and nobody has it yet; those that we make are nobody's."""
    own = cell.extra.get("id")
    if not isinstance(own, str) or not is_id(own) or own in taken or MADE_ID.fullmatch(own):
        return f"thoughtbox-{place}"
    taken.add(own)
    return own


def _cell(cell: CellDoc, id: str) -> dict[str, Any]:
    cell_type = STANDS_FOR[cell.type][0]
    if cell.type == "markdown" and cell.extra.get("cell_type") == "raw":
        cell_type = "raw"
    text = f"# {cell.text}" if cell.type == "title" else cell.text
    metadata = cell_metadata(cell.extra)
    value = {"cell_type": cell_type, "id": id, "metadata": metadata, "source": lines_of(text)}
    own: dict[str, Any] = _own(cell)
    if cell_type == "code":
        count = cell.extra.get("execution_count")
        outputs = [written_output(output) for output in cell.outputs]
        value |= {"execution_count": count if is_count(count) else None, "outputs": [output for output, _ in outputs]}
        if asides := {str(place): aside for place, (_, aside) in enumerate(outputs, 1) if aside}:
            own["outputs"] = asides
    elif are_attachments(attachments := cell.extra.get("attachments")):
        value["attachments"] = attachments
    if aside := kept_aside(cell.extra, foreign_in_cell(value, cell.type)):
        own = {"type": cell.type, **own, "extra": aside}
    if own:
        metadata[OURS] = own
    return value


def _own(cell: CellDoc) -> dict[str, Any]:
    match cell.type:
        case "title":
            return {"type": "title"}
        case "markdown":
            return {}
        case "package.json":
            return {"type": "package.json", "filename": cell.filename}
        case "code":
            return {"type": "code", "filename": cell.filename, "language": cell.language}
