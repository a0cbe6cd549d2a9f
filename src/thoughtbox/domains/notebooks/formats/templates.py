"""What a new notebook begins with."""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, TypeAlias

from thoughtbox import content
from thoughtbox.domains.notebooks.formats import src_md
from thoughtbox.domains.notebooks.formats.document import CellDoc, Language

Template: TypeAlias = Literal["blank", "sequential-feynman"]

_FOLDER: Final = "notebooks"


def template(name: Template, *, title: str, language: Language) -> tuple[CellDoc, ...]:
    """The cells of a template, under the title of the notebook and with code in its language."""
    if name == "blank":
        return ()
    cells = (cell for cell in _cells(name) if cell.language in (None, language))
    return tuple(CellDoc("title", title) if cell.type == "title" else cell for cell in cells)


@cache
def _cells(name: Template) -> tuple[CellDoc, ...]:
    """The template as it is written down: a notebook that has each of its code cells in every language."""
    return src_md.read(content.text(f"{_FOLDER}/{name}.md")).cells
