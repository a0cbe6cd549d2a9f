"""Which format a text is in, from how it begins: whether it can be read, reading tells."""

from __future__ import annotations

from typing import Literal

from thoughtbox.domains.notebooks.formats.src_md_reading import HEADER, first_line


def detected(text: str) -> Literal["src.md", "ipynb"] | None:
    """The format of a text that means to be a notebook; None for all others."""
    first, _ = first_line(text)
    if HEADER.fullmatch(first):
        return "src.md"
    is_object = first.startswith("{")
    return "ipynb" if is_object and ('"nbformat"' in text or '"cells"' in text) else None
