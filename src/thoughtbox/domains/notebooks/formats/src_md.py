"""A notebook as `.src.md`, the format of srcbook: Markdown in which every cell can be read, and edited by hand.

What is written is read back as it was, whatever stands in the cells. Where the plain layout would be read as something
else, markers say what is meant; the writer asks the reader, so that an ordinary notebook has none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtbox.domains.notebooks.formats.document import CellDoc, Document, Language
from thoughtbox.domains.notebooks.formats.fences import fence_for
from thoughtbox.domains.notebooks.formats.json_text import on_one_line
from thoughtbox.domains.notebooks.formats.src_md_markers import BEGINS, Marker, without_returns
from thoughtbox.domains.notebooks.formats.src_md_reading import PACKAGE, cells_of, name_of, read

__all__ = ["read", "write"]


def write(document: Document) -> str:
    """The notebook as a text without carriage returns. Outputs, and what is foreign in cells, are left out."""
    cells = tuple(map(_carried, document.cells))
    return "\n\n".join([_header(document, cells), *_written(cells, document.language)]) + "\n"


def _carried(cell: CellDoc) -> CellDoc:
    """What this format knows of a cell."""
    if cell.type in ("title", "markdown"):
        return CellDoc(cell.type, cell.text)
    return CellDoc(cell.type, cell.text, cell.filename, cell.language if cell.type == "code" else None)


def _header(document: Document, cells: tuple[CellDoc, ...]) -> str:
    about: dict[str, Any] = {"language": document.language}
    if document.tsconfig is not None:
        about["tsconfig.json"] = document.tsconfig
    if document.name != name_of(cells):
        about["name"] = document.name
    foreign = document.extra.get("srcbook")
    if isinstance(foreign, dict):
        about = {**about, **{name: value for name, value in foreign.items() if name not in _OURS}}
    return f"<!-- srcbook:{on_one_line(about)} -->"


_OURS = ("language", "tsconfig.json", "name")


def _written(cells: tuple[CellDoc, ...], language: Language) -> Iterator[str]:
    # Two cells of prose would become one.
    in_prose = False
    for cell in cells:
        is_prose = cell.type == "markdown"
        plain = _plain(cell)
        is_plain = not (in_prose and is_prose) and "\r" not in plain and _reads_as(plain, cell, language)
        in_prose = is_prose and is_plain
        yield plain if is_plain else _marked(cell)


def _reads_as(plain: str, cell: CellDoc, language: Language) -> bool:
    """Whether this is read as the cell and nothing else, and does not reach into what comes behind it."""
    # A marker in prose may find its end in a later cell.
    if cell.type == "markdown" and any(line.startswith(BEGINS) for line in plain.split("\n")):
        return False
    return list(cells_of(f"{plain}\n\n# behind", language)) == [cell, CellDoc("title", "behind")]


def _plain(cell: CellDoc) -> str:
    match cell.type:
        case "title":
            return f"# {cell.text}"
        case "markdown":
            return cell.text
        case _:
            return _code(cell, cell.text, cell.filename)


def _code(cell: CellDoc, source: str, filename: str | None) -> str:
    fence = fence_for(source)
    heading = f"###### {filename}\n\n" if filename is not None else ""
    return f"{heading}{fence}{'json' if cell.type == PACKAGE else cell.language or ''}\n{source}\n{fence}"


def _marked(cell: CellDoc) -> str:
    text, about = without_returns(cell.text)
    if cell.type in ("title", "markdown"):
        marker = Marker(cell.type, dict(about)).ending_after(text)
        return f"{marker}\n{'# ' if cell.type == 'title' else ''}{text}\n{marker.end}"
    is_heading = cell.filename is not None and _is_heading(cell.filename)
    said: dict[str, Any] = {} if is_heading else {"filename": cell.filename}
    if cell.type == "code" and cell.language is None:
        said["language"] = None
    return f"{Marker(cell.type, {**said, **about})}\n\n{_code(cell, text, cell.filename if is_heading else None)}"


def _is_heading(filename: str) -> bool:
    """Whether a filename can be read from a heading."""
    return "\n" not in filename and "\r" not in filename and bool(filename) and filename == filename.strip(" \t")
